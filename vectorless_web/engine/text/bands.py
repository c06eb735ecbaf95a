"""Bounds and bands of numbers in words: "no more than 80 km/h", "from day 8", "98.0% to below 99.0%", "10 or more"."""

import re
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.text.quantities import MEASURES, Quantity, quantities_in

_BETWEEN_DIGITS = re.compile(r"(?<=\d)(?P<unit>\s?%)?\s*[-–—]\s*(?=[£$€]?\d)")
_JOINS = re.compile(
    r"^\W*(?:[a-z]+\s+)?(?:to|through|until|up to)\b(?P<open>(?:,? but)?\W*(?:below|under|less than|not including))?",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:(?P<open>over|more than|above|exceed(?:s|ing)?|longer than|greater than|older than|beyond|after)"
    r"|from|at least|no(?:t)? less than|no(?:t)? fewer than|minimum(?: of)?|starting (?:at|from))\W*$",
    re.IGNORECASE,
)
_UP_TO = re.compile(
    r"\b(?:(?P<open>below|under|less than|fewer than|shorter than|younger than)"
    r"|up to(?: and including)?|at most|no(?:t)? (?:more|longer|higher|faster|later|older|greater) than|maximum(?: of)?"
    r"|not (?:to )?exceed(?:ing)?|never (?:more|longer) than|limited to|within)\W*$",
    re.IGNORECASE,
)
_AND_MORE = re.compile(
    r"^\W*(?:[a-z]+\s+)?(?:\+|(?:or|and)\s+(?:more|over|above|longer|older|higher|upwards?|greater)\b)", re.IGNORECASE
)
_AND_LESS = re.compile(
    r"^\W*(?:[a-z]+\s+)?(?:or|and)\s+(?:less|fewer|under|below|shorter|younger|lower)\b", re.IGNORECASE
)
_COUNTED_DAY = re.compile(
    r"\b(?P<word>from|after|until|up to|before) (?:the )?(?P<unit>day|week|month|year) (?P<number>\d{1,3})\b",
    re.IGNORECASE,
)
LOOKED_AT = 32
"""Characters before a number in which the words stand that make it a bound."""


@dataclass(frozen=True, slots=True)
class Band:
    """A range of amounts in the smallest unit of `dimension`, "" for none; None is no limit on that side."""

    low: Decimal | None
    high: Decimal | None
    dimension: str = ""
    currency: str = ""
    holds_low: bool = True
    holds_high: bool = True

    @property
    def is_range(self) -> bool:
        """Whether more than one amount lies in it."""
        return self.low is None or self.high is None or self.low != self.high

    def holds(self, value: Decimal) -> bool:
        """Whether an amount lies within."""
        above = self.low is None or value > self.low or (self.holds_low and value == self.low)
        below = self.high is None or value < self.high or (self.holds_high and value == self.high)
        return above and below


def amount_of(quantity: Quantity) -> Decimal:
    """Its value in the smallest unit of its dimension."""
    return quantity.value * quantity.factor


def band_of(text: str) -> Band | None:
    """The band that the whole of a cell states; a single number is a band of its own."""
    text = _BETWEEN_DIGITS.sub(lambda match: f"{match['unit'] or ''} to ", " ".join(text.split()))
    found = quantities_in(text)
    if len(found) == 2:
        first, second = found
        joined = _JOINS.match(text[first.end : second.start])
        if joined is None or (first.unit and second.unit and first.dimension != second.dimension):
            return None
        factor = first.factor if first.unit else second.factor
        low, high = first.value * factor, amount_of(second)
        currency = second.currency or first.currency
        return Band(low, high, second.dimension or first.dimension, currency, holds_high=not joined["open"])
    if len(found) != 1:
        return None
    only = amount_of(found[0])
    return _bound(text, found[0]) or Band(only, only, found[0].dimension, found[0].currency)


def bounds_in(text: str) -> list[Band]:
    """The amounts of a sentence that bound something; two numbers that make a range are none."""
    found = [bound for quantity in quantities_in(text) if (bound := _bound(text, quantity)) is not None]
    for match in _COUNTED_DAY.finditer(text):
        dimension, factor = MEASURES[match["unit"].lower()]
        value = Decimal(match["number"]) * factor
        is_low = match["word"].lower() in ("from", "after")
        is_held = match["word"].lower() not in ("after", "before")
        low, high = (value, None) if is_low else (None, value)
        found.append(Band(low, high, dimension, holds_low=is_held, holds_high=is_held))
    return found


def _bound(text: str, quantity: Quantity) -> Band | None:
    """The amount with the words before or behind that make it a bound; None where there are none."""
    before, behind = text[max(0, quantity.start - LOOKED_AT) : quantity.start], text[quantity.end :][:LOOKED_AT]
    value, dimension, currency = amount_of(quantity), quantity.dimension, quantity.currency
    before = before.rstrip(" $€£")
    # "No more than" ends in "more than": the longer wording decides.
    upper, lower = _UP_TO.search(before), _FROM.search(before)
    if upper:
        return Band(None, value, dimension, currency, holds_high=not upper["open"])
    if lower:
        return Band(value, None, dimension, currency, holds_low=not lower["open"])
    if _AND_MORE.match(behind):
        return Band(value, None, dimension, currency)
    return Band(None, value, dimension, currency) if _AND_LESS.match(behind) else None
