"""Tables of a document as a reader sees them: with titles, units, periods, footnotes, statement."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cached_property
from itertools import groupby, islice

from vectorless_web.engine.documents.node import Column, Node, NodeKind, Row, Table
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.figures.footnotes import Footnote, find_footnotes, marks_in
from vectorless_web.engine.figures.periods import ColumnPeriod, read_header, spans_years, years_in
from vectorless_web.engine.figures.units import (
    THOUSAND,
    code_in,
    find_units,
    is_for_shares,
    is_per_share,
    is_points,
    is_scale,
    is_unit,
    own_unit,
    says_count,
    says_number,
    says_percent,
    says_price,
    says_scale,
    says_shares,
    scale_name,
    strip_units,
    unit_above,
    unit_in,
    units_currency,
    units_scale,
)

_STATEMENTS = (
    (
        "cash_flow",
        re.compile(
            r"\bstatements?\s+of\b.*\bcash\s+flows?\b|\bcash\s+flows?\s+statements?\b|^consolidated\s+cash\s+flows?$",
            re.I,
        ),
    ),
    (
        "balance",
        re.compile(
            r"\bbalance\s+sheets?\b|\bstatements?\s+of\s+(?:consolidated\s+)?financial\s+(?:position|condition)\b", re.I
        ),
    ),
    ("comprehensive_income", re.compile(r"\bcomprehensive\s+(?:income|loss|earnings)\b", re.I)),
    (
        "income",
        re.compile(
            r"\bstatements?\s+of\s+(?:consolidated\s+)?(?:net\s+)?(?:income|operations|earnings|profit)\b|\bincome\s+statements?\b"
            r"|\bprofit\s+and\s+loss\b",
            re.I,
        ),
    ),
    ("equity", re.compile(r"\bstatements?\s+of\b.*\bequity\b", re.I)),
)
_NO_STATEMENT = re.compile(r"\b(?:notes?|hedg\w+|discussion|analysis|impact|effects?|reclassif\w+|components)\b", re.I)
_UNITS = re.compile(
    r"\b(?:thousands|millions|billions)\b|\bin\s+(?:thousand|million|billion)\b|[$€£]\s?['‘’]?(?:000|m|mn|bn)\b"
    r"|\b(?:USD|EUR|GBP|CHF|AUD|CAD|RMB)\s?['‘’]?(?:000|m|mn|bn|k)\b"
    r"|(?:[$€£]|\b(?:USD|EUR|GBP|CHF|dollars?|euros?))\s?(?:thousand|million|billion)\b"
    r"|(?:₹|\b(?:in|Rs\.?|rupees|INR))\s?(?:in\s)?(?:lakhs?|lacs?|crores?)\b",
    re.I,
)
LONGEST_HEADING = 90
"""Characters of a heading that may name a statement. The line that states a table's units may be twice as long."""
LONGEST_PERIOD_LINE = 200
"""Characters of a line above a table that may state its periods; a longer one is prose."""


class ColumnKind(Enum):
    """What the cells of a column are."""

    LABEL = "label"
    FIGURES = "figures"
    WORDS = "words"
    NOTE = "note"
    """References to notes: numbers that are no figures."""
    CHANGE = "change"
    """What other columns changed by, in units or percent."""


@dataclass(frozen=True, slots=True)
class CellReading:
    """What is understood of one cell.

    `row_path` ends with the row's own label; `unit` is "%", "per share", "kg", a currency's code, or "" where none
    is known; `scale` multiplies the printed number into units.
    """

    row_path: tuple[str, ...]
    column_path: tuple[str, ...]
    period: ColumnPeriod
    unit: str
    scale: Decimal
    currency: str
    footnotes: tuple[Footnote, ...] = ()


