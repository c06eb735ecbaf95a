"""Large files that arrive in pieces: each piece is a stored file of its own, so that any web process may take it."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import IO

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from vectorless_web.documents.storage.files import check_before_storing, delete_stored, list_stored, size_of

FOLDER = "pieces"
_TOKEN = re.compile(r"[0-9a-f]{32}")
_PIECE = re.compile(rf"{FOLDER}/[0-9a-f]{{32}}/(\d+)-(\d+)")


class WrongOffset(Exception):
    """Raised when a piece does not begin where the pieces before it end; `received` is how many bytes are here."""

    def __init__(self, received: int) -> None:
        super().__init__(f"{received} bytes are here")
        self.received = received


def count_received(token: str) -> int:
    """Bytes that have arrived; 0 when none has."""
    return sum(length for length, _ in _whole_pieces(token))


def append_piece(token: str, offset: int, data: bytes) -> int:
    """Add a piece that begins at byte `offset`; how many bytes are here now.

    WrongOffset when it does not continue what is here. Of two requests that add the same piece one counts.
    """
    received = count_received(token)
    if received != offset:
        raise WrongOffset(received)
    check_before_storing()
    name = f"{_folder_of(token)}/{offset:015}-{len(data)}"
    delete_stored(name)  # Half of it, of a request that was cut off.
    saved = default_storage.save(name, ContentFile(data))
    if saved != name:
        delete_stored(saved)
    return received + len(data)


@contextmanager
def joined_pieces(token: str) -> Iterator[IO[bytes]]:
    """Context with the file that the pieces make up, on this machine."""
    settings.CACHE_ROOT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=settings.CACHE_ROOT) as whole:
        for _, name in _whole_pieces(token):
            with default_storage.open(name) as piece:
                for chunk in piece.chunks():
                    whole.write(chunk)
        whole.seek(0)
        yield whole


def remove_pieces(token: str) -> None:
    """Remove what has arrived of an upload."""
    for name in list(list_stored(_folder_of(token))):
        delete_stored(name)
    default_storage.delete(_folder_of(token))  # A file system keeps the empty folder.


def list_stale(seconds: float) -> list[str]:
    """Tokens of uploads to which nothing was added for so many seconds."""
    newest: dict[str, float] = {}
    for name in list_stored(FOLDER):
        token, written = name.split("/")[1], default_storage.get_modified_time(name).timestamp()
        newest[token] = max(newest.get(token, 0.0), written)
    before = (timezone.now() - timedelta(seconds=seconds)).timestamp()
    return [token for token, written in newest.items() if written < before]


def _folder_of(token: str) -> str:
    """A token never becomes a path unless it is one of ours."""
    if not _TOKEN.fullmatch(token):
        raise ValueError(token)
    return f"{FOLDER}/{token}"


def _whole_pieces(token: str) -> list[tuple[int, str]]:
    """(length, name) of the pieces that follow each other from the first byte on; the last may be half written."""
    found: list[tuple[int, str]] = []
    end = 0
    for name in sorted(list_stored(_folder_of(token))):
        match = _PIECE.fullmatch(name)
        if match and int(match[1]) == end:
            found.append((int(match[2]), name))
            end += int(match[2])
    if found and size_of(found[-1][1]) != found[-1][0]:
        found.pop()
    return found
