"""The text of a page as a reader sees it: laid out as the document it is, cut where marks begin and end, searched."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import GlyphSpan, Node, NodeKind, Table
from vectorless_web.engine.parsing.tables.cells import is_number

# What PDFium puts where a word was divided at a line's end, and other characters that cannot be shown.
_SHOWN = {0x02: "-", 0xFFFE: "-", 0xAD: "-", 0x00: " ", 0x0D: " "}
_DIVIDED = "[\x02\ufffe\xad]?"
MOST_FINDS = 200
"""Finds of a search in a document at most; the page says when there are more."""
SNIPPET = 60
"""Characters shown on either side of a find."""


@dataclass(frozen=True)
class TextMark:
    """Characters `start` (included) to `end` (excluded) to be lit; without a `marker` it is a find."""

    start: int
    end: int
    marker: int = 0
    on: bool = False


@dataclass(frozen=True)
class TextSegment:
    """A stretch of text under the quote `marker` (0: none) or a find; `first` carries the quote's id on the page."""

    text: str
    marker: int = 0
    first: bool = False
    on: bool = False
    found: bool = False


@dataclass(frozen=True)
class Find:
    """One place where the words looked for stand, with the text around it."""

    span: GlyphSpan
    before: str
    text: str
    after: str

    @property
    def page(self) -> int:
        """The page as people count, from 1."""
        return self.span.page_index + 1


def segments(text: str, marks: Sequence[TextMark], seen: set[int] | None = None) -> list[TextSegment]:
    """The text in reading order, each stretch under the mark that is lit there: a lit one first, a find last.

    `seen`: markers whose id the page has given already; those of this text are added.
    """
    edges = sorted({0, len(text), *(min(edge, len(text)) for mark in marks for edge in (mark.start, mark.end))})
    seen = set() if seen is None else seen
    cut = []
    for start, end in pairwise(edges):
        cut.append(_segment(replace_control_characters(text[start:end]), _mark_at(marks, start), seen))
        seen.add(cut[-1].marker)
    return cut


def _segment(text: str, mark: TextMark | None, seen: set[int]) -> TextSegment:
    if mark is None:
        return TextSegment(text)
    if not mark.marker:
        return TextSegment(text, found=True)
    return TextSegment(text, mark.marker, first=mark.marker not in seen, on=mark.on)


def replace_control_characters(text: str) -> str:
    """Raw page text with its control characters made readable, one character for each."""
    return text.translate(_SHOWN)


def find_words(document: CompiledDocument, words: str) -> list[Find]:
    """Where the words stand one after the other, in page order, at most `MOST_FINDS`; case does not matter."""
    pattern = _compile_pattern(words)
    if pattern is None:
        return []
    found: list[Find] = []
    for page_index in range(len(document.pages)):
        found.extend(_find_on_page(document, page_index, pattern))
        if len(found) >= MOST_FINDS:
            break
    return found[:MOST_FINDS]


def find_on_page(document: CompiledDocument, page_index: int, words: str) -> GlyphSpan | None:
    """Where the words first stand on one page; None when they do not."""
    pattern = _compile_pattern(words)
    found = next(_find_on_page(document, page_index, pattern), None) if pattern is not None else None
    return found.span if found is not None else None


def _mark_at(marks: Sequence[TextMark], position: int) -> TextMark | None:
    covering = [mark for mark in marks if mark.start <= position < mark.end]
    return min(covering, key=lambda mark: (not mark.on, not mark.marker, mark.marker), default=None)


def _compile_pattern(words: str) -> re.Pattern[str] | None:
    """The words with any white space between them, and a divided word's hyphen anywhere inside."""
    parts = [_DIVIDED.join(re.escape(char) for char in word) for word in words.split()]
    return re.compile(r"\s+".join(parts), re.IGNORECASE) if parts else None


def _find_on_page(document: CompiledDocument, page_index: int, pattern: re.Pattern[str]) -> Iterator[Find]:
    text = document.page_text(page_index)
    for match in pattern.finditer(text):
        start, end = match.span()
        before = replace_control_characters(text[max(0, start - SNIPPET) : start])
        after = replace_control_characters(text[end : end + SNIPPET])
        yield Find(
            span=GlyphSpan(page_index, start, end - start),
            # What is cut begins and ends with a whole word.
            before=f"…{before.partition(' ')[2]}" if start > SNIPPET else before,
            text=replace_control_characters(match[0]),
            after=f"{after.rpartition(' ')[0]}…" if len(text) - end > SNIPPET else after,
        )


