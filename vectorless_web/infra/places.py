"""Places outside the site that documents come from by themselves: what a reader of one is given, and what it gives."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol


@dataclass(frozen=True, slots=True)
class Access:
    """Where a place is and how it is entered. `address` is a folder's path or a URL; `kind` one of "folder", "s3",
    "webdav"."""

    kind: str
    address: str
    user: str = ""
    secret: str = field(default="", repr=False)
    region: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a place: its path below the place's address, parted by "/", its bytes, and a mark that changes when
    its content does."""

    path: str
    size: int
    mark: str


class PlaceTrouble(Exception):
    """Raised when a place or a file of it cannot be read; the message names cause and remedy."""


class Place(Protocol):
    """Somewhere that files lie, to be listed and read, never written."""

    def list_files(self) -> Iterator[Found]:
        """Every file; PlaceTrouble when they cannot be listed."""
        ...

    def open_file(self, path: str) -> AbstractContextManager[BinaryIO]:
        """A file's bytes, from the beginning; PlaceTrouble when it cannot be opened, is too large, or breaks off."""
        ...
