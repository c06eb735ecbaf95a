"""Trace each number of a claim to the cited text, the question, a calculation, or a count of what is cited.

Only numbers are read, so that the check is the same in every language. A number that is not traced is a remark, and
strikes nothing: the reader and the verifier see it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.answers.claims import Calculation
from vectorless_web.engine.text.dates import dates_in
from vectorless_web.engine.text.numbers import Number, numbers_in, unit_word

NOT_TRACED = "not traced: {}"
"""How a remark names a number, as the claim writes it."""

MOST_ROUNDED = Decimal("0.05")
"""Share of a number by which rounding may change it: 1,577 told as 1.6 thousand passes, told as 2 thousand it does not.
Chosen by hand: two written digits change a number by at most 5 %."""

_LIST_NUMBER = re.compile(r"(?:^|\n)\s*[(\[]?\d{1,3}[.)\]](?=\s)")
"""The number of a list item at the beginning of a line."""

_ALTERNATIVE = re.compile(r"\d{1,3}(?:[.\s'’]\d{3})+(?:,\d+)?|\d+,\d+")
"""Digits as most languages of Europe write them: 1.577,3 and 1 577,3 and 1'577 and 0,5."""

_PERCENT = Decimal(100)


@dataclass(frozen=True, slots=True)
class CitedText:
    """What a claim cites: the quote, and what is said above it (headings, column names, caption, units line)."""

    quote: str
    context: str = ""


def list_untraced(
    text: str, cited: Sequence[CitedText], *, question: str = "", calculation: Calculation | None = None
) -> tuple[str, ...]:
    """Remarks on the numbers of a claim that stand nowhere, in reading order, each number once.

    A number is traced when it equals one of the cited text, rounded as it is written and at any scale that the cited
    text names ("in millions"); when it stands in the question; when a calculation over traced operands gives it; or
    when it counts the pieces cited. Parts of dates and numbers of list items are passed over.
    """
    known = _Known(cited, question)
    for step in _chain(calculation):
        known.add_calculation(step)
    untraced = (number.text.strip() for number in _numbers_to_trace(text) if not known.has(number))
    return tuple(NOT_TRACED.format(written) for written in dict.fromkeys(untraced))


def _chain(calculation: Calculation | None) -> tuple[Calculation, ...]:
    return () if calculation is None else (calculation, *calculation.more)


def _numbers_to_trace(text: str) -> Iterator[Number]:
    """The numbers of a claim but for those of dates and of list items."""
    passed = [(mention.start, mention.end) for mention in dates_in(text)]
    passed += [match.span() for match in _LIST_NUMBER.finditer(text)]
    for number in numbers_in(text):
        if not any(start < number.end and number.start < end for start, end in passed):
            yield number


class _Known:
    """The values that a claim may give."""

    def __init__(self, cited: Sequence[CitedText], question: str) -> None:
        own = [text for piece in cited for text in (piece.quote, piece.context)]
        self._values = {abs(value) for text in (*own, question) for value in _read_values(text)}
        self._values |= {Decimal(count) for count in _count_pieces(cited)}
        self._factors = {Decimal(1), *_scales_in((*own, question))}

    def add_calculation(self, calculation: Calculation) -> None:
        """Take in a calculation's figures and its result, unless an operand is neither cited nor known."""
        figures = [value for operand in calculation.operands for value in _read_values(operand.value)]
        if all(operand.marker or self._knows_all(operand.value) for operand in calculation.operands):
            self._values |= {abs(value) for value in (*figures, *_read_values(calculation.result))}

    def _knows_all(self, written: str) -> bool:
        return all(self.has(number) for number in numbers_in(written))

    def has(self, number: Number) -> bool:
        """Whether a number is one of the values, rounded as it is written, at one of the scales."""
        factors = {*self._factors, _PERCENT, 1 / _PERCENT}
        readings = {abs(number.value), *(abs(value) for value in _read_alternatives(number.text))}
        rounding = _half_a_digit(number)
        return any(
            _is_rounded(reading, value * factor, rounding)
            for reading in readings
            for value in self._values
            for factor in factors
        )


def _read_values(text: str) -> Iterator[Decimal]:
    yield from (number.value for number in numbers_in(text))
    yield from (number.value / number.scale for number in numbers_in(text) if number.scale != 1)
    yield from _read_alternatives(text)


def _read_alternatives(text: str) -> Iterator[Decimal]:
    for match in _ALTERNATIVE.finditer(text):
        yield Decimal(re.sub(r"[.\s'’]", "", match.group()).replace(",", "."))


def _scales_in(texts: Iterable[str]) -> Iterator[Decimal]:
    """The factors that scale words of the texts name: 1,000,000 for "in millions"."""
    words = {word for text in texts for word in re.findall(r"[^\W\d_]+", text)}
    yield from (scale for word in sorted(words) if (scale := unit_word(word).scale) != 1)


def _count_pieces(cited: Sequence[CitedText]) -> Iterator[int]:
    """How many pieces are cited, and how many lines they have: a claim may count them."""
    yield len(cited)
    yield sum(len(piece.quote.splitlines()) for piece in cited)
    yield from (len(piece.quote.splitlines()) for piece in cited)


def _half_a_digit(number: Number) -> Decimal:
    """Half of the last digit that is written, at the number's own scale."""
    _, _, decimals = number.text.partition(".")
    places = len(re.match(r"\d*", decimals).group()) if decimals else 0  # type: ignore[union-attr]
    return number.scale * Decimal(1).scaleb(-places) / 2


def _is_rounded(told: Decimal, value: Decimal, rounding: Decimal) -> bool:
    difference = abs(told - value)
    return difference == 0 or (difference <= rounding and difference <= MOST_ROUNDED * abs(value))
