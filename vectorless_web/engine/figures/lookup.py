"""Reads table rows into figures, and finds those that a question needs in the tables of a document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.documents.table import Cell, Row
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.labels import fits_to
from vectorless_web.engine.figures.needs import FREE
from vectorless_web.engine.figures.periods import ColumnPeriod, OwnPeriod, agreement, read_header
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.figures.units import is_per_share, units_currency, units_scale
from vectorless_web.engine.questions.plan import FigureNeed, Period
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
    return list(_read_numeric_cells(view, row))


def _read_numeric_cells(view: TableView, row: Row) -> Iterator[RowCell]:
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
    start, end = _trim_span(node.text, row.offset, row.offset + row.length)
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


def drop_sign(figure: Figure) -> Figure:
    """The same figure without its sign: an outflow or a cost printed in parentheses."""
    return replace(figure, amount=abs(figure.amount))


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


LEAST_FIT = 0.55
"""A figure that fits less is not the one asked for."""

_SIGNED = re.compile(
    r"income|loss|profit|earning|ebit|cash flow|(?:operat|invest|financ)ing activit|cash (?:from|provided|used)"
    r"|change|increase|decrease|gain|eps|deficit|equity|working capital|result|margin|growth|tax",
    re.I,
)
_PARTIAL = re.compile(r"parent|guarantor|segment|pro forma|unaudited|reconcil|condensed", re.I)
_DATED = re.compile(r"\b(?:19|20)\d\d\b|\bended\b|\bmillions\b|\bthousands\b", re.I)
_OTHER_STATEMENT = 0.68
"""What a figure is worth, as a share, from another primary statement than its item's own. Not measured by itself."""
_NO_STATEMENT = 0.78
"""The same from a table that is no primary statement: a note often repeats the figure. Not measured by itself."""


@dataclass(frozen=True, slots=True)
class _RowMatch:
    """A row that names the item, with the best cell for each need (by index) of one concept."""

    order: tuple[float, int, int]
    view: TableView
    row: Row
    cells: Mapping[int, tuple[float, RowCell]]


@dataclass(frozen=True, slots=True)
class Source:
    """Where figures are looked for: a document's id and tables, their retrieval fit in [0, 1], its own quarter."""

    document: str
    tables: Sequence[TableView]
    ranks: Mapping[int, float]
    own: OwnPeriod | None = None


def find_figures(source: Source, needs: Sequence[FigureNeed]) -> list[Figure]:
    """The best figure for each need, in the order of needs; a need without one is left out.

    Needs of one concept are looked up together, so that two periods of an item come from
    one row where a row has both.
    """
    found: dict[int, Figure] = {}
    for indices in _by_concept(needs):
        found.update(_concept_figures(source, needs, indices))
    return [found[index] for index in sorted(found)]


def _by_concept(needs: Sequence[FigureNeed]) -> list[list[int]]:
    groups: dict[tuple[str, tuple[str, ...], str], list[int]] = {}
    for index, need in enumerate(needs):
        groups.setdefault((need.concept, need.phrases, need.statement), []).append(index)
    return list(groups.values())


def _concept_figures(source: Source, needs: Sequence[FigureNeed], indices: Sequence[int]) -> dict[int, Figure]:
    matches = sorted(_matches(source, needs, indices), key=lambda match: match.order)
    found: dict[int, Figure] = {}
    for match in matches:
        for index, (fit, cell) in match.cells.items():
            if index not in found and fit >= LEAST_FIT:
                found[index] = _figure(source.document, match, cell, needs[index], index, fit)
        if len(found) == len(indices):
            break
    return found


def _figure(document: str, match: _RowMatch, cell: RowCell, need: FigureNeed, index: int, fit: float) -> Figure:
    where = ", ".join(part for part in (match.view.name, _column(cell)) if part)
    figure = figure_of(document, match.view, match.row, cell, where=where, fit=min(fit, 1.0))
    signed = _SIGNED.search(f"{need.concept} {need.phrases[0] if need.phrases else ''}")
    return replace(figure if signed else drop_sign(figure), need=index)


def _column(cell: RowCell) -> str:
    label = str(cell.period.year) if cell.period.year else cell.header
    return f"{label} column" if label else ""


def _matches(source: Source, needs: Sequence[FigureNeed], indices: Sequence[int]) -> Iterator[_RowMatch]:
    first = needs[indices[0]]
    periods = {index: needs[index].period for index in indices}
    fit_of = fits_to(first.phrases)
    for view in source.tables:
        fits = [(row, fit_of(row.label, _heads(view, row))) for row in view.table.rows if not row.is_header]
        # A weight is at most 1 and costs a look around the table: most have no row that comes near.
        near = [(row, fit) for row, fit in fits if fit >= LEAST_FIT]
        weight = _table_weight(view, first, source.ranks) if near else 0.0
        for row, fit in near:
            if fit * weight < LEAST_FIT:
                continue
            match = _row_match(view, row, fit * weight, periods, source.own)
            if match is not None:
                yield match


def _heads(view: TableView, row: Row) -> tuple[str, ...]:
    """The labels a row stands under; a first group's label may have been read into the header."""
    if row.path or row.label or not view.table.columns:
        return row.path
    head = view.table.columns[0].header.rsplit(" / ", 1)[-1]
    return (head,) if head and not _DATED.search(head) else ()


def _table_weight(view: TableView, need: FigureNeed, ranks: Mapping[int, float]) -> float:
    """How likely the table is the place: its statement, whether it covers the whole entity, its retrieval fit."""
    weight = 1.0
    if need.statement and need.statement != FREE:
        weight = 1.0 if view.statement == need.statement else _OTHER_STATEMENT if view.statement else _NO_STATEMENT
    if _PARTIAL.search(" ".join((*view.path[-2:], view.node.title))):
        weight *= 0.93
    return weight * (0.95 + 0.05 * min(ranks.get(view.node.key, 0.0), 1.0))


def _row_match(
    view: TableView, row: Row, fit: float, periods: Mapping[int, Period | None], own: OwnPeriod | None
) -> _RowMatch | None:
    cells = row_cells(view, row)
    chosen: dict[int, tuple[float, RowCell]] = {}
    for index, period in periods.items():
        best = _best_cell(cells, period, own)
        if best is not None:
            chosen[index] = (fit * best[0], best[1])
    if not chosen:
        return None
    total = sum(score for score, _ in chosen.values()) / len(periods)
    return _RowMatch((-round(total, 6), view.node.key, row.offset), view, row, chosen)


def _best_cell(cells: Sequence[RowCell], period: Period | None, own: OwnPeriod | None) -> tuple[float, RowCell] | None:
    """The cell of the period wanted; without a period the newest, else the first one printed."""
    if not cells:
        return None
    if period is None:
        return 1.0, _find_newest(cells)
    scored = [(agreement(cell.period, period, own), cell) for cell in cells]
    best = max(scored, key=lambda pair: pair[0])
    return best if best[0] > 0 else None


def _find_newest(cells: Sequence[RowCell]) -> RowCell:
    dated = [cell for cell in cells if cell.period.year and not cell.period.is_change]
    if not dated:
        return cells[0]
    return max(dated, key=lambda cell: (cell.period.year or 0, cell.period.months))
