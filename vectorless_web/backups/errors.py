"""Why a backup cannot be made, trusted or restored.

BackupError          any of them; the message names cause and remedy
  BackupDamaged      a backup is incomplete or altered
  SiteNotEmpty       a restore would write over what a site has
  DiskFull           the place that is written to is full
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class BackupError(Exception):
    """Raised for whatever ends a backup or a restore."""


class BackupDamaged(BackupError):
    """Raised when a backup is incomplete or altered."""


class SiteNotEmpty(BackupError):
    """Raised when a restore would write over what a site has."""


class DiskFull(BackupError):
    """Raised when the disk that is written to is full."""


FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def report_full_disk(place: Path, remedy: str) -> Iterator[None]:
    """Raise DiskFull in place of the system's own error."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise DiskFull(f"The disk of {place} is full. {remedy}") from error
        raise
