"""The compiled artefact: one immutable file that is mapped, not parsed.

Layout: magic, length of the directory, SHA-256 of the directory, the directory (JSON),
then blocks aligned to 8 bytes. The directory names each block with offset, length and
CRC-32, and the length of the whole file. Opening reads the directory alone; a block is
checked when it is first used. Nothing written depends on time, paths or hash order.

The directory names the layout (FORMAT) and the compiler (ENGINE_VERSION). A file of another
layout cannot be read; one of another compiler can, and is worth compiling again.
"""

import hashlib
import json
import mmap
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.document.card import Card
from vectorless_web.engine.document.fingerprint import ENGINE_VERSION as ENGINE_VERSION
from vectorless_web.engine.document.node import GlyphSpan, Node, NodeKind, Reference
from vectorless_web.engine.document.page import PageInfo
from vectorless_web.engine.document.report import TreeReport
from vectorless_web.engine.document.rows import NodeRows, encode_nodes
from vectorless_web.engine.document.serialise import card_from, dump_json, report_from
from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.errors import ArtefactDamaged

FORMAT = 1
"""The layout of blocks. Raise it when a program that knows the old layout would misread the new one."""

_MAGIC = b"VLWEBART"
_HEAD = struct.Struct("<8sQ32s")
_ALIGN = 8
_TRIED_NODES = 64
"""Nodes decoded to find out whether a file of another compiler can be read: evenly spread, they meet every kind."""


@dataclass(frozen=True, slots=True)
class ArtefactParts:
    """Everything that goes into an artefact. `page_texts[i]` is the raw text of `pages[i]`."""

    title: str
    media_type: str
    sha256: str
    nodes: Sequence[Node]
    references: Sequence[Reference]
    pages: Sequence[PageInfo]
    page_texts: Sequence[str]
    card: Card
    report: TreeReport
    segment: bytes


def write_artefact(parts: ArtefactParts) -> bytes:
    """The artefact's bytes; equal parts give equal bytes."""
    return _assemble(_facts(parts), dict(_blocks(parts)))


def _facts(parts: ArtefactParts) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "engine": ENGINE_VERSION,
        "title": parts.title,
        "media_type": parts.media_type,
        "sha256": parts.sha256,
        "nodes": len(parts.nodes),
    }


def _blocks(parts: ArtefactParts) -> Iterator[tuple[str, bytes]]:
    yield from encode_nodes(parts.nodes)
    references = [(r.source, r.offset, r.length, r.target) for r in parts.references]
    yield "references", np.array(references, dtype="<i4").reshape(-1, 4).tobytes()
    sizes = [(page.width, page.height, page.characters) for page in parts.pages]
    yield "pages", np.array(sizes, dtype="<f8").reshape(-1, 3).tobytes()
    encoded = [text.encode("utf-8", "replace") for text in parts.page_texts]
    yield "page_ends", np.cumsum([len(text) for text in encoded], dtype="<i8").tobytes()
    yield "page_texts", b"".join(encoded)
    yield "card", dump_json(asdict(parts.card))
    yield "report", dump_json(asdict(parts.report))
    yield "segment", parts.segment


def _assemble(facts: dict[str, Any], blocks: Mapping[str, bytes]) -> bytes:
    places: dict[str, tuple[int, int, int]] = {}
    body = bytearray()
    for name, block in blocks.items():
        body.extend(b"\0" * (-len(body) % _ALIGN))
        places[name] = (len(body), len(block), zlib.crc32(block))
        body.extend(block)
    directory = dump_json({**facts, "blocks": places, "body": len(body)})
    directory += b" " * (-(_HEAD.size + len(directory)) % _ALIGN)
    head = _HEAD.pack(_MAGIC, len(directory), hashlib.sha256(directory).digest())
    return head + directory + bytes(body)


