"""Copies of a SQLite database, made in one step while others write."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection, connections

from vectorless_web.backups.errors import FULL, BackupDamaged, BackupError
from vectorless_web.backups.query import Query

FILE = "database.sqlite3"
WAIT_SECONDS = 60.0
"""How long to wait for a lock; writers hold theirs for milliseconds."""


@contextmanager
def copy_database(target: Path) -> Iterator[Query]:
    """Copy the database to `target`, a new file, and give a query of the copy.

    In one step (`pages=-1`): in portions, each write of somebody else would begin the copy again.
    """
    with (
        closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=WAIT_SECONDS)) as source,
        closing(sqlite3.connect(target)) as copy,
        _report_full_database(),
    ):
        source.backup(copy, pages=-1)
        # A copy of a database with a write-ahead log would want one of its own to be opened.
        copy.execute("PRAGMA journal_mode=DELETE")
        _check(copy, "The database of this site is damaged")
        yield lambda statement: copy.execute(statement).fetchall()
    _sync(target)


def server_version() -> str:
    """The version of the SQLite library."""
    return sqlite3.sqlite_version


def check_copy(path: Path) -> None:
    """Open a copy for reading and let SQLite check all of it. BackupDamaged names what is wrong."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as copy:
            _check(copy, f"The database copy {path} is damaged")
    except sqlite3.DatabaseError as error:
        raise BackupDamaged(f"The database copy {path} cannot be opened: {error}.") from error


def restore_copy(path: Path) -> None:
    """Put a copy in the place of this site's database, which has no rows; readers see the old or the new one."""
    connections.close_all()
    target = Path(connection.settings_dict["NAME"])
    beside = target.with_name(f"{target.name}.restoring")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file, path.open("rb") as source:
            shutil.copyfileobj(source, file, 1 << 20)
        _sync(beside)
        for ending in ("-wal", "-shm", "-journal"):
            Path(f"{target}{ending}").unlink(missing_ok=True)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _report_full_database() -> Iterator[None]:
    """The system's error for a full disk in place of SQLite's own."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL:
            raise OSError(FULL[0], os.strerror(FULL[0])) from error
        raise BackupError(f"The database could not be copied: {error}.") from error


def _check(database: sqlite3.Connection, otherwise: str) -> None:
    found = [text for (text,) in database.execute("PRAGMA integrity_check(5)")]
    if found != ["ok"]:
        raise BackupDamaged(f"{otherwise}: {'; '.join(found)}.")


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
