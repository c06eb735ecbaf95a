"""Folders in the temporary directory for one compile each, cleaned up also after a process that was killed."""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

LOCK = ".lock"
YOUNG_SECONDS = 60.0
"""A folder without a lock may be about to get it when it is younger than this."""


@contextmanager
def compile_folder() -> Iterator[Path]:
    """A folder that is removed at the end; the process holds a lock in it, which ends with the process."""
    folder = Path(tempfile.mkdtemp(prefix=_prefix()))
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def clear_stale_folders() -> int:
    """Remove this installation's compile folders whose process is gone; how many."""
    return sum(_remove_stale(folder) for folder in Path(tempfile.gettempdir()).glob(f"{_prefix()}*"))


def _prefix() -> str:
    """What the folders of this installation begin with; those of others on this machine are left alone."""
    return f"compile-{hashlib.sha256(str(settings.VAR).encode()).hexdigest()[:12]}-"


def _remove_stale(folder: Path) -> bool:
    with suppress(OSError):
        status = folder.lstat()
        if folder.is_symlink() or status.st_uid != os.getuid():
            return False
        if _is_held(folder) or time.time() - status.st_mtime < YOUNG_SECONDS:
            return False
        shutil.rmtree(folder)
        return True
    return False


def _is_held(folder: Path) -> bool:
    """Whether a process that lives holds the folder's lock."""
    if not (folder / LOCK).exists():
        return False
    lock = os.open(folder / LOCK, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
