"""Stored files that no row names: moved aside, never deleted, and only when database and files belong together."""

import io
import logging
import os
import time
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, default_storage
from django.core.files.storage.memory import InMemoryFileNode
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.documents.conftest import stored_files
from tests.support.files import HANDBOOK
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, Installation, SnapshotState
from vectorless_web.documents.services.keeping.installation import advance_generation, files_standing, reconcile_mark
from vectorless_web.documents.services.keeping.quarantine import collect_orphans, empty_quarantine, quarantined_files

pytestmark = pytest.mark.django_db

DAY = 86_400.0


class BucketStorage(InMemoryStorage):
    """Behaves like an object store: no folders, no paths, and saving a name again writes over it."""

    def exists(self, name):
        return isinstance(self._resolve(name, check_exists=False), InMemoryFileNode)

    def listdir(self, path):
        try:
            return super().listdir(path)
        except FileNotFoundError:
            return [], []

    def get_available_name(self, name, max_length=None):
        return name

    def get_modified_time(self, name):
        return timezone.now() - timedelta(days=2)


@pytest.fixture
def watched():
    """A sweep with this database has looked on for the last four days."""

    def watch(days: float = 4) -> Installation:
        reconcile_mark()
        row = Installation.objects.get()
        row.watched = [[time.time() - days * DAY, time.time()]]
        row.save()
        return row

    return watch


def age(*names: str, days: float = 2) -> None:
    for name in names:
        os.utime(default_storage.path(name), (time.time() - days * DAY,) * 2)


def orphan(name: str = "uploads/2026/10/old.pdf", *, days: float = 2) -> str:
    saved = default_storage.save(name, ContentFile(b"nobody names this"))
    age(saved, days=days)
    return saved


def documents_stored() -> list[str]:
    return [name for name in stored_files() if not name.startswith(("installation/", "quarantine/"))]


def test_files_without_a_row_are_moved_aside_after_a_day_and_can_be_put_back(ready, watched, caplog):
    document = ready(HANDBOOK, "handbook.md")
    state = SnapshotState.objects.get(workspace=document.workspace)
    kept = default_storage.save(f"snapshots/{state.lineage}/1", ContentFile(b"x"))
    SnapshotState.objects.filter(pk=state.pk).update(file=kept)
    known = documents_stored()
    age(*known)
    watched()
    old = [orphan(name) for name in ("uploads/2026/10/old.pdf", "compiled/old-1", "snapshots/gone/7")]
    young = orphan("uploads/2026/11/young.pdf", days=0.5)
    with caplog.at_level(logging.INFO):
        assert services.quarantine_orphans() == 3
    assert documents_stored() == sorted([*known, young])
    assert "3 stored files that no row names were moved" in caplog.text
    today = f"quarantine/{timezone.now():%Y-%m-%d}"
    assert {file.name for file in quarantined_files()} == {f"{today}/{name}" for name in old}
    said = io.StringIO()
    call_command("quarantine", stdout=said)
    assert f"{today}/{old[0]}" in said.getvalue() and "3 files in quarantine, 51 bytes" in said.getvalue()
    call_command("quarantine", restore=[old[0], f"{today}/{old[1]}"], stdout=said)
    assert documents_stored() == sorted([*known, young, old[0], old[1]])
    with pytest.raises(CommandError, match="Not in quarantine: nothing"):
        call_command("quarantine", restore=["nothing"])
    call_command("quarantine", empty=True, stdout=said)
    assert quarantined_files() == [] and "1 files removed for good" in said.getvalue()


def test_what_was_moved_aside_goes_for_good_after_thirty_days(ready, watched):
    ready(HANDBOOK, "handbook.md")
    watched()
    for days in (29, 30, 31):
        day = timezone.now() - timedelta(days=days)
        default_storage.save(f"quarantine/{day:%Y-%m-%d}/uploads/{days}.pdf", ContentFile(b"x"))
    assert services.empty_overdue() == 2
    assert [file.original for file in quarantined_files()] == ["uploads/29.pdf"]
    assert empty_quarantine() == 1


