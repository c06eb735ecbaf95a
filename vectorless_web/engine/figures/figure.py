"""A figure: one table cell that states a number, its unit, and how its value is written for a reader."""

from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.figures.arithmetic import round_half_up
from vectorless_web.engine.figures.units import scale_name


@dataclass(frozen=True, slots=True)
class Figure:
    """One table cell that states a figure, with everything needed to read it.

    `amount` is the number as printed (parentheses negative); `scale` multiplies it into
    units (1000000 for a table in millions). `start`/`end` delimit the whole row in the
    node's text and `quote` is that row, verbatim. `need` is the index of the figure
    wanted (`QueryPlan.figures`), or -1. `fit` in [0, 1] says how well item, period and
    statement agree with the question.
    """

    document: str
    key: int
    page_index: int
    label: str
    column: str
    period: str
    amount: Decimal
    scale: Decimal
    currency: str
    percent: bool
    per_share: bool
    quote: str
    start: int
    end: int
    where: str
    fit: float
    need: int = -1
    unit: str = ""
    """What is counted or measured, as printed beside the number or in its header ("mg", "days"); "" for money."""

    @property
    def value(self) -> Decimal:
        """The figure in units: amount x scale."""
        return self.amount * self.scale


_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}


def format_number(value: Decimal) -> str:
    """A number with thousands separators and no exponent: 1577 -> "1,577"; trailing zeros go."""
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def amount_words(value: Decimal, *, scale: Decimal = Decimal(1), currency: str = "") -> str:
    """An amount in words: 1577000000 at scale 1000000 in USD gives "$1,577 million"; negative "-$473 million"."""
    shown = value / scale
    if shown != shown.to_integral_value():
        shown = _trim_decimals(shown)
    sign = "-" if shown < 0 else ""
    symbol = _SYMBOLS.get(currency, f"{currency} " if currency else "")
    name = scale_name(scale)
    return f"{sign}{symbol}{format_number(abs(shown))}" + (f" {name}" if name else "")


def _trim_decimals(value: Decimal) -> Decimal:
    """At most the four decimals a reader can use; fewer when the number is large."""
    decimals = 2 if abs(value) >= 100 else 3 if abs(value) >= 1 else 4
    return round_half_up(value, decimals)
