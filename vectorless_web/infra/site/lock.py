"""One `manage.py up` for one data folder: a lock that the kernel lets go when its holders end, however they end."""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

POLL_SECONDS = 0.2


class AlreadyRunning(Exception):
    """Raised when the data folder has a site that runs, or that does not come to its end."""


def hold_site(path: Path, *, seconds: float, say: Callable[[str], None]) -> int:
    """Lock `path` for this process and what it forks; the open descriptor, which holds the lock.

    Forked children hold the lock too, so after a killed `up` it is free once they have ended:
    that is waited for, at most `seconds`. A site whose `up` still lives is refused at once.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + seconds
    waited = False
    while not _take_lock(handle):
        holder = os.pread(handle, 32, 0).decode(errors="replace").strip()
        if _is_alive(holder) or time.monotonic() > deadline:
            os.close(handle)
            raise AlreadyRunning(_refusal(path, holder))
        if not waited:
            say("Waiting for the processes of the start before, which are ending ...")
            waited = True
        time.sleep(POLL_SECONDS)
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    return handle


def _take_lock(handle: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _is_alive(holder: str) -> bool:
    """Whether a process of that number runs on this machine."""
    if not holder.isdigit():
        return False
    try:
        os.kill(int(holder), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _refusal(path: Path, holder: str) -> str:
    return (
        f"This folder's site is already running (process {holder or 'unknown'} holds {path}). Stop it first, or give "
        "this one a folder of its own in VECTORLESS_VAR."
    )
