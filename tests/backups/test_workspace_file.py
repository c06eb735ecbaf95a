"""A workspace as one file: what is read into a new workspace is what was written, byte by byte; damage is refused."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.support.files import HANDBOOK, upload
from vectorless_web.backups.models import WorkspaceExport
from vectorless_web.backups.services import ask_for_export, pack_workspace, tidy_exports
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.notices.selectors import notices_of
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import AuditEvent, LexiconEntry, Workspace
from vectorless_web.workspaces.services import add_entry

pytestmark = pytest.mark.django_db
SECOND = HANDBOOK + b"\n## Lunch\n\nLunch is at noon.\n"


@pytest.fixture
def filled(workspace, alice, add):
    """Two documents, one of two versions in a restricted folder, words, a setting and a run."""
    folder = services.create_folder(actor=alice, workspace=workspace, name="Board")
    services.restrict_folder(actor=alice, folder=folder, people=[alice])
    first = upload(HANDBOOK, "handbook.md")
    document = services.add_document(workspace=workspace, user=alice, upload=first, folder=folder).version.document
    services.add_version(document=document, user=alice, upload=upload(SECOND, "handbook.md"))
    Document.objects.filter(pk=document.pk).update(title="Our handbook", tags=["staff", "2026"])
    add(7)
    add_entry(actor=alice, entry=LexiconEntry(workspace=workspace, concept="holiday", phrases=["leave"]))
    workspace.settings = {"max_steps": 3, "second_reader": "provider:7"}
    workspace.save()
    run = start_run(user=alice, workspace=workspace, question="How long is lunch?")
    Run.objects.filter(pk=run.pk).update(status="not_found")
    return workspace


def shape(workspace: Workspace) -> list[tuple]:
    """What people know of a workspace's documents, with the bytes of each upload in order."""
    found = []
    for document in workspace.documents.filter(deleted_at=None).order_by("pk"):
        uploads = [default_storage.open(v.file.name).read() for v in document.versions.order_by("number")]
        folder = document.folder and (document.folder.name, document.folder.restricted)
        found.append((document.name, document.title, document.tags, folder, uploads))
    return found


def test_what_is_imported_is_what_was_exported(filled, alice, charlie, tmp_path):
    file = tmp_path / "acme.zip"
    said = io.StringIO()
    call_command("export_workspace", filled.slug, str(file), stdout=said)
    assert "2 documents, 1 runs" in said.getvalue()
    call_command("import_workspace", str(file), owner="charlie", stdout=said)
    made = Workspace.objects.exclude(pk=filled.pk).get(name=filled.name)
    assert shape(made) == shape(filled)
    assert len(shape(made)[0][-1]) == 2
    assert (made.settings["max_steps"], made.setting("second_reader")) == (3, "")
    assert made.lexicon_entries.get().phrases == ["leave"]
    assert list(made.memberships.values_list("user", "role")) == [(charlie.pk, "owner")]
    waiting = DocumentVersion.objects.filter(document__workspace=made)
    assert set(waiting.values_list("status", flat=True)) == {"queued"}
    assert AuditEvent.objects.filter(verb="workspace.imported", actor=charlie).exists()
    with zipfile.ZipFile(file) as archive:
        (name,) = [name for name in archive.namelist() if name.startswith("runs/")]
        assert json.loads(archive.read(name))["question"] == "How long is lunch?"


def test_an_owner_downloads_what_exists_for_them(
    filled, alice, bob, client, work_off, django_capture_on_commit_callbacks
):
    address = f"/w/{filled.slug}/settings/export/"
    filled.memberships.filter(user=bob).update(role="owner")
    names = {}
    for person in (alice, bob):
        client.force_login(person)
        assert client.get(f"{address}file/").status_code == 404, "that of another owner is not theirs"
        with django_capture_on_commit_callbacks(execute=True):
            client.post(f"{address}begin/")
            assert client.post(f"{address}begin/").status_code == 409
        assert "It waits for a worker" in client.get(address).content.decode()
        work_off("long")
        assert [shown.told.url for shown in notices_of(person)[0]] == [address]
        assert "It is ready" in client.get(address).content.decode()
        answer = client.get(f"{address}file/")
        assert answer["Content-Type"] == "application/zip"
        content = b"".join(answer)
        assert int(answer["Content-Length"]) == len(content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names[person] = {row["name"] for row in json.loads(archive.read("workspace.json"))["documents"]}
    assert names == {alice: {"handbook.md", "7.md"}, bob: {"7.md"}}, "a folder that is closed to an owner stays out"


@pytest.fixture
def asked(filled, alice):
    """An export of Alice's that waits for a worker."""
    return ask_for_export(actor=alice, workspace=filled)


def test_an_export_and_its_file_go_after_some_days_and_with_the_next_one(asked, filled, alice, settings):
    def age(row: WorkspaceExport, days: int) -> None:
        WorkspaceExport.objects.filter(pk=row.pk).update(asked_at=timezone.now() - timedelta(days=days))

    pack_workspace(asked.pk)
    age(asked, 2)
    assert tidy_exports() == 0
    assert default_storage.exists(asked.file)
    following = ask_for_export(actor=alice, workspace=filled)
    pack_workspace(following.pk)
    assert tidy_exports() == 1, "the file of a process that ended before it could remove it"
    assert [default_storage.exists(row.file) for row in (asked, following)] == [False, True]
    age(following, 4)
    tidy_exports()
    assert not WorkspaceExport.objects.exists()
    assert not default_storage.exists(following.file)


def test_a_failed_export_says_why(asked, filled, alice, bob, client):
    filled.memberships.filter(user=bob).update(role="owner")
    filled.memberships.filter(user=alice).update(role="member")
    pack_workspace(asked.pk)
    assert not default_storage.exists(asked.file)
    client.force_login(alice)
    assert client.get(f"/w/{filled.slug}/settings/export/").status_code == 403
    filled.memberships.filter(user=alice).update(role="owner")
    assert "you do not own it any more" in client.get(f"/w/{filled.slug}/settings/export/").content.decode()


def test_an_export_whose_worker_died_is_told_and_may_be_asked_for_again(asked, filled, alice, client):
    WorkspaceExport.objects.update(status="running", asked_at=timezone.now() - timedelta(minutes=2))
    client.force_login(alice)
    assert "The worker that packed it is gone" in client.get(f"/w/{filled.slug}/settings/export/").content.decode()
    assert client.post(f"/w/{filled.slug}/settings/export/begin/").status_code == 302


def test_a_file_that_was_altered_or_is_another_leaves_nothing(filled, alice, charlie, tmp_path):
    whole, altered = tmp_path / "whole.zip", tmp_path / "altered.zip"
    call_command("export_workspace", filled.slug, str(whole), stdout=io.StringIO())
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(altered, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content + b"x" if name.startswith("files/") else content)
    (tmp_path / "letters.zip").write_bytes(b"letters")
    with zipfile.ZipFile(whole) as source:
        first = min(
            (info for info in source.infolist() if info.filename.startswith("files/")),
            key=lambda info: info.header_offset,
        )
    content = bytearray(whole.read_bytes())
    start = first.header_offset + 30 + len(first.filename) + 20
    content[start : start + 40] = b"\xff" * 40
    (tmp_path / "scratched.zip").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as target:
        target.writestr("workspace.json", "[" * 100_000 + "]" * 100_000)
    for file in (altered, *(tmp_path / f"{name}.zip" for name in ("letters", "scratched", "deep"))):
        with pytest.raises(CommandError, match=r"altered|no file of a workspace"):
            call_command("import_workspace", str(file), owner="charlie")
    assert Workspace.objects.count() == 1
