"""Finds the figures that a question needs in the tables of a document: by row label, period and unit."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from vectorless_web.engine.documents.node import Cell, Row
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import FREE
from vectorless_web.engine.figures.periods import ColumnPeriod, OwnPeriod, agreement, read_header
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.figures.units import is_per_share, units_currency, units_scale
from vectorless_web.engine.questions.plan import FigureNeed, Period
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import Number, numbers_in

NEUTRAL = frozenset({"total", "consolid", "compani", "corpor", "aggreg"})
"""Stems that a label may add to the item's name without meaning another item."""

_PARENTHESES = re.compile(r"\([^)]*\)")
_GENERIC = re.compile(r"^\W*(?:(?:sub)?total|net|amount|balance|other|all other)?\W*$", re.I)
_WEAK_PRECISION = 0.45
"""Half of the most that a label is worth of which only some words are the item's: (1 + share of the label that they
are) times this. Not measured by itself."""
_WHOSE = re.compile(r"\s*\b(?:attributable|available|applicable) to\b|\s*,?\s*\bincluding\b", re.I)
"""Where a label goes on to say whose the item is: still the same item, unless it is the minority's."""

_NET_OF = re.compile(r"\s*,?\s*\b(?:net of|less)\s+(?:accumulated|allowances?|reserves?|valuation|provisions?)\b", re.I)
_NOT = re.compile(r"\bnot\b|\bnon-?cash\b", re.I)
_COUNT = re.compile(r"\bnumber of\b", re.I)
_MINORITY = re.compile(r"\b(?:attributable|available|applicable) to (?:the )?(?:non-?controlling|minorit)", re.I)
_SUMMING = re.compile(r"\b(?:total|net)\b", re.I)
_SHORTER = 0.6
"""What a label is worth that is the beginning of the item's name, of two words and more. Not measured by itself."""
OWNED_SHADE = 0.97
"""What a label keeps that says whose the item is when the wording does not, or the other way round."""

SUMMING_BONUS = 0.02
"""What a label gains by saying "total" or "net" when the item is also known by such a name."""


@lru_cache(maxsize=1 << 14)
def label_terms(label: str) -> tuple[str, ...]:
    """Index terms of a label, what stands in parentheses left out unless nothing else is there."""
    return tuple(analyse(_PARENTHESES.sub(" ", label))) or tuple(analyse(label))


@lru_cache(maxsize=1 << 10)
def _phrase_terms(phrases: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for phrase in phrases for term in label_terms(phrase))


@lru_cache(maxsize=1 << 14)
def _every_term(label: str) -> frozenset[str]:
    return frozenset(analyse(label))


@lru_cache(maxsize=1 << 10)
def _list_wordings(phrases: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], bool], ...]:
    """The terms of each phrase, and whether it says whose the item is."""
    return tuple((label_terms(_strip_owner(phrase)), bool(_WHOSE.search(phrase))) for phrase in phrases)


def fits_to(phrases: Sequence[str]) -> Callable[[str, Sequence[str]], float]:
    """The fit in [0, 1] of a row, by its label and path, to the phrases that name an item; 1 when one is the label.

    The best phrase comes first. A label that says no more than "Total" is read with the label it stands under.
    """
    asked = tuple(phrases)
    wanted = _phrase_terms(asked)
    per_share = any(is_per_share(phrase) for phrase in asked)

    def fit(label: str, path: Sequence[str]) -> float:
        # Most rows share no word with any phrase, in which case nothing else need be looked at.
        if wanted.isdisjoint(_every_term(label or "total")) and not (path and wanted & _every_term(path[-1])):
            return 0.0
        if path and not per_share and is_per_share(path[-1]):
            return 0.0
        return _label_fit(label, path[-1] if path else "", asked)

    return fit


@lru_cache(maxsize=1 << 13)
def _label_fit(label: str, head: str, phrases: tuple[str, ...]) -> float:
    if _is_other_item(label, phrases):
        return 0.0
    names = [label] if label and not _GENERIC.match(label) else []
    names += _shorten_label(label) if names else []
    if head and (not names or len(label_terms(label)) < 3):
        names.append(f"{head} {label or 'total'}")
    known = [(label_terms(name), name is label) for name in names]
    own = set(known[-1][0]) - set(label_terms(head)) if head and names and names[-1].startswith(head) else set()
    if own and not own <= _phrase_terms(phrases) and not _GENERIC.match(label):
        known.pop()  # "Net income" under "Cash provided by operations:" is an item of its own
    is_owned = bool(_WHOSE.search(label))
    if not any(_phrase_terms(phrases) & set(terms) for terms, _ in known):
        return 0.0
    best = 0.0
    for rank, (wanted, says_whose) in enumerate(_list_wordings(phrases)):
        fit = max(_measure_fit(wanted, found, whole=whole) for found, whole in known)
        owned = OWNED_SHADE if is_owned != says_whose else 1.0
        best = max(best, fit * owned * (1.0 - 0.004 * min(rank, 12)))
    return best + SUMMING_BONUS if best > 0.9 and _sums_up(label, phrases) else best


def _strip_owner(phrase: str) -> str:
    """A wording without its "attributable to ..."."""
    whose = _WHOSE.search(phrase)
    return phrase[: whose.start()] if whose and not _MINORITY.search(phrase) and whose.start() > 2 else phrase


def _is_other_item(label: str, phrases: Sequence[str]) -> bool:
    """Whether a label says of itself that it is not the item: the minority's share, what was not paid, a number of."""
    name = phrases[0] if phrases else ""
    return any(pattern.search(label) and not pattern.search(name) for pattern in (_MINORITY, _NOT, _COUNT))


