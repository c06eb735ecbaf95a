"""A page of a file without printed pages, laid out as the document it is: headings, paragraphs, lists, tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vectorless_web.documents.rendering.text import TextMark, TextSegment, segments
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind, Table
from vectorless_web.engine.parsing.tables.cells import is_number

_DEEPEST_HEADING = 6
_OWN_MARK = re.compile(
    r"^(?:[•●▪◦‣*+–-]|\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,3}(?:\.\d{1,3})*)[.)])\s|^\d{1,2}(?:\.\d{1,2})+\s"
)
"""What a list's item begins with when the file numbers or marks it: then no bullet is put before it."""
_INDENT, _MOST_INDENT = 2, 6
"""Spaces by which an item of a list stands further in, and levels that are shown."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line or an item: its text, how far in it stands, whether a bullet is put before it."""

    segments: tuple[TextSegment, ...]
    depth: int = 0
    has_bullet: bool = False


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell of a table: its text, and whether it is a figure."""

    segments: tuple[TextSegment, ...]
    is_figure: bool = False


@dataclass(frozen=True, slots=True)
class PageRow:
    """A row of a table; one with a single text that spans it heads the rows below."""

    cells: tuple[PageCell, ...]
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A piece of a page. `kind` is that of its node; `level` is that of a heading, from 2; `title` a name not printed.

    `headers` name the columns of a table that carries on one of the page before.
    """

    kind: str
    level: int = 0
    title: str = ""
    lines: tuple[PageLine, ...] = ()
    headers: tuple[str, ...] = ()
    rows: tuple[PageRow, ...] = ()


def lay_out_page(document: CompiledDocument, page_index: int, marks: Sequence[TextMark]) -> list[PageBlock]:
    """The blocks of a page (from 0) in reading order, cut where marks begin and end; every character is in one."""
    return list(_Layout(document, page_index, marks).blocks())


class _Layout:
    def __init__(self, document: CompiledDocument, page_index: int, marks: Sequence[TextMark]) -> None:
        self._document, self._page, self._marks = document, page_index, marks
        self._text = document.page_text(page_index)
        self._seen: set[int] = set()
        self._done = 0

    def blocks(self) -> Iterator[PageBlock]:
        tree = self._document.tree
        for key in self._keys():
            node = tree.node(key)
            ranges = self._ranges(node, 0, len(node.text))
            if not ranges:
                yield PageBlock(node.kind.value, self._level(node), title=node.title)
                continue
            yield from self._rest(ranges[0])
            yield self._block(node, ranges)
            self._done = max(self._done, ranges[1])
        yield from self._rest(len(self._text))

    def _keys(self) -> list[int]:
        """Nodes with text on the page, and sections that begin on it under a name that is not printed."""
        tree, keys = self._document.tree, self._document.on_page(self._page)
        unprinted = {
            parent
            for key in keys
            for parent in tree.ancestors(key)[1:]
            if tree.node(parent).page_start == self._page and not tree.node(parent).runs
        }
        return sorted({*keys, *unprinted})

    def _ranges(self, node: Node, start: int, end: int) -> tuple[int, int] | None:
        """First and last (excluded) character of the page that stand behind a part of a node's text."""
        spans = [s for s in self._document.locate(node.key, start, end) if s.page_index == self._page]
        return (spans[0].char_index, spans[-1].char_index + spans[-1].length) if spans else None

    def _rest(self, end: int) -> Iterator[PageBlock]:
        """What stands on the page in no node, up to a place."""
        if self._text[self._done : end].strip():
            yield PageBlock(NodeKind.PARAGRAPH.value, lines=(PageLine(self._cut(self._done, end)),))
            self._done = end

    def _block(self, node: Node, ranges: tuple[int, int]) -> PageBlock:
        if node.table is not None:
            return self._table(node, node.table)
        if node.kind is NodeKind.LIST:
            return PageBlock(node.kind.value, lines=tuple(self._items(*ranges)))
        return PageBlock(node.kind.value, self._level(node), lines=(PageLine(self._cut(*ranges)),))

    def _level(self, node: Node) -> int:
        return min(node.depth + 1, _DEEPEST_HEADING) if node.kind is NodeKind.SECTION else 0

    def _items(self, start: int, end: int) -> Iterator[PageLine]:
        place = start
        for line in self._text[start:end].splitlines(keepends=True):
            said = line.strip()
            indent = len(line) - len(line.lstrip())
            if said:
                begin = place + indent
                depth = min(indent // _INDENT, _MOST_INDENT)
                yield PageLine(self._cut(begin, begin + len(said)), depth, has_bullet=not _OWN_MARK.match(said))
            place += len(line)

    def _table(self, node: Node, table: Table) -> PageBlock:
        rows = []
        for row in table.rows:
            if row.page_index != self._page:
                continue
            cells = []
            for cell in row.cells:
                place = self._ranges(node, cell.offset, cell.offset + cell.length) if cell.length else None
                cells.append(PageCell(self._cut(*place) if place else (), bool(cell.text) and is_number(cell.text)))
            rows.append(PageRow(tuple(cells), row.is_header))
        begins = any(row.is_header for row in rows)
        headers = () if begins else tuple(column.header for column in table.columns)
        return PageBlock(node.kind.value, headers=headers if any(headers) else (), rows=tuple(rows))

    def _cut(self, start: int, end: int) -> tuple[TextSegment, ...]:
        """Characters of the page, cut where marks begin and end."""
        own = [
            TextMark(max(mark.start - start, 0), mark.end - start, mark.marker, mark.on)
            for mark in self._marks
            if mark.start < end and mark.end > start
        ]
        return tuple(segments(self._text[start:end], own, self._seen))
