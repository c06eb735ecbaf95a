"""Periods named in a question: fiscal years, quarters, dates, ranges of years."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vectorless_web.engine.questions.packs import read_words
from vectorless_web.engine.questions.plan import Period
from vectorless_web.engine.text.dates import dates_in
from vectorless_web.engine.text.numbers import number_word

_YEAR = r"(?:19|20)\d\d"


def _choose(words: Iterable[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=len, reverse=True))


_FISCAL = rf"(?:(?:{_choose(read_words('fiscal'))})\s*['’]?\s*)"
_NAMED_QUARTER = rf"(?P<q4>\w+)\.?\s+(?:fiscal\s+)?(?:{_choose(read_words('quarter'))})"
_QUARTER = re.compile(
    rf"\bQ(?P<q1>[1-4])(?:\s*(?:,|-|/|\w{{2,3}}\s)?\s*|['’]){_FISCAL}?(?P<y1>{_YEAR}|['’]?\d\d(?!\d))"
    rf"|(?:{_FISCAL}|\b)(?P<y2>{_YEAR})\s*[,-]?\s*Q(?P<q2>[1-4])\b"
    rf"|\b(?P<q3>[1-4])Q\s*['’]?(?P<y3>{_YEAR}|\d\d)\b"
    rf"|\b{_NAMED_QUARTER}\s*(?:,|\w{{2,3}}\s)?\s*(?:the\s+)?{_FISCAL}?(?P<y4>{_YEAR})",
    re.IGNORECASE,
)
_FISCAL_YEAR = re.compile(
    rf"\b{_FISCAL}(?P<y1>{_YEAR})\b|\b[FC]Y\s*['’]?(?P<y2>\d\d)\b|(?<![\d.,$€£-])\b(?P<y3>{_YEAR})\b(?!\d|,\d|\s?%)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?:{_FISCAL})?(?<!\d)(?P<from>{_YEAR})\s*(?:[-–—]|{_choose(read_words('until'))})\s*(?:{_FISCAL})?(?P<to>{_YEAR})\b",
    re.IGNORECASE,
)
_CENTURY_TURN = 70
"""Two digits below this are a year after 2000, others one of the last century."""
LONGEST_RANGE = 12
"""Years of a range that is filled in year by year; a longer one names its ends alone. Measured on the 65 questions of
filings: 6 and 24 change nothing."""


@dataclass(frozen=True, slots=True)
class PeriodMention:
    """A period at characters `start` to `end` (exclusive) of a text."""

    start: int
    end: int
    period: Period


def find_periods(text: str) -> list[PeriodMention]:
    """Mentions in reading order, none overlapping another."""
    found = [*_read_matches(_QUARTER, text, "quarter"), *_read_dates(text), *_read_matches(_FISCAL_YEAR, text, "year")]
    taken: list[PeriodMention] = []
    for mention in found:
        if all(mention.end <= other.start or mention.start >= other.end for other in taken):
            taken.append(mention)
    return sorted(taken, key=lambda mention: mention.start)


def periods_in(text: str) -> tuple[Period, ...]:
    """Periods in the order they are named, each once."""
    return _remove_repeats(mention.period for mention in find_periods(text))


def years_between(text: str) -> tuple[Period, ...]:
    """The years after the first of the ranges that a text names: 2018 and 2019 of "2017-2019".

    For an operation over all of them; a year behind a hyphen is no period by itself.
    """
    ends = [sorted((int(match["from"]), int(match["to"]))) for match in _RANGE.finditer(text)]
    return tuple(
        Period("year", year, text=str(year))
        for first, last in ends
        if last <= first + LONGEST_RANGE
        for year in range(first + 1, last + 1)
    )


def shift_back(period: Period, years: int) -> Period:
    """The same period that many years before."""
    return Period(period.kind, period.year - years, period.quarter) if years else period


def _read_matches(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[PeriodMention]:
    for match in pattern.finditer(text):
        groups = {name[0]: value for name, value in match.groupdict().items() if value}
        quarter = number_word(groups["q"]) if "q" in groups else None
        if kind == "year" or quarter in (1, 2, 3, 4):
            period = Period(kind, _read_year(groups["y"]), quarter, match.group().strip())
            yield PeriodMention(match.start(), match.end(), period)


def _read_dates(text: str) -> Iterator[PeriodMention]:
    for mention in dates_in(text):
        day = mention.readings[0]
        if day.year and day.day:
            yield PeriodMention(mention.start, mention.end, Period("date", day.year, None, mention.text))


def _read_year(text: str) -> int:
    digits = int(text.strip("'’"))
    if digits >= 100:
        return digits
    return 2000 + digits if digits < _CENTURY_TURN else 1900 + digits


def _remove_repeats(periods: Iterable[Period]) -> tuple[Period, ...]:
    kept: dict[tuple[int, int | None], Period] = {}
    for period in periods:
        kept.setdefault((period.year, period.quarter), period)
    return tuple(kept.values())