@dataclass(frozen=True)
class TableView:
    """A table node seen in its place; what stands around it is looked up when first asked for."""

    node: Node
    table: Table
    tree: Tree = field(repr=False, compare=False)

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The titles it stands under."""
        return tuple(self.tree.path(self.node.key))

    @property
    def section(self) -> tuple[str, ...]:
        """The titles it stands under, outermost first."""
        return self.path

    @property
    def caption(self) -> str:
        """Its caption, or ""."""
        return self.node.title

    @cached_property
    def units(self) -> str:
        """Its units line, as printed."""
        return units_line(self.tree, self.node, self.table)

    @cached_property
    def scale(self) -> Decimal:
        """The factor its units line puts on its figures."""
        return units_scale(self.units)

    @cached_property
    def measure(self) -> str:
        """The unit of its figures that a line right above it or its caption states ("Consumption in MWh."), or ""."""
        for key in islice(_keys_above(self.tree, self.node), 2):
            text = self.tree.node(key).text
            if self.tree.kind(key) is NodeKind.TABLE:
                break
            if len(text) <= LONGEST_PERIOD_LINE and unit_above(text):
                return unit_above(text)
        return next((unit for part in self.node.title.split(" | ") if (unit := unit_above(part))), "")

    @cached_property
    def currency(self) -> str:
        """The ISO code of the currency of its amounts, by its units line or its figures; "" when none is said."""
        return units_currency(self.units) or units_currency("".join(sign for sign in _SIGNS if sign in self.node.text))

    @cached_property
    def things_left_out(self) -> frozenset[str]:
        """The names of things that its units line leaves out: they are counted one by one."""
        return _find_things_left_out(self.units)

    @cached_property
    def is_of_percentages(self) -> bool:
        """Whether it states no amounts of money and a good part of its columns of figures are percentages."""
        if self.units or any(sign in self.node.text for sign in _SIGNS):
            return False
        figures = [k for k, kind in enumerate(self.kinds) if kind in (ColumnKind.FIGURES, ColumnKind.CHANGE)]
        shares = sum(self.table.columns[k].unit == "%" or _is_percent_column(self, k) for k in figures)
        return shares > 1 and _LEAST_SHARES * shares >= len(figures)

    @cached_property
    def added_shares(self) -> frozenset[int]:
        """The rows, by their offsets, of shares that are added to one number of shares to make the next one."""
        counts = [place for place, row in enumerate(self.table.body) if says_shares(row.label)]
        between = self.table.body[counts[0] + 1 : counts[-1]] if counts else ()
        return frozenset(row.offset for row in between if _ADDED_SHARES.search(row.label))

    @cached_property
    def signed_columns(self) -> frozenset[int]:
        """The columns with a currency's sign in their header or in a figure."""
        places = range(1, len(self.table.columns))
        return frozenset(place for place in places if self._has_sign(place))

    def _has_sign(self, place: int) -> bool:
        if any(sign in self.table.columns[place].header for sign in _SIGNS):
            return True
        said = (row.cells[place].text for row in self.table.body if place < len(row.cells))
        return any(sign in text for text in said for sign in _SIGNS)

    @cached_property
    def statement(self) -> str:
        """The primary statement it is, "" when it is none."""
        return self.table.statement or statement_named(self.node, self.path)

    @cached_property
    def periods(self) -> tuple[ColumnPeriod, ...]:
        """What is known of each column, from its header or from the line of dates above the table."""
        return column_periods(self.tree, self.node, self.table)

    @cached_property
    def periods_between(self) -> dict[int, ColumnPeriod]:
        """The period of each row, by its offset, that stands between two balances: from one to the next."""
        return dict(_find_periods_between(self.table))

    @cached_property
    def kinds(self) -> tuple[ColumnKind, ...]:
        """What the cells of each column are."""
        return tuple(_column_kind(self.table, place) for place in range(len(self.table.columns)))

    @cached_property
    def note_columns(self) -> frozenset[int]:
        """The columns that refer to notes, known by their headers alone."""
        return frozenset(place for place, column in enumerate(self.table.columns) if place and _refers_to_notes(column))

    @cached_property
    def unit_columns(self) -> tuple[int, ...]:
        """The columns whose cells name the units of their rows, known by their headers."""
        headed = ((place, column.path[-1]) for place, column in enumerate(self.table.columns) if place and column.path)
        return tuple(
            place
            for place, header in headed
            if _UNIT_HEADER.match(header.strip()) and self.kinds[place] is ColumnKind.WORDS
        )

    @cached_property
    def parting_column(self) -> int:
        """The column whose words tell rows of one label apart, as ports do under a merged region; else beyond all."""
        none = len(self.table.columns)
        repeated = Counter(row.label for row in self.table.body if row.label)
        alike = sum(count for count in repeated.values() if count > 1)
        if 2 * alike < len(self.table.body) or not alike:
            return none
        words = (place for place, kind in enumerate(self.kinds) if kind is ColumnKind.WORDS)
        return next((place for place in words if place and place not in self.unit_columns), none)

    @cached_property
    def points(self) -> tuple[str, ...]:
        """For each column the points of a percentage that its first figure prints and the others need not; else ""."""
        return tuple(_points_of(self.table, place) for place in range(len(self.table.columns)))

    @cached_property
    def footnotes(self) -> tuple[Footnote, ...]:
        """The notes under the table, in reading order."""
        return tuple(find_footnotes(self.tree, self.node, self.table))

    @property
    def name(self) -> str:
        """What a reader calls the table: its caption, else the title of its section."""
        return self.node.title or (self.path[-1] if self.path else "Table")

    @cached_property
    def parts(self) -> tuple["TableView", ...]:
        """All parts of the table in order, this one included; a table that is whole is its own only part."""
        return tuple(_find_parts(self))

    def read_cell(self, row: Row, place: int) -> CellReading:
        """What is understood of the cell at a place of a row."""
        view = next((view for offset, view in reversed(self._later) if offset < row.offset), self)
        return _read_cell(view, row, place)

    @cached_property
    def _later(self) -> tuple[tuple[int, "TableView"], ...]:
        """(offset of a row among the rows that names other columns, the table as it is read below that row)."""
        return tuple(_find_later_headers(self))

    def describe(self) -> str:
        """What is understood of the table, in words: "thousands of USD; columns: year ended 31 December 2023, 2022"."""
        parts = [_units_words(self), _columns_words(self)]
        return "; ".join(part for part in parts if part)


