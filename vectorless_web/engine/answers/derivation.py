"""Finds the simple sum that gives a number: a difference, total, share, growth, multiple or average of figures."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, DecimalException
from functools import lru_cache
from itertools import permutations

from vectorless_web.engine.answers.agreement import POINTS, Stated, agrees, units_agree
from vectorless_web.engine.answers.claims import DraftCalculation, DraftOperand
from vectorless_web.engine.text.quantities import Quantity

_EXACT = Context(prec=34)

FREE_FIGURES = 4
"""Figures that may be paired freely. Among more of them almost any small number is some difference, so one of the pair
must be named in the sentence; a share or growth in whole percent needs both named, or at most three figures."""

LEAST_ROUNDED = 20
"""Whole numbers from here on may be a rounded result."""

MOST_FIGURES = 24
"""Figures that are tried for one number."""

_CUES = {
    "up": r"increas\w*|gr[eo]w\w*|ris\w*|rose|up|gain\w*|improv\w*|higher|more|longer|larger|older|above|exceed\w*",
    "down": r"decreas\w*|fall\w*|fell|declin\w*|drop\w*|down|reduc\w*|lower|less|fewer|cheaper|shorter|smaller|below"
    r"|sav\w+|under|cut",
    "change": r"increas\w*|decreas\w*|gr[eo]w\w*|ris\w*|rose|fall\w*|fell|declin\w*|drop\w*|up|down|gain\w*|change\w*"
    r"|improv\w*|worsen\w*|reduc\w*|higher|lower|more|less|fewer|cheaper|dearer|longer|shorter|larger|smaller|older"
    r"|leav\w*|still|add(?:s|ed|ing|itional)|extra|new|beyond|surplus|deficit|younger|below|above|under|apart|spread|range|differ\w*|gap|sav\w+|remain\w*|left|by|ahead|behind|between|exceed\w*|short|un(?:drawn|used|spent|paid|sold|filled|funded)|available|headroom",
    "total": r"total\w*|sum|together|altogether|combined|overall|in all|both|and|plus|amounts? to|adds? up|comes? to",
    "share": r"of|share\w*|portion|proportion|ratio|rate|margin|percent|per cent|account\w*|represent\w*|or",
    "rest": r"rest|remain\w*|other\w*|left|without|not|balance",
    "each": r"each|per|every|equal\w*|instal\w*|split|divid\w*|monthly|quarterly|weekly|daily|a (?:month|week|day)",
    "mean": r"average\w*|mean|midpoint|middle|halfway",
    "added": r"plus|includ\w*|increas\w*|rais\w*|surcharge|with|added|adding|more|higher|pay\w*|cost\w*",
    "taken": r"less|discount\w*|reduc\w*|off|after|deduct\w*|minus|lower|net|cut",
    "times": r"times|double\w*|triple\w*|fold|ratio|twice|as",
}
_CUE = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _CUES.items()}


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure that may stand in a sum; `named` when the sentence states it, too."""

    stated: Stated
    written: Quantity
    named: bool

    @property
    def value(self) -> Decimal:
        return abs(self.stated.value)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum that was tried: the expression over the figures' names, its value and the figure that gives its unit."""

    expression: str
    figures: tuple[_Figure, ...]
    value: Decimal
    unit: _Figure | None = None


def derive_number(
    sentence: str, number: Quantity, stated: Sequence[Stated], named: Sequence[Quantity]
) -> DraftCalculation | None:
    """The sum of quoted figures that gives the number and of which the sentence speaks; None when there is none."""
    if number.is_ordinal or (not number.unit and not number.noun and number.scale == 1 and _is_code(number)):
        return None
    figures = _usable(stated, named)
    try:
        found = next((tried for tried in _sums(sentence, number, figures) if _gives(number, tried)), None)
    except DecimalException:
        return None
    return _account(found, number) if found is not None else None


def _is_code(number: Quantity) -> bool:
    """A year, or a number with a leading nought, is no result."""
    digits = number.text.strip("() ")
    return bool(re.fullmatch(r"(?:19|20)\d\d|0\d+", digits))


