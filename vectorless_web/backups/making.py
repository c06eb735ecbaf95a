"""Making a backup while the site runs: the database first, then the files that its copy names."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from vectorless_web.backups.databases import applied_migrations, count_rows, list_named_files, vendor_of
from vectorless_web.backups.folder import (
    FORMAT,
    UNFINISHED,
    BackupError,
    Bytes,
    DatabaseFile,
    KeptFile,
    Manifest,
    new_backup,
    open_folder,
    remove_older,
    report_full_disk,
    write_manifest,
)
from vectorless_web.documents.models import Installation
from vectorless_web.documents.services.keeping.installation import advance_generation, reconcile_mark
from vectorless_web.documents.storage.files import file_sha256, is_named
from vectorless_web.engine.documents.artefact import ENGINE_VERSION

ROUNDS = 5
"""How often the database is copied again because files that it names were removed meanwhile. A later round copies
only what is new, so that it takes seconds; files that go in the fifth one too are told."""
KEY_FILE = "secret_key"
FULL_REMEDY = "What was written of this backup was removed; earlier backups are whole. Free space and try again."

Say = Callable[[str], object]
Progress = Callable[[int, int], object]
"""Is called with how many files are done, and of how many."""


def tell_nobody(_done: int, _total: int) -> None:
    """Progress that nobody looks at."""


@dataclass
class _Copied:
    """What one round has copied."""

    database: DatabaseFile
    files: list[KeptFile] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)


def make_backup(
    path: Path,
    *,
    say: Say,
    kept: Bytes | None = None,
    keep: int = 0,
    with_secret: bool = False,
    progress: Progress = tell_nobody,
) -> Path:
    """Write a backup into the folder of backups at `path`; its own folder. `keep` above 0 removes older ones.

    Bytes of files go to `kept`, which is the same folder unless `open_place` says otherwise.

    Raises BackupError; then nothing that looks like a backup is left. Files are copied after the
    database: they are stored before the rows that name them, and never change.
    """
    kept = kept or Bytes(path)
    standing = reconcile_mark()
    if not standing.agrees:
        say(f"Warning: {standing.message}")
    with report_full_disk(path, FULL_REMEDY), open_folder(path):
        with new_backup(path, timezone.now()) as folder:
            copied = _copy_all(kept, folder, say, progress)
            if with_secret:
                _copy_secret(folder)
            write_manifest(_manifest(copied, with_secret), folder)
            for entry in folder.iterdir():
                entry.chmod(0o600)  # A database holds password hashes: nobody else here may read its copy.
        kept.settle(path)
        _report_missing_files(copied, say)
        removed = remove_older(path, kept, keep) if keep else 0
        if removed:
            say(f"{removed} older backups removed.")
    if standing.agrees:
        # From here on a database that is restored from this backup is older than the files of this site.
        advance_generation()
    return path / folder.name.removeprefix(UNFINISHED)


def key_check(key: str) -> str:
    """A word that tells whether another key is the same; it does not tell the key."""
    return hashlib.sha256(b"vectorless-web backup of " + key.encode()).hexdigest()[:16]


def _copy_all(kept: Bytes, folder: Path, say: Say, progress: Progress) -> _Copied:
    for number in range(1, ROUNDS + 1):
        copied = _copy_once(kept, folder, progress)
        removed = [name for name in copied.missing if not is_named(name)]
        if not removed or number == ROUNDS:
            break
        say(f"{len(removed)} files were removed while they were to be copied; the database is copied again.")
    return copied


def _copy_once(kept: Bytes, folder: Path, progress: Progress) -> _Copied:
    vendor = vendor_of(connection.vendor)
    target = folder / vendor.file
    target.unlink(missing_ok=True)
    # The shorter part first: the database alone, in one step. PostgreSQL needs no longer transaction either.
    with vendor.copy(target) as query:
        named = list_named_files(query)
        rows = count_rows(query, connection.introspection.table_names())
        migrations = applied_migrations(query)
    database = DatabaseFile(
        vendor=connection.vendor,
        version=vendor.version(),
        name=vendor.file,
        sha256=file_sha256(target),
        bytes=target.stat().st_size,
        rows=rows,
        migrations=migrations,
    )
    copied = _Copied(database)
    for number, (name, expected) in enumerate(sorted(named.items()), 1):
        _copy_file(kept, name, expected, copied)
        progress(number, len(named))
    return copied


def _copy_file(kept: Bytes, name: str, expected: str, copied: _Copied) -> None:
    file = kept.find(name, expected)
    if file is None:
        try:
            with default_storage.open(name) as source:
                file = kept.store(name, source)
        except FileNotFoundError:
            copied.missing.append(name)
            return
    copied.files.append(file)
    if expected and file.sha256 != expected:
        copied.altered.append(name)


def _copy_secret(folder: Path) -> None:
    source = Path(settings.VAR) / KEY_FILE
    if not source.exists():
        raise BackupError(
            "There is no var/secret_key: SECRET_KEY comes from the environment. Leave --with-secret out, and keep it."
        )
    with os.fdopen(os.open(folder / KEY_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(source.read_bytes())


def _manifest(copied: _Copied, with_secret: bool) -> Manifest:
    row = Installation.objects.first()
    return Manifest(
        format=FORMAT,
        made_at=timezone.now().isoformat(),
        engine_version=ENGINE_VERSION,
        installation=row.identity if row else "",
        generation=row.generation if row else 0,
        database=copied.database,
        files=copied.files,
        missing=copied.missing,
        altered=copied.altered,
        key_check=key_check(settings.ENCRYPTION_KEY),
        secret_key=with_secret,
    )


def _report_missing_files(copied: _Copied, say: Say) -> None:
    for name in copied.missing:
        say(f"Warning: {name} is named by the database and not in storage; the backup is without it.")
    for name in copied.altered:
        say(f"Warning: {name} is not what the database expects; it is kept as it is.")