_DEEPEST_HEADING = 6
_OWN_MARK = re.compile(
    r"^(?:[•●▪◦‣*+–-]|\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,3}(?:\.\d{1,3})*)[.)])\s|^\d{1,2}(?:\.\d{1,2})+\s"
)
"""What a list's item begins with when the file numbers or marks it: then no bullet is put before it."""
_DASH = re.compile(r"[-*–] (?=\S)")
"""A mark that stands for a bullet, as typed."""
_INDENT, _MOST_INDENT = 2, 6
"""Spaces by which an item of a list stands further in, and levels that are shown."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line or an item: its text, how far in it stands, whether a bullet is put before it, or for its `dash`."""

    segments: tuple[TextSegment, ...]
    depth: int = 0
    has_bullet: bool = False
    dash: str = ""


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell of a table: its text, whether it is a figure, and the columns that it is over."""

    segments: tuple[TextSegment, ...]
    is_figure: bool = False
    span: int = 1


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
    picture: "PagePicture | None" = None


@dataclass(frozen=True, slots=True)
class PagePicture:
    """The picture of a figure: its address, its size in pixels, and its caption or "" without one."""

    url: str
    width: int
    height: int
    key: int
    caption: str


def picture_of(document: CompiledDocument, node: Node, address: Callable[[int], str]) -> PagePicture:
    """The picture of a figure that has one."""
    picture, caption = document.pictures[node.key], replace_control_characters(node.text)
    return PagePicture(address(node.key), round(picture.width), round(picture.height), node.key, caption)


def lay_out_page(
    document: CompiledDocument, page_index: int, marks: Sequence[TextMark], address: Callable[[int], str]
) -> list[PageBlock]:
    """The blocks of a page (from 0) in reading order, cut where marks begin and end; every character is in one.

    `address` gives that of a figure's picture by the key of its node.
    """
    return list(_Layout(document, page_index, marks, address).blocks())


class _Layout:
    def __init__(
        self, document: CompiledDocument, page_index: int, marks: Sequence[TextMark], address: Callable[[int], str]
    ) -> None:
        self._document, self._page, self._marks, self._address = document, page_index, marks, address
        self._text = document.page_text(page_index)
        self._seen: set[int] = set()
        self._done = 0

    def blocks(self) -> Iterator[PageBlock]:
        tree = self._document.tree
        for key in self._keys():
            node = tree.node(key)
            ranges = self._ranges(node, 0, len(node.text))
            if not ranges:
                yield PageBlock(node.kind.value, self._level(node), title=node.title, picture=self._picture(node))
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
        """What is on the page in no node, up to a place."""
        if self._text[self._done : end].strip():
            yield PageBlock(NodeKind.PARAGRAPH.value, lines=(PageLine(self._cut(self._done, end)),))
            self._done = end

    def _block(self, node: Node, ranges: tuple[int, int]) -> PageBlock:
        if node.table is not None:
            return self._table(node, node.table)
        if node.kind is NodeKind.FIGURE:
            return PageBlock(node.kind.value, lines=(PageLine(self._cut(*ranges)),), picture=self._picture(node))
        if node.kind is NodeKind.LIST:
            return PageBlock(node.kind.value, lines=tuple(self._items(*ranges)))
        return PageBlock(node.kind.value, self._level(node), lines=(PageLine(self._cut(*ranges)),))

    def _picture(self, node: Node) -> PagePicture | None:
        is_drawn = node.kind is NodeKind.FIGURE and node.key in self._document.pictures
        return picture_of(self._document, node, self._address) if is_drawn else None

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
                dash = said[:2] if _DASH.match(said) else ""
                shown = self._cut(begin + len(dash), begin + len(said))
                yield PageLine(shown, depth, has_bullet=bool(dash) or not _OWN_MARK.match(said), dash=dash)
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
            if row.is_header:
                cells = _span_headers(cells, [cell.text for cell in row.cells], table)
            rows.append(PageRow(tuple(cells), row.is_header))
        begins = any(row.is_header for row in rows)
        headers = () if begins else tuple(column.name for column in table.columns)
        return PageBlock(node.kind.value, headers=headers if any(headers) else (), rows=tuple(rows))

    def _cut(self, start: int, end: int) -> tuple[TextSegment, ...]:
        """Characters of the page, cut where marks begin and end."""
        own = [
            TextMark(max(mark.start - start, 0), mark.end - start, mark.marker, mark.on)
            for mark in self._marks
            if mark.start < end and mark.end > start
        ]
        return tuple(segments(self._text[start:end], own, self._seen))


def _span_headers(cells: Sequence[PageCell], texts: Sequence[str], table: Table) -> list[PageCell]:
    """A header over several columns as one cell: the empty ones behind it whose columns bear its words, too."""
    spanned: list[PageCell] = []
    over = ""
    for place, (cell, text) in enumerate(zip(cells, texts, strict=True)):
        levels = table.columns[place].path if place < len(table.columns) else ()
        if not text.strip() and over and over in levels[:-1]:
            spanned[-1] = replace(spanned[-1], span=spanned[-1].span + 1)
        else:
            spanned.append(cell)
            over = text.strip()
    return spanned