def _usable(stated: Sequence[Stated], named: Sequence[Quantity]) -> list[_Figure]:
    found: dict[tuple[Decimal, str, str], _Figure] = {}
    for figure in stated:
        written = figure.written
        if written is None or written.is_ordinal or not figure.value:
            continue
        key = (abs(figure.value), written.unit, written.noun if not written.unit else "")
        said = any(agrees(number, figure) for number in named)
        if key not in found or (said and not found[key].named):
            found[key] = _Figure(figure, written, said)
    return sorted(found.values(), key=lambda figure: not figure.named)[:MOST_FIGURES]


def _gives(number: Quantity, tried: _Sum) -> bool:
    if tried.unit is not None and not units_agree(number, replace(tried.unit.written, noun="")):
        return False
    is_percent = number.percent or number.noun in POINTS
    if tried.unit is not None and tried.unit.written.percent != is_percent:
        return False
    scales = tried.unit.stated.scales if tried.unit is not None else (Decimal(1),)
    unit_rate = Decimal(1)
    if tried.unit is not None and number.unit and tried.unit.written.unit:
        unit_rate = tried.unit.written.factor / number.factor
    # A small whole number that only rounding would give is more often a coincidence.
    return agrees(number, Stated(tried.value * unit_rate, scales, worked_out=abs(number.value) >= LEAST_ROUNDED))


@lru_cache(maxsize=1 << 6)
def _find_cues(sentence: str) -> frozenset[str]:
    """The kinds of sums that the sentence speaks of; asked again for each of its numbers."""
    return frozenset(name for name, cue in _CUE.items() if cue.search(sentence))


def _sums(sentence: str, number: Quantity, figures: Sequence[_Figure]) -> Iterator[_Sum]:
    told = _find_cues(sentence)
    if number.percent or number.is_part or (not number.unit and number.noun in POINTS):
        yield from _relative(number, figures, told)
        return
    if number.unit == "times":
        yield from _ratios(figures, told)
        return
    yield from _amounts(figures, told)
    yield from _multiples(figures, told)
    yield from _groups(figures, told)


def _pairs(figures: Sequence[_Figure], *, strict: bool = False) -> Iterator[tuple[_Figure, _Figure]]:
    """Pairs of figures of one unit, both ways round, of which the sentence names enough."""
    for first, second in permutations(figures, 2):
        if first.written.unit != second.written.unit or first.stated.scales != second.stated.scales:
            continue
        if first.written.currency != second.written.currency or not _are_beside(first.stated, second.stated):
            continue
        alike = sum(figure.written.unit == first.written.unit for figure in figures)
        wanted = 2 if strict else 1
        if alike <= (3 if strict else FREE_FIGURES) or first.named + second.named >= wanted:
            yield first, second


def _are_beside(first: Stated, second: Stated) -> bool:
    """Whether two cells of one table stand in one row or one column; figures of prose always may be paired."""
    if first.cell is None or second.cell is None or first.cell[0] != second.cell[0]:
        return True
    return first.cell[1] == second.cell[1] or first.cell[2] == second.cell[2]


def _relative(number: Quantity, figures: Sequence[_Figure], told: frozenset[str]) -> Iterator[_Sum]:
    """Percentages: points between two, the growth, the share, what is left of a hundred."""
    hundred = Decimal(1) if number.is_part else Decimal(100)
    is_points = "point" in number.text.lower() or number.unit == "basis point" or number.noun in POINTS
    for first, second in _pairs(figures, strict=number.step >= 1 and not is_points):
        if first.written.percent:
            if is_points:
                yield _Sum("figure_1 - figure_2", (first, second), abs(first.value - second.value), first)
            continue
        if is_points:
            continue
        share = _EXACT.divide(first.value, second.value)
        if "change" in told and _is_base(first, second, told):
            yield _Sum("(figure_1 - figure_2) / figure_2", (first, second), abs(share - 1) * hundred)
        if "share" in told and share <= 1:
            yield _Sum("figure_1 / figure_2", (first, second), share * hundred)
    for figure in figures:
        if figure.written.percent and "rest" in told and number.percent and not is_points:
            yield _Sum("100 - figure_1", (figure,), 100 - figure.value, figure)


