"""Nodes as columns of an artefact: numpy arrays and UTF-8 blobs, decoded one node at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.document.columns import Integer, TableOutline
from vectorless_web.engine.document.node import GlyphRun, GlyphSpan, Node, NodeKind
from vectorless_web.engine.document.serialise import outline_from_json, table_from_json, table_to_json

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
        """The keys of the nodes with a table."""
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
        """Where a node's part of a column begins and ends; plain lists are quicker to index than arrays."""
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
