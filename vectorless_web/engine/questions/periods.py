"""Periods named in a question: fiscal years, quarters, dates, ranges."""

import re
from collections.abc import Iterable

from vectorless_web.engine.questions.plan import Period

_YEAR = r"(?:19|20)\d\d"
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_MONTHS = "january february march april may june july august september october november december"
_MONTH = "|".join(_MONTHS.split())
_FISCAL = r"(?:(?:FY|fiscal(?:\s+year)?|financial\s+year|calendar\s+year|CY|year)\s*['’]?\s*)"
_QUARTER = re.compile(
    rf"\bQ(?P<q1>[1-4])(?:\s*(?:of|,|-|/)?\s*|['’]){_FISCAL}?(?P<y1>{_YEAR}|['’]?\d\d(?!\d))"
    rf"|(?:{_FISCAL}|\b)(?P<y2>{_YEAR})\s*[,-]?\s*Q(?P<q2>[1-4])\b"
    rf"|\b(?P<q3>[1-4])Q\s*['’]?(?P<y3>{_YEAR}|\d\d)\b"
    rf"|\b(?P<q4>{'|'.join(_ORDINALS)})\s+(?:fiscal\s+)?quarter\s*(?:of|,|in"
    rf"|for)?\s*(?:the\s+)?{_FISCAL}?(?P<y4>{_YEAR})",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?P<y1>{_YEAR})"
    rf"|\b\d{{1,2}}\s+(?:{_MONTH})\s+(?P<y2>{_YEAR})|\b(?P<y3>{_YEAR})-\d\d-\d\d\b",
    re.IGNORECASE,
)
_FISCAL_YEAR = re.compile(
    rf"\b{_FISCAL}(?P<y1>{_YEAR})\b|\bFY\s*['’]?(?P<y2>\d\d)\b|(?<![\d.,$€£-])\b(?P<y3>{_YEAR})\b(?!\d|,\d|\s?%)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?:{_FISCAL})?(?<!\d)(?P<from>{_YEAR})\s*(?:-|–|—|to|through|until)\s*(?:{_FISCAL})?(?P<to>{_YEAR})\b",
    re.IGNORECASE,
)
_EVERY_YEAR = re.compile(r"\b(average|mean|each|every|annual|trend|cumulative|total over|years?)\b", re.IGNORECASE)
_CENTURY_TURN = 70
"""Two digits below this are a year after 2000, others one of the last century."""
_LONGEST_RANGE = 12
"""Years of a range that is filled in year by year; a longer one names its ends alone. Measured as engine.ranking says:
6 and 24 change nothing."""


def periods_in(text: str) -> tuple[Period, ...]:
    """Periods in the order they are named, each once; a range of years whose every year counts is filled in."""
    found = [
        *_matches(_QUARTER, text, "quarter"),
        *_matches(_DATE, text, "date"),
        *_matches(_FISCAL_YEAR, text, "year"),
    ]
    taken: list[tuple[int, int, Period]] = []
    for start, end, period in found:
        if all(end <= other_start or start >= other_end for other_start, other_end, _ in taken):
            taken.append((start, end, period))
    named = [period for _, _, period in sorted(taken, key=lambda item: item[0])]
    return _remove_repeats([*named, *_fill_ranges(text)])


def shift_back(period: Period, years: int) -> Period:
    """The same period that many years before."""
    return Period(period.kind, period.year - years, period.quarter) if years else period


def _matches(pattern: re.Pattern[str], text: str, kind: str) -> list[tuple[int, int, Period]]:
    return [(match.start(), match.end(), _read_period(match, kind)) for match in pattern.finditer(text)]


def _read_period(match: re.Match[str], kind: str) -> Period:
    groups = {name: value for name, value in match.groupdict().items() if value}
    year = next(value for name, value in groups.items() if name.startswith("y"))
    quarter = next((value for name, value in groups.items() if name.startswith("q")), "")
    return Period(kind, _full_year(year), _quarter_number(quarter), match.group().strip())


def _full_year(text: str) -> int:
    digits = int(text.strip("'’"))
    if digits >= 100:
        return digits
    return 2000 + digits if digits < _CENTURY_TURN else 1900 + digits


def _quarter_number(text: str) -> int | None:
    if not text:
        return None
    return int(text) if text.isdigit() else _ORDINALS[text.lower()]


def _fill_ranges(text: str) -> list[Period]:
    if not _EVERY_YEAR.search(text):
        return []
    filled: list[Period] = []
    for match in _RANGE.finditer(text):
        first, last = sorted((int(match["from"]), int(match["to"])))
        if first < last <= first + _LONGEST_RANGE:
            filled.extend(Period("year", year, text=str(year)) for year in range(first + 1, last))
    return filled


def _remove_repeats(periods: Iterable[Period]) -> tuple[Period, ...]:
    kept: dict[tuple[int, int | None], Period] = {}
    for period in periods:
        kept.setdefault((period.year, period.quarter), period)
    return tuple(kept.values())