def tables_of(tree: Tree, keys: Iterable[int]) -> Iterator[TableView]:
    """The tables among `keys`."""
    for key in keys:
        if tree.kind(key) is NodeKind.TABLE:
            node = tree.node(key)
            if node.table is not None:
                yield TableView(node, node.table, tree)


def _find_parts(view: TableView) -> Iterator[TableView]:
    first, last = view, view
    before = []
    while first.table.part and (found := _neighbour(first, -1)) and found.table.part == first.table.part - 1:
        before.append(found)
        first = found
    yield from reversed(before)
    yield view
    while (found := _neighbour(last, 1)) and found.table.part == last.table.part + 1:
        yield found
        last = found


def _find_later_headers(view: TableView) -> Iterator[tuple[int, TableView]]:
    """Rows without figures under rows of figures that name the periods of the rows below, and what those rows are."""
    begun = False
    for number, row in enumerate(view.table.rows):
        said = {place: cell.text for place, cell in enumerate(row.cells) if place and cell.length}
        if begun and said and all(_names_period(text, row.label) for text in said.values()):
            columns = tuple(_rename(column, place, said, row.label) for place, column in enumerate(view.table.columns))
            below = replace(view.table, columns=columns, rows=view.table.rows[number + 1 :])
            yield row.offset, TableView(view.node, below, view.tree)
        begun = begun or (not row.is_header and any(map(_holds_figure, said.values())))


_SAYS_PERIOD = re.compile(r"\b(?:FY|ended|ending|months|quarter|as (?:of|at|on)|at)\b|%|[$€£]", re.I)


def _names_period(text: str, label: str) -> bool:
    """Whether a cell names a period and is none of a row's values, as the years behind "Due in" are."""
    if not read_header(text).year or len(text) > LONGEST_HEADING or _DAY.match(text):
        return False
    return bool(_SAYS_PERIOD.search(text)) if label else _is_period_only((text,))


def _rename(column: Column, place: int, said: dict[int, str], label: str) -> Column:
    """A column under a later header: its own name there, what one header says for all, or nothing."""
    if not place:
        return Column(label)
    if place in said and len(said) > 1:
        return Column(said[place], levels=(said[place],))
    if len(said) > 1:
        return Column("")
    kept = tuple(level for level in column.path if not read_header(level).year)
    levels = (*said.values(), *kept)
    return replace(column, header=" / ".join(levels), period="", levels=levels)


def _neighbour(view: TableView, step: int) -> TableView | None:
    """The table next to a table, with nothing but running lines between them."""
    key = view.node.key + step
    while 0 < key < len(view.tree) and view.tree.kind(key) is NodeKind.RUNNING:
        key += step
    return next(tables_of(view.tree, [key]), None) if 0 < key < len(view.tree) else None


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
    for text in _lines_above(tree, node):
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
    above = next((tree.node(key) for key in _keys_above(tree, node)), None)
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
    told = next((text for text in _lines_above(tree, node) if _LENGTH_LINE.match(text)), "")
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
    """What a column says of its period, completed by what holds for all columns."""
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
    """Columns in which at least a third of the rows that state numbers have one."""
    counts = [0] * len(table.columns)
    rows = 0
    for row in table.body:
        places = [
            i
            for i, cell in enumerate(row.cells)
            if i and i < len(counts) and cell.length and _holds_figure(cell.text) and not _DATE_CELL.match(cell.text)
        ]
        rows += bool(places)
        for place in places:
            counts[place] += 1
    return [column for column, count in enumerate(counts) if rows and count * 3 >= rows]


_DATE_CELL = re.compile(
    r"^\W*(?:\d{1,2}\.? )?[a-z]{3,9}\.? \d{1,2}, (?:19|20)\d\d\W*$|^\W*\d{1,2} [a-z]{3,9}\.? (?:19|20)\d\d\W*$", re.I
)


def _keys_above(tree: Tree, node: Node) -> Iterator[int]:
    """What stands before a table, nearest first, without the running lines of pages."""
    return (key for key in range(node.key - 1, 0, -1) if tree.kind(key) is not NodeKind.RUNNING)


def _lines_above(tree: Tree, node: Node) -> Iterator[str]:
    """Short texts before the table on its page, nearest first, running heads included."""
    for key in range(node.key - 1, max(0, node.key - 8), -1):
        above = tree.node(key)
        if above.page_start != node.page_start or above.kind is NodeKind.TABLE:
            return
        if len(above.text) <= LONGEST_PERIOD_LINE:
            yield above.text


def units_line(tree: Tree, node: Node, table: Table) -> str:
    """The units as printed: the table's own line, a header cell, its caption, the text above it, or its section."""
    headers = " ".join(cell.text for row in table.rows if row.is_header for cell in row.cells[:1])
    for text in (table.units, table.columns[0].header if table.columns else "", headers, node.title):
        if _UNITS.search(text) and not is_for_shares(text):
            return text
    return _find_units_above(tree, node)


_UNITS_ABOVE, _LEAD_IN = 3, 400
"""Nodes above a table that may state its units, its section's heading included, and characters at the end of each in
which they are looked for."""


