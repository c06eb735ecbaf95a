"""Backups made while others write, checked, and restored into an empty site: what comes out equals what went in."""

import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.utils import timezone

from tests.conftest import ROOT, database_url
from vectorless_web.backups.databases import find_programs
from vectorless_web.backups.folder import NAME, BackupError, list_backups, read_manifest
from vectorless_web.backups.making import make_backup
from vectorless_web.backups.restoring import check_backup
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.runs.services import start_run


class PurgingStorage(FileSystemStorage):
    """Removes a document for good just when the next file is opened, as somebody may while a backup is made."""

    doomed: Document | None = None

    def _open(self, name, mode="rb"):
        doomed, type(self).doomed = self.doomed, None
        if doomed is not None:
            doomed.delete()
        return super()._open(name, mode)


pytestmark = pytest.mark.django_db(transaction=True)

POSTGRESQL = connection.vendor == "postgresql"
once = pytest.mark.skipif(POSTGRESQL, reason="does not depend on the kind of database")
OURS = ("uploads", "compiled", "snapshots", "vectors")


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=90)


def all_rows(url: str) -> dict[str, list]:
    """Every row of every table, in an order that does not depend on where it lies."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
            names = [n for (n,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in names}
    with psycopg.connect(url) as database:
        names = [n for (n,) in database.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        return {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in names}


def all_bytes(media: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(media)): path.read_bytes()
        for folder in OURS
        for path in (media / folder).rglob("*")
        if path.is_file()
    }


def back_up(folder: Path, **options) -> Path:
    return make_backup(folder, say=lambda _text: None, **options)


def write_on(stop: threading.Event, act: Callable[[int], object], faults: list) -> threading.Thread:
    """Do it again and again in a thread of its own, until told to stop."""

    def run() -> None:
        number = 0
        while not stop.is_set():
            try:
                act(number)
            except Exception as error:  # noqa: BLE001 - told by the test
                faults.append(error)
                break
            number += 1
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_backups_under_load_are_whole_and_a_restore_equals_its_source(
    workspace, alice, add, tmp_path, settings, empty_site
):
    settings.WAITING_RUNS_PER_PERSON = settings.ASKS_PER_HOUR = 0
    add(0)

    def add_and_remove(number: int) -> None:
        document = add(number + 1)
        if number % 3 == 2:
            services.purge_document(document)

    def ask(number: int) -> None:
        start_run(user=alice, workspace=workspace, question=f"How many days of leave are there in year {number}?")
        time.sleep(0.01)

    stop, faults, folder = threading.Event(), [], tmp_path / "backups"
    threads = [write_on(stop, act, faults) for act in (add_and_remove, ask)]
    made = []
    try:
        for _ in range(2):
            time.sleep(0.5)
            if made:
                wait_for_next_second(made[-1])
            made.append(back_up(folder))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert faults == []
    for backup in made:
        manifest = check_backup(backup)
        assert (manifest.missing, manifest.altered) == ([], [])
    counts = [read_manifest(backup).database.rows["runs_run"] for backup in made]
    assert counts == sorted(set(counts)) and counts[0] > 0

    wait_for_next_second(made[-1])
    back_up(folder)
    rows, files = all_rows(database_url()), all_bytes(Path(settings.MEDIA_ROOT))
    assert manage(empty_site, "migrate", "--verbosity", "0").returncode == 0
    done = manage(empty_site, "restore", str(folder))
    assert done.returncode == 0, done.stderr
    restored = all_rows(empty_site["DATABASE_URL"])
    generation = {"documents_installation", "sqlite_sequence"}
    assert {n: r for n, r in restored.items() if n not in generation} == {
        n: r for n, r in rows.items() if n not in generation
    }
    assert all_bytes(tmp_path / "restored" / "media") == files and len(files) > 4
    said = manage(empty_site, "quarantine", "--list")
    assert "Database and files agree" in said.stdout, said.stderr
    with pytest.raises(CommandError, match="This site is not empty: its table"):
        call_command("restore", str(folder))


@once
def test_a_killed_restore_is_run_again_and_another_secret_key_is_told(add, tmp_path, empty_site):
    first = back_up_with(add, tmp_path, 1, with_secret=True)
    (tmp_path / "restored" / "db.sqlite3").unlink()  # not even its tables are there
    half = tmp_path / "restored" / "media" / first[1]
    half.parent.mkdir(parents=True)
    half.write_bytes(b"half of i")
    other = tmp_path / "restored" / "media" / "uploads" / "of-somebody.pdf"
    other.write_bytes(b"x")
    refused = manage(empty_site, "restore", str(tmp_path / "backups"), "--at", first[0].name)
    assert refused.returncode == 1 and "its storage holds uploads/of-somebody.pdf" in refused.stderr
    other.unlink()
    given = {**empty_site, "SECRET_KEY": "another key than that of the backup, and long enough"}
    done = manage(given, "restore", str(tmp_path / "backups"), "--at", first[0].name)
    assert done.returncode == 0 and "this site's key is not the one" in done.stderr, done.stderr
    assert half.read_bytes() == default_storage.open(first[1]).read()


def back_up_with(add, tmp_path: Path, number: int, **options) -> tuple[Path, str]:
    """A backup with one document, and the name of its upload."""
    document = add(number)
    return back_up(tmp_path / "backups", **options), document.versions.get().file.name


def test_damaged_and_unfinished_backups_are_refused(add, tmp_path, empty_site):
    backup, _name = back_up_with(add, tmp_path, 1)
    folder, manifest = backup.parent, read_manifest(backup)
    bytes_of = folder / "files" / manifest.files[0].sha256[:2] / manifest.files[0].sha256
    said = io.StringIO()
    call_command("verify_backup", str(folder), stdout=said)
    assert "is whole: 2 files and the database" in said.getvalue()
    for path, damage, sentence in (
        (bytes_of, lambda old: old[:-1], "instead of"),
        (bytes_of, lambda old: b"X" + old[1:], "was altered"),
        (backup / manifest.database.name, lambda old: old[: len(old) // 2], "instead of"),
        (backup / manifest.database.name, lambda old: old[:5000] + b"XXXX" + old[5004:], "was altered"),
        (backup / NAME, lambda old: old[: len(old) // 2], "cut off or damaged"),
        (backup / NAME, lambda old: old.replace(b'"bytes": ', b'"bytes": 1', 1), "checksum does not fit"),
    ):
        whole = path.read_bytes()
        path.write_bytes(damage(whole))
        with pytest.raises(CommandError, match=sentence):
            call_command("verify_backup", str(folder))
        path.write_bytes(whole)
    bytes_of.rename(tmp_path / "aside")
    done = manage(empty_site, "restore", str(folder))
    assert done.returncode == 1 and "is missing" in done.stderr
    assert not (tmp_path / "restored" / "media").exists()
    (tmp_path / "aside").rename(bytes_of)
    (backup / NAME).unlink()
    with pytest.raises(CommandError, match="holds no finished backup"):
        call_command("verify_backup", str(folder))


def test_a_second_backup_copies_only_what_is_new_and_heals_what_was_damaged(add, tmp_path):
    first, _name = back_up_with(add, tmp_path, 1)
    kept = {path: path.stat().st_ino for path in (first.parent / "files").glob("*/*")}
    damaged = next(iter(kept))
    damaged.write_bytes(b"damaged")
    wait_for_next_second(first)
    second, _name = back_up_with(add, tmp_path, 2)
    assert check_backup(first) and check_backup(second)
    same = [path for path, inode in kept.items() if path.stat().st_ino == inode]
    assert len(same) == len(kept) - 1 and damaged not in same
    assert len(list((first.parent / "files").glob("*/*"))) == 4
    wait_for_next_second(second)
    Document.objects.order_by("pk").first().delete()
    third = back_up(first.parent, keep=1)
    assert list_backups(first.parent) == [third] and check_backup(third)
    assert len(list((first.parent / "files").glob("*/*"))) == 2


def wait_for_next_second(backup: Path) -> None:
    while timezone.now().strftime("%Y-%m-%dT%H%M%SZ") <= backup.name:
        time.sleep(0.05)


@once
def test_a_file_that_is_missing_or_altered_at_the_site_is_told_and_the_rest_is_kept(add, tmp_path):
    one, two = add(1).versions.get(), add(2).versions.get()
    default_storage.delete(one.file.name)
    Path(default_storage.path(two.artefact)).write_bytes(b"altered")
    said = []
    backup = make_backup(tmp_path / "backups", say=said.append)
    assert f"Warning: {one.file.name} is named by the database and not in storage" in said[0]
    manifest = check_backup(backup)
    assert (manifest.missing, manifest.altered) == ([one.file.name], [two.artefact])
    assert len(manifest.files) == 3


@once
def test_files_that_are_removed_while_they_are_copied_are_never_half_of_a_backup(add, tmp_path, settings):
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": f"{__name__}.PurgingStorage"}}
    PurgingStorage.doomed, _other = add(1), add(2)
    said = []
    backup = make_backup(tmp_path / "backups", say=said.append)
    assert said == ["2 files were removed while they were to be copied; the database is copied again."]
    manifest = check_backup(backup)
    assert manifest.missing == [] and len(manifest.files) == 2
    assert manifest.database.rows["documents_document"] == 1


@once
def test_a_full_disk_is_told_and_leaves_nothing_that_looks_like_a_backup(add, tmp_path, workspace):
    disk = tmp_path / "disk"
    disk.mkdir()
    # The other tests' rows have left the database a size of its own.
    size = 3 * 2**20 + Path(str(connection.settings_dict["NAME"])).stat().st_size
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk]
    if os.geteuid() or subprocess.run(mount, check=False).returncode:
        pytest.skip("a small disk can only be made by root")
    try:
        back_up_with(add, disk, 1)
        version = add(2).versions.get()
        big = default_storage.save("uploads/big.pdf", ContentFile(os.urandom(4 << 20)))
        DocumentVersion.objects.filter(pk=version.pk).update(file=big, sha256="0" * 64)
        wait_for_next_second(list_backups(disk / "backups")[-1])
        with pytest.raises(CommandError, match=r"is full\. What was written of this backup was removed"):
            call_command("backup", str(disk / "backups"))
        (whole,) = list_backups(disk / "backups")
        assert check_backup(whole)
        assert not list((disk / "backups").glob("**/.*"))
        (disk / "backups" / "filler").write_bytes(b"x" * (shutil.disk_usage(disk).free - 65_536))
        with pytest.raises(CommandError, match="is full"):
            call_command("backup", str(disk / "backups"))
        assert list_backups(disk / "backups") == [whole]
    finally:
        subprocess.run(["umount", disk], check=True)


@once
def test_only_one_backup_is_written_at_a_time_and_never_among_other_things(add, tmp_path):
    from vectorless_web.backups.folder import open_folder

    with open_folder(tmp_path / "backups"), pytest.raises(CommandError, match="Another backup is being written"):
        call_command("backup", str(tmp_path / "backups"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letters.txt").touch()
    with pytest.raises(CommandError, match="holds other things"):
        call_command("backup", str(tmp_path / "home"))


@once
def test_secrets_stay_out_unless_asked_for_and_nobody_else_may_read_a_backup(add, tmp_path, settings):
    add(1)
    said = io.StringIO()
    call_command("backup", str(tmp_path / "backups"), stdout=said, stderr=io.StringIO())
    (backup,) = list_backups(tmp_path / "backups")
    assert "Secrets are not in it" in said.getvalue() and not (backup / "secret_key").exists()
    assert settings.SECRET_KEY not in (backup / NAME).read_text()
    wait_for_next_second(backup)
    with_it = back_up(tmp_path / "backups", with_secret=True)
    assert (with_it / "secret_key").read_text() == settings.SECRET_KEY
    paths = [tmp_path / "backups", with_it, *with_it.iterdir(), *(tmp_path / "backups" / "files").rglob("*")]
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


@once
def test_the_secret_key_comes_back_when_it_was_included(add, tmp_path, settings, empty_site):
    add(1)
    back_up(tmp_path / "backups", with_secret=True)
    done = manage(empty_site, "restore", str(tmp_path / "backups"))
    assert done.returncode == 0 and "Warning" not in done.stderr, done.stderr
    own = tmp_path / "restored" / "secret_key"
    assert own.read_text() == settings.SECRET_KEY and own.stat().st_mode & 0o777 == 0o600


@once
def test_a_backup_of_a_newer_version_or_another_database_is_refused(add, tmp_path):
    backup, _name = back_up_with(add, tmp_path, 1)
    whole = (backup / NAME).read_text()
    for change, sentence in (
        (lambda database: database["migrations"].append(["documents", "0099_later"]), "made by a newer version"),
        (lambda database: database.update(vendor="sqlite" if POSTGRESQL else "postgresql"), "of the same kind"),
    ):
        rewrite(backup, change)
        with pytest.raises(CommandError, match=sentence):
            call_command("restore", str(tmp_path / "backups"))
        (backup / NAME).write_text(whole)


def rewrite(backup: Path, change: Callable[[dict], object]) -> None:
    from vectorless_web.backups.folder import _checksum

    content = json.loads((backup / NAME).read_text())
    del content["checksum"]
    change(content["database"])
    (backup / NAME).write_text(json.dumps({**content, "checksum": _checksum(content)}))


def program(folder: Path, major: int) -> Path:
    """A pg_dump that says it is of that version, with its pg_restore."""
    folder.mkdir(parents=True)
    for name in ("pg_dump", "pg_restore"):
        (folder / name).write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {major}.4 (Debian {major}.4-1.pgdg12+1)'\n")
        (folder / name).chmod(0o755)
    return folder / "pg_dump"


@once
def test_the_oldest_pg_dump_that_suits_the_server_is_taken(tmp_path, settings, monkeypatch):
    folders = [program(tmp_path / str(major), major).parent for major in (15, 97, 99, 98)]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
    assert find_programs(98).dump == tmp_path / "98" / "pg_dump"
    settings.PG_DUMP = str(tmp_path / "99" / "pg_dump")
    assert find_programs(15).restore == tmp_path / "99" / "pg_restore"
    settings.PG_DUMP = str(tmp_path / "15" / "pg_dump")
    with pytest.raises(BackupError, match=r"is PostgreSQL 98 .*found: .*15/pg_dump \(15\).*VECTORLESS_PG_DUMP"):
        find_programs(98)
