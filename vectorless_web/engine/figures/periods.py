"""Periods: what a column header says, and whether it is the period a question names."""

import re
from dataclasses import dataclass
from functools import lru_cache

from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.questions.plan import Period

_YEAR = re.compile(r"(?<![\d.,$])((?:19|20)\d\d)(?![\d,]|\.\d)")
_SHORT_YEAR = re.compile(
    r"(?:\bFY?\s?|\b[QH][1-4]\s?|\b[1-4]Q\s?|\b[12]H\s?|['’]|\b\d{1,2}/\d{1,2}/|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct"
    r"|nov|dec)[a-z]*-)(\d\d)(?!\d)",
    re.I,
)
_QUARTER = re.compile(r"\bQ([1-4])\b|\b([1-4])Q|\b(first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter", re.I)
_BELOW_QUARTERS = re.compile(r"\bquarters?\b[^/]*/\s*(first|second|third|fourth)\b(?!\s+[a-z])", re.I)
"""The number of a quarter under a header that says that the columns are quarters: "2023 Quarters / Fourth"."""
_AGAINST = re.compile(
    r"\d\d(?:\s?[-–—/]\s?|\W+(?:vs?|versus|over|compared (?:to|with)|from)\b\.?\s+)(?:19|20)\d\d", re.I
)
_TO_DATE = re.compile(r"\bYTD\b|\byear[- ]to[- ]date\b", re.I)
_SEVERAL_YEARS = re.compile(r"(?<![\d-])((?:19|20)\d\d)\s?([-–—]|to|through)\s?((?:19|20)\d\d)(?![\d-])")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_SPANS = (
    (
        3,
        re.compile(
            r"\b(?:three|3)[- ]months?|\bquarters?\b|\bquarterly\b|\bQ[1-4]\b|\b[1-4]Q"
            r"|\b(?:1[2-7]|twelve|thirteen|fourteen|sixteen)[- ]weeks?",
            re.I,
        ),
    ),
    (
        6,
        re.compile(
            r"\b(?:six|6)[- ]months?|\b(?:2[4-8]|twenty-\w+)[- ]weeks?|\bhalf[- ]years?\b|\b(?:first|second) half\b"
            r"|\bH[12]\b|\b[12]H",
            re.I,
        ),
    ),
    (9, re.compile(r"\b(?:nine|9)[- ]months?|\b(?:3[6-9]|40|thirty-\w+|forty)[- ]weeks?", re.I)),
    (
        12,
        re.compile(
            r"\b(?:twelve|12)[- ]months?|\b(?:5[23]|fifty-\w+)[- ]weeks?|\byears?[- ](?:ended|ending|to)\b"
            r"|(?<!by )\bfiscal(?:\s+years?)?\b|\bfull[- ]year|\bFY",
            re.I,
        ),
    ),
)
_INSTANT = re.compile(r"^\W*(?:as (?:of|at|on)|at|balances?,? (?:at|as of))\b", re.I)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(
    r"(?:\b(?P<first>\d{1,2})\.?\s+)?\b(?P<month>jan(?=uary|\b)|feb(?=ruary|\b)|mar(?=ch|\b)|apr(?=il|\b)|may|jun(?=e|\b)"
    r"|jul(?=y|\b)|aug(?=ust|\b)|sep(?=tember|t?\b)|oct(?=ober|\b)|nov(?=ember|\b)|dec(?=ember|\b))[a-z]*\b\.?"
    r"(?:\s+(?P<day>\d{1,2})(?!\d)(?:\s?[–-]\s?(?P<last>\d{1,2})(?![\d,]\d))?)?"
    r"(?P<year>,?\s+(?:19|20)\d\d)?",
    re.I,
)
_SHORTEST_MONTH = 28
_BOUND = re.compile(
    r"\b(?:less|more|greater|longer|fewer|later) than \w+[- ](?:months?|weeks?)\b"
    r"|\b(?:within|over|under|up to|next|after) \w+[- ](?:months?|weeks?)\b"
    r"|\b\w+[- ](?:months?|weeks?) (?:or|and) (?:greater|more|less|longer|over|later)\b",
    re.I,
)
"""Months that bound a class ("12 months or greater") and are no period."""
_LONGEST_MONTH = 31
_FIGURE_DATE = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(?:(?:19|20)\d\d|\d\d)(?![\d/])")
_DOTTED_DATE = re.compile(r"(?<![\d.])([0-3]?\d)\.([01]?\d)\.((?:19|20)\d\d)(?![\d.]*\d)")
"""Where dots part a date, the day stands first."""
_ISO_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d-(\d\d)-(\d\d)(?!\d)")
_CHANGE = re.compile(r"change|variance|increase|decrease|growth|better|worse|\bvs\b|\bversus\b|% of|percent", re.I)


