"""Large files that arrive in pieces: each grows in a file of its own on this machine until it is whole."""

import fcntl
import re
import time
from pathlib import Path

from django.conf import settings

_TOKEN = re.compile(r"[0-9a-f]{32}")


class WrongOffset(Exception):
    """Raised when a piece does not begin where the pieces before it end; `received` is how many bytes are here."""

    def __init__(self, received: int) -> None:
        super().__init__(f"{received} bytes are here")
        self.received = received


def pieces_path(token: str) -> Path:
    """The file that holds the pieces of an upload; a token never becomes a path unless it is one of ours."""
    if not _TOKEN.fullmatch(token):
        raise ValueError(token)
    return Path(settings.CACHE_ROOT) / "partial" / token


def count_received(token: str) -> int:
    """Bytes that have arrived; 0 when none has, or when the folder was cleared."""
    try:
        return pieces_path(token).stat().st_size
    except FileNotFoundError:
        return 0


def append_piece(token: str, offset: int, data: bytes) -> int:
    """Add a piece that begins at byte `offset`; how many bytes are here now.

    WrongOffset when it does not continue what is here, also while another request is adding one.
    """
    path = pieces_path(token)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WrongOffset(file.tell()) from error
        received = file.tell()
        if received != offset:
            raise WrongOffset(received)
        try:
            file.write(data)
            file.flush()
        except OSError:
            file.truncate(received)  # half a piece would be taken for a whole one
            raise
    return received + len(data)


def remove_pieces(token: str) -> None:
    """Remove what has arrived of an upload."""
    pieces_path(token).unlink(missing_ok=True)


def list_stale(seconds: float) -> list[str]:
    """Tokens of uploads to which nothing was added for so many seconds."""
    folder, before = Path(settings.CACHE_ROOT) / "partial", time.time() - seconds
    return [path.name for path in folder.glob("*") if _TOKEN.fullmatch(path.name) and path.stat().st_mtime < before]
