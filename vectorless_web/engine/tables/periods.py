"""Periods: what a column header says, and whether it is the period a question names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.documents.node import Node, NodeKind, Row, Table
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.parsing.terms import any_of
from vectorless_web.engine.questions.plan import Period
from vectorless_web.engine.tables.units import holds_figure, strip_units
from vectorless_web.engine.text.dates import MONTHS, Day, dates_in

LONGEST_HEADING = 90
"""Characters of a heading that may name a statement. The line that states a table's units may be twice as long."""
LONGEST_PERIOD_LINE = 200
"""Characters of a line above a table that may state its periods; a longer one is prose."""
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
_DAYS = re.compile(r"\b(\d{1,2})\s?[–-]\s?(\d{1,2})(?=,?\s+(?:19|20)\d\d)")
"""The days of a stretch within one month: "October 1-31, 2022"."""
_SHORTEST_MONTH = 28
_BOUND = re.compile(
    r"\b(?:less|more|greater|longer|fewer|later) than \w+[- ](?:months?|weeks?)\b"
    r"|\b(?:within|over|under|up to|next|after) \w+[- ](?:months?|weeks?)\b"
    r"|\b\w+[- ](?:months?|weeks?) (?:or|and) (?:greater|more|less|longer|over|later)\b",
    re.I,
)
"""Months that bound a class ("12 months or greater") and are no period."""
_CHANGE = re.compile(
    rf"\b{any_of('change')}(?!\w)|\bvs\.?(?!\w)|\bversus\b|\b(?:better|worse|diff)\b|Δ|\b(?:y/y|yoy|q/q)\b", re.I
)


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
        month = MONTHS[self.month - 1].capitalize() if self.month else ""
        date = " ".join(part for part in (str(self.day or ""), month, year) if part)
        if self.is_instant and date:
            return f"as of {date}"
        span = _SPAN_NAMES.get(self.months, "")
        if span and self.month:
            return f"{span} ended {date}"
        return f"{span} {date}".strip() if span else date


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
    told = f"{header}; {period}"
    year = None if spans_years(header) else _year(header if _AGAINST.search(header) else period) or _year(header)
    months, quarter, last = _months(told), _quarter(told), _last_day(told)
    year = year or last.year or None
    if quarter and _TO_DATE.search(header):
        months, quarter = 3 * quarter, None  # "Q3 YTD" are nine months
    is_instant = not months and bool(year or last.month) and bool(_INSTANT.search(header))
    return ColumnPeriod(year, quarter, months, bool(_CHANGE.search(header)), last.month, last.day, is_instant)


def spans_years(text: str) -> bool:
    """Whether a text names several years as one: "2026-2030" or "2026 to 2027", which is no year of its own.

    "2026-27" and "2026-2027" may be one fiscal year.
    """
    found = [(int(last) - int(first), word.isalpha()) for first, word, last in _SEVERAL_YEARS.findall(text)]
    return any(years > 1 or (years == 1 and is_word) for years, is_word in found)


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
        return 1.0 if wanted.kind == "date" and column.day else _whole_year(column)
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


def _last_day(text: str) -> Day:
    """The last date named, of a stretch of days its end; where dots part it the day is first. Zeros for none."""
    found = [m.readings for m in dates_in(_DAYS.sub(r"\2", text)) if len(m.readings) == 1 or "." in m.text]
    return found[-1][0] if found else Day(0, 0, 0)


def _months(text: str) -> int:
    told = _BOUND.sub(" ", text) if "onth" in text or "eek" in text else text
    months = next((months for months, pattern in _SPANS if pattern.search(told)), 0)
    days = _DAYS.search(text)
    return months or int(days is not None and days[1] == "1" and int(days[2]) >= _SHORTEST_MONTH)


def keys_above(tree: Tree, node: Node) -> Iterator[int]:
    """What comes before a table, nearest first, without the running lines of pages."""
    return (key for key in range(node.key - 1, 0, -1) if tree.kind(key) is not NodeKind.RUNNING)


def lines_above(tree: Tree, node: Node) -> Iterator[str]:
    """Short texts before the table on its page, nearest first, running heads included."""
    for key in range(node.key - 1, max(0, node.key - 8), -1):
        above = tree.node(key)
        if above.page_start != node.page_start or above.kind is NodeKind.TABLE:
            return
        if len(above.text) <= LONGEST_PERIOD_LINE:
            yield above.text


