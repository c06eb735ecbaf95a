"""A calculation as a model writes it, brought to names and plain arithmetic that can be checked."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vectorless_web.engine.reasoner.planner import DraftCalculation, DraftOperand
from vectorless_web.engine.text.numbers import numbers_in

_SIGNS = str.maketrans(
    {"×": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "·": "*", "[": "(", "]": ")", "{": "(", "}": ")"}
)
_NUMBER = re.compile(r"(?<![\w.])\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w.])|(?<![\w.])\$?\d+(?:\.\d+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d]\w*")
_SMALL = 1000
"""A bare number below this with no thousands mark is a constant, to be judged as one."""


def drafted(row: Mapping[str, Any], quotes: Mapping[int, int]) -> DraftCalculation:
    """The calculation over plain names. `quotes` maps the model's index of a quote to the draft's.

    Names with spaces get underscores; a figure written into the expression becomes an
    operand of its own, which must then stand in a quote like any other.
    """
    expression = str(row["expression"]).translate(_SIGNS).rsplit("=", 1)[-1 if _is_named(row["expression"]) else 0]
    operands: list[DraftOperand] = []
    for operand in sorted(row["operands"], key=lambda operand: -len(operand["name"])):
        name = _plain_name(operand["name"], operands)
        expression = _replaced(expression, operand["name"], name)
        operands.append(DraftOperand(name, operand["value"], quote=quotes.get(operand["quote"], 0)))
    order = {_plain_name(operand["name"], ()): place for place, operand in enumerate(row["operands"])}
    operands.sort(key=lambda operand: order.get(operand.name, len(order)))
    expression, written = _written_out(expression, operands)
    return DraftCalculation(expression.strip(), (*operands, *written), str(row["result"]))


def _is_named(expression: str) -> bool:
    """Whether the expression begins with the name of its result: "growth = (a - b) / b"."""
    left, parted, _ = str(expression).partition("=")
    return bool(parted) and not any(sign in left for sign in "+*/-(")


def _plain_name(name: str, taken: Sequence[DraftOperand]) -> str:
    plain = re.sub(r"\W+", "_", name).strip("_")
    plain = plain if _WORD.fullmatch(plain) else f"n_{plain}" if plain else "n"
    return plain if all(operand.name != plain for operand in taken) else f"{plain}_{len(taken) + 1}"


def _replaced(expression: str, name: str, plain: str) -> str:
    if name == plain:
        return expression
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", plain, expression)


def _written_out(expression: str, operands: Sequence[DraftOperand]) -> tuple[str, list[DraftOperand]]:
    """Figures that stand in the expression itself, put behind names."""
    known = {_amount(operand.value): operand.name for operand in operands}
    found: list[DraftOperand] = []

    def named(match: re.Match[str]) -> str:
        text = match.group()
        if text in known:
            return known[text]
        if _amount(text) in known:
            return known[_amount(text)]
        if "," not in text and "$" not in text and float(text) <= _SMALL:
            return text
        found.append(DraftOperand(f"figure_{len(found) + 1}", text, quote=0))
        known[_amount(text)] = found[-1].name
        return found[-1].name

    return _NUMBER.sub(named, expression), found


def _amount(text: str) -> str:
    numbers = numbers_in(text)
    return f"{abs(numbers[0].value):f}" if numbers else text