def open_artefact(path: Path) -> "CompiledDocument":
    """Map an artefact file. ArtefactDamaged if it is truncated, altered or of another layout."""
    try:
        with path.open("rb") as file:
            return CompiledDocument(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError as error:  # an empty file cannot be mapped
        raise _damaged("it is empty") from error


def _damaged(reason: str) -> ArtefactDamaged:
    return ArtefactDamaged(f"The compiled document cannot be read: {reason}.")


class _Blocks:
    """Checked access to the blocks of an artefact."""

    def __init__(self, buffer: bytes | mmap.mmap) -> None:
        self._view = memoryview(buffer)
        self.directory, self._base = self._read_directory()
        self._checked: set[str] = set()

    def _read_directory(self) -> tuple[dict[str, Any], int]:
        if len(self._view) < _HEAD.size:
            raise _damaged("it is cut short")
        magic, length, digest = _HEAD.unpack(self._view[: _HEAD.size])
        raw = bytes(self._view[_HEAD.size : _HEAD.size + length])
        if magic != _MAGIC or hashlib.sha256(raw).digest() != digest:
            raise _damaged("its directory is damaged")
        directory: dict[str, Any] = json.loads(raw)
        # Files from before layouts were numbered are of the first one.
        if directory.get("format", 1) != FORMAT:
            raise _damaged("a version of this program with another layout made it")
        base = _HEAD.size + length
        if len(self._view) != base + directory["body"]:
            raise _damaged("its length is wrong")
        return directory, base

    def __getitem__(self, name: str) -> memoryview:
        if name not in self.directory["blocks"]:
            raise _damaged(f"it has no block {name}")
        offset, length, check = self.directory["blocks"][name]
        view = self._view[self._base + offset : self._base + offset + length]
        if name not in self._checked:
            if zlib.crc32(view) != check:
                raise _damaged(f"its block {name} is damaged")
            self._checked.add(name)
        return view

    def verify(self) -> None:
        """Check every block. ArtefactDamaged if one was altered."""
        for name in self.directory["blocks"]:
            self[name]

    def array(self, name: str, dtype: str) -> NDArray[Any]:
        return np.frombuffer(self[name], dtype=dtype)


class CompiledDocument:
    """A compiled document over a mapped artefact; opened in milliseconds, nodes decoded when asked for."""

    def __init__(self, buffer: bytes | mmap.mmap) -> None:
        self._blocks = _Blocks(buffer)
        facts = self._blocks.directory
        try:
            self.title: str = facts["title"]
            self.media_type: str = facts["media_type"]
            self.sha256: str = facts["sha256"]
            self.engine: str = facts["engine"]
            self._rows = NodeRows(self._blocks.array, self._blocks.__getitem__, facts["nodes"])
        except (LookupError, ValueError) as error:
            raise _damaged(f"another version of this program made it ({error!r})") from error
        self._card: Card | None = None
        self._tree: Tree | None = None
        self._report: TreeReport | None = None

    def verify(self) -> None:
        """Check the whole file, so that nothing fails later. ArtefactDamaged if it was altered or cannot be read.

        What another compiler wrote is read on trial too: sound bytes may still hold what this program does not know.
        """
        self._blocks.verify()
        if self.engine == ENGINE_VERSION:
            return
        try:
            self._read_on_trial()
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(f"another version of this program made it ({error!r})") from error

    def _read_on_trial(self) -> None:
        count = len(self.tree)
        for key in range(0, count, max(1, count // _TRIED_NODES)):
            self.tree.node(key)
        tables = (key for key in range(count) if self.tree.kind(key) is NodeKind.TABLE)
        first_table = next(tables, None)
        if first_table is not None:
            self.tree.node(first_table)
        _ = self.card, self.report, self.segment
        for page_index in range(min(1, len(self.pages))):
            self.page_text(page_index)

    @property
    def tree(self) -> Tree:
        """The tree; moving through it decodes no node."""
        if self._tree is None:
            references = self._blocks.array("references", "<i4").reshape(-1, 4).tolist()
            self._tree = Tree(
                self._rows,
                [Reference(*reference) for reference in references],
                structure=self._rows.structure,
                columns=self._rows,
            )
        return self._tree

    @property
    def card(self) -> Card:
        """The document card."""
        if self._card is None:
            self._card = card_from(json.loads(bytes(self._blocks["card"])))
        return self._card

    @property
    def report(self) -> TreeReport:
        """The tree report of this version."""
        if self._report is None:
            self._report = report_from(json.loads(bytes(self._blocks["report"])))
        return self._report

    @property
    def segment(self) -> memoryview:
        """Bytes of the index segment over this document's nodes."""
        return self._blocks["segment"]

    @property
    def pages(self) -> Sequence[PageInfo]:
        """Size and number of characters of each page."""
        rows = self._blocks.array("pages", "<f8").reshape(-1, 3).tolist()
        return [PageInfo(width, height, int(characters)) for width, height, characters in rows]

    def page_text(self, page_index: int) -> str:
        """The raw text of a page (from 0); glyph character indexes count its characters."""
        ends = self._blocks.array("page_ends", "<i8")
        if not 0 <= page_index < len(ends):
            raise IndexError(page_index)
        start = int(ends[page_index - 1]) if page_index else 0
        return str(self._blocks["page_texts"][start : int(ends[page_index])], "utf-8")

    def locate(self, key: int, start: int, end: int) -> tuple[GlyphSpan, ...]:
        """Where characters `start` (included) to `end` (excluded) of a node's text stand on the pages."""
        return self._rows.locate(key, start, end)

    def on_page(self, page_index: int) -> list[int]:
        """Keys of the nodes with text on that page (from 0), in reading order; sections by their heading."""
        return self._rows.on_page(page_index)


def fingerprint(artefact: bytes) -> str:
    """SHA-256 of an artefact apart from which compiler made it: equal ones hold the same."""
    _, length, _ = _HEAD.unpack(artefact[: _HEAD.size])
    directory: dict[str, Any] = json.loads(artefact[_HEAD.size : _HEAD.size + length])
    del directory["engine"]
    return hashlib.sha256(dump_json(directory) + artefact[_HEAD.size + length :]).hexdigest()
