"""The tables of a page as a reader sees them: real rows and columns, with what was understood of each in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import page_url
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.node import Row
from vectorless_web.engine.figures.footnotes import Footnote
from vectorless_web.engine.figures.tables import ColumnKind, TableView, tables_of

ROWS, COLUMNS, TABLES = 60, 40, 20
"""Rows and columns of a table shown at a time, and tables of one page: what a browser lays out at once."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column's header levels, outermost first, and what was understood of it ("three months ended 30 June 2023")."""

    levels: tuple[str, ...]
    understood: str
    is_figures: bool


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row's label and cells; `depth` counts the groups it stands in. A group's own row has no cells."""

    label: str
    cells: tuple[str, ...]
    depth: int
    path: str


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table of the page, of whose rows `first` to `last` (from 1) are shown; "" where an address leads nowhere."""

    key: int
    name: str
    understood: str
    columns: tuple[ShownColumn, ...]
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
    views = tables_of(document.tree, document.on_page(page_index))
    shown = [_show(version, page_index, view, first if view.node.key == key else None) for view in views]
    return shown[:TABLES]


def _show(version: DocumentVersion, page_index: int, view: TableView, first: int | None) -> ShownTable:
    body = view.table.body
    on_page = next((number for number, row in enumerate(body) if row.page_index == page_index), 0)
    start = min(max(0, first - 1) if first else on_page, max(len(body) - 1, 0))
    end = min(start + ROWS, len(body))

    def address(row: int) -> str:
        query = urlencode({"table": view.node.key, "row": row + 1})
        base = page_url(version, page_index)
        return f"{base}{'&' if '?' in base else '?'}{query}#table-{view.node.key}"

    return ShownTable(
        key=view.node.key,
        name=view.name,
        understood=view.describe(),
        columns=tuple(_columns(view)),
        rows=tuple(_row(row) for row in body[start:end]),
        footnotes=view.footnotes,
        first=start + 1,
        last=end,
        total=len(body),
        columns_left_out=max(0, len(view.table.columns) - COLUMNS),
        earlier_url=address(max(0, start - ROWS)) if start else "",
        later_url=address(end) if end < len(body) else "",
    )


def _columns(view: TableView) -> Iterator[ShownColumn]:
    for place, column in enumerate(view.table.columns[:COLUMNS]):
        period, kind = view.periods[place], view.kinds[place]
        told: Sequence[str] = (
            period.words if place and not period.is_change else "",
            "%" if column.unit == "%" else "",
        )
        is_figures = kind in (ColumnKind.FIGURES, ColumnKind.CHANGE)
        yield ShownColumn(column.path, ", ".join(part for part in told if part), is_figures)


def _row(row: Row) -> ShownRow:
    cells = tuple(cell.text for cell in row.cells[1:COLUMNS])
    label = row.label or (row.cells[0].text if row.cells else "")
    return ShownRow(label, cells if any(cells) else (), len(row.path), " › ".join(row.path))
