"""Whether a number of a sentence is one that is stated: its value as rounded, its scale and its unit."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from vectorless_web.engine.text.dates import dates_in
from vectorless_web.engine.text.quantities import Quantity, quantities_in

_ONE, _HALF, _HUNDRED = Decimal(1), Decimal("0.5"), Decimal(100)
YEAR = re.compile(r"(?<!\d)(?<!\d,)(?:1[5-9]|20)\d\d(?!\d|,\d|\.\d)")
_NIL = re.compile(r"(?:^|\t)[$€£\s]*[—–-]\s*(?:\t|$)")
"""A cell with a dash states nothing, which is zero."""

POINTS = frozenset({"point", "points"})
"""Words that percentage points are shortened to."""

PART_ROOM = Decimal("0.000001")
"""How far a fraction may be off: a third has no end in decimals."""

NEAR, NEARER_THAN = Decimal("0.05"), Decimal("0.1")
"""How far a rounding in words may be off: "about" by 5 %, "over" and "under" by 10 % on their side."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that a quote states. `scales` are the factors it may be read with (1 and the table's own).

    `as_percent` are the factors for a percentage: 1 for a quote, also 100 for a worked-out share.
    `quote` is the index of the quote, -1 for none; `cell` the table node, row and column it
    stands in. A `worked_out` number may be told rounded.
    """

    value: Decimal
    scales: tuple[Decimal, ...] = (_ONE,)
    as_percent: tuple[Decimal, ...] = (_ONE,)
    written: Quantity | None = None
    quote: int = -1
    cell: tuple[int, int, int] | None = None
    worked_out: bool = False


def list_stated_numbers(text: str, scale: Decimal = _ONE, *, quote: int = -1) -> list[Stated]:
    """Numbers of a quote; `scale` is what the units line of its table says ("in millions": 1000000)."""
    return list(_read_stated_numbers(text, scale, quote))


@lru_cache(maxsize=1 << 10)
def _read_stated_numbers(text: str, scale: Decimal, quote: int) -> tuple[Stated, ...]:
    """Kept, for one quote is asked again for each operand and each look at its claim."""
    scales = (_ONE,) if scale == 1 else (_ONE, scale)
    nil = [Stated(Decimal(0), quote=quote)] if _NIL.search(text) else []
    numbers = [Stated(found.value, scales, written=found, quote=quote) for found in quantities_in(text)]
    dated = [Stated(Decimal(year), quote=quote) for year in YEAR.findall(text)]
    days = [Stated(Decimal(r.day), quote=quote) for m in dates_in(text) for r in m.readings[:1] if r.day]
    return (*numbers, *nil, *dated, *days)


def find_unaccounted_numbers(sentence: str, stated: Sequence[Stated], periods: Iterable[str] = ()) -> list[Quantity]:
    """Numbers of `sentence` that no stated number equals and no text of `periods` holds, in order.

    Equal means: the same magnitude after scaling, to the digits the sentence shows, in a
    unit that agrees. The sign is left to the words ("fell by 73.5"). A year needs a text of
    `periods` (the question, column headers, places), no figure of its own.
    """
    told = [figure for text in periods for figure in list_stated_numbers(text)]
    return [
        number
        for number in numbers_to_explain(sentence)
        if not any(agrees(number, figure) for figure in (*stated, *told))
    ]


def numbers_to_explain(sentence: str) -> list[Quantity]:
    """The numbers a sentence must account for, years and days of its dates among them."""
    return [number for number in quantities_in(sentence) if number.certain]


def agrees(number: Quantity, figure: Stated) -> bool:
    """Whether a stated figure is the number, in a unit that agrees."""
    written = figure.written
    if number.is_code or (written is not None and (written.is_code or not units_agree(number, written))):
        return False
    if number.is_ordinal and written is not None and not written.is_ordinal and (written.unit or written.step):
        return False
    return any(_is_near(number, value, step, figure) for value, step in _readings(number, figure))


def units_agree(number: Quantity, written: Quantity) -> bool:
    """Whether what is known of two units lets them be the same; a noun counts as one when it names things."""
    if number.unit and written.unit:
        same = number.dimension == written.dimension
        return same and (not number.currency or not written.currency or number.currency == written.currency)
    if number.percent:
        return written.is_part or not written.noun or written.noun in POINTS
    if number.unit:
        return written.is_part or not names_things(written.noun)
    if written.unit and written.unit != "times":
        if written.percent and number.noun in POINTS:
            return True
        return number.is_part or not names_things(number.noun)
    return True


def names_things(noun: str) -> bool:
    """Whether a noun is a plural, by its ending; frequent verbs that end so are none."""
    return len(noun) > 3 and noun not in _VERBS and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "plus"))


_VERB_WORDS = """
pays gets takes costs needs receives applies ends begins starts runs lasts expires requires means includes covers comes
goes makes gives states says provides allows contains holds shows lists sets starts falls rises does remains becomes
"""
_VERBS = frozenset(_VERB_WORDS.split())


def is_told(number: Quantity, figure: Stated) -> bool:
    """Whether a figure of the question, a title or a header is the number: then the same thing must be counted.

    The 3 of "Flat 3" explains no three weeks and no three cats.
    """
    written = figure.written
    is_bare = written is not None and not written.unit and not written.noun
    if is_bare and (names_things(number.noun) or number.unit not in ("", "money")):
        return False
    return agrees(number, figure)


def _readings(number: Quantity, figure: Stated) -> Iterator[tuple[Decimal, Decimal]]:
    """Values in the unit of the number, each with the worth of the figure's last digit.

    A percentage is never scaled by the table's units, nor an amount in its own words twice.
    """
    written = figure.written
    value, step = abs(figure.value), written.step if written is not None else Decimal(0)
    if written is not None and number.unit and written.unit:
        rate = written.factor / number.factor
        value, step = value * rate, step * rate
    is_percent = written is not None and written.percent
    if number.percent:
        yield from ((value * factor, step) for factor in figure.as_percent)
        if not is_percent and value <= 1 and written is not None:
            yield value * _HUNDRED, step * _HUNDRED
        return
    if written is not None and written.unit == "cent" and not number.unit:
        yield value / _HUNDRED, step
    if is_percent and (number.is_part or abs(number.value) <= 1):
        yield value / _HUNDRED, step / _HUNDRED
    is_scaled = number.dimension in ("", "money", "times") and (written is None or written.scale == 1)
    yield from ((value * factor, step) for factor in (figure.scales if is_scaled else (_ONE,)))


def _is_near(number: Quantity, value: Decimal, step: Decimal, figure: Stated) -> bool:
    wanted = abs(number.value)
    allowed = max(_HALF * number.step, max(_HALF * step, PART_ROOM) if number.is_part else Decimal(0))
    if figure.worked_out and not number.step and value != value.to_integral_value():
        allowed = max(allowed, min(_HALF, NEAR * value))
    if abs(wanted - value) <= allowed:
        return True
    return bool(number.hedge) and is_rounded(number, wanted, value)


def is_rounded(number: Quantity, wanted: Decimal, value: Decimal) -> bool:
    """ "about 3,400" for 3,412, "over 600" for 620, "nearly 25%" for 24.6%; to the digits that are not zero."""
    if not wanted:
        return False
    worth = _ONE.scaleb(max(0, int(wanted.normalize().as_tuple().exponent)))
    worth = max(worth, number.step)
    if number.hedge == "about":
        return abs(wanted - value) <= min(worth * _HALF, wanted * NEAR)
    room = min(worth, wanted * NEARER_THAN)
    apart = value - wanted if number.hedge == "over" else wanted - value
    return 0 <= apart <= room