def column_periods(tree: Tree, node: Node, table: Table) -> tuple[ColumnPeriod, ...]:
    """The period of each column. Headers without any year are completed from a line of dates above the table."""
    periods = [read_header(column.header, column.period) for column in table.columns]
    over_labels = read_header(table.columns[0].header) if table.columns else read_header("")
    if any(period.year for period in periods[1:]):
        if table.columns and _AS_OF.match(table.columns[0].header):
            over_labels = replace(over_labels, is_instant=True)
        if (over_labels.months or over_labels.month or over_labels.is_instant) and not over_labels.year:
            # "Years ended December 31," or "As of" over the labels
            periods[1:] = [_lengthen(period, over_labels) for period in periods[1:]]
        elif not any(period.months or period.is_instant for period in periods):
            periods[1:] = [_lengthen(period, _length_above(tree, node)) for period in periods[1:]]
        return tuple(periods)
    numeric = _numeric_columns(table)
    if over_labels.year and len(set(years_in(table.columns[0].header))) == 1 and not over_labels.is_change:
        for column in numeric:  # "December 31, 2018" over the labels holds for every column
            periods[column] = _complete(periods[column], over_labels)
        return tuple(periods)
    _date_by_lines_above(tree, node, table, periods)
    return tuple(periods)


def _date_by_lines_above(tree: Tree, node: Node, table: Table, periods: list[ColumnPeriod]) -> None:
    """Set the periods of columns that name none: from a line of dates, else from the sentence before the table."""
    numeric = _numeric_columns(table)
    named = any(table.columns[column].header and not periods[column].is_said for column in numeric)
    for text in lines_above(tree, node):
        years = years_in(text)
        if len(years) != len(numeric) or (len(text) > LONGEST_HEADING and text.rstrip().endswith(".")):
            continue  # a sentence says more than the periods of a table
        if _PERIOD_LINE.match(text) if len(years) == 1 else not named:
            for column, year in zip(numeric, years, strict=True):
                periods[column] = read_header(f"{text.split(str(years[0]))[0]} {year}", str(year))
            return
    told = _date_above(tree, node)
    if told is not None and not any(period.is_said for period in periods):
        for column in numeric:
            periods[column] = replace(told, is_change=periods[column].is_change)


_SENTENCE = re.compile(r"(?<=[a-z)][.!?])\s+(?=[A-Z])")
_SHOWS = re.compile(
    r"\b(?:table|summari[sz]es?|presents?|shows?|follow(?:s|ing)|below|listed|reflects?|provides?|details?)\b", re.I
)
_SAID_DATE = re.compile(
    r"\b(?:(?:as (?:of|at|on)|at|on) (?:the end of )?(?=[a-z]+ \d)"
    r"|(?:for|during|in|of) (?:the )?(?:fiscal |calendar )?(?:year|quarter|(?:three|six|nine|twelve) months)s?"
    r" end(?:ed|ing)\b|(?:for|during|in) (?:the )?(?:fiscal|calendar)\b)"
    r"[^.;:]{0,30}?(?:19|20)\d\d\b",
    re.I,
)


def _date_above(tree: Tree, node: Node) -> ColumnPeriod | None:
    """The one date that the sentence right before a table gives it ("The table shows ... as of December 31, 2021:").

    A title that ends with the date says it as well ("Moorings let as on 31 March 2003").
    """
    above = next((tree.node(key) for key in keys_above(tree, node)), None)
    if above is None or above.kind is NodeKind.TABLE or abs(above.page_end - node.page_start) > 1:
        return None
    sentence = _SENTENCE.split(above.text.strip())[-1]
    dates = _SAID_DATE.findall(sentence)
    titled = len(sentence) <= LONGEST_HEADING and sentence.endswith(tuple(dates))
    if len(dates) != 1 or len(set(years_in(sentence))) != 1 or not (titled or _SHOWS.search(sentence)):
        return None
    return read_header(dates[0])


_LENGTH_LINE = re.compile(
    r"^\W*(?:for the )?(?:(?:fiscal |calendar )?(?:years?|quarters?)|(?:\d{1,2}|[a-z]+(?:-[a-z]+)?) (?:months?|weeks?))"
    r" ended\b",
    re.I,
)


def _length_above(tree: Tree, node: Node) -> ColumnPeriod:
    """How long the periods are by a line above ("Fiscal years ended December 31, 2022 and ..."), and nothing else."""
    told = next((text for text in lines_above(tree, node) if _LENGTH_LINE.match(text)), "")
    return replace(read_header(""), months=read_header(told).months)


