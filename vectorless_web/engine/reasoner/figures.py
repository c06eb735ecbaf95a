"""Finds the figures a question needs in the tables of a document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.document.table import Row
from vectorless_web.engine.query.plan import FigureNeed, Period
from vectorless_web.engine.reasoner.cells import RowCell, figure_of, positive, row_cells
from vectorless_web.engine.reasoner.labels import fits_to
from vectorless_web.engine.reasoner.needs import FREE
from vectorless_web.engine.reasoner.periods import OwnPeriod, agreement
from vectorless_web.engine.reasoner.planner import Figure
from vectorless_web.engine.reasoner.tables import TableView

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
_NO_STATEMENT = 0.78


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
    return replace(figure if signed else positive(figure), need=index)


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
        return 1.0, _newest(cells)
    scored = [(agreement(cell.period, period, own), cell) for cell in cells]
    best = max(scored, key=lambda pair: pair[0])
    return best if best[0] > 0 else None


def _newest(cells: Sequence[RowCell]) -> RowCell:
    dated = [cell for cell in cells if cell.period.year and not cell.period.is_change]
    if not dated:
        return cells[0]
    return max(dated, key=lambda cell: (cell.period.year or 0, cell.period.months))
