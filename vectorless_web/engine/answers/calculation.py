"""Works out a calculation from figures: an account whose every operand stands in a quoted row."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from vectorless_web.engine.answers.claims import DraftCalculation, DraftClaim, DraftOperand, DraftQuote, Signal
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.figures.arithmetic import evaluate, round_half_up
from vectorless_web.engine.figures.figure import Figure, amount_words, format_number
from vectorless_web.engine.figures.units import scale_name
from vectorless_web.engine.questions.plan import Formula, Period, QueryPlan, UnitRequest
from vectorless_web.engine.text.analyser import analyse

_HUNDREDFOLD = re.compile(r"\b100\b")
_DAYS_NAME = re.compile(r"\bdays\b|\bDPO\b|\bDSO\b|\bDIO\b|conversion cycle", re.I)
_HUNDRED = Decimal(100)
"""Turns a share into percent."""


@dataclass(frozen=True, slots=True)
class CalculationResult:
    """A worked-out value: `text` as shown ("24.26", "5.3%", "$3,215 million"), `value` exact, with its account."""

    text: str
    value: Decimal
    calculation: DraftCalculation
    quotes: tuple[DraftQuote, ...]
    left_out: str = ""
    fit: float = 0.0
    needs: tuple[int, ...] = ()
    degree: int = 0
    scale: Decimal = Decimal(1)


def work_out(plan: QueryPlan, formula: Formula, figures: Mapping[int, Figure]) -> CalculationResult | None:
    """The formula over the figures found (by index of need); None when it cannot be computed.

    One missing addend of three or more is left out, and `left_out` names its concept: a
    balance sheet shows no line for what a company does not have. An addend that another
    row already includes is left out without a word.
    """
    for name, index in formula.operands:
        state = _addend_state(plan, formula, index, figures)
        if state is _Addend.USED:
            continue
        reduced = without_addend(formula, name)
        kept = {place: figure for place, figure in figures.items() if place != index}
        result = work_out(plan, reduced, kept) if reduced else None
        if result is None or (state is _Addend.MISSING and result.left_out):
            return None
        left_out = result.left_out if state is _Addend.INCLUDED else plan.figures[index].concept
        return replace(result, left_out=left_out, needs=(*result.needs, index))
    used = [(name, figures[index]) for name, index in formula.operands]
    degrees = {name: 0 if figure.percent else 1 for name, figure in used}
    if degree_of(formula.expression, degrees) == 0 and _is_scale_unsaid(plan, formula, figures):
        used = [(name, replace(figure, scale=Decimal(1))) for name, figure in used]
    quotes, places = quote_rows([figure for _, figure in used])
    same_scale = len({figure.scale for _, figure in used if not figure.percent}) <= 1
    operands = tuple(make_operand(name, figure, places[_row(figure)], same_scale) for name, figure in used)
    values = {name: figure.amount if same_scale else figure.value for name, figure in used}
    try:
        value = evaluate(formula.expression, values)
        degree = degree_of(formula.expression, degrees)
    except InvalidInput:
        return None
    scale = used[0][1].scale if same_scale and used else Decimal(1)
    text = _format_result(value, plan, formula, degree=degree, scale=scale, currency=_currency(used))
    calculation = DraftCalculation(formula.expression, operands, text, _unit(degree, used, scale))
    fit = sum(figure.fit for _, figure in used) / len(used)
    return CalculationResult(
        text,
        value,
        calculation,
        quotes,
        fit=fit,
        needs=tuple(index for _, index in formula.operands),
        degree=degree,
        scale=scale,
    )


def _is_scale_unsaid(plan: QueryPlan, formula: Formula, figures: Mapping[int, Figure]) -> bool:
    """Whether one statement of a document says its scale and another does not: in a ratio both have the same."""
    pairs = [(plan.figures[index], figures[index]) for _, index in formula.operands]
    scales = {figure.scale for _, figure in pairs}
    return (
        Decimal(1) in scales
        and len(scales - {Decimal(1)}) == 1
        and len({figure.document for _, figure in pairs}) == 1
        and all(need.statement and figure.fit >= LEAST_STATED and figure.currency for need, figure in pairs)
    )


LEAST_STATED = 0.9
"""Fit of a row that stands in the item's own primary statement; one of a note or another statement fits less."""


class _Addend(StrEnum):
    """How an operand stands: found, part of another row, not found though it need not be, not found."""

    USED = "used"
    INCLUDED = "included"
    SPARED = "spared"
    MISSING = "missing"


