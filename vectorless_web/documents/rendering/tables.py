"""One table of a document for people: all its parts as a whole, sorted, filtered, and each column summed up exactly."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import FIGURE_KINDS, page_url
from vectorless_web.documents.rendering.text import replace_control_characters
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.tables.operations import (
    Aggregate,
    Comparison,
    TableGrid,
    aggregate_column,
    filter_rows,
    grid_of,
    join_grids,
    sort_rows,
)
from vectorless_web.engine.tables.relation import Relation, TableSource
from vectorless_web.engine.tables.shown import show_table
from vectorless_web.engine.tables.units import scale_name
from vectorless_web.engine.tables.view import TableView, tables_of

MOST_CELLS = 12_000
"""Cells of a table that are worked with: reading so many takes 1.7 seconds, twice as many twice as long."""
MOST_ROWS = 500
"""Rows that a page lays out; sums and the download are of all that fit."""
MEAN_PLACES = 2
"""Digits behind the point that a mean is given beyond those of the figures."""
SUMS = {
    Aggregate.SUM: gettext_lazy("Sum"),
    Aggregate.MEAN: gettext_lazy("Mean"),
    Aggregate.LEAST: gettext_lazy("Least"),
    Aggregate.MOST: gettext_lazy("Most"),
    Aggregate.COUNT: gettext_lazy("Count"),
}


@dataclass(frozen=True, slots=True)
class WholeTable:
    """A table with all its parts: where it is, its unit and columns in words, and its rows as far as they are read.

    `figures` are the places of columns that hold figures; pages count from 0. `is_cut`: rows were left out because the
    table is too long.
    """

    key: int
    name: str
    section: str
    unit: str
    columns: tuple[str, ...]
    figures: frozenset[int]
    grid: TableGrid
    is_cut: bool
    page_start: int
    page_end: int
    url: str


@dataclass(frozen=True, slots=True)
class TableQuery:
    """How a table is shown: the column it is sorted by, and what the cells of one column must be ("" for anything)."""

    sort: int | None = None
    descending: bool = False
    column: int = 0
    comparison: Comparison = Comparison.CONTAINS
    value: str = ""


@dataclass(frozen=True, slots=True)
class SumCell:
    """What a column came to, as text; or `why` it comes to nothing. The sum tells the unit of them all."""

    text: str = ""
    unit: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its place and name, whether it holds figures, and how the rows are sorted by it: "" for not at all."""

    place: int
    name: str
    is_figures: bool
    sorted: str = ""

    @property
    def next_order(self) -> str:
        """The order that a press on the header asks for."""
        return "desc" if self.sorted == "ascending" else "asc"


@dataclass(frozen=True, slots=True)
class WorkedSheet:
    """The columns, the rows that fit as texts, and what the columns behind the first come to: a row for each kind."""

    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    sums: tuple[tuple[str, tuple[SumCell, ...]], ...]

    def lay_out_rows(self) -> list[list[tuple[str, bool]]]:
        """The first rows for a page, each cell with whether its column holds figures."""
        figures = [column.is_figures for column in self.columns]
        return [list(zip(row, figures, strict=True)) for row in self.rows[:MOST_ROWS]]


def find_table(version: DocumentVersion, key: int) -> WholeTable | None:
    """The table of node `key` of a ready version, by any of its parts; None when there is none."""
    tree = open_version(version).tree
    view = next(tables_of(tree, [key]), None) if 0 < key < len(tree) else None
    if view is None:
        return None
    first, last = view.parts[0].node, view.parts[-1].node
    shown = show_table(view.parts[0])
    grid, is_cut = _read_parts(view.parts)
    names = (*shown.columns, *[""] * (len(grid.columns) - len(shown.columns)))
    return WholeTable(
        key=first.key,
        name=_clean(view.parts[0].name),
        section=" › ".join(_clean(title) for title in tree.path(tree.parent(first.key))),
        unit=_clean(shown.unit),
        columns=tuple(_clean(name) or _("Column %(place)d") % {"place": place + 1} for place, name in enumerate(names)),
        figures=_find_figures(view.parts[0], grid),
        grid=grid,
        is_cut=is_cut,
        page_start=first.page_start,
        page_end=last.page_end,
        url=page_url(version, first.page_start, table=str(first.key)) + f"#table-{first.key}",
    )


def _find_figures(view: TableView, grid: TableGrid) -> frozenset[int]:
    """The columns behind the first that hold figures; words with a number in them, as "Room 4", are none."""
    valued = {place for row in grid.rows for place, cell in enumerate(row.cells) if cell.value is not None}
    return frozenset(place for place, kind in enumerate(view.kinds) if place in valued - {0} and kind in FIGURE_KINDS)


def _read_parts(parts: Sequence[TableView]) -> tuple[TableGrid, bool]:
    """The parts as one grid, and whether rows beyond MOST_CELLS were left out."""
    grids: dict[int, TableGrid] = {}
    left = MOST_CELLS
    for part in parts:
        width = max(1, len(part.table.columns), *(len(row.cells) for row in part.table.rows))
        rows = part.table.rows[: left // width]
        left -= len(rows) * width
        view = TableView(part.node, replace(part.table, rows=rows), part.tree)
        grids[part.node.key] = grid_of(Relation(TableSource("", (view,)), view))
        if len(rows) < len(part.table.rows):
            return join_grids(grids), True
    return join_grids(grids), False


def work_table(table: WholeTable, query: TableQuery) -> WorkedSheet:
    """The rows that fit, sorted, and what each column of figures comes to over them.

    InvalidInput for a comparison with what is no number.
    """
    grid = table.grid
    if query.value:
        grid = filter_rows(grid, query.column, query.comparison, query.value)
    if query.sort is not None:
        grid = sort_rows(grid, query.sort, descending=query.descending)
    order = "descending" if query.descending else "ascending"
    columns = tuple(
        TableColumn(place, name, place in table.figures, order if place == query.sort else "")
        for place, name in enumerate(table.columns)
    )
    sums = tuple((str(name), tuple(_sum_up(grid, c, kind) for c in columns[1:])) for kind, name in SUMS.items())
    rows = tuple(tuple(_clean(cell.text) for cell in row.cells) for row in grid.rows)
    return WorkedSheet(columns, rows, sums if table.figures else ())


def _sum_up(grid: TableGrid, column: TableColumn, kind: Aggregate) -> SumCell:
    if not column.is_figures:
        return SumCell()
    try:
        found = aggregate_column(grid, column.place, kind)
    except InvalidInput as refused:
        return SumCell(why=refused.message) if kind is Aggregate.SUM else SumCell()
    scale = found.scale if scale_name(found.scale) else Decimal(1)
    value = found.value / scale
    figures = [row.cells[column.place] for row in grid.rows]
    places = max((_count_places(cell.value / scale) for cell in figures if cell.value is not None), default=0)
    shown = round(value, places + MEAN_PLACES) if kind is Aggregate.MEAN else value
    unit = f"{found.measure} {scale_name(scale)}".strip() if kind is Aggregate.SUM else ""
    text = formats.number_format(shown, _count_places(shown), use_l10n=True, force_grouping=True)
    return SumCell(text if shown == value else f"≈ {text}", unit)


def _count_places(value: Decimal) -> int:
    """Digits behind the point that the number has."""
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _clean(text: str) -> str:
    return " ".join(replace_control_characters(text).split())
