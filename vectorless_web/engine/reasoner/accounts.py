"""Which numbers of a sentence are accounted for by its quotes or by a shown calculation, scale included."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.text.numbers import Number, numbers_in

_YEAR = re.compile(r"(?:19|20)\d\d")
_NIL = re.compile(r"(?:^|\t)[$€£\s]*[—–-]\s*(?:\t|$)")
"""A cell with a dash states nothing, which is zero."""

_HALF = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that a quote states. `scales` are the factors it may be read with (1 and the table's own).

    `as_percent` are the factors for a percentage: 1 for a quote, also 100 for a worked-out share.
    """

    value: Decimal
    scales: tuple[Decimal, ...] = (Decimal(1),)
    as_percent: tuple[Decimal, ...] = (Decimal(1),)


def stated_in(quote: str, scale: Decimal = Decimal(1)) -> list[Stated]:
    """Numbers of a quote; `scale` is what the units line of its table says ("in millions": 1000000)."""
    scales = (Decimal(1),) if scale == 1 else (Decimal(1), scale)
    nil = [Stated(Decimal(0))] if _NIL.search(quote) else []
    return [*(Stated(number.value, scales) for number in numbers_in(quote)), *nil]


def unaccounted(sentence: str, stated: Sequence[Stated], periods: Iterable[str] = ()) -> list[Number]:
    """Numbers of `sentence` that no stated number equals, in order.

    Equal means: the same magnitude after scaling, to the digits the sentence shows. The
    sign is left to the words ("fell by 73.5"). Years and quarters that stand in
    `periods` (the question, column headers, places) need no figure of their own.
    """
    known = {year for text in periods for year in _YEAR.findall(text)}
    dates = _numbers_of_dates(periods)
    return [
        number
        for number in numbers_in(sentence)
        if not _is_known_period(number, known, dates) and not any(_agrees(number, figure) for figure in stated)
    ]


def _is_known_period(number: Number, known: set[str], dates: set[Decimal]) -> bool:
    digits = number.text.strip("() ")
    return digits in known or (not number.percent and not number.currency and number.value in dates)


def _numbers_of_dates(periods: Iterable[str]) -> set[Decimal]:
    """Days in "December 31, 2018": 31 belongs to the date, not to the figures."""
    return {
        number.value for text in periods for number in numbers_in(text) if 0 < number.value <= 31 and not number.percent
    }


def _agrees(number: Number, figure: Stated) -> bool:
    tolerance = _HALF * _last_digit(number)
    wanted = abs(number.value)
    return any(abs(wanted - abs(figure.value * scale)) <= tolerance for scale in _readings(number, figure))


def _readings(number: Number, figure: Stated) -> tuple[Decimal, ...]:
    """A percentage is never scaled by the table's units, nor an amount in its own words twice."""
    return figure.as_percent if number.percent else figure.scales


def _last_digit(number: Number) -> Decimal:
    """The worth of the last digit shown: 0.1 million for "1.6 million"; exact whole numbers allow no rounding."""
    digits = re.sub(r"[^\d.]", "", number.text)
    decimals = len(digits.split(".")[1]) if "." in digits else 0
    if not decimals and number.scale == 1:
        return Decimal(0) if not number.percent else Decimal(1)
    return number.scale.scaleb(-decimals)