def _addend_state(plan: QueryPlan, formula: Formula, index: int, figures: Mapping[int, Figure]) -> _Addend:
    need, figure = plan.figures[index], figures.get(index)
    if not need.included_in:
        return _Addend.USED if figure is not None else _Addend.MISSING
    kind = analyse(need.concept)[0]
    holders = [
        figures[place]
        for _, place in formula.operands
        if place in figures and plan.figures[place].concept == need.included_in
    ]
    if any(kind in analyse(holder.label) for holder in holders):
        return _Addend.INCLUDED
    return _Addend.USED if figure is not None and figure.fit >= LEAST_SPARED else _Addend.SPARED


LEAST_SPARED = 0.8
"""Fit of a row that is added where another row may include it: it must be nearly the item itself."""


def without_addend(formula: Formula, name: str) -> Formula | None:
    """The formula without one addend of a sum of at least three; None when the name is anything else in it."""
    top = ast.parse(formula.expression, mode="eval").body
    sums = [node for node in ast.walk(top) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)]
    chains = [addends for node in sums if len(addends := _split_addends(node)) >= 3]
    if not any(isinstance(addend, ast.Name) and addend.id == name for chain in chains for addend in chain):
        return None
    kept = ast.unparse(_Without(name).visit(top))
    return replace(formula, expression=kept, operands=tuple(o for o in formula.operands if o[0] != name))


def _split_addends(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_split_addends(node.left), *_split_addends(node.right)]
    return [node]


