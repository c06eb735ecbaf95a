"""Tables as grids: rows readable on their own, cells that know their row, column and unit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `offset` and `length` (characters) locate it in the table node's text; length 0 is an empty cell."""

    text: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Row:
    """One printed row. `label` is the row's own label; `path` the labels it stands under (outermost first)."""

    label: str
    cells: tuple[Cell, ...]
    offset: int
    length: int
    page_index: int
    is_header: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its header text, top down ("Year ended December 31 / 2018"), and the period and unit read from it."""

    header: str
    period: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A grid. In the node's text rows end with a newline and cells are parted by a tab.

    `columns[i]` describes `row.cells[i]`; column 0 is usually the row label. `units` is
    the units line as printed ("Dollars in millions, except per share amounts").
    `statement` is the primary statement recognised: `income`, `balance`, `cash_flow`,
    `equity`, `comprehensive_income`, or "".
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    units: str = ""
    statement: str = ""

    @property
    def body(self) -> tuple[Row, ...]:
        """The rows that are not headers."""
        return tuple(row for row in self.rows if not row.is_header)
