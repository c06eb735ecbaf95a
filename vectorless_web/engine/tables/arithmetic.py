"""A safe evaluator of arithmetic in exact decimals: what a shown calculation is recomputed with."""

import ast
import operator
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException

from vectorless_web.engine.errors import InvalidInput

MAX_EXPRESSION = 1200
"""Characters of the longest expression that is evaluated."""

MAX_DIGITS = 60
"""Digits before or behind the point that a power or a result may have: beyond any amount, and quick to work out."""

_CONTEXT = Context(prec=34)
"""34 decimal digits, those of IEEE 754 decimal128: no sum of filed figures needs more, and 1/3 still ends."""


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    """`base` to the power of `exponent`, refused before it is worked out when it would be too long a number."""
    digits = abs(_CONTEXT.log10(abs(base))) * abs(exponent) if base else Decimal(0)
    if abs(exponent) > 1000 or digits > MAX_DIGITS:
        raise _make_refusal("The calculation has too large a power.")
    return _CONTEXT.power(base, exponent)


def _root(base: Decimal, degree: Decimal = Decimal(2)) -> Decimal:
    return _CONTEXT.sqrt(base) if degree == 2 else _power(base, _CONTEXT.divide(Decimal(1), degree))


def _mean(*values: Decimal) -> Decimal:
    return _CONTEXT.divide(sum(values, Decimal(0)), Decimal(len(values)))


def _round_to(value: Decimal, decimals: Decimal = Decimal(0)) -> Decimal:
    return round_half_up(value, max(-12, min(12, int(decimals))))


_BINARY: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: _CONTEXT.add,
    ast.Sub: _CONTEXT.subtract,
    ast.Mult: _CONTEXT.multiply,
    ast.Div: _CONTEXT.divide,
    ast.Pow: _power,
}
_UNARY: dict[type[ast.unaryop], Callable[[Decimal], Decimal]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_CALLS: dict[str, Callable[..., Decimal]] = {
    "abs": abs,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "average": _mean,
    "avg": _mean,
    "mean": _mean,
    "sum": lambda *values: sum(values, Decimal(0)),
    "round": _round_to,
    "sqrt": _root,
    "root": _root,
}


def evaluate(expression: str, names: Mapping[str, Decimal]) -> Decimal:
    """The value of `expression` over `names`, to 34 significant digits.

    Allowed are numbers, names, + - * / and powers (`**` or `^`), parentheses and the calls abs,
    min, max, sum, average (avg, mean), round(x, decimals), sqrt(x) and root(x, degree).
    Anything else, a division by zero, a power or result of more than MAX_DIGITS digits or
    an unknown name raises InvalidInput (`bad_calculation`).
    """
    try:
        found = _value(_parse_expression(expression).body, names)
    except (RecursionError, TypeError) as error:
        raise _make_refusal("The calculation is not plain arithmetic.") from error
    except (DecimalException, OverflowError, ValueError) as error:
        raise _make_refusal("The calculation divides by zero or leaves the range of numbers.") from error
    if not found.is_finite() or (found and abs(found.adjusted()) > MAX_DIGITS):
        raise _make_refusal("The calculation divides by zero or leaves the range of numbers.")
    return found


def evaluate_steps(expression: str, names: Mapping[str, Decimal]) -> tuple[Decimal, ...]:
    """The values of operations and constants in an expression that `evaluate` takes: 5,890, 19, 150, 131, 310 of
    (150 - 131) * 310."""
    parts = ast.walk(_parse_expression(expression).body)
    return tuple(_value(part, names) for part in parts if isinstance(part, ast.BinOp | ast.Call | ast.Constant))


def round_half_up(value: Decimal, decimals: int) -> Decimal:
    """`value` rounded half up, once, to that many decimals."""
    return value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP, context=_CONTEXT)


def _parse_expression(expression: str) -> ast.Expression:
    if len(expression) > MAX_EXPRESSION:
        raise _make_refusal("The calculation is too long.")
    try:
        return ast.parse(expression.replace("^", "**").strip(), mode="eval")
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise _make_refusal("The calculation is not plain arithmetic.") from error


def _value(node: ast.expr, names: Mapping[str, Decimal]) -> Decimal:
    if isinstance(node, ast.Constant):
        return _constant(node)
    if isinstance(node, ast.Name):
        return _look_up_name(node.id, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.Call):
        return _evaluate_call(node, names)
    raise _make_refusal("The calculation is not plain arithmetic.")


def _constant(node: ast.Constant) -> Decimal:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise _make_refusal("The calculation is not plain arithmetic.")
    return Decimal(str(node.value))


def _look_up_name(name: str, names: Mapping[str, Decimal]) -> Decimal:
    if name not in names:
        raise _make_refusal(f"The calculation uses {name}, which has no figure.")
    return names[name]


def _evaluate_call(node: ast.Call, names: Mapping[str, Decimal]) -> Decimal:
    if not isinstance(node.func, ast.Name) or node.func.id not in _CALLS or node.keywords or not node.args:
        raise _make_refusal("The calculation is not plain arithmetic.")
    return _CALLS[node.func.id](*(_value(argument, names) for argument in node.args))


def _make_refusal(message: str) -> InvalidInput:
    return InvalidInput(message, code="bad_calculation")
