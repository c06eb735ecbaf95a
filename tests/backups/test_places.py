"""Backups in a real object store: only what is new is sent, what is restored equals its source, old ones go."""

import io

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command

from tests.backups.test_backup import all_bytes, all_rows, database_url, manage, wait_for_next_second
from tests.support.object_store import object_store  # noqa: F401 (a fixture)
from vectorless_web.backups.folder import BackupDamaged, find_backup, list_backups
from vectorless_web.backups.places import open_place
from vectorless_web.backups.restoring import check_backup
from vectorless_web.documents.models import Document
from vectorless_web.infra.site.object_storage import ObjectStorage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def place(object_store, monkeypatch, tmp_path) -> str:  # noqa: F811
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    return f"s3://vectorless/backups/{tmp_path.name}"


def back_up(place: str, **options) -> str:
    """Make a backup; its name."""
    said = io.StringIO()
    call_command("backup", place, stdout=said, stderr=io.StringIO(), **options)
    with open_place(place) as (path, _kept):
        newest = list_backups(path)[-1]
    assert f"{place}/{newest.name}: " in said.getvalue()
    wait_for_next_second(newest)
    return newest.name


def names(place: str) -> set[str]:
    """Everything that lies there."""
    found, folders, storage = set(), [""], ObjectStorage(place)
    while folders:
        folder = folders.pop()
        inner, files = storage.listdir(folder)
        found |= {f"{folder}{file}" for file in files}
        folders += [f"{folder}{name}/" for name in inner]
    return found


def test_a_restore_from_an_object_store_into_one_equals_its_source(
    add,
    place,
    settings,
    object_store,  # noqa: F811
    tmp_path,
    empty_site,
):
    first, _other = add(1), add(2)
    first.delete()
    add(3)
    rows, files = all_rows(database_url()), all_bytes(tmp_path / "media")
    back_up(place)
    drill = io.StringIO()
    call_command("restore", place, drill=True, stdout=drill)
    assert "could be restored" in drill.getvalue()
    assert not list(settings.VAR.glob("backups-*")) and not list(settings.VAR.glob("verify-*")), "nothing is left"

    objects = f"s3://vectorless/restored/{tmp_path.name}"
    there = {**empty_site, **object_store.environment, "VECTORLESS_STORAGE": objects, "SECRET_KEY": settings.SECRET_KEY}
    done = manage(there, "restore", place)
    assert done.returncode == 0, done.stderr
    restored = all_rows(empty_site["DATABASE_URL"])
    apart = {"django_migrations", "sqlite_sequence", "documents_installation"}
    assert {table: found for table, found in restored.items() if table not in apart} == {
        table: found for table, found in rows.items() if table not in apart
    }
    stored = ObjectStorage(objects)
    assert {name: stored.open(name).read() for name in files} == files
    assert names(objects) - set(files) == {name for name in names(objects) if name.startswith("installation/")}


def test_a_second_backup_sends_only_what_is_new_and_old_ones_go_with_their_bytes(add, place):
    add(1)
    first = back_up(place)
    before = names(place)
    add(2)
    second = back_up(place)
    sent = {name for name in names(place) - before if name.startswith("files/")}
    assert len(sent) == 2, "one upload and what was compiled of it"
    Document.objects.order_by("pk").first().delete()
    third = back_up(place, keep=1)
    left = names(place)
    assert {name.split("/")[0] for name in left} == {"files", third}
    assert len([name for name in left if name.startswith("files/")]) == 2
    assert {first, second} & {name.split("/")[0] for name in left} == set()


def test_what_is_missing_altered_or_was_cut_off_is_told(add, place):
    add(1)
    whole = back_up(place)
    storage = ObjectStorage(place)
    storage.save("2026-01-01T000000Z/database.dump", ContentFile(b"cut off"))
    with open_place(place) as (path, kept):
        assert [backup.name for backup in list_backups(path)] == [whole]
        one, two = check_backup(find_backup(path), kept=kept).files
        for file, content, said in ((one, b"other", "altered"), (two, None, "missing")):
            name = f"files/{file.sha256[:2]}/{file.sha256}"
            storage.delete(name)
            if content:
                storage.save(name, ContentFile(content))
            with pytest.raises(BackupDamaged, match=said):
                check_backup(find_backup(path), kept=kept)
    with pytest.raises(CommandError, match="altered"):
        call_command("restore", place, drill=True)
    back_up(place)
    assert not [name for name in names(place) if name.startswith("2026-01-01")]


def test_an_object_store_that_is_away_is_told(add, place, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    for command in ("backup", "verify_backup", "restore"):
        with pytest.raises(CommandError, match="object store"):
            call_command(command, place)
