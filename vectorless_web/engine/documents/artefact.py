"""The compiled artefact: one immutable file that is mapped, not parsed, and the version of the compiler in it.

`fingerprint.json` holds the SHA-256 of the artefact of each known document, and the versions of
the libraries that read files. A test compiles the same documents and fails when they differ;
`make fingerprint` records them anew. So a change of what the compiler writes changes its name,
and a change that writes the same bytes does not.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.documents.card import (
    Card,
    PageInfo,
    TreeReport,
    card_from,
    dump_json,
    outline_from_json,
    report_from,
    table_from_json,
    table_to_json,
)
from vectorless_web.engine.documents.container import Buffer, Container, map_file, split_directory, write_container
from vectorless_web.engine.documents.figures import FigurePicture, decode_pictures, encode_pictures
from vectorless_web.engine.documents.node import GlyphRun, GlyphSpan, Node, NodeKind, Reference
from vectorless_web.engine.documents.recognised import RecognisedWord, RecognisedWords, encode_words
from vectorless_web.engine.documents.tree import Integer, TableOutline, Tree
from vectorless_web.engine.errors import ArtefactDamaged

RECORDED = Path(__file__).with_name("fingerprint.json")

ENGINE_VERSION = hashlib.sha256(RECORDED.read_bytes()).hexdigest()[:12]
"""The compiler's name: part of every artefact and of its name in storage. Another one means compiling again."""


_KINDS = tuple(NodeKind)
KINDS = tuple(kind.value for kind in _KINDS)
_INTEGERS = ("parent", "subtree_end", "depth", "page_start", "page_end", "token_count")
_STRINGS = ("title", "text", "label", "content_hash")


def encode_nodes(nodes: Sequence[Node]) -> Iterator[tuple[str, bytes]]:
    """Blocks (name, bytes) that hold the nodes."""
    columns = [[getattr(node, name) for node in nodes] for name in _INTEGERS]
    columns.append([KINDS.index(node.kind) for node in nodes])
    yield "nodes", np.array(columns, dtype="<i4").tobytes()
    for name in _STRINGS:
        yield from _blob(name, (getattr(node, name).encode("utf-8", "replace") for node in nodes))
    yield from _blob("table", (table_to_json(node.table) if node.table else b"" for node in nodes))
    runs = [(r.offset, r.page_index, r.char_index, r.length) for node in nodes for r in node.runs]
    yield "runs", np.array(runs, dtype="<i4").reshape(-1, 4).tobytes()
    yield "run_ends", np.cumsum([len(node.runs) for node in nodes], dtype="<i4").tobytes()


