"""How a table is shown to a reader or a model: columns with period and unit, rows as cells, headers never left out."""

from dataclasses import dataclass
from itertools import takewhile

from vectorless_web.engine.documents.node import Row, Table
from vectorless_web.engine.tables.relation import Axis, Relation, TableSource
from vectorless_web.engine.tables.units import scale_name
from vectorless_web.engine.tables.view import TableView


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A printed row as shown: its id ("r12"), its cells as text, and where it is in the node's text.

    `is_header`: the row names columns, at the top or in the middle of the table.
    """

    row: str
    cells: tuple[str, ...]
    start: int
    end: int
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class ShownRelation:
    """A table as shown: its name, unit in words ("USD, millions"), names of columns, and lines in printed order."""

    name: str
    unit: str
    columns: tuple[str, ...]
    lines: tuple[ShownLine, ...]


def show_table(view: TableView) -> ShownRelation:
    """A table with the names of its columns and all rows below the top headers."""
    relation = Relation(TableSource("", (view,)), view)
    heads = {row.offset for row in (*find_heads(view.table), *relation.late_heads)}
    lines = tuple(_show_row(view, index, row) for index, row in enumerate(view.table.rows) if row.offset not in heads)
    return ShownRelation(view.name, _unit_words(relation), _column_names(relation), lines)


LONGEST_HEAD = 160
"""Characters of a cell that may head a column; of 1,840 tables of filings and protocols the longest head has 143, and
all longer ones are text of the body that was taken for heads."""


def find_heads(table: Table) -> tuple[Row, ...]:
    """The rows at the top that head columns: not those that are sentences, nor labels alone below the first of them."""
    heads: list[Row] = []
    names_columns = False
    for row in takewhile(lambda row: row.is_header, table.rows):
        has_values = any(cell.text.strip() for cell in row.cells[1:])
        if any(len(cell.text) > LONGEST_HEAD for cell in row.cells) or (names_columns and not has_values):
            break
        names_columns = names_columns or has_values
        heads.append(row)
    return tuple(heads)


def _show_row(view: TableView, index: int, row: Row) -> ShownLine:
    is_read_as_head = row.is_header and all(other.is_header for other in view.table.rows[:index])
    names_columns = (row.is_header and not is_read_as_head) or any(offset == row.offset for offset, _ in view.later)
    cells = tuple(" ".join(cell.text.split()) for cell in row.cells)
    return ShownLine(f"r{index}", cells, row.offset, row.offset + row.length, names_columns)


def _unit_words(relation: Relation) -> str:
    view = relation.view
    scale = scale_name(view.scale)
    parts = (view.unit, f"{scale}s" if scale else "")
    return ", ".join(part for part in parts if part) or relation.units


def _column_names(relation: Relation) -> tuple[str, ...]:
    names = {axis.index: _column_name(relation, axis) for axis in relation.axes}
    width = max([len(relation.view.table.columns), *(len(row.cells) for row in relation.view.table.rows)], default=0)
    columns = relation.view.table.columns
    return tuple(names.get(place) or (columns[place].header if place < len(columns) else "") for place in range(width))


def _column_name(relation: Relation, axis: Axis) -> str:
    """The header, with the period in words where the header does not tell its year itself, and the column's unit."""
    periods = relation.view.periods
    period = periods[axis.index] if 0 < axis.index < len(periods) else None
    told = period.words if period and period.year and str(period.year) not in axis.name else ""
    unit = "(%)" if axis.index in relation.view.percentages and "%" not in axis.name else ""
    return " ".join(part for part in (axis.name, told, unit) if part)
