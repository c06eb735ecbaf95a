"""Trace each number of a claim to the cited text, the question, a calculation, or a count of what is cited.

Only numbers are read, so that the check is the same in every language. A number that is not traced is a remark, and
strikes nothing: the reader and the verifier see it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.answers.claims import Calculation
from vectorless_web.engine.text.analyser import words
from vectorless_web.engine.text.dates import dates_in
from vectorless_web.engine.text.numbers import Number, numbers_in, unit_word

NOT_TRACED = "not traced: {}"
"""How a remark names a number, as the claim writes it."""

MOST_ROUNDED = Decimal("0.05")
"""Share of a number by which rounding may change it: 1,577 told as 1.6 thousand passes, told as 2 thousand it does not.
Chosen by hand: two written digits change a number by at most 5 %. What is rounded to decimals, as a ratio of 0.0256 to
0.03, says itself how exact it is."""
HALF_UNIT = Decimal("0.5")

_LIST_NUMBER = re.compile(r"(?:^|\n)\s*[(\[]?\d{1,3}[.)\]](?=\s)")
"""The number of a list item at the beginning of a line."""
_COMPOUND = re.compile(r"(?<![\w.,-])\d+(?=[-\N{NON-BREAKING HYPHEN}][^\W\d_])")
"""A number that a hyphen ties to a word, 20 of "20-year-old": no figure of its own, but a claim may tell it as one."""


@dataclass(frozen=True, slots=True)
class CitedText:
    """What a claim cites: the quote, and what is said above it (headings, column names, caption, units line)."""

    quote: str
    context: str = ""


def list_untraced(
    text: str,
    cited: Sequence[CitedText],
    *,
    question: str = "",
    calculation: Calculation | None = None,
    steps: Sequence[Decimal] = (),
) -> tuple[str, ...]:
    """Remarks on the numbers of a claim that stand nowhere, in reading order, each number once.

    A number is traced when it equals one of the cited text, rounded as it is written and at any scale that the cited
    text names ("in millions"); when it is in the question; when a calculation over traced operands gives it, or it is
    one of its `steps` or constants; or when it counts the pieces cited. Parts of dates and numbers of list items are
    passed over.
    """
    known = _Known(cited, question)
    if calculation is not None:
        known.add_calculation(calculation, steps)
    untraced = (number.text.strip() for number in _numbers_to_trace(text) if not known.has(number, text))
    return tuple(NOT_TRACED.format(written) for written in dict.fromkeys(untraced))


def _numbers_to_trace(text: str) -> Iterator[Number]:
    """The numbers of a claim but for those of dates, of list items and of names that begin in letters ("AT-401")."""
    passed = [(mention.start, mention.end) for mention in dates_in(text)]
    passed += [match.span() for match in _LIST_NUMBER.finditer(text)]
    passed += [(w.start, w.end) for w in words(text) if w.text[0].isalpha() and w.text[-1].isdigit()]
    for number in numbers_in(text):
        if not any(start < number.end and number.start < end for start, end in passed):
            yield number


@dataclass(frozen=True, slots=True)
class _NumberReading:
    """A number as it may be meant: its size, half of its last written digit, and whether it is a percentage."""

    size: Decimal
    half_digit: Decimal = Decimal(0)
    percent: bool = False


def _read_number(number: Number, text: str) -> Iterator[_NumberReading]:
    """What a number may mean: with a decimal point, and with a comma."""
    others = (other for other in numbers_in(text, ",") if other.start < number.end and number.start < other.end)
    for told in (number, *others):
        printed = abs(told.value) / told.scale
        half_digit = Decimal(1).scaleb(min(0, int(printed.as_tuple().exponent))) / 2
        yield _NumberReading(abs(told.value), told.scale * half_digit, told.percent)


class _Known:
    """The values that a claim may give."""

    def __init__(self, cited: Sequence[CitedText], question: str) -> None:
        quotes, context = [piece.quote for piece in cited], [piece.context for piece in cited]
        self._factors = {Decimal(1), *_scales_in((*quotes, *context, question))}
        self._values = set[_NumberReading]()
        for text in quotes:
            self._add(text, scaled=True)
        for text in (*context, question):
            self._add(text)
        self._values |= {_NumberReading(Decimal(count)) for count in _count_pieces(cited)}

    def add_calculation(self, calculation: Calculation, steps: Sequence[Decimal]) -> None:
        """Take in a calculation's figures, steps and result, unless an operand is neither cited nor known."""
        written = (operand.value for operand in calculation.operands if not operand.marker)
        if all(self.has(number, value) for value in written for number in numbers_in(value)):
            for operand in calculation.operands:
                self._add(f"{operand.value} {operand.unit}", scaled=True)
            self._add(calculation.result, scaled=True)
            self._add(f"{calculation.result} {calculation.unit}")
            self._values |= {_NumberReading(abs(step) * factor) for step in steps for factor in self._factors}

    def has(self, number: Number, text: str) -> bool:
        """Whether a number of a text is one of the values, rounded as it is written, at one of the scales."""
        return any(_is_told_by(told, value) for told in _read_number(number, text) for value in self._values)

    def _add(self, text: str, *, scaled: bool = False) -> None:
        """Take in the numbers of a text; `scaled` ones also at the scales that the texts name."""
        for number in numbers_in(text):
            for reading in _read_number(number, text):
                factors = self._factors if scaled and number.scale == 1 else (Decimal(1),)
                self._values |= {_NumberReading(reading.size * factor, percent=reading.percent) for factor in factors}
        self._values |= {_NumberReading(Decimal(tied)) for tied in _COMPOUND.findall(text)}


def _is_told_by(told: _NumberReading, value: _NumberReading) -> bool:
    """Whether a claim's number is a value, rounded; a percentage may be told as a share, and a share as one."""
    factor = {(True, False): Decimal(100), (False, True): Decimal("0.01")}.get((told.percent, value.percent))
    sizes = (value.size, value.size * factor) if factor else (value.size,)
    return any(
        (difference := abs(told.size - size)) == 0
        or (difference <= told.half_digit and (told.half_digit < HALF_UNIT or difference <= MOST_ROUNDED * size))
        for size in sizes
    )


def _scales_in(texts: Iterable[str]) -> Iterator[Decimal]:
    """The factors that scale words of the texts name: 1,000,000 for "in millions", 1,000 for "£000"."""
    words = {word for text in texts for word in re.findall(r"[^\W\d_]+|(?<![\d.,])000(?!\d)", text)}
    yield from (scale for word in sorted(words) if (scale := unit_word(word).scale) != 1)


def _count_pieces(cited: Sequence[CitedText]) -> Iterator[int]:
    """How many pieces are cited, and how many lines they have: a claim may count them."""
    yield len(cited)
    yield sum(len(piece.quote.splitlines()) for piece in cited)
    yield from (len(piece.quote.splitlines()) for piece in cited)
