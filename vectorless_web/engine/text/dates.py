"""Finds dates and times of day in text, in any usual spelling, and counts between them."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

_MONTH_WORDS = "january february march april may june july august september october november december"
MONTHS = tuple(_MONTH_WORDS.split())
_NAMES = tuple(name[:3] for name in MONTHS)
MONTH_PATTERN = rf"(?:{'|'.join(_NAMES)})[a-z]*\.?"
"""A month in letters of either case, whole or shortened, for patterns that ignore case."""
_MONTH = (
    r"(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|JANUARY|FEBRUARY|MARCH|APRIL|MAY|JUNE|JULY|AUGUST|SEPTEMBER"
    r"|OCTOBER|NOVEMBER|DECEMBER)\b\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?!\d|,\d|\.\d)"
_WRITTEN = (
    re.compile(rf"(?<![\d.,/-]){_DAY}\s+(?:day\s+of\s+|of\s+)?{_MONTH}(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?![\d:]|[.,]\d|\s?%)(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}"),
)
_ISO = re.compile(r"(?<![\d.,/-])(?P<year>(?:1[5-9]|20)\d\d)([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?![\d/-]|\.\d)")
_FIGURES = re.compile(
    r"(?<![\d.,/-])(?P<a>\d{1,2})([-/.])(?P<b>\d{1,2})\2(?P<year>(?:1[5-9]|20)\d\d|\d\d)(?![\d/-]|\.\d)"
)
_FURTHER_YEAR = re.compile(rf"\s*(?:,\s*(?:and|or)?|and|or|&)\s*{_YEAR}")
_CLOCK = re.compile(
    r"(?<![\d.,:])(?P<hour>\d{1,2})(?:(?P<mark>[:.])(?P<minute>\d\d))?(?![\d:])"
    r"\s?(?P<half>[aApP]\.?\s?[mM]\b\.?|o['’]clock|h\b|hours?\b|noon\b)?"
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day, a month of a year, or a day of no stated year; what is not told is 0."""

    year: int
    month: int
    day: int

    def is_told_by(self, other: "Day") -> bool:
        """Whether every part of this date that is told is the same in the other."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(not own or own == told for own, told in pairs)

    @property
    def date(self) -> date | None:
        """The day of the calendar; None when a part is not told or the calendar has no such day."""
        try:
            return date(self.year, self.month, self.day) if self.year and self.month and self.day else None
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date as written at `start` to `end` (exclusive). 03/04/2024 has two readings, most dates have one."""

    start: int
    end: int
    text: str
    readings: tuple[Day, ...]


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day as written; `minutes` after midnight."""

    start: int
    end: int
    text: str
    minutes: int


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
            month = _NAMES.index(parts["month"][:3].lower()) + 1
            day = _day(int(parts.get("year") or 0), month, int(parts.get("day") or 0))
            if day is not None:
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
    """The date, or None when the calendar has no such day."""
    longest = calendar.monthrange(year or 2000, month)[1] if 1 <= month <= 12 else 0
    return Day(year, month, day) if 0 <= day <= longest and longest else None


def times_in(text: str) -> list[ClockTime]:
    """Times of day: 16:30, 4.30 pm, 4 p.m., 9 o'clock."""
    found = []
    for match in _CLOCK.finditer(text):
        half = (match["half"] or "").lower().replace(".", "").replace(" ", "")
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        is_time = match["mark"] == ":" or half in ("am", "pm") or half.startswith("o")
        if not is_time or hour > 24 or minute > 59 or (half in ("am", "pm") and hour > 12):
            continue
        hour = hour % 12 + (12 if half == "pm" else 0) if half in ("am", "pm") else hour
        text_of = match.group().rstrip()
        found.append(ClockTime(match.start(), match.start() + len(text_of), text_of, hour * 60 + minute))
    return found


def shift_day(start: Day, count: int, unit: str) -> Day | None:
    """The date `count` units later (earlier when negative); None when its parts do not allow it.

    Units are day, week, working day, month and year. A month later than 31 January is the
    last day of February. A day of no stated year has none later either, and is None where a leap day decides.
    """
    if start.month and start.day and not start.year:
        return _shift_in_any_year(start, count, unit)
    if unit in ("month", "year"):
        return _shift_months(start, count * (12 if unit == "year" else 1))
    whole = start.date
    if whole is None:
        return None
    try:
        later = _shift_working(whole, count) if unit == "working day" else whole + _span(count, unit)
    except (OverflowError, ValueError):
        return None
    return Day(later.year, later.month, later.day)


_USUAL_YEAR, _LEAP_YEAR = 2023, 2024


def _shift_in_any_year(start: Day, count: int, unit: str) -> Day | None:
    if unit == "working day":
        return None
    ends = [shift_day(replace(start, year=year), count, unit) for year in (_USUAL_YEAR, _LEAP_YEAR)]
    days = {(end.month, end.day) for end in ends if end is not None}
    return Day(0, *days.pop()) if len(days) == 1 and None not in ends else None


def _shift_months(start: Day, months: int) -> Day | None:
    if not start.year or (not start.month and months % 12):
        return None
    if not start.month:
        return Day(start.year + months // 12, 0, 0)
    place = start.year * 12 + start.month - 1 + months
    year, month = divmod(place, 12)
    if not 1 <= year <= 9999:
        return None
    return Day(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def _span(count: int, unit: str) -> timedelta:
    return timedelta(weeks=count) if unit == "week" else timedelta(days=count)


def _shift_working(start: date, count: int) -> date:
    """Mondays to Fridays; holidays differ from place to place and are not known."""
    step, left = (1 if count > 0 else -1), min(abs(count), 2000)
    # Five of them take a week from any day, so only the last few are walked.
    weeks = max(0, left - 1) // 5
    start, left = start + timedelta(weeks=step * weeks), left - 5 * weeks
    while left:
        start += timedelta(days=step)
        left -= start.weekday() < 5
    return start


def months_between(first: date, second: date) -> tuple[int, int]:
    """Whole months from the earlier to the later day, and the days left over."""
    first, second = min(first, second), max(first, second)
    months = (second.year - first.year) * 12 + second.month - first.month
    reached = _shift_months(Day(first.year, first.month, first.day), months)
    if reached is None or reached.date is None or reached.date > second:
        months -= 1
        reached = _shift_months(Day(first.year, first.month, first.day), months)
    return months, (second - reached.date).days if reached is not None and reached.date is not None else 0
