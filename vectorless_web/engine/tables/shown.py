"""How a table is shown to a reader or a model: columns with period and unit, rows as cells, headers never left out."""

from dataclasses import dataclass

from vectorless_web.engine.documents.node import Row
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
    late = {row.offset for row in relation.late_heads}
    lines = tuple(
        _show_row(view, index, row)
        for index, row in enumerate(view.table.rows)
        if not (_is_top_header(view, index) or row.offset in late)
    )
    return ShownRelation(view.name, _unit_words(relation), _column_names(relation), lines)


def _is_top_header(view: TableView, index: int) -> bool:
    return all(row.is_header for row in view.table.rows[: index + 1])


def _show_row(view: TableView, index: int, row: Row) -> ShownLine:
    names_columns = row.is_header or any(offset == row.offset for offset, _ in view.later)
    cells = tuple(" ".join(cell.text.split()) for cell in row.cells)
    return ShownLine(f"r{index}", cells, row.offset, row.offset + row.length, names_columns)


def _unit_words(relation: Relation) -> str:
    """The currency or measure of a table and its scale, or its units line where neither is known."""
    view = relation.view
    scale = scale_name(view.scale)
    parts = (view.currency or view.measure, f"{scale}s" if scale else "")
    return ", ".join(part for part in parts if part) or relation.units


def _column_names(relation: Relation) -> tuple[str, ...]:
    names = {axis.index: _column_name(relation, axis) for axis in relation.axes}
    width = max([len(relation.view.table.columns), *(len(row.cells) for row in relation.view.table.rows)], default=0)
    columns = relation.view.table.columns
    return tuple(names.get(place) or (columns[place].header if place < len(columns) else "") for place in range(width))


def _column_name(relation: Relation, axis: Axis) -> str:
    """The header, with the period in words where the header does not tell its year itself, and the column's unit."""
    periods, columns = relation.view.periods, relation.view.table.columns
    period = periods[axis.index] if 0 < axis.index < len(periods) else None
    told = period.words if period and period.year and str(period.year) not in axis.name else ""
    unit = columns[axis.index].unit if axis.index < len(columns) else ""
    unit = "" if unit in axis.name else f"({unit})"
    return " ".join(part for part in (axis.name, told, unit) if part)
