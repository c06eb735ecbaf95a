"""The container of immutable files: named blocks behind a checked directory, mapped and never parsed as a whole.

magic (8 bytes) | length of the directory (u8) | SHA-256 of the directory | directory (JSON) | aligned blocks

The directory holds the facts of the file, the place and CRC-32 of each block, and the length of them all. Equal
facts and blocks give equal bytes.
"""

import hashlib
import json
import mmap
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.documents.card import dump_json

FORMAT = 1
"""The layout of blocks. Raise it when a program that knows the old layout would misread the new one."""
ALIGN = 8
"""Bytes to which a block is aligned unless its file asks for more: the width of the widest number."""

_HEAD = struct.Struct("<8sQ32s")

Buffer = bytes | memoryview | mmap.mmap
Damage = Callable[[str], Exception]
"""Makes the error of a file that cannot be read from the reason why."""
Places = Mapping[str, tuple[int, int, int]]
"""For each block where it begins in the file, its length, and its CRC-32."""


def align_size(size: int, align: int = ALIGN) -> int:
    """The next multiple of `align`."""
    return -(-size // align) * align


def write_container(
    magic: bytes, facts: Mapping[str, Any], blocks: Mapping[str, bytes], *, align: int = ALIGN
) -> bytes:
    """The bytes of a container; `align` divides into the place of every block."""
    places: dict[str, tuple[int, int, int]] = {}
    pieces: list[bytes] = []
    size = 0
    for name, block in blocks.items():
        start = align_size(size, align)
        pieces += (b"\0" * (start - size), block)
        places[name] = (start, len(block), zlib.crc32(block))
        size = start + len(block)
    directory = dump_json({"format": FORMAT, **facts, "blocks": places, "body": size})
    return join_directory(magic, directory, *pieces, align=align)


def join_directory(magic: bytes, directory: bytes, *body: bytes, align: int = ALIGN) -> bytes:
    """A container of a directory that is written already, and of a body in pieces."""
    size = _HEAD.size + len(directory)
    directory += b" " * (align_size(size, align) - size)
    return b"".join((_HEAD.pack(magic, len(directory), hashlib.sha256(directory).digest()), directory, *body))


def split_directory(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The directory of a sound container, and what follows it."""
    _, length, _ = _HEAD.unpack(data[: _HEAD.size])
    directory: dict[str, Any] = json.loads(data[_HEAD.size : _HEAD.size + length])
    return directory, data[_HEAD.size + length :]


def map_file(path: Path, damage: Damage) -> mmap.mmap:
    """Map a file for reading; what `damage` makes when it is empty."""
    with path.open("rb") as file:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # an empty file cannot be mapped
            raise damage("it is empty") from error


class Container:
    """Checked access to the blocks of a file: a block's checksum is compared when it is first asked for.

    `digest` is that of the directory, which holds all checksums: equal files, and only they, have equal ones.
    """

    def __init__(
        self, view: memoryview, facts: Mapping[str, Any], places: Places, *, digest: str = "", damage: Damage
    ) -> None:
        self.facts, self.digest = facts, digest
        self._view, self._places, self._damage = view, places, damage
        self._checked: set[str] = set()

    @classmethod
    def open(cls, buffer: Buffer, *, magic: bytes, damage: Damage) -> "Container":
        """Read the directory. What `damage` makes is raised for another file, layout or length."""
        view = memoryview(buffer)
        if len(view) < _HEAD.size:
            raise damage("it is cut short")
        found, length, digest = _HEAD.unpack(view[: _HEAD.size])
        raw = bytes(view[_HEAD.size : _HEAD.size + length])
        if found != magic or hashlib.sha256(raw).digest() != digest:
            raise damage("its directory is damaged")
        facts: dict[str, Any] = json.loads(raw)
        # Files from before layouts were numbered are of the first one.
        if facts.get("format", 1) != FORMAT:
            raise damage("a version of this program with another layout made it")
        base = _HEAD.size + length
        if len(view) != base + facts["body"]:
            raise damage("its length is wrong")
        places = {name: (base + start, size, check) for name, (start, size, check) in facts["blocks"].items()}
        return cls(view, facts, places, digest=digest.hex(), damage=damage)

    def __getitem__(self, name: str) -> memoryview:
        view = self.read_unchecked(name)
        if name not in self._checked:
            if zlib.crc32(view) != self._places[name][2]:
                raise self._damage(f"its block {name} is damaged")
            self._checked.add(name)
        return view

    def get(self, name: str) -> memoryview:
        """A block that a file may be without; empty for one that is."""
        return self[name] if name in self._places else memoryview(b"")

    def read_unchecked(self, name: str) -> memoryview:
        """A block without its checksum compared, for large files where that takes noticeable time."""
        if name not in self._places:
            raise self._damage(f"it has no block {name}")
        start, length, _ = self._places[name]
        if start + length > len(self._view):
            raise self._damage("it is cut short")
        return self._view[start : start + length]

    def array(self, name: str, dtype: str) -> NDArray[Any]:
        """A block as an array over the mapped bytes."""
        return np.frombuffer(self[name], dtype=dtype)

    def verify(self) -> None:
        """Check every block."""
        for name in self._places:
            self[name]
