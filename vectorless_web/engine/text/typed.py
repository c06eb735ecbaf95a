"""A checked answer as a typed value: an exact number, money with its currency, a day, a time span, a choice."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from importlib import resources

from vectorless_web.engine.text.dates import dates_in
from vectorless_web.engine.text.numbers import (
    MEASURES,
    Number,
    decimal_mark,
    number_word,
    numbers_in,
    read_unit,
    units_in,
)


class ValueKind(StrEnum):
    """What kind of value a question asks for. A VERBATIM value is the quote itself."""

    TEXT = "text"
    VERBATIM = "verbatim"
    YES_NO = "yes_no"
    CHOICE = "choice"
    NUMBER = "number"
    MONEY = "money"
    PERCENT = "percent"
    DATE = "date"
    DURATION = "duration"
    LIST = "list"


NUMERIC = (ValueKind.NUMBER, ValueKind.MONEY, ValueKind.PERCENT, ValueKind.DURATION)
"""Kinds whose values can be summed or compared as numbers."""
_WORD = re.compile(r"[^\W_]+")
SPANS = ("time", "months")
"""What the measures of a time span measure (`units.MEASURES`)."""


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value. `number` is exact; `unit` an ISO 4217 code, a measure ("month") or ""; `text` all that is no number.

    A percentage is not divided by 100; a day is an ISO date, shortened ("2024-03") where the document tells no more.
    """

    kind: ValueKind
    number: Decimal | None = None
    unit: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What may be typed: the short form of an answer, its checked sentences with what they computed, its quotes."""

    value: str = ""
    sentences: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


def type_answer(kind: ValueKind, answer: CheckedText, choices: Collection[str] = ()) -> TypedValue | None:
    """The one value of this kind that a checked answer states; None when it states none, or several.

    The short form counts only as far as the checked sentences, results or quotes state the same value. What a quote
    states beside a sentence that does not say it is no answer.
    """
    if kind is ValueKind.TEXT:
        return _make_text(kind, " ".join(answer.sentences))
    if kind is ValueKind.VERBATIM:
        return _make_text(kind, answer.quotes[0] if answer.quotes else "")
    if kind is ValueKind.LIST:
        return _make_text(kind, "\n".join(answer.sentences))
    mark = decimal_mark((answer.value, *answer.sentences, *answer.quotes))
    read = _reader(kind, choices, mark)
    proof = {value for text in (*answer.results, *answer.sentences, *answer.quotes) for value in read(text)}
    stated = answer.sentences or answer.quotes
    for texts in ([answer.value], answer.results, stated):
        found = {value for text in texts for value in read(text)}
        held = {value for value in found if kind in _WORDED or any(_is_same(value, other) for other in proof)}
        if held:
            return held.pop() if len(held) == len(found) == 1 else None
    return None


def type_text(kind: ValueKind, text: str, choices: Collection[str] = ()) -> TypedValue | None:
    """The one value that a text typed by a person states; None when it is none of this kind."""
    if kind in (ValueKind.TEXT, ValueKind.VERBATIM, ValueKind.LIST):
        return _make_text(kind, text)
    found = set(_reader(kind, choices, decimal_mark([text]))(text))
    return found.pop() if len(found) == 1 else None


Reader = Callable[[str], Iterator[TypedValue]]
_WORDED = (ValueKind.YES_NO, ValueKind.CHOICE)
"""Kinds whose value a sentence states in other words than the answer's short form, which the sentence supports."""
_DATA = tomllib.loads(resources.files(__package__).joinpath("typed.toml").read_text(encoding="utf-8"))


def _reader(kind: ValueKind, choices: Collection[str], mark: str) -> Reader:
    readers: Mapping[ValueKind, Reader] = {
        ValueKind.YES_NO: _read_yes_no,
        ValueKind.CHOICE: lambda text: _read_choices(text, choices),
        **dict.fromkeys(
            (ValueKind.NUMBER, ValueKind.MONEY, ValueKind.PERCENT), lambda text: _read_numbers(text, kind, mark)
        ),
        ValueKind.DATE: _read_days,
        ValueKind.DURATION: _read_spans,
    }
    return readers[kind]