def _shorten_label(label: str) -> list[str]:
    """The label up to where it says whose the item is, or what was taken off it: still the same item."""
    cuts = [match.start() for pattern in (_WHOSE, _NET_OF) if (match := pattern.search(label)) and match.start() > 2]
    return [label[:cut] for cut in cuts]


def _sums_up(label: str, phrases: Sequence[str]) -> bool:
    """ "Inventories" and "Total inventories", gross and net may stand side by side: the summing row is meant."""
    said = {word.lower() for word in _SUMMING.findall(label)}
    return any(said & {word.lower() for word in _SUMMING.findall(phrase)} for phrase in phrases)


_TELLING = frozenset(analyse("current noncurrent short long"))
"""Stems that a label may not lack: total assets are not the total current assets."""


def _measure_fit(wanted: tuple[str, ...], found: tuple[str, ...], *, whole: bool) -> float:
    if not wanted or not found:
        return 0.0
    extra = [term for term in found if term not in wanted and term not in NEUTRAL]
    hits = sum(term in found for term in wanted)
    if hits == len(wanted):
        base = 1.0 if not extra else 0.4 + 0.55 * len(wanted) / (len(wanted) + len(extra))
        return base if whole else base * 0.95
    is_telling = not _TELLING.isdisjoint(set(wanted) - set(found))
    if not extra and len(found) >= 2 and wanted[: len(found)] == found and not is_telling:
        return _SHORTER
    coverage = hits / len(wanted)
    if coverage < 0.6 or hits < 2 or is_telling:
        return 0.0
    return coverage * _WEAK_PRECISION * (hits / (hits + len(extra)) + 1.0)


_DASHES = frozenset("—–-")
_TELEPHONE = re.compile(r"\+\d{1,3}(?:[ ()/-]+\d{2,})+")
"""The groups of a telephone number are one name: none of them counts or measures anything."""


@dataclass(frozen=True, slots=True)
class RowCell:
    """A numeric cell: its number, its column's header, period, unit and index."""

    number: Number
    header: str
    period: ColumnPeriod
    unit: str
    column: int = -1


def row_cells(view: TableView, row: Row) -> list[RowCell]:
    """Numeric cells of a row in printed order, each with the column it stands in.

    A grid whose columns carry no period gives cells without one.
    """
    return list(_read_numeric_cells(view, row))


def _read_numeric_cells(view: TableView, row: Row) -> Iterator[RowCell]:
    for index, cell in enumerate(row.cells):
        number = read_cell_number(cell) if index or not row.label else None
        if number is None:
            continue
        if index >= len(view.table.columns):
            yield RowCell(number, "", read_header(""), "", index)
            continue
        column = view.table.columns[index]
        yield RowCell(number, column.header, view.periods[index], column.unit, index)


_CODE = re.compile(r"\+?\(?0\d[\d /()-]*$|\+\d{1,3}[ (]")
"""A number that is dialled or names something: it begins with a nought and a digit, "0400 55 12"."""


_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]\.?m\.?)?", re.IGNORECASE)
"""A time of the day: no figure."""


def read_cell_number(cell: Cell) -> Number | None:
    """The number that a cell states; zero for a dash, None for words or nothing."""
    text = cell.text.strip()
    if text and set(text.lstrip("$€£ ")) <= _DASHES and text.lstrip("$€£ "):
        return Number(0, len(cell.text), Decimal(0), False, "", Decimal(1), cell.text)
    found = numbers_in(cell.text)
    if (
        not found
        or sum(character.isalpha() for character in text) > 8
        or _TELEPHONE.fullmatch(text)
        or _CODE.match(text)
        or _CLOCK.fullmatch(text)
    ):
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
    periods = {index: (needs[index].period, needs[index].offset) for index in indices}
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
    view: TableView, row: Row, fit: float, periods: Mapping[int, tuple[Period | None, int]], own: OwnPeriod | None
) -> _RowMatch | None:
    cells = row_cells(view, row)
    chosen: dict[int, tuple[float, RowCell]] = {}
    for index, (period, offset) in periods.items():
        best = _best_cell(cells, period, own) if period else _find_earlier(cells, offset)
        if best is not None:
            chosen[index] = (fit * best[0], best[1])
    if not chosen:
        return None
    total = sum(score for score, _ in chosen.values()) / len(periods)
    return _RowMatch((-round(total, 6), view.node.key, row.offset), view, row, chosen)


def _find_earlier(cells: Sequence[RowCell], offset: int) -> tuple[float, RowCell] | None:
    """Without a period the newest cell, else the first one printed; or that of so many periods of its length before."""
    if not cells:
        return None
    newest = _find_newest(cells)
    if not offset:
        return 1.0, newest
    before = [
        cell
        for cell in cells
        if cell.period.year == (newest.period.year or 0) - offset
        and cell.period.months == newest.period.months
        and not cell.period.is_change
    ]
    return (1.0, before[0]) if before else None


def _best_cell(cells: Sequence[RowCell], period: Period, own: OwnPeriod | None) -> tuple[float, RowCell] | None:
    """The cell of the period wanted."""
    if not cells:
        return None
    scored = [(agreement(cell.period, period, own), cell) for cell in cells]
    best = max(scored, key=lambda pair: pair[0])
    return best if best[0] > 0 else None


def _find_newest(cells: Sequence[RowCell]) -> RowCell:
    dated = [cell for cell in cells if cell.period.year and not cell.period.is_change]
    if not dated:
        return cells[0]
    return max(dated, key=lambda cell: (cell.period.year or 0, cell.period.months))