def _find_units_above(tree: Tree, node: Node) -> str:
    """What a short line above the table says of its units, or the end of a text; else the titles it stands under."""
    last = next(islice(_keys_above(tree, node), _UNITS_ABOVE - 1, None), 1)
    for key in range(node.key - 1, last - 1, -1):
        text = tree.node(key).text
        if len(text) <= LONGEST_PERIOD_LINE and unit_above(text) and not _UNITS.search(text):
            return ""  # a nearer line states another unit
        if tree.kind(key) is NodeKind.TABLE:
            continue
        if len(text) <= 2 * LONGEST_HEADING and _UNITS.search(text) and not is_for_shares(text):
            return text
        told = find_units(text[-_LEAD_IN:])
        if told and not is_for_shares(told[0]):
            return told[0].strip("()")
    titles = (find_units(title) for title in (*reversed(tree.path(node.key)), *_notes_titles(tree, node)))
    return next((told[0].strip("()") for told in titles if told and not is_for_shares(told[0])), "")


_NOTES_TITLE = re.compile(r"^\W*(?:[A-Z][^.;:]{2,80}\s(?=N))?(?i:notes to\b.{0,40}\bstatements?)\b")
_NOTES_ABOVE = 60
"""Nodes above a table among which the heading of all notes, which runs on every page of some reports, is looked for."""


def _notes_titles(tree: Tree, node: Node) -> Iterator[str]:
    """What heads all notes of a report, nearest first: "Notes to Financial Statements (in thousands)"."""
    for key in range(node.key - 1, max(0, node.key - _NOTES_ABOVE), -1):
        text = tree.node(key).title or tree.node(key).text[:LONGEST_PERIOD_LINE]
        if _NOTES_TITLE.match(text):
            yield text


def statement_named(node: Node, path: tuple[str, ...]) -> str:
    """The primary statement that caption or section title names, or ""."""
    for title in (node.title, path[-1] if path else ""):
        if title and len(title) <= LONGEST_HEADING and not _NO_STATEMENT.search(title):
            name = next((name for name, pattern in _STATEMENTS if pattern.search(title)), "")
            if name:
                return name
    return ""


_SIGNS = "$€£¥"
_NOTE_HEADER = re.compile(r"^(?:see )?(?:foot)?notes?(?:\s+(?:ref(?:erence)?s?\.?|no\.?|number))?$|^ref\.?$", re.I)
_CHANGE_HEADER = re.compile(
    r"\bchange\b|\bvariance\b|\bincrease\b|\bdecrease\b|\bgrowth(?: rate)?\W*$"
    r"|\bvs\.?\b|\bversus\b|\bbetter\b|\bworse\b|\bdiff(?:erence)?\b"
    r"|[ΔΔ]|\by/y\b|\byoy\b|\bq/q\b",
    re.I,
)
_LEAST_SHARES = 3
"""One column of figures in so many states percentages in a table of them."""
_MOSTLY = 0.5
"""Share of the cells of a column that must hold a figure for it to be one of figures."""


def _column_kind(table: Table, place: int) -> ColumnKind:
    path = table.columns[place].path
    if place == 0:
        return ColumnKind.LABEL
    if _refers_to_notes(table.columns[place]):
        return ColumnKind.NOTE
    said = [row.cells[place].text for row in table.body if place < len(row.cells) and row.cells[place].length]
    figures = sum(_holds_figure(text) for text in said)
    if not said or figures < _MOSTLY * len(said):
        return ColumnKind.WORDS
    return ColumnKind.CHANGE if any(_CHANGE_HEADER.search(level) for level in path) else ColumnKind.FIGURES


def _refers_to_notes(column: Column) -> bool:
    return bool(column.path) and _NOTE_HEADER.match(column.path[-1].strip()) is not None


_MARKED = re.compile(r"(?<=\d)[a-h]{1,4}$")
"""Letters behind a figure that name the columns or rows from which it differs: "65bcd"."""


def _holds_figure(text: str) -> bool:
    text = _MARKED.sub("", text)
    letters = sum(character.isalpha() for character in text)
    digits = sum(character.isdigit() for character in text)
    return letters <= digits and (digits > 0 or not letters)


def _read_cell(view: TableView, row: Row, place: int) -> CellReading:
    column = view.table.columns[place] if place < len(view.table.columns) else None
    cell = row.cells[place]
    path = column.path if column else ()
    unit, scale, currency = _cell_unit(view, row, place)
    label = _label_of(view, row, place)
    row_path = (*row.path, label) if label and row.path[-1:] != (label,) else row.path
    parting = view.parting_column
    if parting < place and label == row.label != row.cells[parting].text and row.cells[parting].length:
        row_path = (*row_path, row.cells[parting].text)
    period = view.periods[place] if place < len(view.periods) else read_header("")
    if not period.year or not (column and read_header(column.header, column.period).year):
        # What holds for the whole table yields to what a row says.
        period = _row_period(row, view.periods_between.get(row.offset, period))
    period = _narrow_to_quarter(row, period)
    marks = [marks_in(text) for text in (cell.text if place else "", row.label, *path)]
    known = {mark for found in marks for mark in found}
    notes = tuple(note for note in view.footnotes if note.mark in known)
    return CellReading(row_path, path, period, unit, scale, currency, notes)