def test_a_file_written_while_no_sweep_of_this_database_looked_on_is_left_to_the_operator(ready, watched):
    ready(HANDBOOK, "handbook.md")
    watched(days=4)
    before = orphan(days=5)
    assert services.quarantine_orphans() == 0
    said = io.StringIO()
    call_command("quarantine", stdout=said)
    assert "1 more stored files have no row, such as uploads/2026/10/old.pdf" in said.getvalue()
    call_command("quarantine", collect=True, stdout=said)
    assert [file.original for file in quarantined_files()] == [before]


@pytest.mark.parametrize("marked", [False, True])
def test_a_database_that_names_no_file_moves_nothing(ready, watched, caplog, marked):
    ready(HANDBOOK, "handbook.md")
    if marked:
        watched()
    files = documents_stored()
    age(*files)
    Document.objects.all().delete()
    SnapshotState.objects.all().delete()
    assert services.quarantine_orphans() == 0 and documents_stored() == files
    assert "names no file" in caplog.text
    assert Installation.objects.exists() == marked


def test_the_first_file_of_a_new_site_is_no_matter(caplog):
    default_storage.save("uploads/2026/10/first.pdf", ContentFile(b"%PDF-"))
    assert collect_orphans() == 0
    assert "names no file" not in caplog.text
    age("uploads/2026/10/first.pdf")
    assert collect_orphans() == 0
    assert "names no file, so none of the 1 stored files" in caplog.text


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda rows: rows.delete(), "older"),
        (lambda rows: rows.update(identity="f" * 32), "other"),
    ],
    ids=["a new database", "another installation"],
)
def test_files_that_another_database_marked_are_left_alone(ready, watched, change, code):
    ready(HANDBOOK, "handbook.md")
    watched()
    lost = orphan()
    change(Installation.objects.all())
    assert files_standing().code == code
    assert services.quarantine_orphans() == 0 and lost in stored_files()


def test_a_database_older_than_the_files_moves_and_purges_nothing(alice, ready, watched, caplog):
    document = ready(HANDBOOK, "handbook.md")
    watched()
    copied = Installation.objects.values().get()
    services.quarantine_orphans()
    newer = orphan()
    Installation.objects.update(**copied)
    assert services.quarantine_orphans() == 0 and newer in stored_files()
    assert "older: This database is older than the files in storage (generation 1, files 2)" in caplog.text
    services.delete_document(actor=alice, document=document)
    Document.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    assert services.purge_deleted() == 0 and Document.objects.exists()
    with pytest.raises(CommandError, match="older than the files"):
        call_command("quarantine", collect=True)
    call_command("quarantine", accept=True, stdout=io.StringIO())
    assert files_standing().code == "agree"
    assert services.purge_deleted() == 1


def test_files_from_before_marks_are_taken_over_only_by_a_database_that_names_them(ready):
    ready(HANDBOOK, "handbook.md")
    for number in range(3):
        orphan(f"uploads/2026/10/{number}.pdf")
    assert files_standing().code == "unmarked" and services.quarantine_orphans() == 0
    default_storage.delete("uploads/2026/10/2.pdf")
    assert files_standing().code == "new" and reconcile_mark().code == "agree"


def test_an_object_store_without_renaming_is_swept_just_so(add, settings, watched):
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": f"{__name__}.BucketStorage"}}
    version = add(HANDBOOK, "handbook.md")
    watched()
    default_storage.save("compiled/lost", ContentFile(b"x"))
    assert services.quarantine_orphans() == 1
    assert [file.original for file in quarantined_files()] == ["compiled/lost"]
    assert default_storage.exists(version.file.name) and files_standing().code == "agree"
    advance_generation()
    assert len(default_storage.listdir("installation")[1]) == 1


def test_a_move_that_was_killed_half_way_is_done_again_and_loses_nothing(ready, watched):
    ready(HANDBOOK, "handbook.md")
    watched()
    name = orphan()
    half = f"quarantine/{timezone.now():%Y-%m-%d}/{name}"
    default_storage.save(half, ContentFile(b"nobody na"))
    assert services.quarantine_orphans() == 1
    whole = quarantined_files()[0]
    assert (whole.original, whole.bytes) == (name, 17) and whole.name.startswith(half[:21] + ".2/")
