"""Sort, filter, select and sum up the rows of a table, each result with the cells it rests on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from vectorless_web.engine.documents.node import Row
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.tables.arithmetic import evaluate
from vectorless_web.engine.tables.relation import Entry, Relation
from vectorless_web.engine.text.numbers import numbers_in

BAD_TABLE_REQUEST = "bad_table_request"
"""Code of a refusal: a column or row that is not there, a value that is no number, cells of several units."""


class Comparison(StrEnum):
    """How a cell is compared with a value. EQUAL and CONTAINS compare text when the value is no number."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    CONTAINS = "contains"


class Aggregate(StrEnum):
    """What a column is summed up to."""

    SUM = "sum"
    COUNT = "count"
    MEAN = "mean"
    LEAST = "least"
    MOST = "most"


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell of a grid: its id in the table ("r12c3"), its text, and its number in units, None for words or nothing.

    `scale` is what the printed number was multiplied by.
    """

    cell: str
    text: str
    value: Decimal | None = None
    measure: str = ""
    scale: Decimal = Decimal(1)


@dataclass(frozen=True, slots=True)
class PickedRow:
    """A body row: its id ("r12"), and its cells in the order of the columns; the first names it."""

    row: str
    cells: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True)
class TableGrid:
    """The body of a table: names of the columns, and the rows in the order shown."""

    columns: tuple[str, ...]
    rows: tuple[PickedRow, ...]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """What a column came to: the value (a number of rows for COUNT), its measure, and the ids of the cells used.

    `scale` is what all these cells are printed in, 1 where they differ.
    """

    value: Decimal
    measure: str
    cells: tuple[str, ...]
    expression: str
    scale: Decimal = Decimal(1)


def grid_of(relation: Relation) -> TableGrid:
    """The rows of a relation that state anything, with the path of groups in their names.

    A row of words is one of them unless it has one cell, which names the rows below.
    """
    lines = {line.index: line for line in relation.lines}
    late = {row.offset for row in relation.late_heads}
    shown = {
        index: row
        for index, row in enumerate(relation.view.table.rows)
        if index in lines or (not row.is_header and row.offset not in late and _count_filled(row) > 1)
    }
    width = max((len(row.cells) for row in shown.values()), default=0)
    own_rows = {row.label.strip(" :") for index, row in shown.items() if index not in lines}
    names = {axis.index: axis.name for axis in relation.axes}
    rows = []
    for index, row in shown.items():
        line = lines.get(index)
        entries = {entry.axis.index: entry for entry in relation.entries(line)} if line else {}
        groups = [group for group in (line.groups if line else row.path) if group.strip(" :") not in own_rows]
        path = [*groups, line.label if line else row.label]
        texts = [cell.text.strip() for cell in row.cells] + [""] * (width - len(row.cells))
        texts[0] = " / ".join(part.strip(" :") for part in path if part) or texts[0]
        cells = tuple(_grid_cell(index, place, text, entries.get(place)) for place, text in enumerate(texts))
        rows.append(PickedRow(f"r{index}", cells))
    return TableGrid(tuple(names.get(place, "") for place in range(width)), tuple(rows))


def _count_filled(row: Row) -> int:
    return sum(bool(cell.text.strip()) for cell in row.cells)


def join_grids(grids: Mapping[int, TableGrid]) -> TableGrid:
    """The parts of one table as a whole, each by the key of its node, which its ids then begin with ("40.r5c2").

    The first part names the columns; rows of fewer columns are filled up.
    """
    width = max((len(grid.columns) for grid in grids.values()), default=0)
    first = next((grid.columns for grid in grids.values() if grid.rows), ())
    rows = tuple(_extend_row(key, row, width) for key, grid in grids.items() for row in grid.rows)
    return TableGrid((*first, *[""] * (width - len(first))), rows)


def _extend_row(key: int, row: PickedRow, width: int) -> PickedRow:
    blank = [GridCell(f"{row.row}c{place}", "") for place in range(len(row.cells), width)]
    return PickedRow(
        f"{key}.{row.row}", tuple(replace(cell, cell=f"{key}.{cell.cell}") for cell in (*row.cells, *blank))
    )


def _grid_cell(row: int, place: int, text: str, entry: Entry | None) -> GridCell:
    if entry is None or entry.is_blank:
        return GridCell(f"r{row}c{place}", text)
    return GridCell(entry.cell_id, text, entry.value, entry.measure, entry.scale)


def find_column(grid: TableGrid, name: str) -> int:
    """The place of a column by its place ("2") or name; of several that hold the name the one that is it.

    InvalidInput when none or several are meant.
    """
    plain = name.strip().casefold()
    if plain.isdigit() and int(plain) < len(grid.columns):
        return int(plain)
    exact = [place for place, column in enumerate(grid.columns) if column.casefold() == plain]
    found = exact or [place for place, column in enumerate(grid.columns) if plain and plain in column.casefold()]
    if len(found) != 1:
        told = "; ".join(f"{place}: {column or 'row name'}" for place, column in enumerate(grid.columns))
        raise _refuse(f"{'No' if not found else 'More than one'} column is called {name!r}. Columns are {told}.")
    return found[0]


def sort_rows(grid: TableGrid, column: int, *, descending: bool = False) -> TableGrid:
    """The rows by a column: numbers by value, words by letters, what states nothing last; equal rows keep order."""
    stated = [row for row in grid.rows if _is_stated(row, column)]
    blank = [row for row in grid.rows if not _is_stated(row, column)]
    ordered = sorted(stated, key=lambda row: _sort_key(row.cells[column]), reverse=descending)
    return TableGrid(grid.columns, (*ordered, *blank))


def _is_stated(row: PickedRow, column: int) -> bool:
    return row.cells[column].value is not None or any(map(str.isalnum, row.cells[column].text))


def _sort_key(cell: GridCell) -> tuple[bool, Decimal, str]:
    return (cell.value is None, cell.value or Decimal(0), cell.text.casefold())


def filter_rows(grid: TableGrid, column: int, comparison: Comparison, value: str) -> TableGrid:
    """The rows whose cell in the column compares so with the value.

    A value with a number is compared with the printed number as well as with the number in units, so that "5.2" and
    "5.2 million" both find "5.2" of a table in millions.
    """
    numbers = numbers_in(value)
    test = _test_of(comparison, value, numbers[0].value if numbers else None)
    return TableGrid(grid.columns, tuple(row for row in grid.rows if test(row.cells[column])))


def _test_of(comparison: Comparison, value: str, number: Decimal | None) -> Callable[[GridCell], bool]:
    plain = value.strip().casefold()
    if comparison is Comparison.CONTAINS:
        return lambda cell: plain in cell.text.casefold()
    if number is None:
        if comparison not in (Comparison.EQUAL, Comparison.UNEQUAL):
            raise _refuse(f"{value!r} is no number to compare with.")
        return lambda cell: (cell.text.casefold() == plain) is (comparison is Comparison.EQUAL)
    bound = number
    return lambda cell: cell.value is not None and _compare(comparison, _in_scale_of(cell, bound), bound)


def _in_scale_of(cell: GridCell, bound: Decimal) -> Decimal:
    """The cell's number as it is printed where the bound is written as the table prints, else in units."""
    assert cell.value is not None
    own = cell.value / cell.scale
    return own if abs(bound) < 1000 * max(abs(own), Decimal(1)) else cell.value