@dataclass(frozen=True, slots=True)
class ColumnPeriod:
    """What a column header says: year and quarter (None if none), months covered, month and day (0 if none), a change.

    `is_instant`: the figures are those of a day ("as of December 31"), so they cover no months.
    """

    year: int | None
    quarter: int | None
    months: int
    is_change: bool
    month: int = 0
    day: int = 0
    is_instant: bool = False

    @property
    def is_said(self) -> bool:
        """Whether any period is named."""
        return bool(self.year or self.quarter or self.months or self.month)

    @property
    def words(self) -> str:
        """The period as a reader says it: "three months ended 30 June 2023", "as of 31 December 2023", "Q2 2023"."""
        year = str(self.year or "")
        if self.quarter is not None:
            return f"Q{self.quarter} {year}".strip()
        date = " ".join(part for part in (str(self.day or ""), _MONTH_NAMES[self.month], year) if part)
        if self.is_instant and date:
            return f"as of {date}"
        span = _SPAN_NAMES.get(self.months, "")
        if span and self.month:
            return f"{span} ended {date}"
        return f"{span} {date}".strip() if span else date


_MONTH_NAMES = (
    "", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SPAN_NAMES = {1: "month", 3: "three months", 6: "six months", 9: "nine months", 12: "year"}


@dataclass(frozen=True, slots=True)
class OwnPeriod:
    """The quarter a document reports on: its fiscal year and number, and the year and month in which it ended."""

    year: int
    quarter: int
    end_year: int
    end_month: int


@lru_cache(maxsize=1 << 14)
def read_header(header: str, period: str = "") -> ColumnPeriod:
    """Read a column header; `period` is what the compiler already read from it."""
    header, period = (_DOTTED_DATE.sub(_write_out, text) for text in (header, period))
    told = f"{header} {period}".strip()
    year = None if spans_years(header) else _year(header if _AGAINST.search(header) else period) or _year(header)
    months, quarter, (month, day) = _months(told), _quarter(told), _date(told)
    if quarter and _TO_DATE.search(header):
        months, quarter = 3 * quarter, None  # "Q3 YTD" are nine months
    is_instant = not months and bool(year or month) and bool(_INSTANT.search(header))
    return ColumnPeriod(year, quarter, months, bool(_CHANGE.search(header)), month, day, is_instant)


def spans_years(text: str) -> bool:
    """Whether a text names several years as one: "2026-2030" or "2026 to 2027", which is no year of its own.

    "2026-27" and "2026-2027" may be one fiscal year.
    """
    found = [(int(last) - int(first), word.isalpha()) for first, word, last in _SEVERAL_YEARS.findall(text)]
    return any(years > 1 or (years == 1 and is_word) for years, is_word in found)


def _write_out(match: re.Match[str]) -> str:
    month = int(match[2])
    return f"{match[1]} {_MONTHS[month - 1]} {match[3]}" if 0 < month <= len(_MONTHS) else match[0]


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
    if len(found) > 1 and _AGAINST.search(text):
        return max(found)  # "2017 vs. 2016" is of 2017
    if found:
        return found[-1]
    short = _SHORT_YEAR.search(text)
    return 2000 + int(short.group(1)) if short else None


def _quarter(text: str) -> int | None:
    match = _QUARTER.search(text)
    if match is None:
        below = _BELOW_QUARTERS.search(text)
        return _ORDINALS[below[1].lower()] if below else None
    digit = match.group(1) or match.group(2)
    return int(digit) if digit else _ORDINALS[match.group(3).lower()]


def _date(text: str) -> tuple[int, int]:
    """The last month named, 1 to 12, and its day; 0 for what is not named. A month's name alone may be a word."""
    found = [match for match in _MONTH.finditer(text) if match["day"] or match["first"] or match["year"]]
    if not found:
        return _date_in_figures(text)
    last = found[-1]
    day = int(last["last"] or last["day"] or last["first"] or 0)
    return _MONTHS.index(last["month"].lower()) + 1, day if day <= _LONGEST_MONTH else 0


def _date_in_figures(text: str) -> tuple[int, int]:
    """(month, day) of "3/25/2023", "25/3/2023" or "2023-03-25"; zeros where either number may be the month."""
    iso = _ISO_DATE.search(text)
    if iso:
        return _check_date(int(iso[1]), int(iso[2]))
    match = _FIGURE_DATE.search(text)
    if match is None:
        return 0, 0
    first, second = int(match[1]), int(match[2])
    if first > len(_MONTHS):
        return _check_date(second, first)
    return _check_date(first, second) if second > len(_MONTHS) or first == second else (0, 0)


def _check_date(month: int, day: int) -> tuple[int, int]:
    return (month, day) if 0 < month <= len(_MONTHS) and 0 < day <= _LONGEST_MONTH else (0, 0)


def _months(text: str) -> int:
    told = _BOUND.sub(" ", text) if "onth" in text or "eek" in text else text
    months = next((months for months, pattern in _SPANS if pattern.search(told)), 0)
    return months or int(any(_is_whole_month(match) for match in _MONTH.finditer(text)))


def _is_whole_month(match: re.Match[str]) -> bool:
    """Whether days are a month from its first to its last: "October 1-31, 2022"."""
    return match["last"] is not None and match["day"] == "1" and int(match["last"]) >= _SHORTEST_MONTH
