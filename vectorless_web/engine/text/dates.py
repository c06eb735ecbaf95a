"""Finds dates in text, in any usual spelling."""

import calendar
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

_DATA = tomllib.loads(resources.files(__package__).joinpath("months.toml").read_text(encoding="utf-8"))
MONTH_NAMES: Mapping[str, int] = {name: place for place, names in enumerate(_DATA["months"], 1) for name in names}
"""The number of the month that a name means, whole or shortened, in small letters and several languages."""
MONTHS: tuple[str, ...] = tuple(names[0] for names in _DATA["months"])
"""The English names in small letters, January first."""
WEEKDAYS: tuple[str, ...] = tuple(_DATA["weekdays"])
"""The English names in small letters, Monday first."""
MONTH_PATTERN = r"(?:" + "|".join(sorted(MONTH_NAMES, key=len, reverse=True)) + r")(?![^\W\d_])\.?"
"""A month in letters, for patterns that ignore case."""
_MONTH = rf"(?P<month>{MONTH_PATTERN})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?!\d|,\d|\.\d)"
_WRITTEN = (
    re.compile(rf"(?<![\d.,/-]){_DAY}\.?\s+(?:day\s+of\s+|of\s+|de\s+)?{_MONTH}(?:,?\s+(?:de\s+)?{_YEAR})?", re.I),
    re.compile(rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?!\d|[:.,]\d|\s?%)(?:,?\s+{_YEAR})?", re.I),
    re.compile(rf"\b{_MONTH},?\s+(?:of\s+|de\s+)?{_YEAR}", re.I),
)
_ISO = re.compile(r"(?<![\d.,/-])(?P<year>(?:1[5-9]|20)\d\d)([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?![\d/-]|\.\d)")
_FIGURES = re.compile(
    r"(?<![\d.,/-])(?P<a>\d{1,2})([-/.])(?P<b>\d{1,2})\2(?P<year>(?:1[5-9]|20)\d\d|\d\d)(?![\d/-]|\.\d)"
)
_FURTHER_YEAR = re.compile(rf"\s*(?:,\s*(?:and|or)?|and|or|&)\s*{_YEAR}")


@dataclass(frozen=True, slots=True)
class Day:
    """A day, a month of a year, or a day of no stated year; what is not told is 0."""

    year: int
    month: int
    day: int


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date as written at `start` to `end` (exclusive). 03/04/2024 has two readings, most dates have one."""

    start: int
    end: int
    text: str
    readings: tuple[Day, ...]


def month_number(word: str) -> int:
    """The month that a word names, 1 to 12; 0 for any other word."""
    return MONTH_NAMES.get(word.lower().rstrip("."), 0)


def dates_in(text: str) -> list[DateMention]:
    """Dates with at least a month, in reading order, none overlapping another."""
    found: list[DateMention] = []
    for mention in sorted(_mentions(text), key=lambda mention: (mention.start, -mention.end)):
        if not found or mention.start >= found[-1].end:
            found.append(mention)
    return found


def _mentions(text: str) -> Iterator[DateMention]:
    for pattern in _WRITTEN:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            day = _day(int(parts.get("year") or 0), month_number(parts["month"]), int(parts.get("day") or 0))
            # In small letters "may 3" is no date, unless a year stands behind it.
            if day is not None and (day.year or parts["month"][0].isupper()):
                yield DateMention(match.start(), match.end(), match.group(), (day,))
                yield from _same_day_of(text, match.end(), day)
    for match in _ISO.finditer(text):
        day = _day(int(match["year"]), int(match["month"]), int(match["day"]))
        if day is not None:
            yield DateMention(match.start(), match.end(), match.group(), (day,))
    for match in _FIGURES.finditer(text):
        readings = _readings(int(match["a"]), int(match["b"]), match["year"])
        if readings:
            yield DateMention(match.start(), match.end(), match.group(), readings)


def _same_day_of(text: str, end: int, day: Day) -> Iterator[DateMention]:
    """The other years of "As of December 31, 2016 and 2017": the same day in each."""
    while day.year and (match := _FURTHER_YEAR.match(text, end)):
        end = match.end()
        further = _day(int(match["year"]), day.month, day.day)
        if further is not None:
            yield DateMention(match.start("year"), end, match["year"], (further,))


def _readings(first: int, second: int, year: str) -> tuple[Day, ...]:
    """Day before month, and month before day; a year of two digits is one of 1950 to 2049."""
    whole = int(year) if len(year) == 4 else int(year) + (2000 if int(year) < 50 else 1900)
    days = (_day(whole, second, first), _day(whole, first, second))
    return tuple(dict.fromkeys(day for day in days if day is not None))


def _day(year: int, month: int, day: int) -> Day | None:
    longest = calendar.monthrange(year or 2000, month)[1] if 1 <= month <= 12 else 0
    return Day(year, month, day) if 0 <= day <= longest and longest else None