def _compare(comparison: Comparison, value: Decimal, bound: Decimal) -> bool:
    return {
        Comparison.EQUAL: value == bound,
        Comparison.UNEQUAL: value != bound,
        Comparison.LESS: value < bound,
        Comparison.AT_MOST: value <= bound,
        Comparison.GREATER: value > bound,
        Comparison.AT_LEAST: value >= bound,
    }[comparison]


def select_cells(grid: TableGrid, rows: Sequence[str] = (), columns: Sequence[int] = ()) -> TableGrid:
    """The rows of these ids and the columns at these places, in the order of the grid; none named means all.

    The column that names the rows is kept. InvalidInput for an id that no row has.
    """
    known = {row.row for row in grid.rows}
    missing = [row for row in rows if row not in known]
    if missing:
        raise _refuse(f"There is no row {missing[0]}.")
    places = [place for place in range(len(grid.columns)) if not columns or place == 0 or place in columns]
    kept = tuple(
        PickedRow(row.row, tuple(row.cells[place] for place in places))
        for row in grid.rows
        if not rows or row.row in rows
    )
    return TableGrid(tuple(grid.columns[place] for place in places), kept)


def aggregate_column(grid: TableGrid, column: int, kind: Aggregate) -> Aggregated:
    """What the numbers of a column come to. InvalidInput when there are none or their units differ."""
    cells = [row.cells[column] for row in grid.rows if row.cells[column].value is not None]
    if kind is Aggregate.COUNT:
        stated = [row.cells[column].cell for row in grid.rows if _is_stated(row, column)]
        return Aggregated(Decimal(len(stated)), "", tuple(stated), "")
    if not cells:
        raise _refuse("The column has no numbers.")
    measures = sorted({cell.measure for cell in cells})
    if len(measures) > 1:
        told = ", ".join(measure or "no unit" for measure in measures)
        raise _refuse(f"The column's numbers have several units: {told}.")
    scales = {cell.scale for cell in cells}
    scale = scales.pop() if len(scales) == 1 else Decimal(1)
    values = {cell.cell: cell.value for cell in cells if cell.value is not None}
    if kind in (Aggregate.LEAST, Aggregate.MOST):
        pick = min if kind is Aggregate.LEAST else max
        chosen = pick(values, key=lambda name: values[name])
        return Aggregated(values[chosen], measures[0], (chosen,), chosen, scale)
    expression = f"{kind.value}({', '.join(values)})"
    total = evaluate("total", {"total": sum(values.values(), Decimal(0))})
    value = (
        total if kind is Aggregate.SUM else evaluate("total / count", {"total": total, "count": Decimal(len(values))})
    )
    return Aggregated(value, measures[0], tuple(values), expression, scale)


def _refuse(message: str) -> InvalidInput:
    return InvalidInput(message, code=BAD_TABLE_REQUEST)