def _make_text(kind: ValueKind, text: str) -> TypedValue | None:
    return TypedValue(kind, text=text) if text.strip() else None


def _is_same(value: TypedValue, other: TypedValue) -> bool:
    """Whether two values agree, where one may leave its currency open."""
    units = {value.unit, other.unit} - {""}
    return (value.number, value.text) == (other.number, other.text) and len(units) <= 1


def _read_yes_no(text: str) -> Iterator[TypedValue]:
    first = next((word.lower() for word in _WORD.findall(text)), "")
    for word in ("yes", "no"):
        if first in _DATA[word]:
            yield TypedValue(ValueKind.YES_NO, text=word)


def _read_choices(text: str, choices: Collection[str]) -> Iterator[TypedValue]:
    folded = f" {' '.join(_words(text))} "
    for choice in choices:
        if f" {' '.join(_words(choice))} " in folded:
            yield TypedValue(ValueKind.CHOICE, text=choice)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _read_numbers(text: str, kind: ValueKind, mark: str) -> Iterator[TypedValue]:
    """The numbers of a kind: those that are no part of a date, with the scale and currency that the text gives them."""
    dates = [range(mention.start, mention.end) for mention in dates_in(text)]
    numbers = [number for number in numbers_in(text, mark) if not any(number.start in date for date in dates)]
    unit = read_unit(_without(text, numbers))
    for number in numbers:
        is_alone = len(numbers) == 1
        percent = number.percent or (is_alone and any(mention.is_percent for mention in units_in(text)))
        currency = number.currency or (unit.currency if is_alone else "")
        scale = unit.scale if is_alone and number.scale == 1 and not percent else Decimal(1)
        if (kind is ValueKind.PERCENT) == percent and (kind is not ValueKind.MONEY or currency):
            yield TypedValue(kind, number.value * scale, "percent" if percent else currency)


def _without(text: str, numbers: Sequence[Number]) -> str:
    """The text around its numbers: the zeros of 86,000 are no scale."""
    ends = [0, *(number.end for number in numbers)]
    starts = [*(number.start for number in numbers), len(text)]
    return " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _read_days(text: str) -> Iterator[TypedValue]:
    for mention in dates_in(text):
        days = [day for day in mention.readings if day.year]
        if len(days) == 1:
            parts = (f"{days[0].year:04d}", *(f"{part:02d}" for part in (days[0].month, days[0].day) if part))
            yield TypedValue(ValueKind.DATE, text="-".join(parts))


def _read_spans(text: str) -> Iterator[TypedValue]:
    """Numbers in front of a measure of time: "thirty (30) days" is 30 day, "20 to 45 minutes" two values."""
    counts = list(_counts(text))
    for mention in units_in(text):
        if MEASURES.get(mention.measure, ("", 0))[0] not in SPANS:
            continue
        before = [
            (len(_WORD.findall(text[end : mention.start])), number) for end, number in counts if end <= mention.start
        ]
        if before and before[-1][0] <= _BETWEEN:
            for number in {number for words, number in before if words <= before[-1][0] + 1 + _BETWEEN}:
                yield TypedValue(ValueKind.DURATION, number, mention.measure)


_BETWEEN = 1
"""Words between a number and its measure ("30 calendar days"), and between two numbers of a range ("20 to 45")."""


def _counts(text: str) -> Iterable[tuple[int, Decimal]]:
    """The end and value of each number, in figures or in words, in reading order."""
    figures: Sequence[Number] = numbers_in(text)
    found = [(number.end, abs(number.value)) for number in figures]
    for match in _WORD.finditer(text):
        word = number_word(match.group())
        if word is not None and not any(number.start <= match.start() < number.end for number in figures):
            found.append((match.end(), Decimal(word)))
    return sorted(found)
