"""What a document is known by without its text: card, page sizes, report on its tree; and their JSON forms."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vectorless_web.engine.documents.node import Cell, Column, Row, Table
from vectorless_web.engine.documents.tree import DIGIT, RowOutline, TableOutline


@dataclass(frozen=True, slots=True)
class PageInfo:
    """Displayed width and height in points (1/72 inch), and the length of the page's raw text in characters.

    Files without printed pages (Word, HTML, Markdown, text) are cut into pages too;
    those are given the size of an A4 sheet.
    """

    width: float
    height: float
    characters: int


MANY_EMPTY = 0.2
"""Share of pages without text above which they are held to be pictures, and not the blank pages of a printed book.
Chosen by hand."""


def unread_pages(empty: Sequence[int], pages: int) -> Sequence[int]:
    """Pages without text that are probably scanned: all of `empty` if they exceed MANY_EMPTY of `pages`, else none.

    A guess for documents compiled before their pages were looked at.
    """
    return empty if len(empty) > MANY_EMPTY * pages else ()


@dataclass(frozen=True, slots=True)
class TreeReport:
    """Figures of one compiled version.

    `coverage` is the share (0..1) of non-space characters of the raw extraction that
    stand in exactly one node. `outline_source`: `bookmarks`, `contents` (printed table
    of contents), `headings`, `sheets`, `slides`, or `pages` when no outline was found. `widest` is the
    greatest number of children of one node. Page numbers in `empty_pages`, `recognised`
    (read by text recognition) and `pictured` (pictures of text that were not read) are indexes; `pictured` is
    None in a report from before pages were looked at.
    """

    pages: int
    sections: int
    leaves: int
    tables: int
    depth: int
    widest: int
    coverage: float
    outline_source: str
    empty_pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    verdict: str = ""
    recognised: tuple[int, ...] = ()
    pictured: tuple[int, ...] | None = None
    because: str = ""
    """Why they were not read, as a part of a sentence: "text recognition (OCR) is not installed"."""
    lacking: bool = False
    """Whether they were not read because the program or its languages were missing."""
    late: bool = False
    """Whether they were not read because the time for reading pages was up; what else is on them is not known."""

    @property
    def unread_pages(self) -> Sequence[int]:
        """Indexes of the pages that are pictures of text and were not read."""
        return unread_pages(self.empty_pages, self.pages) if self.pictured is None else self.pictured


@dataclass(frozen=True, slots=True)
class TypedFields:
    """Fields found by patterns in title, file name and first pages; each a tuple, most certain first.

    `entities`: names of the organisation or subject and its aliases, lower case.
    `years`: fiscal years the document is about. `quarters`: "Q1".."Q4". `forms`: kinds
    of document ("10-K", "annual report"). `dates`: ISO dates found on the first pages.
    """

    entities: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    quarters: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionLine:
    """One line of a card's table of contents."""

    key: int
    title: str
    description: str
    page_start: int
    page_end: int


@dataclass(frozen=True, slots=True)
class Card:
    """DocCard: title, overview, tags, hints and sections of one document, made without a model.

    `topics` is the topic map: keyword -> ((node key, weight), ...), weights title 2,
    summary 1.5, text 1.
    """

    title: str
    overview: str
    topic_tags: tuple[str, ...] = ()
    question_hints: tuple[str, ...] = ()
    sections: tuple[SectionLine, ...] = ()
    fields: TypedFields = TypedFields()
    topics: dict[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)


def enrich_card(card: Card, lines: Mapping[int, str]) -> Card:
    """The card with what a model wrote of sections (a line by the key of each) in place of their first words.

    The lines of the sections on the card come first in its overview, too.
    """
    if not lines:
        return card
    sections = tuple(replace(line, description=lines.get(line.key) or line.description) for line in card.sections)
    told = [lines[line.key] for line in card.sections if lines.get(line.key)]
    return replace(card, sections=sections, overview=" ".join([*told, card.overview]).strip())


def dump_json(value: object) -> bytes:
    """Compact UTF-8 JSON in the order of construction."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def card_from(data: dict[str, Any]) -> Card:
    """The card written by `dump_json(asdict(card))`."""
    return Card(
        title=data["title"],
        overview=data["overview"],
        topic_tags=tuple(data["topic_tags"]),
        question_hints=tuple(data["question_hints"]),
        sections=tuple(SectionLine(**line) for line in data["sections"]),
        fields=TypedFields(**{name: tuple(values) for name, values in data["fields"].items()}),
        topics={word: tuple((key, weight) for key, weight in nodes) for word, nodes in data["topics"].items()},
    )


def report_from(data: dict[str, Any]) -> TreeReport:
    """The report written by `dump_json(asdict(report))`; earlier programs wrote nothing of scanned pages."""
    names = ("empty_pages", "warnings", "recognised", "pictured")
    lists = {name: tuple(data[name]) for name in names if data.get(name) is not None}
    return TreeReport(**{**data, **lists})


def table_to_json(table: Table) -> bytes:
    """A table without its cells' texts: they are slices of the node's text."""
    columns = [_column_values(column) for column in table.columns]
    values = [columns, [_row_values(row) for row in table.rows], table.units, table.statement]
    return dump_json([*values, table.part] if table.part else values)


def _column_values(column: Column) -> list[Any]:
    """Header, period and unit; the levels only where the header does not tell them."""
    told = tuple(level for level in column.header.split(" / ") if level)
    values: list[Any] = [column.header, column.period, column.unit]
    return [*values, column.levels] if column.levels and column.levels != told else values


def _row_values(row: Row) -> list[Any]:
    cells = [(cell.offset, cell.length) for cell in row.cells]
    return [row.label, cells, row.offset, row.length, row.page_index, row.is_header, row.path]


def table_from_json(raw: bytes, text: str) -> Table:
    """The table whose node has that text."""
    columns, rows, units, statement, *part = json.loads(raw)
    return Table(
        columns=tuple(_column(*column) for column in columns),
        rows=tuple(_row(row, text) for row in rows),
        units=units,
        statement=statement,
        part=part[0] if part else 0,
    )


def _column(header: str, period: str, unit: str, levels: Sequence[str] = ()) -> Column:
    """A column as it was written; earlier programs wrote no levels."""
    return Column(header, period, unit, tuple(levels))


def _row(data: list[Any], text: str) -> Row:
    label, cells, offset, length, page_index, is_header, path = data
    return Row(
        label=label,
        cells=tuple(Cell(text[start : start + size], start, size) for start, size in cells),
        offset=offset,
        length=length,
        page_index=page_index,
        is_header=is_header,
        path=tuple(path),
    )


def outline_from_json(raw: bytes, text: str) -> TableOutline:
    """The table's outline, without making its cells."""
    _, rows, _, statement, *_ = json.loads(raw)
    return TableOutline(
        tuple(
            RowOutline(label, tuple(path), page_index, is_header, _figures(cells[1:], text))
            for label, cells, _, _, page_index, is_header, path in rows
        ),
        statement,
    )


def _figures(cells: Iterable[Sequence[int]], text: str) -> int:
    return sum(DIGIT.search(text, start, start + size) is not None for start, size in cells)