def _label_of(view: TableView, row: Row, place: int) -> str:
    """What names a cell in its row: the row's label, or in a form and in tables set side by side the cell before it."""
    for before in range(place - 1, 0, -1):
        text = row.cells[before].text.strip()
        if text.endswith(":") and len(text) > 1:
            return text
    for before in range(min(place, len(view.table.columns) - 1), 0, -1):
        if row.cells[before].length and _begins_again(view, before, place):
            return row.cells[before].text
    words = _words_before(view, row, place)
    if _ORDINAL.match(row.label):
        return f"{row.label} {words[0]}" if words else row.label
    return row.label or (words[-1] if words else "")


_ORDINAL = re.compile(r"^\(?\d{1,2}(?:\.\d{1,2})*[.)]?(?:\s?[A-Za-z])?$")
"""A number that counts rows and names none: "7.", "4.2", "4.4 B"."""


def _begins_again(view: TableView, before: int, place: int) -> bool:
    """Whether a table set beside another begins at a column: it is headed as the first one is.

    Where nothing heads the labels, the columns behind them must be headed alike.
    """
    columns = view.table.columns
    if columns[before].path != columns[0].path:
        return False
    headed = columns[place].path if 0 < place - before < before and place < len(columns) else ()
    alike = bool(headed) and headed == columns[place - before].path
    return bool(columns[0].path) or (alike and view.kinds[before] is ColumnKind.WORDS)


def _words_before(view: TableView, row: Row, place: int) -> list[str]:
    """The words between the label of a row and a cell."""
    last = min(place, len(view.kinds))
    words = (row.cells[k] for k in range(1, last) if view.kinds[k] is ColumnKind.WORDS)
    return [cell.text for cell in words if cell.length]


def _row_period(row: Row, period: ColumnPeriod) -> ColumnPeriod:
    """The period of a row whose label is one ("2019", "Q2 2023", "Year ended ..."), where the column names none."""
    said = [label for label in (*row.path, row.label) if _PERIOD_LABEL.match(label) or _is_period_only((label,))]
    said += [match[1] for label in (*row.path, row.label) if (match := _AT_DATE.search(label)) and label not in said]
    said += [match[1] for label in (row.label,) if not said and (match := _DASH_DATE.search(label))]
    told = read_header(" / ".join(said))
    return replace(told, is_change=period.is_change) if told.year else period


def _narrow_to_quarter(row: Row, period: ColumnPeriod) -> ColumnPeriod:
    """The quarter that a row's label names and nothing else, of the year that the column or the whole table names."""
    if not period.year or period.quarter or period.months not in (0, 12) or period.is_instant:
        return period
    told = read_header(row.label) if row.label and _is_period_only((row.label,)) else None
    if told is None or not told.quarter or told.year:
        return period
    return replace(period, quarter=told.quarter, months=told.months, month=0, day=0)


_NET = r"(?:,? net of tax(?:es)?\W*)?"
"""What may stand behind the day of a balance."""
_BALANCE = re.compile(
    r"^\W*(?:.{0,60}\b(?:at|as of)\s+|.{0,40}\b(?:balances?|outstanding|unvested|non-?vested)\b.{0,40}?)"
    rf"\b(?P<day>[a-z]{{3,9}}\.? \d{{1,2}}, (?:19|20)\d\d)\W*(?:\(\w\)\s*)?{_NET}$",
    re.I,
)
"""A row that states what there was on a day: "Balance at December 31, 2016"."""
_LENGTHS = ((3, 80, 100), (6, 170, 192), (9, 262, 284), (12, 355, 376))
"""Months of a period, and the days that it has at least and at most; fiscal years end on the same day of a week."""


def _find_periods_between(table: Table) -> Iterator[tuple[int, ColumnPeriod]]:
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


_PERIOD_LABEL = re.compile(
    r"^\W*(?:balances?|(?:as )?(?:of|at)|(?:fiscal |calendar |half )?year|quarter|Q[1-4]|FY|H[12]"
    r"|(?:first|second|third|fourth|1st|2nd|3rd|4th) (?:quarter|half)|(?:three|six|nine|twelve) months)\b",
    re.I,
)


_AT_DATE = re.compile(
    r"\b((?:(?:as )?(?:of|at)|(?<=outstanding )on|(?<=vested )on|(?<=balance )on|(?<=exercisable )on)"
    rf" [a-z]{{3,9}}\.? \d{{1,2}}, (?:19|20)\d\d)\W*(?:\(\w\)\s*)?{_NET}$",
    re.I,
)
"""The day at the end of a label: "Outstanding at December 28, 2019"."""
_DASH_DATE = re.compile(r"\w\s[-–—]\s([a-z]{3,9}\.? \d{1,2}, (?:19|20)\d\d)\W*$", re.I)
"""The day behind a dash at the end of a label: "Stock of boats - December 28, 2019"."""
_ASIDE = re.compile(r"\([^()]*\d[^()]*\)|,?\s[$€£¥]\s?\d+(?:\.\d+)? per \w+(?: share)?", re.I)
"""What a label says besides: "Dividends ($1.08 per share)" are no amounts per share."""


