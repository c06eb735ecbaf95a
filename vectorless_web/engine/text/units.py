"""Puts a figure and a unit together so that scale, currency and percent are each said once."""

from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.text.numbers import numbers_in

_PERCENT = frozenset({"%", "percent", "percentage"})


@dataclass(frozen=True, slots=True)
class UnitWord:
    """What one word of a unit says: a factor, a currency's ISO code, percent, or nothing known here."""

    scale: Decimal = Decimal(1)
    currency: str = ""
    percent: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the word is a scale, a currency or percent."""
        return self.scale != 1 or bool(self.currency) or self.percent


def unit_word(word: str) -> UnitWord:
    """Read one word of a unit: "million", "USD", "$", "%"; any other says nothing."""
    bare = word.strip(".,;:")
    if bare.casefold() in _PERCENT:
        return UnitWord(percent=True)
    scaled, priced = numbers_in(f"1 {bare}"), numbers_in(f"{bare} 1")
    return UnitWord(scaled[0].scale if scaled else Decimal(1), priced[0].currency if priced else "")


def missing_unit(figure: str, unit: str) -> str:
    """The words of `unit` that the figure does not say itself: "" for "$220 million" and "USD million".

    The figure's own scale, currency or percent stands, whatever the unit says of the same.
    """
    own = [unit_word(word) for word in figure.split()]
    numbers = numbers_in(figure)
    percent = any(word.percent for word in own) or any(number.percent for number in numbers)
    scale = percent or any(word.scale != 1 for word in own) or any(number.scale != 1 for number in numbers)
    currency = percent or any(word.currency for word in own) or any(number.currency for number in numbers)
    written = {word.casefold() for word in figure.split()}

    def is_said(word: str) -> bool:
        said = unit_word(word)
        return (
            word.casefold() in written
            or (scale and said.scale != 1)
            or (currency and bool(said.currency))
            or (percent and said.percent)
        )

    return " ".join(word for word in unit.split() if not is_said(word))


def with_unit(figure: str, unit: str) -> str:
    """The figure with what its unit adds: "1,402 USD million", or "$220 million" as it stands."""
    return f"{figure} {missing_unit(figure, unit)}".strip()
