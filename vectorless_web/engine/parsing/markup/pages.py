"""Cuts text without printed pages into pages of about 3,000 characters, and makes drafts of its blocks."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from vectorless_web.engine.documents.figures import FigurePicture
from vectorless_web.engine.documents.node import Cell, Column, NodeKind, Row, Table
from vectorless_web.engine.parsing.drafts import Draft, TextBuilder
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.figures import read_caption
from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.parsing.patterns import are_particulars
from vectorless_web.engine.parsing.tables.drafts import find_units, period_of, with_units
from vectorless_web.engine.parsing.tables.spans import guess_headers, row_paths
from vectorless_web.engine.parsing.terms import any_of

_TABLE = re.compile(any_of("table"), re.IGNORECASE)
PAGE_CHARACTERS = 3_000
"""Characters from which a document without printed pages begins a new one: about a printed page of text."""
_A4 = (595.0, 842.0)
"""Width and height of such a page in points: A4."""


_UNEVEN = re.compile(r"[^\S \t]|[\x02\xad\ufffe]|[ ]{2}| \t|\t |^ | $")
"""White space that a cell is not shown with, and signs that stand for others."""


@dataclass(frozen=True, slots=True)
class Heads:
    """Column headers (each with its levels), row labels and the labels above each row; leading header rows.

    `part` counts the parts of a long table from 0; they have their columns in common.
    """

    columns: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    rows: int = 1
    part: int = 0


@dataclass(slots=True)
class TextBlock:
    """Characters `start` to `end` of a text. `level` for sections; `cells` = (start, end) by row for tables.

    `heads` of a table: without them the first rows are judged by what they hold, and each first cell heads its row.
    """

    kind: NodeKind
    start: int
    end: int
    level: int = -1
    title: str = ""
    label: str = ""
    cells: list[list[tuple[int, int]]] | None = None
    heads: Heads | None = None
    picture: FigurePicture | None = None

    @property
    def has_text(self) -> bool:
        """Whether it holds characters; a picture without a description does not."""
        return self.end > self.start


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What a reader gives of a file without printed pages: its readable text and blocks, and its own title or "".

    `remarks` are sentences for its owner on what was left out; `starts` is where each page begins in the text, for
    files that have pages of their own; `shown_title` is what its first slide or sheet or its subject says it is, or "".
    """

    text: str
    blocks: Sequence[TextBlock]
    title: str = ""
    remarks: Sequence[str] = ()
    starts: Sequence[int] = ()
    shown_title: str = ""


def cut_pages(
    text: str, blocks: Sequence[TextBlock], starts: Sequence[int], fences: Fences
) -> tuple[list[Page], list[Draft]]:
    """Pages and drafts of a text; pages end where blocks end, so that no block is divided. Captions join their figures.

    `starts`: where the pages of a file that has pages of its own begin in the text; the first is 0. The blocks' cells
    are taken from them.
    """
    blocks = join_captions(text, blocks)
    bounds = list(zip(starts, [*starts[1:], len(text)], strict=True)) if starts else _page_bounds(text, blocks)
    pages = [Page(number, *_A4, text[start:end], _A4) for number, (start, end) in enumerate(bounds)]
    drafts, page = [], 0
    for block in blocks:
        while block.start >= bounds[page][1] and page + 1 < len(bounds):
            page += 1
        make = partial(_draft, text, block, page, bounds[page][0])
        table = fences.read("tables", page, make, None) if block.cells is not None else make()
        drafts.append(table or _draft(text, replace(block, kind=NodeKind.LIST, cells=None), page, bounds[page][0]))
        block.cells = block.heads = None  # the draft has them now; a long table has many
    return pages, drafts


def join_captions(text: str, blocks: Sequence[TextBlock]) -> list[TextBlock]:
    """The blocks with captions joined to their figures, from the side where most captions of this file stand."""
    places = [place for place, block in enumerate(blocks) if block.picture is not None]
    if not places:
        return list(blocks)
    behind = {place for place in places if _is_caption(text, blocks, place + 1)}
    before = {place for place in places if _is_caption(text, blocks, place - 1)}
    sides = ((behind, 1), (before, -1)) if len(behind) >= len(before) else ((before, -1), (behind, 1))
    taken: set[int] = set()
    for place in places:
        side = next((step for found, step in sides if place in found and place + step not in taken), 0)
        if side:
            taken.add(place + side)
            _take_caption(text, blocks[place], blocks[place + side])
    return [block for place, block in enumerate(blocks) if place not in taken]


def _take_caption(text: str, figure: TextBlock, caption: TextBlock) -> None:
    figure.label = read_caption(text[caption.start : caption.end]) or ""
    figure.start = min(figure.start, caption.start) if figure.has_text else caption.start
    figure.end = max(figure.end, caption.end)