def _text_with_unit(text: str) -> str:
    """What of a cell may state its unit: not the share behind a figure, and nothing that a sentence mentions."""
    said = _SHARE_BESIDE.sub("", text)
    return _WORDS if len(said) > _LONGEST_AMOUNT and not _holds_figure(said) else said


def _cell_unit(view: TableView, row: Row, place: int) -> tuple[str, Decimal, str]:
    """(unit, scale, currency) of a cell: what it says itself, then its row, its column and the whole table."""
    text = _text_with_unit(row.cells[place].text)
    column = view.table.columns[place] if place < len(view.table.columns) else None
    levels = column.path if column else ()
    one, own = Decimal(1), _settle_dollars(units_currency(text), text, (view.units, *levels))
    itself = "%" if "%" in text else own_unit(text)
    if not itself and not own and _holds_figure(text):
        itself = _unit_named(view, row, place)
    if itself:
        return itself, one, code_in(itself)
    is_words = not _holds_figure(text) or _RATIO.match(text) or _DAY.match(text) or spans_years(text)
    if is_words or (not own and _is_left_out(view, row, levels)):
        return own, one, own  # words may name units of their own: "up to 4 weeks" in a column of days
    label = " ".join((*row.path[-1:], row.label))
    counts = not own and says_shares(label)
    if not counts and any(is_per_share(_ASIDE.sub("", said)) for said in (row.label, *row.path[-1:])):
        return "per share", one, own or view.currency
    named = () if code_in(row.label) == row.label else (row.label,)  # a currency alone names what is counted
    told = next((unit for said in (*named, *reversed(levels)) if (unit := unit_in(said))), "")
    if own and units_currency(told) not in ("", own):
        told = ""  # a label that ends with another currency's code names no unit of this figure
    percent = says_percent(told) or (column is not None and column.unit == "%")
    percent = percent or (not told and (_is_percent_column(view, place) or _is_among_percentages(view, row)))
    if not own and (percent or _is_percent_row(row, levels)):
        return "%", one, ""
    if told and not own and any(says_shares(strip_units(said).strip()) for said in (told, *levels)):
        return "shares", units_scale(told) if says_scale(told) else _scale_of_shares(view, text), ""
    if told:
        unit, scale, currency = _told_unit(view, told, own or ("" if says_count(row.label) else view.currency))
        return unit, one if currency and _is_each(view, row, levels) else scale, currency
    if says_shares(label) or (not own and any(says_shares(level) for level in levels)):
        return "shares", _scale_of_shares(view, text), ""
    return _table_unit(view, row, place, levels)


_SHARE_BESIDE = re.compile(r"(?<=\d)\s+\([^()]*%\)$")
"""A share that a figure is followed by: "224 (50%)"."""
_LONGEST_AMOUNT = 60
"""Characters of a cell of words that may still state one amount: "+/- 4.8 % points, both years"."""
_WORDS = "words"
"""Stands for a sentence, which has no unit."""
_DAY = re.compile(r"^\W*(?:\d{1,2}([./-])\d{1,2}\1(?:\d\d|\d{4})|\d{4}-\d\d-\d\d)\W*$")
_RATIO = re.compile(r"^\d+(?:\.\d+)?\s?:\s?\d+(?:\.\d+)?$")
_IN_FULL = re.compile(r"\d,\d{3},\d{3}")
"""A number that is printed to its last place: no count of millions."""


_SHARES_APART = re.compile(r"(?<!per )(?<!per common )\bshares?\b")
"""What a units line leaves out says numbers of shares, and not only amounts per share."""


def _scale_of_shares(view: TableView, text: str) -> Decimal:
    """The factor on numbers of shares: what a line above says, else that of the table unless it leaves them out."""
    for said in (view.table.units, view.table.columns[0].header):
        if is_for_shares(said):
            return units_scale(said)
    for key in range(view.node.key - 1, max(0, view.node.key - _UNITS_ABOVE - 1), -1):
        told = find_units(view.tree.node(key).text[-_LEAD_IN:])
        if told and is_for_shares(told[0]):
            return units_scale(told[0])
    if _SHARES_APART.search(_find_exceptions(view.units)) or (view.scale > THOUSAND and _IN_FULL.search(text)):
        return Decimal(1)
    return view.scale


_MONEY_PATH = re.compile(r"\b(?:sales|revenues?|income|expenses?|costs?|earnings|profits?)\b", re.I)
"""Groups whose rows are amounts, whatever the rows name: "Net sales: Physical stores"."""