class _Without(ast.NodeTransformer):
    """Takes one name out of the sums it is an addend of."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """A sum with the name on one side becomes its other side."""
        if isinstance(node.op, ast.Add):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(side, ast.Name) and side.id == self._name:
                    kept: ast.expr = self.visit(other)
                    return kept
        self.generic_visit(node)
        return node


def degree_of(expression: str, degrees: Mapping[str, int]) -> int:
    """The power of money (or of the operands' unit) in an expression: 1 for an amount, 0 for a ratio.

    Dimensional analysis over the syntax tree: + and - keep it, * adds, / subtracts.
    """
    return _degree(ast.parse(expression, mode="eval").body, degrees)


def _degree(node: ast.expr, degrees: Mapping[str, int]) -> int:
    if isinstance(node, ast.Name):
        return degrees.get(node.id, 0)
    if isinstance(node, ast.UnaryOp):
        return _degree(node.operand, degrees)
    if isinstance(node, ast.Call):
        return max((_degree(argument, degrees) for argument in node.args), default=0)
    if not isinstance(node, ast.BinOp):
        return 0
    left, right = _degree(node.left, degrees), _degree(node.right, degrees)
    if isinstance(node.op, ast.Mult):
        return left + right
    return left - right if isinstance(node.op, ast.Div) else max(left, right)


def quote_rows(figures: Sequence[Figure]) -> tuple[tuple[DraftQuote, ...], dict[tuple[str, int, int], int]]:
    """One quote per row, in order of use, and where each row stands among them."""
    places: dict[tuple[str, int, int], int] = {}
    quotes: list[DraftQuote] = []
    for figure in figures:
        if _row(figure) not in places:
            places[_row(figure)] = len(quotes)
            quotes.append(quote_of(figure))
    return tuple(quotes), places


def quote_of(figure: Figure) -> DraftQuote:
    """The figure's whole row as a quote."""
    return DraftQuote(figure.document, figure.key, figure.quote, figure.start, figure.where)


def _row(figure: Figure) -> tuple[str, int, int]:
    return figure.document, figure.key, figure.start


def make_operand(name: str, figure: Figure, place: int, same_scale: bool) -> DraftOperand:
    """A figure as an operand: as printed where all figures have one scale, else with its scale in words."""
    if figure.percent:
        return DraftOperand(name, f"{format_number(figure.amount)}%", "", place)
    if same_scale or figure.scale == 1:
        return DraftOperand(name, format_number(figure.amount), _unit_words(figure), place)
    return DraftOperand(name, amount_words(figure.value, scale=figure.scale), figure.currency, place)


def _unit_words(figure: Figure) -> str:
    return " ".join(part for part in (figure.currency, scale_name(figure.scale)) if part)


def _currency(used: Sequence[tuple[str, Figure]]) -> str:
    return next((figure.currency for _, figure in used if figure.currency), "")


def _unit(degree: int, used: Sequence[tuple[str, Figure]], scale: Decimal) -> str:
    return " ".join(part for part in (_currency(used), scale_name(scale)) if part) if degree == 1 else ""


def _format_result(
    value: Decimal, plan: QueryPlan, formula: Formula, *, degree: int, scale: Decimal, currency: str
) -> str:
    unit = plan.unit or UnitRequest()
    if degree == 1:
        return format_amount(value * scale, unit, printed=scale, currency=currency)
    if _DAYS_NAME.search(formula.name):
        return f"{_format_decimals(value, unit.decimals, 2)} days"
    if _HUNDREDFOLD.search(formula.expression):
        points = " percentage points" if formula.name.startswith("change in") else "%"
        return f"{_format_decimals(value, unit.decimals, 1)}{points}"
    if unit.percent or (formula.is_share and unit.decimals is None):
        return f"{_format_decimals(value * _HUNDRED, unit.decimals, 1)}%"
    is_small = bool(value) and abs(value) < SMALL
    return _format_decimals(value, unit.decimals, 4 if is_small else 2)


SMALL = Decimal("0.1")
"""A ratio below which two decimals hold one digit or none."""


def _format_decimals(value: Decimal, asked: int | None, usual: int) -> str:
    return f"{round_half_up(value, usual if asked is None else asked):,f}"


def format_amount(value: Decimal, unit: UnitRequest, *, printed: Decimal, currency: str) -> str:
    """An amount in the unit asked for, else as printed; rounded only when decimals were asked for."""
    scale = Decimal(str(int(unit.scale))) if unit.scale else printed
    code = unit.currency or currency
    if unit.decimals is not None:
        value = round_half_up(value / scale, unit.decimals) * scale
    return amount_words(value, scale=scale, currency=code)


def format_figure(figure: Figure, unit: UnitRequest | None) -> str:
    """A figure with its unit, in the one asked for if any: "$2,515 thousand", "12.4%", "400 mg"."""
    if figure.percent:
        return f"{format_number(figure.amount)}%"
    amount = format_amount(figure.value, unit or UnitRequest(), printed=figure.scale, currency=figure.currency)
    return f"{amount} {figure.unit}".strip()


def period_words(period: Period | None) -> str:
    """A period as asked: "FY2019", "Q2 2023"."""
    if period is None:
        return ""
    return period.text or (f"Q{period.quarter} {period.year}" if period.quarter else str(period.year))


def claim_of(result: CalculationResult, name: str, when: str, ways: "OtherWays | None" = None) -> DraftClaim:
    """The claim that states a result first, then what it is, how it was worked out, and what other ways give."""
    what = f"{name}, {when}" if when else name
    told = ways or OtherWays()
    return make_claim(f"{result.text}: {what}{told.text}{describe_omission(result)}.", result, told)


@dataclass(frozen=True, slots=True)
class OtherWays:
    """The definition taken, in words, and what other ways in use come to, with their accounts."""

    text: str = ""
    results: tuple[CalculationResult, ...] = ()
    definition: str = ""


def work_out_others(
    plan: QueryPlan, formula: Formula, figures: Mapping[int, Figure], result: CalculationResult
) -> OtherWays:
    """The definition of a known formula and the other ways that come to another figure."""
    if not formula.words:
        return OtherWays()
    words, used = formula.words, {operand.name for operand in result.calculation.operands}
    for name, index in formula.operands:
        words = words if name in used else words.replace(f" + {plan.figures[index].concept}", "")
    words += _tell_balances(words, [figures[index] for name, index in formula.operands if name in used])
    told, results = [], []
    for way in formula.others:
        named = replace(way, name=formula.name, is_share=formula.is_share)
        other = work_out(plan, named, figures)
        if other is not None and not other.left_out and other.text != result.text:
            told.append(f"; {way.name} it is {other.text}")
            results.append(other)
    return OtherWays(f" ({words}{''.join(told)})", tuple(results), words)


def _tell_balances(words: str, figures: Sequence[Figure]) -> str:
    """The years whose balances an average was taken of: ", balances of 2022 and 2023"."""
    rows: dict[tuple[str, int, int], set[str]] = {}
    for figure in figures:
        rows.setdefault(_row(figure), set()).add(figure.period)
    years = sorted(set().union(*(periods for periods in rows.values() if len(periods) > 1)) - {""})
    return f", balances of {years[0]} and {years[-1]}" if "average " in words and len(years) > 1 else ""


def make_claim(text: str, result: CalculationResult, ways: OtherWays | None = None) -> DraftClaim:
    """A claim that tells a result in these words, with the accounts of the other ways that it tells."""
    quotes, calculation = list(result.quotes), result.calculation
    for other in ways.results if ways else ():
        quotes.extend(quote for quote in other.quotes if quote not in quotes)
        operands = tuple(
            replace(operand, quote=quotes.index(other.quotes[operand.quote])) for operand in other.calculation.operands
        )
        calculation = replace(calculation, more=(*calculation.more, replace(other.calculation, operands=operands)))
    asides = (ways.definition,) if ways and ways.definition else ()
    signals = (Signal("is_formula", 1.0), Signal("formula_fit", min(1.0, result.fit)))
    return DraftClaim(text, tuple(quotes), calculation, result.fit, result.needs, signals, asides)


def describe_omission(result: CalculationResult) -> str:
    """What a sum was worked out without, in words."""
    return f", without {result.left_out}, for which no figure is shown" if result.left_out else ""
