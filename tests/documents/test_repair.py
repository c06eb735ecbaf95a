"""A compiled file that is damaged, lost or old is made again from the original, once, and everybody is told."""

import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from tests.documents.conftest import stored_files
from tests.support.artefact_rewriting import rewritten
from tests.support.compiled import compile_here
from tests.support.files import HANDBOOK, REPORT, upload
from vectorless_web.documents import services
from vectorless_web.documents.compiling.process import CompileFailed, Order, StageProgress
from vectorless_web.documents.models import Card, Document, DocumentVersion, Section
from vectorless_web.documents.services import lifecycle
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.artefact import ENGINE_VERSION
from vectorless_web.engine.documents.container import FORMAT
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.infra.queues import jobs
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db

Status = DocumentVersion.Status
DAMAGES = {
    "missing": lambda path: path.unlink(),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-200]),
    "altered": lambda path: path.write_bytes(path.read_bytes()[:-9] + b"elsewhere"),
    "newer layout": lambda path: path.write_bytes(rewritten(path.read_bytes(), format=FORMAT + 1, engine="newer")),
}


@pytest.fixture
def handbook(ready, workspace, alice) -> DocumentVersion:
    """A version that is ready, of a document that can be looked at."""
    return ready(HANDBOOK, "handbook.md").current_version


def path_of(version: DocumentVersion) -> Path:
    return Path(default_storage.path(version.artefact))


def damage(version: DocumentVersion, how: str = "missing") -> None:
    DAMAGES[how](path_of(version))


def written_by(version: DocumentVersion, engine: str) -> None:
    """Let the version's file be one that another compiler made."""
    data = rewritten(path_of(version).read_bytes(), engine=engine)
    path_of(version).write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    DocumentVersion.objects.filter(pk=version.pk).update(artefact_sha256=digest, engine_version=engine)
    version.refresh_from_db()


def work_off() -> None:
    """Read whatever waits, as the worker would."""
    for pk in DocumentVersion.objects.filter(repair=Status.QUEUED).values_list("pk", flat=True):
        compile_version(pk, compile_with=compile_here)


@pytest.mark.parametrize("how", list(DAMAGES))
def test_the_reader_says_that_a_damaged_document_is_read_again_and_shows_it_afterwards(handbook, look, how):
    assert look(handbook.document).status_code == 200
    damage(handbook, how)
    answer = look(handbook.document)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "being read again from its original file" in page
    assert "ws-connect" in page and "data-reload-when-ready" in page and 'data-status="repairing"' in page
    assert look(handbook.document, "pages/1/").status_code == 503
    handbook.refresh_from_db()
    assert (handbook.status, handbook.repair, handbook.repair_reason) == (Status.READY, Status.QUEUED, "damaged")
    work_off()
    assert "30 days of leave" in look(handbook.document, "?view=text").content.decode()
    handbook.refresh_from_db()
    assert (handbook.repair, handbook.repair_tries, handbook.lease) == ("", 0, "")
    assert handbook.document.current_version_id == handbook.pk
    assert stored_files().count(handbook.artefact) == 1
    assert len([name for name in stored_files() if name.startswith("compiled")]) == 1


def test_many_who_come_upon_a_damaged_file_queue_one_repair(handbook, django_capture_on_commit_callbacks):
    damage(handbook)
    stale = [DocumentVersion.objects.get(pk=handbook.pk) for _ in range(5)]
    with django_capture_on_commit_callbacks() as callbacks:
        for version in stale:
            with pytest.raises(ArtefactDamaged):
                open_version(version)
    enqueued = [callback for callback in callbacks if callback.func is jobs._enqueue_now]
    assert len(enqueued) == 1


def test_a_version_of_an_older_compiler_is_read_and_made_again_in_its_turn(handbook, look):
    written_by(handbook, "1")
    assert "30 days of leave" in look(handbook.document, "?view=text").content.decode()
    assert services.repair_counts().outdated == 1
    patrol = services.ArtefactPatrol()
    assert patrol.queue_bad_artefacts() == 1
    assert patrol.queue_bad_artefacts() == 0
    shown = look(handbook.document, "?view=text").content.decode()
    assert "30 days of leave" in shown, "what can be read is shown while it waits"
    work_off()
    handbook.refresh_from_db()
    assert (handbook.engine_version, open_version(handbook).engine) == (ENGINE_VERSION, ENGINE_VERSION)
    assert services.repair_counts() == services.RepairCounts(current=1, outdated=0, waiting=0, failed=0)


def test_an_upgrade_keeps_few_in_the_queue_and_damage_goes_first(ready):
    versions = [ready(HANDBOOK + bytes([65 + n]), f"h{n}.md").current_version for n in range(4)]
    DocumentVersion.objects.update(engine_version="1")
    damage(versions[3])
    services.ArtefactPatrol().queue_bad_artefacts()
    queued = dict(DocumentVersion.objects.exclude(repair="").values_list("pk", "repair_reason"))
    assert queued[versions[3].pk] == "damaged"
    assert len(queued) == lifecycle.MOST_OUTDATED


def test_what_was_found_before_stays_as_it_was_until_the_new_is_whole(handbook):
    damage(handbook)
    call_command("sweep")
    rows = list(Section.objects.filter(version=handbook).values_list("key", "title"))

    def broken(order: Order):
        yield StageProgress("parsing", 1, 2)
        assert DocumentVersion.objects.get(pk=handbook.pk).stage_total == 2
        raise CompileFailed("It broke.", code="reader_crashed", retryable=True)

    compile_version(handbook.pk, compile_with=broken)
    handbook.refresh_from_db()
    assert (handbook.status, handbook.repair, handbook.error_message) == (Status.READY, Status.FAILED, "It broke.")
    assert list(Section.objects.filter(version=handbook).values_list("key", "title")) == rows
    assert handbook.file.name in stored_files()


