"""Units and scales through a calculation: what the value of an expression over measured amounts is told in."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.tables.units import scale_name


@dataclass(frozen=True, slots=True)
class Measure:
    """The unit of a number ("USD", "%", "" for none) and the scale it is told at, which a percentage has none of."""

    unit: str = ""
    scale: Decimal = Decimal(1)
    is_plain: bool = False
    """Whether it is that of a number which is written out."""

    @property
    def words(self) -> str:
        """Scale and unit: "million USD"."""
        return " ".join(filter(None, (scale_name(self.scale), self.unit)))


_STEPS = tuple(map(Decimal, (1000, 1_000_000, 1_000_000_000)))
"""Plain factors that bring an amount of a scale to another scale: 8,738 million / 1000 is 8.738 billion."""


def measure_expression(expression: str, measures: Mapping[str, Measure]) -> Measure:
    """Unit and scale of the value of an expression that `evaluate` takes, over the measures of its names.

    InvalidInput when amounts of different units are added or compared.
    """
    return _measure_of(ast.parse(expression, mode="eval").body, measures)


def _measure_of(node: ast.expr, measures: Mapping[str, Measure]) -> Measure:
    match node:
        case ast.Name():
            return measures.get(node.id, Measure())
        case ast.UnaryOp():
            return _measure_of(node.operand, measures)
        case ast.Call():
            return _agree([_measure_of(argument, measures) for argument in node.args])
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return _agree([_measure_of(node.left, measures), _measure_of(node.right, measures)])
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return _join(node, _measure_of(node.left, measures), _measure_of(node.right, measures))
        case _:
            return Measure(is_plain=not isinstance(node, ast.BinOp))


def _join(node: ast.BinOp, left: Measure, right: Measure) -> Measure:
    """The measure of a product or quotient; of two amounts with a unit it has none.

    Nor has a quotient by an amount with a scale alone: rows of money often print no sign.
    A plain number that is a step between scales changes the scale of an amount, any other changes nothing.
    """
    is_quotient = isinstance(node.op, ast.Div)
    if right.is_plain or (left.is_plain and not is_quotient):
        number, amount = (node.right, left) if right.is_plain else (node.left, right)
        step = Decimal(str(number.value)) if isinstance(number, ast.Constant) else None
        scale = amount.scale * step if step and is_quotient else amount.scale / step if step else None
        is_step = step in _STEPS and amount.scale in _STEPS and amount.unit and scale in (1, *_STEPS)
        return replace(amount, scale=scale) if is_step and scale else amount
    if is_quotient:
        return Measure("" if right.unit or right.scale != 1 else left.unit, left.scale / right.scale)
    return Measure("" if left.unit and right.unit else left.unit or right.unit, left.scale * right.scale)


def _agree(measures: Sequence[Measure]) -> Measure:
    """The measure of a sum: plain numbers have that of the amounts beside them."""
    units = list(dict.fromkeys(measure.unit for measure in measures if measure.unit))
    if len(units) > 1:
        raise InvalidInput(f"The units differ: {' and '.join(units)} cannot be added or subtracted.")
    amounts = [measure for measure in measures if not measure.is_plain]
    scale = max((measure.scale for measure in amounts), default=Decimal(1))
    return Measure(units[0] if units else "", scale, is_plain=not amounts)
