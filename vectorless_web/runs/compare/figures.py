"""Figures of two runs side by side, with how far apart they are where their units agree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _

from vectorless_web.engine.text.numbers import numbers_in
from vectorless_web.engine.text.units import missing_unit, unit_word, with_unit
from vectorless_web.runs.models import Answer, Claim

SCALES = {Decimal(10**3): "thousand", Decimal(10**6): "million", Decimal(10**9): "billion", Decimal(10**12): "trillion"}
MOST_DIGITS = 6
"""Digits shown after the point."""
COUNTED_DIGITS = 24
"""A figure with more digits is shown, and not counted with: decimal arithmetic would round it."""
SPACE, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


@dataclass(frozen=True)
class WrittenFigure:
    """A figure as written. `amount` is None when the text does not hold exactly one number that can be counted with.

    `amount` includes the scale ("million"); a percentage stands as it is written. `currency` is an
    ISO code or "", `unit` any other word of its unit.
    """

    text: str
    amount: Decimal | None = None
    scale: Decimal = Decimal(1)
    currency: str = ""
    percent: bool = False
    unit: str = ""

    def agrees_with(self, other: "WrittenFigure") -> bool:
        """Whether the two count the same thing, so that one can be taken from the other."""
        return (self.currency, self.percent, self.unit) == (other.currency, other.percent, other.unit)


@dataclass(frozen=True)
class FigureRow:
    """One figure of both sides; `difference` and `share` say how far B is from A, "" where that cannot be said."""

    name: str
    a: str
    b: str
    same: bool
    difference: str = ""
    share: str = ""


def read_figure(text: str, unit: str = "") -> WrittenFigure:
    """Read a figure and the unit that stands apart from it, as in "1,402" and "USD million".

    What the figure says itself counts once: "$220 million" in "USD million" is 220 million.
    """
    numbers = numbers_in(text)
    shown = with_unit(text, unit)
    if len(numbers) != 1 or sum(map(str.isdigit, numbers[0].text)) > COUNTED_DIGITS:
        return WrittenFigure(shown)
    number = numbers[0]
    scale, currency, percent = number.scale, number.currency, number.percent
    left: list[str] = []
    for word in [*(text[: number.start] + " " + text[number.end :]).split(), *missing_unit(text, unit).split()]:
        said = unit_word(word)
        scale, currency, percent = scale * said.scale, currency or said.currency, percent or said.percent
        if not said.is_known:
            left.append(word.casefold().strip(".,;:"))
    amount = number.value * (scale / number.scale)
    return WrittenFigure(shown, amount, scale, currency, percent, " ".join(left))


def figure_row(name: str, a: WrittenFigure | None, b: WrittenFigure | None) -> FigureRow:
    """Both figures with their difference, B less A."""
    row = FigureRow(name, a.text if a else "", b.text if b else "", same=bool(a and b and a.text == b.text))
    if a is None or b is None or a.amount is None or b.amount is None or not a.agrees_with(b):
        return row
    apart = b.amount - a.amount
    if not apart:
        return FigureRow(name, row.a, row.b, same=True)
    return FigureRow(
        name, row.a, row.b, False, _format_safely(_difference, apart, a, b), _format_safely(_format_share, apart, a)
    )


def figure_rows(answers: tuple[Answer | None, Answer | None], claims: Sequence[tuple[Claim, Claim]]) -> list[FigureRow]:
    """The answers' values, then the operands and results of calculations that stand in claims of the same place."""
    rows = [figure_row(_("Answer"), *(_value(answer) for answer in answers))]
    for pair in claims:
        first, second = (claim.calculation or {} for claim in pair)
        if first and second:
            rows += _operands(first, second)
            rows.append(figure_row(_("Result"), _result(first), _result(second)))
    shown: dict[tuple[str, str], FigureRow] = {}
    for row in rows:
        if row.a or row.b:
            shown.setdefault((row.a, row.b), row)
    return list(shown.values())


def _value(answer: Answer | None) -> WrittenFigure | None:
    return read_figure(answer.value) if answer and answer.value else None


def _result(calculation: Mapping[str, Any]) -> WrittenFigure:
    return read_figure(str(calculation.get("result", "")), str(calculation.get("unit") or ""))


def _operands(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[FigureRow]:
    sides = [{row["name"]: row for row in side.get("operands", [])} for side in (first, second)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    return [figure_row(name.replace("_", " "), *(_operand(side.get(name)) for side in sides)) for name in names]


def _operand(row: Mapping[str, Any] | None) -> WrittenFigure | None:
    return read_figure(str(row.get("value", "")), str(row.get("unit") or "")) if row else None


def _difference(apart: Decimal, a: WrittenFigure, b: WrittenFigure) -> str:
    scale = min(a.scale, b.scale)
    scale = scale if scale in SCALES else Decimal(1)
    digits = max(_digits(figure, scale) for figure in (a, b))
    words = [_format_signed(apart / scale, digits)]
    if a.percent:
        words.append(_("percentage points"))
    words += [SCALES.get(scale, ""), a.currency, a.unit]
    return SPACE.join(word for word in words if word)


def _format_share(apart: Decimal, a: WrittenFigure) -> str:
    if a.percent or not a.amount:
        return ""
    return f"{_format_signed(100 * apart / abs(a.amount), 1)}{SPACE}%"


def _format_safely(work_out: Callable[..., str], *figures: Decimal | WrittenFigure) -> str:
    """What is worked out, "" when the figures lie too far apart: models write them, at any length."""
    try:
        return work_out(*figures)
    except ArithmeticError:
        return ""


def _digits(figure: WrittenFigure, scale: Decimal) -> int:
    """Digits after the point in which a figure was written, counted in `scale`."""
    exponent = ((figure.amount or Decimal(0)) / scale).normalize().as_tuple().exponent
    return min(max(0, -int(exponent)), MOST_DIGITS)


def _format_signed(number: Decimal, digits: int) -> str:
    sign = MINUS if number < 0 else "+"
    return sign + formats.number_format(abs(round(number, digits)), digits, use_l10n=True, force_grouping=True)