def _blob(name: str, values: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    encoded = list(values)
    yield f"{name}_ends", np.cumsum([len(value) for value in encoded], dtype="<i8").tobytes()
    yield name, b"".join(encoded)


class NodeRows(Sequence[Node]):
    """The nodes of an artefact as a sequence; each is decoded when first asked for and kept."""

    def __init__(
        self, array: Callable[[str, str], NDArray[Any]], block: Callable[[str], memoryview], count: int
    ) -> None:
        self._array, self._block, self._count = array, block, count
        self._columns = array("nodes", "<i4").reshape(len(_INTEGERS) + 1, count)
        self._kept: dict[int, Node] = {}
        self._ends: dict[str, list[int]] = {}
        self._integers: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return self._count

    @property
    def structure(self) -> tuple[list[int], list[int], list[str]]:
        """Parents, subtree ends and kind names, as plain lists (quicker to index than arrays)."""
        kinds = [KINDS[number] for number in self._columns[-1].tolist()]
        return self._columns[0].tolist(), self._columns[1].tolist(), kinds

    @overload
    def __getitem__(self, key: int) -> Node: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Node]: ...
    def __getitem__(self, key: int | slice) -> Node | Sequence[Node]:
        if isinstance(key, slice):
            return [self[number] for number in range(*key.indices(self._count))]
        if not 0 <= key < self._count:
            raise IndexError(key)
        if key not in self._kept:
            self._kept[key] = self._decode(key)
        return self._kept[key]

    @cached_property
    def titles(self) -> list[str]:
        """The titles of all nodes."""
        return self._strings("title")

    @cached_property
    def texts(self) -> list[str]:
        """The texts of all nodes."""
        return self._strings("text")

    def integers(self, name: Integer) -> list[int]:
        """An integer field of all nodes, as a plain list."""
        if name not in self._integers:
            self._integers[name] = self._columns[_INTEGERS.index(name)].tolist()
        return self._integers[name]

    def table(self, key: int) -> TableOutline | None:
        """The outline of a node's table; None when it has none."""
        return outline_from_json(bytes(self._slice("table", key)), self.texts[key]) if key in self._tabled else None

    @cached_property
    def _tabled(self) -> frozenset[int]:
        sizes = np.diff(self._array("table_ends", "<i8"), prepend=0)
        return frozenset(np.flatnonzero(sizes).tolist())

    def locate(self, key: int, start: int, end: int) -> tuple[GlyphSpan, ...]:
        """Spans of raw characters behind `text[start:end]` of a node."""
        spans = []
        for offset, page, character, length in self._runs(key):
            low, high = max(start, offset), min(end, offset + length)
            if low < high:
                spans.append(GlyphSpan(page, character + low - offset, high - low))
        return tuple(spans)

    def on_page(self, page_index: int) -> list[int]:
        """Keys of the nodes with a run on the page."""
        runs, ends = self._array("runs", "<i4").reshape(-1, 4), self._array("run_ends", "<i4")
        places = np.nonzero(runs[:, 1] == page_index)[0]
        keys = np.searchsorted(ends, places, side="right")
        return [int(key) for key in np.unique(keys)]

    def _decode(self, key: int) -> Node:
        parent, subtree_end, depth, page_start, page_end, tokens, kind = self._columns[:, key].tolist()
        text = self._string("text", key)
        raw_table = bytes(self._slice("table", key))
        return Node(
            key=key,
            parent=parent,
            subtree_end=subtree_end,
            depth=depth,
            kind=_KINDS[kind],
            title=self._string("title", key),
            text=text,
            page_start=page_start,
            page_end=page_end,
            token_count=tokens,
            content_hash=self._string("content_hash", key),
            label=self._string("label", key),
            runs=tuple(GlyphRun(*run) for run in self._runs(key)),
            table=table_from_json(raw_table, text) if raw_table else None,
        )

    def _runs(self, key: int) -> list[list[int]]:
        start, end = self._span("run", "<i4", key)
        runs: list[list[int]] = self._all_runs[start:end].tolist()
        return runs

    @cached_property
    def _all_runs(self) -> NDArray[Any]:
        return self._array("runs", "<i4").reshape(-1, 4)

    def _span(self, name: str, kind: str, key: int) -> tuple[int, int]:
        if name not in self._ends:
            self._ends[name] = self._array(f"{name}_ends", kind).tolist()
        ends = self._ends[name]
        return ends[key - 1] if key else 0, ends[key]

    def _strings(self, name: str) -> list[str]:
        """A whole column; where all of it is ASCII, bytes are characters and one decoding serves all."""
        ends, block = self._array(f"{name}_ends", "<i8").tolist(), bytes(self._block(name))
        if block.isascii():
            whole = block.decode("ascii")
            return [whole[start:end] for start, end in pairwise([0, *ends])]
        return [block[start:end].decode() for start, end in pairwise([0, *ends])]

    def _string(self, name: str, key: int) -> str:
        return str(self._slice(name, key), "utf-8")

    def _slice(self, name: str, key: int) -> memoryview:
        start, end = self._span(name, "<i8", key)
        return self._block(name)[start:end]


_MAGIC = b"VLWEBART"
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
    words: Sequence[RecognisedWord] = ()
    """Words that were recognised on pictures of pages, in the order of pages and characters."""
    pictures: Mapping[int, FigurePicture] = field(default_factory=dict)
    """What figures show, by the keys of their nodes."""


def write_artefact(parts: ArtefactParts) -> bytes:
    """The artefact's bytes; equal parts give equal bytes."""
    return write_container(_MAGIC, _facts(parts), dict(_blocks(parts)))