def _lengthen(period: ColumnPeriod, wider: ColumnPeriod) -> ColumnPeriod:
    """A period that names its year alone, with the months and the day that hold for all columns."""
    if not period.year or period.months or period.is_change or period.is_instant:
        return period
    dated = replace(period, month=period.month or wider.month, day=period.day or wider.day)
    if wider.quarter and not period.quarter and not wider.month:
        return replace(dated, quarter=wider.quarter, months=wider.months)
    return replace(dated, months=wider.months, is_instant=wider.is_instant and not wider.months)


_AS_OF = re.compile(r"^\W*(?:as (?:of|at|on)|balances? (?:at|as of))\b", re.I)


def _complete(period: ColumnPeriod, wider: ColumnPeriod) -> ColumnPeriod:
    if period.is_said:
        return replace(period, year=wider.year, month=period.month or wider.month, day=period.day or wider.day)
    return replace(wider, is_change=period.is_change)


_PERIOD_LINE = re.compile(
    r"^\W*(?:as (?:of|at|on)|at|for the|(?:fiscal |calendar )?years?\b|(?:three|six|nine|twelve|\d+) (?:months|weeks)"
    r"|quarters?\b|FY|\(?(?:un)?audited|[a-z]{3,9}\.? \d{1,2},? (?:19|20)\d\d\W*$|\d{1,2} [a-z]+ (?:19|20)\d\d\W*$)",
    re.I,
)
"""A line above a table that states the one period of its figures, and is no title or sentence that names a year."""


def _numeric_columns(table: Table) -> list[int]:
    counts = [0] * len(table.columns)
    rows = 0
    for row in table.body:
        places = [
            i
            for i, cell in enumerate(row.cells)
            if i and i < len(counts) and cell.length and holds_figure(cell.text) and not _DATE_CELL.match(cell.text)
        ]
        rows += bool(places)
        for place in places:
            counts[place] += 1
    return [column for column, count in enumerate(counts) if rows and count * 3 >= rows]


_DATE_CELL = re.compile(
    r"^\W*(?:\d{1,2}\.? )?[a-z]{3,9}\.? \d{1,2}, (?:19|20)\d\d\W*$|^\W*\d{1,2} [a-z]{3,9}\.? (?:19|20)\d\d\W*$", re.I
)


NET = r"(?:,? net of tax(?:es)?\W*)?"
"""What may stand behind the day of a balance."""
_BALANCE = re.compile(
    r"^\W*(?:.{0,60}\b(?:at|as of)\s+|.{0,40}\b(?:balances?|outstanding|unvested|non-?vested)\b.{0,40}?)"
    rf"\b(?P<day>[a-z]{{3,9}}\.? \d{{1,2}}, (?:19|20)\d\d)\W*(?:\(\w\)\s*)?{NET}$",
    re.I,
)
"""A row that states what there was on a day: "Balance at December 31, 2016"."""
_LENGTHS = ((3, 80, 100), (6, 170, 192), (9, 262, 284), (12, 355, 376))
"""Months of a period, and the days that it has at least and at most; fiscal years end on the same day of a week."""


def find_periods_between(table: Table) -> Iterator[tuple[int, ColumnPeriod]]:
    """(offset, period) of each row between two rows that state a balance on a day."""
    begun: date | None = None
    between: list[Row] = []
    for row in table.rows:
        match = None if row.is_header else _BALANCE.match(row.label)
        if row.is_header:
            begun, between = None, []
        elif match is None:
            between.append(row)
        else:
            ended = _read_day(match["day"])
            months = _months_between(begun, ended)
            if ended and months:
                period = ColumnPeriod(ended.year, None, months, False, ended.month, ended.day)
                yield from ((own.offset, period) for own in between)
            begun, between = ended, []


def _read_day(text: str) -> date | None:
    told = read_header(text)
    try:
        return date(told.year or 0, told.month, told.day)
    except ValueError:
        return None


def _months_between(begun: date | None, ended: date | None) -> int:
    days = (ended - begun).days if begun and ended else 0
    return next((months for months, least, most in _LENGTHS if least <= days <= most), 0)


_PERIOD_WORDS = re.compile(
    r"\b(?:as|of|at|for|the|and|in|ended|ending|months?|weeks?|years?|quarters?|fiscal|three|six|nine|twelve|thirteen|fourteen|first|second"
    r"|third|fourth|fifty-\w+|twenty-\w+|thirty-\w+|unaudited|audited|balance|1st|2nd|3rd|4th|FY|Q[1-4]|[1-4]Q|H[12]|[12]H"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b|\d+|\W",
    re.I,
)


def is_period_only(path: tuple[str, ...]) -> bool:
    """Whether a header names its period and nothing else."""
    return not any(_PERIOD_WORDS.sub("", strip_units(level)) for level in path)
