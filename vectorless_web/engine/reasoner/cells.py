"""Reads table rows into figures: which number stands under which period, in which unit."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.document.table import Cell, Row
from vectorless_web.engine.reasoner.periods import ColumnPeriod, read_header
from vectorless_web.engine.reasoner.planner import Figure
from vectorless_web.engine.reasoner.tables import TableView
from vectorless_web.engine.reasoner.units import is_per_share, units_currency, units_scale
from vectorless_web.engine.text.numbers import Number, numbers_in

_DASHES = frozenset("—–-")


@dataclass(frozen=True, slots=True)
class RowCell:
    """A numeric cell: its number, its column's header and period."""

    number: Number
    header: str
    period: ColumnPeriod
    unit: str


def row_cells(view: TableView, row: Row) -> list[RowCell]:
    """Numeric cells of a row in printed order, each with the column it stands in.

    A grid whose columns carry no period gives cells without one.
    """
    return list(_numeric(view, row))


def _numeric(view: TableView, row: Row) -> Iterator[RowCell]:
    for index, cell in enumerate(row.cells):
        number = _number(cell) if index or not row.label else None
        if number is None:
            continue
        if index >= len(view.table.columns):
            yield RowCell(number, "", read_header(""), "")
            continue
        column = view.table.columns[index]
        yield RowCell(number, column.header, view.periods[index], column.unit)


def _number(cell: Cell) -> Number | None:
    text = cell.text.strip()
    if text and set(text.lstrip("$€£ ")) <= _DASHES and text.lstrip("$€£ "):
        return Number(0, len(cell.text), Decimal(0), False, "", Decimal(1), cell.text)
    found = numbers_in(cell.text)
    if not found or sum(character.isalpha() for character in text) > 8:
        return None
    return found[0]


def figure_of(document: str, view: TableView, row: Row, cell: RowCell, *, where: str, fit: float) -> Figure:
    """The figure a cell states, with the row in full as its quote."""
    node = view.node
    units = f"{view.units} {cell.unit}".strip()
    per_share = is_per_share(row.label) or any(is_per_share(label) for label in row.path[-1:])
    unscaled = cell.number.percent or per_share or cell.number.scale != 1 or "%" in cell.unit
    start, end = _trimmed(node.text, row.offset, row.offset + row.length)
    return Figure(
        document=document,
        key=node.key,
        page_index=row.page_index,
        label=row.label,
        column=cell.header,
        period=str(cell.period.year or ""),
        amount=cell.number.value,
        scale=Decimal(1) if unscaled else units_scale(units),
        currency=cell.number.currency or ("" if cell.number.percent else units_currency(units) or _symbol(node.text)),
        percent=cell.number.percent or "%" in cell.unit,
        per_share=per_share,
        quote=node.text[start:end],
        start=start,
        end=end,
        where=where,
        fit=fit,
    )


def _symbol(text: str) -> str:
    """The currency whose sign stands in a table, usually beside its first and last figures only."""
    return units_currency("".join(sign for sign in "$€£¥" if sign in text))


def positive(figure: Figure) -> Figure:
    """The same figure without its sign: an outflow or a cost printed in parentheses."""
    return replace(figure, amount=abs(figure.amount))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