def _facts(parts: ArtefactParts) -> dict[str, Any]:
    return {
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
    if parts.words:
        yield "recognised", encode_words(parts.words, [(page.width, page.height) for page in parts.pages])
    yield from encode_pictures(parts.pictures).items()


def open_artefact(path: Path) -> "CompiledDocument":
    """Map an artefact file. ArtefactDamaged if it is truncated, altered or of another layout."""
    return CompiledDocument(map_file(path, _make_damage_error))


def _make_damage_error(reason: str) -> ArtefactDamaged:
    return ArtefactDamaged(f"The compiled document cannot be read: {reason}.")


class CompiledDocument:
    """A compiled document over a mapped artefact; opened in milliseconds, nodes decoded when asked for."""

    def __init__(self, buffer: Buffer) -> None:
        self._blocks = Container.open(buffer, magic=_MAGIC, damage=_make_damage_error)
        facts = self._blocks.facts
        try:
            self.title: str = facts["title"]
            self.media_type: str = facts["media_type"]
            self.sha256: str = facts["sha256"]
            self.engine: str = facts["engine"]
            self._rows = NodeRows(self._blocks.array, self._blocks.__getitem__, facts["nodes"])
        except (LookupError, ValueError) as error:
            raise _make_damage_error(f"another version of this program made it ({error!r})") from error
        self._card: Card | None = None
        self._tree: Tree | None = None
        self._report: TreeReport | None = None
        self._pages: tuple[PageInfo, ...] | None = None
        self._recognised: RecognisedWords | None = None

    def verify(self) -> None:
        """Check every block of the file. ArtefactDamaged if one was altered or cannot be read.

        Some nodes of a file made by another compiler are decoded too: intact bytes may hold values unknown here.
        """
        self._blocks.verify()
        if self.engine == ENGINE_VERSION:
            return
        try:
            self._read_on_trial()
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise _make_damage_error(f"another version of this program made it ({error!r})") from error

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
        if self._pages is None:
            rows = self._blocks.array("pages", "<f8").reshape(-1, 3).tolist()
            self._pages = tuple(PageInfo(width, height, int(characters)) for width, height, characters in rows)
        return self._pages

    def page_text(self, page_index: int) -> str:
        """The raw text of a page (from 0); glyph character indexes count its characters."""
        ends = self._blocks.array("page_ends", "<i8")
        if not 0 <= page_index < len(ends):
            raise IndexError(page_index)
        start = int(ends[page_index - 1]) if page_index else 0
        return str(self._blocks["page_texts"][start : int(ends[page_index])], "utf-8")

    @property
    def recognised(self) -> RecognisedWords:
        """The words that text recognition found; none in a file of an earlier program without it."""
        if self._recognised is None:
            sizes = [(page.width, page.height) for page in self.pages]
            self._recognised = RecognisedWords(self._blocks.get("recognised"), sizes, self.page_text)
        return self._recognised

    @cached_property
    def pictures(self) -> Mapping[int, FigurePicture]:
        """The pictures of figures by the keys of their nodes; {} in a file of an earlier program without them."""
        return decode_pictures(self._blocks.get("figures"), self._blocks.get("pictures"))

    def recognition_confidence(self, spans: Iterable[GlyphSpan]) -> int | None:
        """Percent of the least sure word with a letter or digit within the spans; None when none was recognised."""
        least = None
        for span in spans:
            for word in self.recognised.within(span):
                said = self.page_text(span.page_index)[word.start : word.start + word.length]
                if any(map(str.isalnum, said)):
                    least = word.confidence if least is None else min(least, word.confidence)
        return least

    def locate(self, key: int, start: int, end: int) -> tuple[GlyphSpan, ...]:
        """Where characters `start` (included) to `end` (excluded) of a node's text stand on the pages."""
        return self._rows.locate(key, start, end)

    def on_page(self, page_index: int) -> list[int]:
        """Keys of the nodes with text on that page (from 0), in reading order; sections by their heading."""
        return self._rows.on_page(page_index)


def fingerprint(artefact: bytes) -> str:
    """SHA-256 of an artefact without its compiler's name: artefacts of equal content have equal fingerprints."""
    directory, body = split_directory(artefact)
    del directory["engine"]
    return hashlib.sha256(dump_json(directory) + body).hexdigest()