def test_a_repair_that_fails_is_tried_again_later_each_time_and_not_for_ever(handbook):
    damage(handbook)
    default_storage.delete(handbook.file.name)
    services.ArtefactPatrol().queue_bad_artefacts()
    waits = []
    for _ in range(10):
        work_off()
        handbook.refresh_from_db()
        if handbook.repair_after is None:
            break
        waits.append(handbook.repair_after - timezone.now())
        assert services.requeue_repairs() == 0
        DocumentVersion.objects.update(repair_after=timezone.now() - timedelta(seconds=1))
        assert services.requeue_repairs() == 1
    assert [round(wait / timedelta(minutes=1)) for wait in waits] == [1, 10, 60]
    assert "Upload the same file once more" in handbook.error_message
    assert services.requeue_repairs() == services.ArtefactPatrol().queue_bad_artefacts() == 0


def test_when_both_files_are_lost_the_page_says_what_to_do_and_the_upload_heals(handbook, look, client, alice):
    artefact = path_of(handbook).read_bytes()
    damage(handbook)
    default_storage.delete(handbook.file.name)
    look(handbook.document)
    work_off()
    page = look(handbook.document).content.decode()
    assert "original file of this document is missing" in page and "Upload the same file once more" in page
    address = reverse("documents:upload", args=[handbook.document.workspace.slug])
    client.force_login(alice)
    told = client.post(address, {"files": upload(HANDBOOK, "again.md")}, headers={"HX-Request": "true"})
    assert "has been put back" in told.content.decode()
    work_off()
    handbook.refresh_from_db()
    assert path_of(handbook).read_bytes() == artefact
    assert handbook.document.versions.count() == 1
    assert b"".join(look(handbook.document, "original/")) == HANDBOOK


def test_an_altered_original_is_not_compiled_in_the_place_of_the_document(handbook):
    damage(handbook)
    Path(handbook.file.path).write_bytes(b"Something else.\n")
    services.ArtefactPatrol().queue_bad_artefacts()
    work_off()
    handbook.refresh_from_db()
    assert (handbook.repair, handbook.error_code) == (Status.FAILED, "upload_altered")


def test_a_repair_without_a_job_or_whose_worker_died_goes_on(handbook, work_off, django_capture_on_commit_callbacks):
    DocumentVersion.objects.update(repair=Status.PARSING, repair_tries=1, lease="gone", repair_reason="damaged",
                                   heartbeat_at=timezone.now() - timedelta(hours=1))  # fmt: skip
    assert services.requeue_repairs() == 1
    handbook.refresh_from_db()
    assert (handbook.repair, handbook.error_code) == (Status.FAILED, "reader_lost")
    assert handbook.repair_after is not None

    old = timezone.now() - timedelta(minutes=1)
    DocumentVersion.objects.update(repair=Status.QUEUED, repair_reason="damaged", heartbeat_at=old)
    with django_capture_on_commit_callbacks(execute=True):
        assert services.requeue_repairs() == 1
    assert services.requeue_repairs() == 0


def test_the_command_tells_and_queues(handbook, ready, capsys):
    ready(REPORT, "report.pdf")
    written_by(handbook, "1")
    call_command("recompile", "--status")
    assert "1 current, 1 made by another version" in capsys.readouterr().out
    call_command("recompile")
    assert "Queued 1" in capsys.readouterr().out
    work_off()
    handbook.refresh_from_db()
    damage(handbook, "altered")
    call_command("recompile", "--check")
    assert "1 cannot be read" in capsys.readouterr().out
    handbook.refresh_from_db()
    assert handbook.repair == Status.QUEUED


def test_a_title_of_an_earlier_reading_is_brought_up_to_date_and_one_that_people_gave_stays(ready, bob):
    texts = {"lease.md": b"# Lease of unit 7\n\nRent is 90.", "plan.md": b"# Plan for 2027\n\nWe grow."}
    lease, plan = (ready(text, name) for name, text in texts.items())
    for document in (lease, plan):
        Card.objects.filter(version=document.current_version).update(title="Report")
        Document.objects.filter(pk=document.pk).update(title="Report (2)")
        written_by(document.current_version, "1")
    plan.refresh_from_db()
    services.rename_document(actor=bob, document=plan, title="Our plan")

    services.queue_outdated()
    work_off()
    titles = dict(Document.objects.values_list("name", "title"))
    assert titles == {"lease.md": "Lease of unit 7", "plan.md": "Our plan"}


def test_titles_that_were_left_behind_are_renewed_by_the_command_but_never_those_that_people_gave(ready, bob, capsys):
    names = ("left.md", "named.md")
    left, named = (ready(b"# About " + name.encode() + b"\n\nText.", name) for name in names)
    services.rename_document(actor=bob, document=named, title="Ours")
    Document.objects.filter(pk=left.pk).update(title="Annual report")
    older = Document.objects.create(workspace=left.workspace, name="older.md", title="From before")
    older.current_version = DocumentVersion.objects.create(document=older, bytes=1, sha256="0", status="ready")
    older.save()
    Card.objects.create(version=older.current_version, title="Older than the record")
    for _ in range(2):
        call_command("recompile", "--titles")
    assert dict(Document.objects.values_list("name", "title")) == {
        "left.md": "About left.md",
        "named.md": "Ours",
        "older.md": "From before",
    }
    assert AuditEvent.objects.filter(verb="document.retitled").count() == 1
    told = capsys.readouterr().out
    assert "Annual report -> About left.md" in told
    assert "0 documents have another title" in told
