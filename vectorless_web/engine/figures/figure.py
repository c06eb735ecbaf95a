"""A figure: one table cell that states a number, its unit, and how its value is written for a reader."""

import re
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.figures.arithmetic import round_half_up


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


THOUSAND, MILLION, BILLION = Decimal(1000), Decimal(1_000_000), Decimal(1_000_000_000)

_MONEY = r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|AUD|CAD|RMB))"
_SCALE_WORDS = (
    (re.compile(rf"\bbillions?\b|\bbn\b|{_MONEY}\s?bn\b", re.I), BILLION),
    (re.compile(rf"\bmillions?\b|\bmn\b|{_MONEY}\s?['’]?(?:mn?|mm)\b", re.I), MILLION),
    (re.compile(r"\b[A-Z]{2,3}\s?['’]?\s?(?:[mM]{1,2}|Mio)\b"), MILLION),
)
_THOUSANDS = re.compile(rf"\bthousands?\b|\b000(?:['’]?s)?\b|['’‘]000|{_MONEY}\s?k\b", re.I)
_SHARES_ONLY = re.compile(r"\bshares?\s+in\s+(?:thousands|millions)", re.I)
_PER_SHARE = re.compile(r"\bper\b[^,;]{0,25}\b(?:share|unit|ads)\b|\bearnings per\b|\bEPS\b", re.I)
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
_CURRENCY_WORDS = (
    ("USD", re.compile(r"\$|\bdollars?\b|\bUSD(?:m|k|bn|mn)?\b|\bU\.S\. dollars\b", re.I)),
    ("EUR", re.compile(r"€|\beuros?\b|\bEUR(?:m|k|bn|mn)?\b", re.I)),
    ("GBP", re.compile(r"£|\bpounds?\b|\bsterling\b|\bGBP(?:m|k|bn|mn)?\b", re.I)),
    ("JPY", re.compile(r"¥|\byen\b|\bJPY\b", re.I)),
)
_NAMES = {THOUSAND: "thousand", MILLION: "million", BILLION: "billion"}


def units_scale(units: str) -> Decimal:
    """The factor a units line puts on its figures: 1000000 for "Dollars in millions, except per share data"."""
    told = _SHARES_ONLY.sub(" ", units) if units.lower().count("in ") > 1 else units
    places = [(match.start(), scale) for pattern, scale in _SCALE_WORDS if (match := pattern.search(told))]
    thousands = _THOUSANDS.search(told)
    if thousands:
        places.append((thousands.start(), THOUSAND))
    return min(places)[1] if places else Decimal(1)


def units_currency(units: str) -> str:
    """The ISO code of the currency a units line names, or ""."""
    return next((code for code, pattern in _CURRENCY_WORDS if pattern.search(units)), "")


def is_per_share(label: str) -> bool:
    """Whether a row states amounts per share, which no units line scales."""
    return bool(_PER_SHARE.search(label))


def scale_name(scale: Decimal) -> str:
    """The word of a scale: "million" for 1000000, "" for 1."""
    return _NAMES.get(scale, "")


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
    name = _NAMES.get(scale, "")
    return f"{sign}{symbol}{format_number(abs(shown))}" + (f" {name}" if name else "")


def _trim_decimals(value: Decimal) -> Decimal:
    """At most the four decimals a reader can use; fewer when the number is large."""
    decimals = 2 if abs(value) >= 100 else 3 if abs(value) >= 1 else 4
    return round_half_up(value, decimals)
