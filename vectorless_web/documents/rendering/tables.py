"""The tables of a page as a reader sees them: real rows and columns, with what was understood of each in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import page_url
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.node import Row
from vectorless_web.engine.figures.footnotes import Footnote
from vectorless_web.engine.figures.tables import ColumnKind, TableView, tables_of

ROWS, COLUMNS, TABLES = 60, 40, 20
"""Rows and columns of a table shown at a time, and tables of one page: what a browser lays out at once."""
FIGURE_KINDS = (ColumnKind.FIGURES, ColumnKind.CHANGE)
"""Kinds of columns whose cells are figures."""


@dataclass(frozen=True, slots=True)
class ShownHeader:
    """A header cell over `across` columns.

    `understood` is the period that was read from it, on the lowest level alone and where the header does not say it.
    """

    text: str
    across: int = 1
    understood: str = ""
    is_figures: bool = False


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row's label and cells (text, whether its column holds figures); `depth` counts the groups it stands in.

    A group's own row has no cells.
    """

    label: str
    cells: tuple[tuple[str, bool], ...]
    depth: int
    path: str


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table of the page, of whose rows those from `first` to `last` (from 1) are shown.

    `earlier_url` and `later_url` lead to the rows before and after these; "" where there are none.
    """

    key: int
    name: str
    understood: str
    headers: tuple[tuple[ShownHeader, ...], ...]
    width: int
    rows: tuple[ShownRow, ...]
    footnotes: tuple[Footnote, ...]
    first: int
    last: int
    total: int
    columns_left_out: int
    earlier_url: str
    later_url: str


def page_tables(
    version: DocumentVersion, page_index: int, *, key: int | None = None, first: int | None = None
) -> list[ShownTable]:
    """The tables with rows on a page (from 0), in reading order; of table `key` the rows from `first` on (from 1)."""
    document = open_version(version)
    views = islice(tables_of(document.tree, document.on_page(page_index)), TABLES)
    return [_show_table(version, page_index, view, first if view.node.key == key else None) for view in views]


def _show_table(version: DocumentVersion, page_index: int, view: TableView, first: int | None) -> ShownTable:
    body = view.table.body
    on_page = next((number for number, row in enumerate(body) if row.page_index == page_index), 0)
    start = min(max(0, first - 1) if first else on_page, max(len(body) - 1, 0))
    end = min(start + ROWS, len(body))
    figures = [kind in FIGURE_KINDS for kind in view.kinds]

    def make_url(row: int) -> str:
        return page_url(version, page_index, table=str(view.node.key), row=str(row + 1)) + f"#table-{view.node.key}"

    return ShownTable(
        key=view.node.key,
        name=view.name,
        understood=view.describe(),
        headers=tuple(_show_headers(view)),
        width=min(len(view.table.columns), COLUMNS),
        rows=tuple(_show_row(row, figures) for row in body[start:end]),
        footnotes=view.footnotes,
        first=start + 1,
        last=end,
        total=len(body),
        columns_left_out=max(0, len(view.table.columns) - COLUMNS),
        earlier_url=make_url(max(0, start - ROWS)) if start else "",
        later_url=make_url(end) if end < len(body) else "",
    )


def _show_headers(view: TableView) -> Iterator[tuple[ShownHeader, ...]]:
    """The header rows from top to bottom; on all but the lowest, neighbours of one name share a cell."""
    paths = [column.path for column in view.table.columns[:COLUMNS]]
    depth = max(map(len, paths), default=0)
    padded = [("",) * (depth - len(path)) + path for path in paths]
    for level in range(depth - 1):
        groups = groupby(padded, key=lambda path: path[: level + 1])
        yield tuple(ShownHeader(upper[-1], len(list(group))) for upper, group in groups)
    if depth:
        yield tuple(_show_lowest_header(view, place, path) for place, path in enumerate(padded))


def _show_lowest_header(view: TableView, place: int, path: Sequence[str]) -> ShownHeader:
    period, kind = view.periods[place], view.kinds[place]
    told = period.words if place and not period.is_change else ""
    if _keep_letters(told) in _keep_letters("".join(path)):
        told = ""
    return ShownHeader(path[-1], 1, told, kind in FIGURE_KINDS)


def _keep_letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _show_row(row: Row, figures: Sequence[bool]) -> ShownRow:
    cells = tuple(
        (cell.text, is_figures) for cell, is_figures in zip(row.cells[1:COLUMNS], figures[1:COLUMNS], strict=False)
    )
    label = row.label or (row.cells[0].text if row.cells else "")
    return ShownRow(label, cells if any(text for text, _ in cells) else (), len(row.path), " › ".join(row.path))