def _is_base(first: _Figure, second: _Figure, told: frozenset[str]) -> bool:
    """Whether a change may start from the second figure: from the smaller one where the sentence speaks of more."""
    if ("up" in told) == ("down" in told):
        return True
    return (second.value < first.value) == ("up" in told)


def _ratios(figures: Sequence[_Figure], told: frozenset[str]) -> Iterator[_Sum]:
    if "times" in told:
        for first, second in _pairs(figures):
            yield _Sum("figure_1 / figure_2", (first, second), _EXACT.divide(first.value, second.value))


def _amounts(figures: Sequence[_Figure], told: frozenset[str]) -> Iterator[_Sum]:
    for first, second in _pairs(figures):
        if "change" in told and first.value > second.value:
            yield _Sum("figure_1 - figure_2", (first, second), first.value - second.value, first)
        if "total" in told:
            yield _Sum("figure_1 + figure_2", (first, second), first.value + second.value, first)


def _multiples(figures: Sequence[_Figure], told: frozenset[str]) -> Iterator[_Sum]:
    """An amount times a stated fraction, percentage, multiple or count, or parted into a stated count."""
    for amount, by in permutations(figures, 2):
        if amount.written.percent or amount.written.unit == "times" or amount.written.is_part:
            continue
        if not amount.named and len(figures) > FREE_FIGURES:
            continue
        both = (amount, by)
        if by.written.is_part or by.written.unit == "times":
            yield _Sum("figure_1 * figure_2", both, amount.value * by.value, amount)
        elif by.written.percent:
            yield from _shares_of(both, told)
        elif not by.written.unit and by.value == by.value.to_integral_value() and by.value <= 1000:
            if "each" in told:
                yield _Sum("figure_1 / figure_2", both, _EXACT.divide(amount.value, by.value), amount)
            if "total" in told and amount.written.unit:
                yield _Sum("figure_1 * figure_2", both, amount.value * by.value, amount)


def _shares_of(both: tuple[_Figure, _Figure], told: frozenset[str]) -> Iterator[_Sum]:
    amount, part = both[0], both[1].value / 100
    yield _Sum("figure_1 * figure_2 / 100", both, amount.value * part, amount)
    if "added" in told:
        yield _Sum("figure_1 * (1 + figure_2 / 100)", both, amount.value * (1 + part), amount)
    if "taken" in told:
        yield _Sum("figure_1 * (1 - figure_2 / 100)", both, amount.value * (1 - part), amount)


def _groups(figures: Sequence[_Figure], told: frozenset[str]) -> Iterator[_Sum]:
    """The total or the average of all figures of one unit, of one column, or of all that the sentence names."""
    columns: dict[tuple[int, int], list[_Figure]] = {}
    for figure in figures:
        if figure.stated.cell is not None:
            columns.setdefault((figure.stated.cell[0], figure.stated.cell[2]), []).append(figure)
    for group in (list(figures), [figure for figure in figures if figure.named], *columns.values()):
        for unit in dict.fromkeys(figure.written.unit for figure in group):
            alike = tuple(figure for figure in group if figure.written.unit == unit)
            if len(alike) < 2:
                continue
            whole = sum((figure.value for figure in alike), Decimal(0))
            names = [f"figure_{place}" for place in range(1, len(alike) + 1)]
            if "total" in told and len(alike) > 2:
                yield _Sum(" + ".join(names), alike, whole, alike[0])
            if "mean" in told:
                mean = _EXACT.divide(whole, Decimal(len(alike)))
                yield _Sum(f"average({', '.join(names)})", alike, mean, alike[0])


def _account(found: _Sum, number: Quantity) -> DraftCalculation:
    return DraftCalculation(found.expression, tuple(_operands(found.figures)), number.text)


def _operands(figures: Iterable[_Figure]) -> Iterator[DraftOperand]:
    for place, figure in enumerate(figures, 1):
        yield DraftOperand(f"figure_{place}", figure.written.text, quote=figure.stated.quote)
