"""Periods: what a column header says, and whether it is the period a question names."""

import re
from dataclasses import dataclass

from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.questions.plan import Period

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
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(rf"\b((?:{'|'.join(_MONTHS)})[a-z]*)\.?\s+\d", re.I)
_CHANGE = re.compile(r"change|variance|increase|decrease|growth|better|worse|\bvs\b|\bversus\b|% of|percent", re.I)


@dataclass(frozen=True, slots=True)
class ColumnPeriod:
    """What a column header says: year and quarter (None if none), months covered and month (0 if none), a change."""

    year: int | None
    quarter: int | None
    months: int
    is_change: bool
    month: int = 0


@dataclass(frozen=True, slots=True)
class OwnPeriod:
    """The quarter a document reports on: its fiscal year and number, and the year and month in which it ended."""

    year: int
    quarter: int
    end_year: int
    end_month: int


def read_header(header: str, period: str = "") -> ColumnPeriod:
    """Read a column header; `period` is what the compiler already read from it."""
    told = f"{header} {period}".strip()
    year = _year(period) or _year(header)
    return ColumnPeriod(year, _quarter(told), _months(told), bool(_CHANGE.search(header)), _month(told))


def own_period(fields: TypedFields) -> OwnPeriod | None:
    """What an interim report says of itself; None for any other document, or when it does not say."""
    numbers = [int(quarter[1]) for quarter in fields.quarters if re.fullmatch(r"Q[1-4]", quarter)]
    if len(numbers) != 1 or not fields.years or not fields.dates or len(fields.dates[0]) < 7:
        return None
    year, month = (int(part) for part in fields.dates[0].split("-")[:2])
    return OwnPeriod(fields.years[0], numbers[0], year, month)


def years_in(text: str) -> list[int]:
    """Four-digit years in the order they stand."""
    return [int(year) for year in _YEAR.findall(text)]


def agreement(column: ColumnPeriod, wanted: Period, own: OwnPeriod | None = None) -> float:
    """How well a column agrees with the period wanted: 0 not at all, 1 in every respect told.

    `own` tells which column is the report's own quarter when a fiscal year is not the
    calendar's, and that such a column is no whole year.
    """
    if column.is_change:
        return 0.0
    if own is not None and column.month == own.end_month and column.year:
        return _interim(column, wanted, own)
    if column.year != wanted.year:
        return 0.0
    if wanted.quarter is None:
        return _whole_year(column)
    if column.quarter is not None:
        return 1.0 if column.quarter == wanted.quarter else 0.0
    return {3: 0.95, 0: 0.7}.get(column.months, 0.5)


def _interim(column: ColumnPeriod, wanted: Period, own: OwnPeriod) -> float:
    """A column that ends in the month of the report's own quarter: this year's quarter or an earlier one."""
    fiscal_year = own.year - own.end_year + (column.year or 0)
    if (wanted.quarter, wanted.year) != (own.quarter, fiscal_year):
        return 0.3 if wanted.quarter is None and column.year == wanted.year else 0.0
    return {3: 1.0, 0: 0.9}.get(column.months, 0.6)


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


def _month(text: str) -> int:
    """The last month named, 1 to 12; 0 when none is."""
    found = _MONTH.findall(text)
    return _MONTHS.index(found[-1][:3].lower()) + 1 if found else 0


def _months(text: str) -> int:
    return next((months for months, pattern in _SPANS if pattern.search(text)), 0)