def _table_unit(view: TableView, row: Row, place: int, levels: tuple[str, ...]) -> tuple[str, Decimal, str]:
    """(unit, scale, currency) of a cell by the whole table, where neither its row nor its column states a unit."""
    text, one = row.cells[place].text, Decimal(1)
    signed = bool(units_currency(text))
    over_labels = view.table.columns[0].header
    if not signed and says_shares(_THOUSAND_OF.sub("", over_labels).strip()):
        return "shares", THOUSAND if _THOUSAND_OF.search(over_labels) else _scale_of_shares(view, text), ""
    if not signed and view.scale != THOUSAND and any(map(_counts_thousands, row.path[-1:])):
        return "", THOUSAND, ""
    if not signed and row.offset in view.added_shares:
        return "shares", _scale_of_shares(view, text), ""
    if not signed and not view.currency and _AWARDS.search(row.label):
        return "shares", view.scale, ""
    counted = says_count(row.label) or any(map(says_number, row.path[-1:]))
    counts = counted and not signed and not any(map(_MONEY_PATH.search, row.path[-1:]))
    if not _holds_figure(text) or counts or place in view.note_columns or _names_levels(levels, text):
        return "", one, ""
    currency = _settle_dollars(units_currency(text), text, (view.units, *levels)) or view.currency
    unsigned = not units_currency(view.units) and place not in view.signed_columns
    if unsigned and view.scale > THOUSAND and _IN_FULL.search(text):
        return "", one, ""
    if unsigned and view.scale == 1:
        currency = ""  # the signs of other columns say nothing of this one
    if not currency and view.scale == 1:
        money = code_in(view.measure) or ("" if view.measure in _WEIGHTS else units_currency(view.measure))
        return money or view.measure, one, money
    return currency, one if _is_each(view, row, levels) else view.scale, currency


_THOUSAND_OF = re.compile(r"\s*\((?:in )?(?:['’‘]?1?,?000s?|thousands?)\)", re.I)
"""A thousand in brackets behind what is counted: "Number of shares (1,000)"."""


def _counts_thousands(group: str) -> bool:
    """Whether a label over rows says that they count thousands of things: "Connections ('000)"."""
    return bool(_SIGN_OF_THOUSAND.search(group)) and not _MONEY_PATH.search(group) and not units_currency(group)


_SIGN_OF_THOUSAND = re.compile(r"\((?:in )?(?:['’‘]000s?|1,000s?)\)", re.I)
_ADDED_SHARES = re.compile(
    r"\bdiluti(?:ve|on)\b|\bequivalents\b|\b(?:stock|share) (?:units|options|awards)\b|\bconvertible\b|\bwarrants\b",
    re.I,
)
_AWARDS = re.compile(r"\b(?:stock|share) (?:units|options|awards)\b(?!.*\b(?:expenses?|costs?|compensation)\b)", re.I)
_WEIGHTS = ("pound", "pounds")
"""What may be money or weight."""


def _told_unit(view: TableView, told: str, usual: str) -> tuple[str, Decimal, str]:
    """A unit that a row or column states for itself; one of money keeps the table's scale where it names none.

    `usual` is the currency of a figure that has a scale and no unit besides; "" for a number of things.
    """
    currency, scale = _settle_dollars(units_currency(told) or code_in(told), told, (view.units,)), units_scale(told)
    if scale == 1 and currency and is_unit(told):
        scale = view.scale
    money = currency or (usual if scale != 1 and not re.search(r"shares|units", told, re.I) else "")
    return (money or ("" if is_scale(told) else told), scale, money)


def _settle_dollars(currency: str, text: str, told: Iterable[str]) -> str:
    """Whose dollars a bare "$" means: those that the table's units line or the column's header names."""
    if currency != "USD" or not text.strip(" -–—(").startswith("$"):
        return currency
    said = (units_currency(words) for words in told)
    return next((code for code in said if code in _OTHER_DOLLARS), currency)


_OTHER_DOLLARS = ("CAD", "AUD", "SGD", "TWD", "HKD", "NZD")


def _is_each(view: TableView, row: Row, levels: tuple[str, ...]) -> bool:
    """Whether a cell states an amount for one piece, which the units line does not scale."""
    if any(says_price(_ASIDE.sub("", said)) for said in (row.label, " ".join(levels))):
        return True
    left_out = _find_exceptions(view.units)
    own = {word for said in (row.label, *levels[-1:]) for word in _NAME.findall(said.casefold())}
    return ("per " in left_out and bool(_PER.search(row.label))) or not own.isdisjoint(_LEFT_OUT.findall(left_out))


_NAME = re.compile(r"[a-z]{5,}")
_LEFT_OUT = re.compile(r"\b(?:average|prices?)\b")
"""Words of what a units line leaves out that name single amounts: "except average amounts"."""
_PER = re.compile(r"\bper\s+[a-z]", re.I)


_LEVELS = re.compile(r"\b(?:hierarchy|levels?)$", re.I)


def _names_levels(levels: tuple[str, ...], text: str) -> bool:
    """Whether a column says on which level something stands: a number of one place is no amount."""
    return bool(levels) and len(text.strip()) == 1 and bool(_LEVELS.search(levels[-1].strip()))


def _is_percent_row(row: Row, levels: tuple[str, ...]) -> bool:
    """Whether a row's label or the innermost header says that its figures are percentages."""
    said = (row.label, *(group for group in row.path[-1:] if group.endswith(":")), *levels[-1:])
    return any(says_percent(text) and not _UNITS.search(text) for text in said)


