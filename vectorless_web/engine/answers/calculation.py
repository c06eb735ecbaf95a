"""Works out a calculation from figures: an account whose every operand stands in a quoted row."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.answers.claims import DraftCalculation, DraftClaim, DraftOperand, DraftQuote
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.figures.arithmetic import evaluate, round_half_up
from vectorless_web.engine.figures.figure import Figure, amount_words, format_number
from vectorless_web.engine.figures.units import scale_name
from vectorless_web.engine.questions.plan import Formula, Period, QueryPlan, UnitRequest

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


def work_out(plan: QueryPlan, formula: Formula, figures: Mapping[int, Figure]) -> CalculationResult | None:
    """The formula over the figures found (by index of need); None when it cannot be computed.

    One missing addend of three or more is left out, and `left_out` names its concept: a
    balance sheet shows no line for what a company does not have.
    """
    missing = [name for name, index in formula.operands if index not in figures]
    if missing:
        reduced = without_addend(formula, missing[0]) if len(missing) == 1 else None
        result = work_out(plan, reduced, figures) if reduced else None
        index = dict(formula.operands)[missing[0]]
        left_out = plan.figures[index].concept
        return replace(result, left_out=left_out, needs=(*result.needs, index)) if result else None
    used = [(name, figures[index]) for name, index in formula.operands]
    quotes, places = quote_rows([figure for _, figure in used])
    same_scale = len({figure.scale for _, figure in used if not figure.percent}) <= 1
    operands = tuple(make_operand(name, figure, places[_row(figure)], same_scale) for name, figure in used)
    values = {name: figure.amount if same_scale else figure.value for name, figure in used}
    try:
        value = evaluate(formula.expression, values)
        degree = degree_of(formula.expression, {name: 0 if figure.percent else 1 for name, figure in used})
    except InvalidInput:
        return None
    scale = used[0][1].scale if same_scale and used else Decimal(1)
    text = _format_result(value, plan, formula, degree=degree, scale=scale, currency=_currency(used))
    calculation = DraftCalculation(formula.expression, operands, text, _unit(degree, used, scale))
    fit = sum(figure.fit for _, figure in used) / len(used)
    return CalculationResult(
        text, value, calculation, quotes, fit=fit, needs=tuple(index for _, index in formula.operands)
    )


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
    if unit.percent:
        return f"{_format_decimals(value * _HUNDRED, unit.decimals, 1)}%"
    return _format_decimals(value, unit.decimals, 2)


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


def claim_of(result: CalculationResult, name: str, when: str) -> DraftClaim:
    """The claim that states a result first, then what it is."""
    what = f"{name}, {when}" if when else name
    return make_claim(f"{result.text}: {what}{describe_omission(result)}.", result)


def make_claim(text: str, result: CalculationResult) -> DraftClaim:
    """A claim that tells a result in these words."""
    return DraftClaim(text, result.quotes, result.calculation, result.fit, result.needs)


def describe_omission(result: CalculationResult) -> str:
    """What a sum was worked out without, in words."""
    return f", without {result.left_out}, for which no figure is shown" if result.left_out else ""
