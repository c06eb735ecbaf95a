"""Periods: what a column header says, and whether it is the period a question names."""

import re
from dataclasses import dataclass

from vectorless_web.engine.query.plan import Period

_YEAR = re.compile(r"(?<![\d.,$])((?:19|20)\d\d)(?![\d,]|\.\d)")
_SHORT_YEAR = re.compile(r"(?:\bFY\s?|\b[QH][1-4]\s?|['’])(\d\d)(?!\d)", re.I)
_QUARTER = re.compile(r"\bQ([1-4])\b|\b([1-4])Q|\b(first|second|third|fourth)\s+quarter", re.I)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_SPANS = (
    (
        3,
        re.compile(
            r"\b(?:three|3)\s+months|\bquarters?\b|\b(?:13|14|thirteen|fourteen)\s+weeks|\bQ[1-4]\b|\b[1-4]Q", re.I
        ),
    ),
    (6, re.compile(r"\b(?:six|6)\s+months|\b(?:26|twenty-six)\s+weeks|\bhalf[- ]year|\bsix-month", re.I)),
    (9, re.compile(r"\b(?:nine|9)\s+months|\b(?:39|thirty-nine)\s+weeks", re.I)),
    (
        12,
        re.compile(
            r"\b(?:twelve|12)\s+months|\b(?:52|53|fifty-\w+)\s+weeks|\byears?\s+ended|\bfiscal\s+years?|\bfull[- ]year",
            re.I,
        ),
    ),
)
_CHANGE = re.compile(r"change|variance|increase|decrease|growth|better|worse|\bvs\b|\bversus\b|% of|percent", re.I)


@dataclass(frozen=True, slots=True)
class ColumnPeriod:
    """What a column header says: year, quarter (None if none), months covered (0 unknown), whether it shows a change."""

    year: int | None
    quarter: int | None
    months: int
    is_change: bool


def read_header(header: str, period: str = "") -> ColumnPeriod:
    """Read a column header; `period` is what the compiler already read from it."""
    told = f"{header} {period}".strip()
    return ColumnPeriod(_year(period) or _year(header), _quarter(told), _months(told), bool(_CHANGE.search(header)))


def years_in(text: str) -> list[int]:
    """Four-digit years in the order they stand."""
    return [int(year) for year in _YEAR.findall(text)]


def agreement(column: ColumnPeriod, wanted: Period) -> float:
    """How well a column agrees with the period wanted: 0 not at all, 1 in every respect told."""
    if column.is_change or column.year != wanted.year:
        return 0.0
    if wanted.quarter is None:
        return _whole_year(column)
    if column.quarter is not None:
        return 1.0 if column.quarter == wanted.quarter else 0.0
    return {3: 0.95, 0: 0.7}.get(column.months, 0.5)


def _whole_year(column: ColumnPeriod) -> float:
    if column.quarter is not None or column.months in (3, 6, 9):
        return 0.45
    return 1.0


def _year(text: str) -> int | None:
    found = years_in(text)
    if found:
        return found[-1]
    short = _SHORT_YEAR.search(text)
    return 2000 + int(short.group(1)) if short else None


def _quarter(text: str) -> int | None:
    match = _QUARTER.search(text)
    if match is None:
        return None
    digit = match.group(1) or match.group(2)
    return int(digit) if digit else _ORDINALS[match.group(3).lower()]


def _months(text: str) -> int:
    return next((months for months, pattern in _SPANS if pattern.search(text)), 0)