def _is_percent_column(view: TableView, place: int) -> bool:
    """Whether a column of percentages prints the sign with its first figure alone, as is done with currencies."""
    said = [row.cells[place].text for row in view.table.body if place < len(row.cells) and row.cells[place].length]
    figures = [text for text in said if _holds_figure(text)]
    signed = len(figures) > 1 and "%" in _SHARE_BESIDE.sub("", figures[0])
    return signed and not any(units_currency(text) for text in figures)


def _is_among_percentages(view: TableView, row: Row) -> bool:
    """Whether a row states percentages in a table of them, and no number of things or shares."""
    label = " ".join((*row.path[-1:], row.label))
    counts = says_count(row.label) or says_shares(label)
    return view.is_of_percentages and not counts and any("%" in cell.text for cell in row.cells[1:])


_UNIT_HEADER = re.compile(r"^(?:units?(?: of measure(?:ment)?)?|uom)$", re.I)
_LONGEST_UNIT = 12
"""Characters of a cell that names a unit, at most."""


def _unit_named(view: TableView, row: Row, place: int) -> str:
    """The unit that the row's cell in a column of units names, or the points that only the first figure prints."""
    for column in view.unit_columns:
        said = row.cells[column].text.strip() if column != place and column < len(row.cells) else ""
        if 0 < len(said) <= _LONGEST_UNIT and not any(map(str.isdigit, said)):
            return said
    return view.points[place] if place < len(view.points) else ""


def _points_of(table: Table, place: int) -> str:
    figures = (row.cells[place].text for row in table.body if place < len(row.cells))
    unit = next((own_unit(text) for text in figures if _holds_figure(text) or own_unit(text)), "")
    return unit if is_points(unit) else ""


def _is_left_out(view: TableView, row: Row, levels: tuple[str, ...]) -> bool:
    """Whether a row or a column has the name of things that the units line leaves out: "except employees"."""
    things = view.things_left_out
    if not things:
        return False
    names = (_NAME.findall(said.casefold()) for said in (row.label, *levels))
    return any(next((name for name in own if name not in _COUNTING), "") in things for own in names)


_COUNTING = ("number", "total", "average")
"""Words before the name of what is counted."""
_LEFT_OUT_AMOUNTS = re.compile(
    r"\bper\b|%|percent|\b(?:ratios?|rates?|amounts?|data|otherwise|noted|indicated|where|as|shares?|figures?|prices?|average)\b"
)
"""What a units line leaves out besides things that are counted."""


def _find_things_left_out(units: str) -> frozenset[str]:
    """The things that a units line leaves out, by their names alone: "employees" of "Millions, except employees"."""
    parts = re.split(r",|;|\band\b|\bor\b|&", _find_exceptions(units))
    named = (_NAME.findall(part) for part in parts if not _LEFT_OUT_AMOUNTS.search(part))
    return frozenset(names[0] for names in named if len(names) == 1)


def _find_exceptions(units: str) -> str:
    """What a units line leaves out ("except per share amounts")."""
    return units.casefold().partition("except")[2]


_MOST_COLUMNS_TOLD = 12
"""Columns that a description names; it counts the others."""


def _units_words(view: TableView) -> str:
    """ "thousands of USD", "EUR", "millions", or ""."""
    scale = scale_name(view.scale)
    if scale and view.currency:
        return f"{scale}s of {view.currency}"
    return f"{scale}s" if scale else view.currency


def _columns_words(view: TableView) -> str:
    """The columns in words; a period is said in full where it differs from the one before by more than its year."""
    told: list[str] = []
    before = ""
    for place, column in enumerate(view.table.columns[1:], start=1):
        period = view.periods[place]
        stem = replace(period, year=None).words if period.year and not period.is_change else ""
        if period.year and not period.is_change and _is_period_only(column.path):
            told.append(str(period.year) if stem and stem == before else period.words)
        elif column.header:
            told.append(" / ".join(column.path))
        before = stem
    told = [words for words, _ in groupby(told)]
    if len(told) > _MOST_COLUMNS_TOLD:
        told = [*told[:_MOST_COLUMNS_TOLD], f"and {len(told) - _MOST_COLUMNS_TOLD} more"]
    return f"columns: {', '.join(told)}" if told else ""


_PERIOD_WORDS = re.compile(
    r"\b(?:as|of|at|for|the|and|in|ended|ending|months?|weeks?|years?|quarters?|fiscal|three|six|nine|twelve|thirteen|fourteen|first|second"
    r"|third|fourth|fifty-\w+|twenty-\w+|thirty-\w+|unaudited|audited|balance|1st|2nd|3rd|4th|FY|Q[1-4]|[1-4]Q|H[12]|[12]H"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b|\d+|\W",
    re.I,
)


def _is_period_only(path: tuple[str, ...]) -> bool:
    """Whether a header names its period and nothing else."""
    return not any(_PERIOD_WORDS.sub("", strip_units(level)) for level in path)