def _is_caption(text: str, blocks: Sequence[TextBlock], place: int) -> bool:
    """Whether the block at a place names a figure: by its form, or as a caption that names no table."""
    if not 0 <= place < len(blocks):
        return False
    block = blocks[place]
    said = text[block.start : block.end]
    if block.kind is NodeKind.CAPTION:
        return not _TABLE.match(said)
    return block.kind in (NodeKind.PARAGRAPH, NodeKind.SECTION) and read_caption(said) is not None


def _page_bounds(text: str, blocks: Sequence[TextBlock]) -> list[tuple[int, int]]:
    cuts = [0]
    for block in blocks:
        if block.end - cuts[-1] > PAGE_CHARACTERS and block.start > cuts[-1]:
            cuts.append(block.start)
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def _draft(text: str, block: TextBlock, page: int, base: int) -> Draft:
    if block.cells is not None:
        return _table(text, block, page, base)
    builder = TextBuilder()
    own = text[block.start : block.end]
    verbatim = block.kind in (NodeKind.CODE, NodeKind.LIST, NodeKind.FIGURE) or are_particulars(own.split("\n"))
    builder.raw(page, block.start - base, own, verbatim=verbatim)
    draft = builder.draft(block.kind, page, title=block.title, level=block.level, label=block.label)
    draft.picture = block.picture
    return draft


def _table(text: str, block: TextBlock, page: int, base: int) -> Draft:
    builder, rows = TextBuilder(), []
    width = max(len(row) for row in block.cells or [[]])
    said = [[text[start:end] for start, end in spans] for spans in block.cells or []]
    heads = block.heads or _heads_of(said)
    for number, spans in enumerate(block.cells or []):
        offset = builder.length
        cells = _plain_row(builder, text, spans, page, base)
        cells = cells or [_cell(builder, text, span, page, base, column) for column, span in enumerate(spans)]
        length = builder.length - offset
        cells += [Cell("", builder.length, 0)] * (width - len(cells))
        _part_cells(builder, text, spans[-1][1] if spans else 0, page, base, "\n")
        is_header = number < heads.rows
        rows.append(Row(heads.labels[number], tuple(cells), offset, length, page, is_header, heads.paths[number]))
    draft = builder.draft(NodeKind.TABLE, page, title=block.title)
    draft.table = _with_columns(rows, heads, block.title)
    return draft


def _heads_of(said: Sequence[Sequence[str]]) -> Heads:
    width = max((len(row) for row in said), default=0)
    even = [[*row, *[""] * (width - len(row))] for row in said]
    headers = min(guess_headers(even), max(len(even) - 1, 0))
    columns = tuple(
        tuple(dict.fromkeys(filter(None, (row[place] for row in even[:headers])))) for place in range(width)
    )
    return Heads(columns, tuple(row[0] if row else "" for row in even), tuple(row_paths(even, headers)), headers)


def _with_columns(rows: Sequence[Row], heads: Heads, title: str) -> Table:
    columns = [
        Column(" / ".join(levels), period_of(levels) if number else "", levels=levels)
        for number, levels in enumerate(heads.columns)
    ]
    units = find_units(" | ".join((title, *(column.header for column in columns))))
    return with_units(Table(tuple(columns), tuple(rows), part=heads.part), units=units)


def _part_cells(builder: TextBuilder, text: str, place: int, page: int, base: int, mark: str) -> None:
    """Write the mark between two cells or rows: where it is in the text itself, the runs on both sides are one."""
    if text[place : place + 1] == mark:
        builder.raw(page, place - base, mark, verbatim=True)
    else:
        builder.append_unplaced(mark)


def _plain_row(builder: TextBuilder, text: str, spans: Sequence[tuple[int, int]], page: int, base: int) -> list[Cell]:
    """Write a row at once whose cells stand in the text as they are shown, one tab between; [] for any other.

    Nearly all rows of sheets are such, and sheets have a hundred thousand cells.
    """
    if not spans:
        return []
    start, end = spans[0][0], spans[-1][1]
    said = text[start:end]
    parts = said.split("\t")
    if _UNEVEN.search(said) or len(parts) != len(spans) or sum(map(len, parts)) != sum(b - a for a, b in spans):
        return []
    shift = builder.length - start
    builder.raw(page, start - base, said, verbatim=True)
    return [Cell(sys.intern(part), begin + shift, len(part)) for part, (begin, _) in zip(parts, spans, strict=True)]


def _cell(builder: TextBuilder, text: str, span: tuple[int, int], page: int, base: int, column: int) -> Cell:
    if column:
        _part_cells(builder, text, span[0] - 1, page, base, "\t")
    offset, begun, (start, end) = builder.length, len(builder.parts), span
    if start < end:
        builder.raw(page, start - base, text[start:end])
    # Columns repeat what they say: equal cells share one text.
    return Cell(sys.intern("".join(builder.parts[begun:])), offset, builder.length - offset)
