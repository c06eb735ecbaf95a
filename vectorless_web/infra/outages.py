"""Outages of what a site depends on (database, storage, room on the disk): recognised, named, and waited for."""

import errno
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)
T = TypeVar("T")

FIRST_PAUSE_SECONDS = 0.25
"""Seconds before the first further try; each later pause is longer. Chosen by hand: a busy database is free again
within it."""
LONGEST_PAUSE_SECONDS = 2.0
"""Between two tries: well below any lease, which each try renews."""


class StorageAway(OSError):
    """Raised when stored files cannot be reached: a folder that is not mounted, a server that does not answer."""


@dataclass(frozen=True)
class Outage:
    """Something the site lacks: cause and remedy; `passes` says that waiting is likely to help."""

    code: str
    cause: str
    remedy: str
    status: int
    retry_after: int
    passes: bool
    """Whether it ends without anybody doing anything, so that work waits for it in its place."""

    @property
    def message(self) -> str:
        """Cause and remedy, as people read them."""
        return f"{self.cause} {self.remedy}"


DISK_FULL = Outage(
    "disk_full",
    "The server's disk is full, so nothing more can be stored. What was stored is safe.",
    "An administrator has to make room; then try again.",
    status=507,
    retry_after=60,
    passes=False,
)
READ_ONLY = Outage(
    "read_only",
    "The server's disk can be read but not written to. What was stored is safe.",
    "An administrator has to make it writable again; then try again.",
    status=503,
    retry_after=60,
    passes=False,
)
DATABASE_AWAY = Outage(
    "database_away",
    "The database does not answer. What was stored is safe.",
    "Try again in a moment; if it lasts, an administrator has to look at the database server.",
    status=503,
    retry_after=5,
    passes=True,
)
DATABASE_BUSY = Outage(
    "database_busy",
    "The database was busy with something else for too long. Nothing was changed.",
    "Try again in a moment.",
    status=503,
    retry_after=2,
    passes=True,
)
STORAGE_AWAY = Outage(
    "storage_away",
    "The place where files are stored cannot be reached. Nothing is lost.",
    "Try again in a moment; if it lasts, an administrator has to look at the storage.",
    status=503,
    retry_after=10,
    passes=True,
)

_BY_ERRNO = {
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: DISK_FULL,
    errno.EROFS: READ_ONLY,
    **dict.fromkeys((errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ENODEV, errno.ENXIO), STORAGE_AWAY),
}
_BY_SQLITE_CODE = {
    sqlite3.SQLITE_FULL: DISK_FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_BUSY: DATABASE_BUSY,
    sqlite3.SQLITE_LOCKED: DATABASE_BUSY,
    sqlite3.SQLITE_CANTOPEN: DATABASE_AWAY,
    sqlite3.SQLITE_IOERR: DATABASE_AWAY,
}
_BY_SQLSTATE = {
    "53100": DISK_FULL,
    "25006": READ_ONLY,
    "53300": DATABASE_AWAY,  # too many connections
    "55P03": DATABASE_BUSY,  # lock not available
    "57014": DATABASE_BUSY,  # statement time-out
    "40P01": DATABASE_BUSY,  # deadlock
}
_SHUTTING_DOWN = ("57P", "08")
"""Classes of PostgreSQL's states: operator intervention (shutdown, crash, starting up), and broken connections."""


def outage_of(error: BaseException) -> Outage | None:
    """The outage behind an exception, looked for along its causes; None when it is anything else."""
    for one in _causes(error):
        found = _outage_in(one)
        if found is not None:
            return found
    return None


def retry_through_outage(act: Callable[[], T], *, seconds: float | None = None) -> T:
    """What `act` gives; tried again while the database or storage is away, for `seconds` (OUTAGE_SECONDS unless given).

    For what may be done twice, outside a transaction. The last error when the outage lasts
    longer, or is none that passes. A try that worked for longer than that before it met an
    outage begins the wait anew.
    """
    patience = settings.OUTAGE_SECONDS if seconds is None else seconds
    deadline, pause = 0.0, FIRST_PAUSE_SECONDS
    while True:
        began = time.monotonic()
        try:
            return act()
        except Exception as error:
            now = time.monotonic()
            if not deadline or now - began > patience:
                deadline, pause = now + patience, FIRST_PAUSE_SECONDS
            outage = outage_of(error)
            if outage is None or not outage.passes or connection.in_atomic_block or now + pause > deadline:
                raise
            logger.warning("%s, tried again in %.2f s: %s", outage.code, pause, error)
            connection.close()
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        before = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or before  # type: ignore[assignment]


def _outage_in(error: BaseException) -> Outage | None:
    match error:
        case StorageAway():
            return STORAGE_AWAY
        case sqlite3.Error():
            return _BY_SQLITE_CODE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        case DatabaseTrouble():
            return _in_database(error)
        case OSError():
            return _BY_ERRNO.get(error.errno or 0)
        case _:
            return None


def _in_database(error: DatabaseTrouble) -> Outage | None:
    """What Django's wrapper of a driver's error stands for; a PostgreSQL connection that broke has no state."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return None  # Looked at by itself.
    state = getattr(cause, "sqlstate", None)
    if state is None:
        return DATABASE_AWAY if isinstance(error, OperationalError | InterfaceError) else None
    if state.startswith(_SHUTTING_DOWN) and state not in _BY_SQLSTATE:
        return DATABASE_AWAY
    return _BY_SQLSTATE.get(state)
