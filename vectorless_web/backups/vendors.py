"""The way of copying that suits a database."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from vectorless_web.backups import postgresql, sqlite
from vectorless_web.backups.errors import BackupError
from vectorless_web.backups.query import Query


@dataclass(frozen=True)
class Vendor:
    """How one kind of database is copied, checked and restored; `file` is the copy's name."""

    file: str
    version: Callable[[], str]
    copy: Callable[[Path], AbstractContextManager[Query]]
    check: Callable[[Path], None]
    restore: Callable[[Path], None]


VENDORS = {
    "sqlite": Vendor(
        file=sqlite.FILE,
        version=sqlite.server_version,
        copy=sqlite.copy_database,
        check=sqlite.check_copy,
        restore=sqlite.restore_copy,
    ),
    "postgresql": Vendor(
        file=postgresql.FILE,
        version=postgresql.server_version,
        copy=postgresql.copy_database,
        check=postgresql.check_copy,
        restore=postgresql.restore_copy,
    ),
}


def vendor_of(name: str) -> Vendor:
    """That of Django's name for it, `sqlite` or `postgresql`; BackupError for any other."""
    if name not in VENDORS:
        raise BackupError(f"A database of the kind “{name}” cannot be backed up by this command. Use its own tools.")
    return VENDORS[name]
