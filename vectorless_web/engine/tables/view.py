"""Tables of a document as a reader sees them: with titles, units, periods, footnotes, statement."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from functools import cached_property
from itertools import groupby, islice

from vectorless_web.engine.documents.node import Column, Node, NodeKind, Table
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.tables.periods import (
    LONGEST_HEADING,
    LONGEST_PERIOD_LINE,
    ColumnPeriod,
    column_periods,
    find_periods_between,
    is_period_only,
    keys_above,
    read_header,
)
from vectorless_web.engine.tables.units import (
    find_units,
    holds_figure,
    is_for_shares,
    is_points,
    own_unit,
    says_shares,
    scale_name,
    tells_units,
    unit_above,
    units_currency,
    units_scale,
)


@dataclass(frozen=True, slots=True)
class Footnote:
    """What a mark in a table refers to: "(1)" and the text behind it, in node `key`."""

    mark: str
    text: str
    key: int


_MARK = r"\((?:\d{1,2}|[a-z])\)|\[(?:\d{1,2}|[a-z])\]|[*†‡§#]{1,3}|\^\d{1,2}|[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,2}"
_TRAILING_MARKS = re.compile(rf"(?<=\S)\s*(?P<marks>(?:(?:{_MARK})(?:\s*,\s*|\s*))+):?\s*$", re.I)
_SINGLE_MARK = re.compile(_MARK, re.I)
_RAISED = re.compile(r"(?<=[A-Za-z)%])\s?(?P<mark>\d{1,2})$")
_NOTE_LINE = re.compile(
    rf"^\s*(?P<mark>{_MARK}|\d{{1,2}}(?=[.)]?\s)|[a-z](?=[.)]\s))[.):]?\s*(?P<text>\S.*)$", re.I | re.S
)
_SUPERSCRIPTS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹⁰", "1234567890")
_NOTES_BELOW, _LONGEST_NOTE = 14, 600
"""Nodes under a table that may be its footnotes, and characters that are kept of one."""


def _bare_mark(mark: str) -> str:
    return mark.strip("()[]^. ").translate(_SUPERSCRIPTS).casefold()


def marks_in(text: str) -> set[str]:
    """The footnote marks at the end of a text, without their brackets."""
    match = _TRAILING_MARKS.search(text)
    if match:
        return {_bare_mark(mark) for mark in _SINGLE_MARK.findall(match["marks"])}
    raised = _RAISED.search(text)
    return {raised["mark"]} if raised else set()


def find_footnotes(tree: Tree, node: Node, table: Table) -> Iterator[Footnote]:
    """Notes among the table's last rows, and in what is under it up to other text."""
    for row in table.body:
        if sum(cell.length > 0 for cell in row.cells) == 1 or len(row.label) <= _WIDEST_MARK:
            said = " ".join(cell.text for cell in row.cells if cell.length)
            match = _NOTE_LINE.match(said)
            if match and len(said) > _SHORTEST_NOTE:
                yield Footnote(_bare_mark(match["mark"]), match["text"][:_LONGEST_NOTE], node.key)
    begun = False
    for key in range(node.key + 1, min(len(tree), node.key + _NOTES_BELOW)):
        if tree.kind(key) is NodeKind.RUNNING:
            continue
        if tree.kind(key) not in (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.FOOTNOTE):
            return
        found = list(_notes_in(tree.node(key)))
        yield from found
        if not found and (begun or tree.kind(key) is not NodeKind.PARAGRAPH):
            return
        begun = begun or bool(found)
        if not found and len(tree.node(key).text) > _SHORT_REMARK:
            return


_WIDEST_MARK, _SHORTEST_NOTE, _SHORT_REMARK = 4, 15, 200
"""Characters: a label that may be a mark alone, a note in a row of the table, and a line between a table and its notes
("See accompanying notes.")."""


def _notes_in(node: Node) -> Iterator[Footnote]:
    for line in node.text.split("\n") if node.kind is NodeKind.LIST else (node.text,):
        match = _NOTE_LINE.match(line)
        if match:
            yield Footnote(_bare_mark(match["mark"]), " ".join(match["text"].split())[:_LONGEST_NOTE], node.key)


class ColumnKind(Enum):
    """What the cells of a column are."""

    LABEL = "label"
    FIGURES = "figures"
    WORDS = "words"
    NOTE = "note"
    """References to notes: numbers that are no figures."""
    CHANGE = "change"
    """What other columns changed by, in units or percent."""


_ADDED_SHARES = re.compile(
    r"\bdiluti(?:ve|on)\b|\bequivalents\b|\b(?:stock|share) (?:units|options|awards)\b|\bconvertible\b|\bwarrants\b",
    re.I,
)


SHARE_BESIDE = re.compile(r"(?<=\d)\s+\([^()]*%\)$")
"""A share that a figure is followed by: "224 (50%)"."""
DAY_ALONE = re.compile(r"^\W*(?:\d{1,2}([./-])\d{1,2}\1(?:\d\d|\d{4})|\d{4}-\d\d-\d\d)\W*$")
LONG_WORD = re.compile(r"[a-z]{5,}")


@dataclass(frozen=True)
class TableView:
    """A table node seen in its place; the text around it is looked up when first asked for."""

    node: Node
    table: Table
    tree: Tree = field(repr=False, compare=False)

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The titles above it, outermost first."""
        return tuple(self.tree.path(self.node.key))

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
        for key in islice(keys_above(self.tree, self.node), 2):
            text = self.tree.node(key).text
            if self.tree.kind(key) is NodeKind.TABLE:
                break
            if len(text) <= LONGEST_PERIOD_LINE and unit_above(text):
                return unit_above(text)
        return next((unit for part in self.node.title.split(" | ") if (unit := unit_above(part))), "")

    @cached_property
    def currency(self) -> str:
        """The ISO code of the currency of its amounts, by its units line or its figures; "" for none or several."""
        cells = (cell.text for row in self.table.rows for cell in row.cells)
        figures = (text for text in cells if holds_figure(text) or text.strip() in _SIGNS)
        said = {*"".join((*figures, *(column.header for column in self.table.columns)))}
        signs = [sign for sign in _SIGNS if sign in said]
        return units_currency(self.units) or (units_currency(signs[0]) if len(signs) == 1 else "")

    @cached_property
    def unit(self) -> str:
        """The currency that its units line names, else the currency or measure of all its figures; "" for none."""
        printed, unit = units_currency(self.units), self.currency or self.measure
        figures = [k for k, kind in enumerate(self.kinds) if kind in (ColumnKind.FIGURES, ColumnKind.CHANGE)]
        places = [k for k in range(1, len(self.kinds)) if k not in self.note_columns]
        is_signed = not self.currency or self.signed_columns.issuperset(figures)
        return printed or (unit if is_signed and self._agrees(unit, places) else "")

    @cached_property
    def percentages(self) -> frozenset[int]:
        """The columns in which all figures are percentages."""
        places = (place for place, column in enumerate(self.table.columns) if column.unit == "%")
        return frozenset(place for place in places if self._agrees("%", (place,)))

    def _agrees(self, unit: str, places: Iterable[int]) -> bool:
        """Whether nearly all cells of some columns are figures and none has the sign of another unit."""
        cells = [row.cells[k].text.strip() for row in self.table.body for k in places if k < len(row.cells)]
        said = [SHARE_BESIDE.sub("", text) for text in cells if any(map(str.isalnum, text))]
        signs = {units_currency(text) or "%" * ("%" in text) for text in said}
        return sum(map(holds_figure, said)) >= _NEARLY_ALL * len(said) and signs <= {"", unit}

    @cached_property
    def things_left_out(self) -> frozenset[str]:
        """The names of things that its units line leaves out: they are counted one by one."""
        return _find_things_left_out(self.units)

    @cached_property
    def percent_columns(self) -> frozenset[int]:
        """The columns whose first figure alone prints a percent sign that holds for all."""
        width = max([len(self.table.columns), *(len(row.cells) for row in self.table.body)], default=0)
        return frozenset(place for place in range(width) if _is_percent_column(self.table, place))

    @cached_property
    def is_of_percentages(self) -> bool:
        """Whether it states no amounts of money and a good part of its columns of figures are percentages."""
        if self.units or any(sign in self.node.text for sign in _SIGNS):
            return False
        figures = [k for k, kind in enumerate(self.kinds) if kind in (ColumnKind.FIGURES, ColumnKind.CHANGE)]
        shares = sum(self.table.columns[k].unit == "%" or k in self.percent_columns for k in figures)
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

    @property
    def statement(self) -> str:
        """The primary statement it is, "" when it is none."""
        return self.table.statement

    @cached_property
    def periods(self) -> tuple[ColumnPeriod, ...]:
        """What is known of each column, from its header or from the line of dates above the table."""
        return column_periods(self.tree, self.node, self.table)

    @cached_property
    def periods_between(self) -> dict[int, ColumnPeriod]:
        """The period of each row, by its offset, that is between two balances: from one to the next."""
        return dict(find_periods_between(self.table))

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

    def notes_of(self, texts: Iterable[str]) -> tuple[Footnote, ...]:
        """The notes that marks at the ends of these cells, labels and headers refer to."""
        marks = {mark for text in texts for mark in marks_in(text)}
        return tuple(note for note in self.footnotes if note.mark in marks) if marks else ()

    @property
    def name(self) -> str:
        """What a reader calls the table: its caption, else the title of its section."""
        return self.node.title or (self.path[-1] if self.path else "Table")

    @cached_property
    def parts(self) -> tuple["TableView", ...]:
        """All parts of the table in order, this one included; a table that is whole is its own only part."""
        return tuple(_find_parts(self))

    @cached_property
    def later(self) -> tuple[tuple[int, "TableView"], ...]:
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
        begun = begun or (not row.is_header and any(map(holds_figure, said.values())))


_SAYS_PERIOD = re.compile(r"\b(?:FY|ended|ending|months|quarter|as (?:of|at|on)|at)\b|%|[$€£]", re.I)


def _names_period(text: str, label: str) -> bool:
    """Whether a cell names a period and is none of a row's values, as the years behind "Due in" are."""
    if not read_header(text).year or len(text) > LONGEST_HEADING or DAY_ALONE.match(text):
        return False
    return bool(_SAYS_PERIOD.search(text)) if label else is_period_only((text,))


def _rename(column: Column, place: int, said: dict[int, str], label: str) -> Column:
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
    key = view.node.key + step
    while 0 < key < len(view.tree) and view.tree.kind(key) is NodeKind.RUNNING:
        key += step
    return next(tables_of(view.tree, [key]), None) if 0 < key < len(view.tree) else None


def units_line(tree: Tree, node: Node, table: Table) -> str:
    """The units as printed: the table's own line, a header cell, its caption, the text above it, or its section."""
    headers = " ".join(cell.text for row in table.rows if row.is_header for cell in row.cells[:1])
    for text in (table.units, table.columns[0].header if table.columns else "", headers, node.title):
        if tells_units(text) and not is_for_shares(text):
            return text
    return _find_units_above(tree, node)


UNITS_ABOVE, LEAD_IN = 3, 400
"""Nodes above a table that may state its units, its section's heading included, and characters at the end of each in
which they are looked for."""


def _find_units_above(tree: Tree, node: Node) -> str:
    """What a short line above the table says of its units, or the end of a text; else the titles above it."""
    last = next(islice(keys_above(tree, node), UNITS_ABOVE - 1, None), 1)
    for key in range(node.key - 1, last - 1, -1):
        text = tree.node(key).text
        if len(text) <= LONGEST_PERIOD_LINE and unit_above(text) and not tells_units(text):
            return ""  # a nearer line states another unit
        if tree.kind(key) is NodeKind.TABLE:
            continue
        if len(text) <= 2 * LONGEST_HEADING and tells_units(text) and not is_for_shares(text):
            return text
        told = find_units(text[-LEAD_IN:])
        if told and not is_for_shares(told[0]):
            return told[0].strip("()")
    titles = map(find_units, reversed(tree.path(node.key)))
    return next((told[0].strip("()") for told in titles if told and not is_for_shares(told[0])), "")


_SIGNS = "$€£¥"
_NOTE_HEADER = re.compile(r"^(?:see )?(?:foot)?notes?(?:\s+(?:ref(?:erence)?s?\.?|no\.?|number))?$|^ref\.?$", re.I)
_LEAST_SHARES = 3
"""One column of figures in so many states percentages in a table of them."""
_MOSTLY = 0.5
"""Share of the cells of a column that must hold a figure for it to be one of figures."""


_NEARLY_ALL = 0.8
"""Share of the cells that must hold a figure for one unit to be told of all."""


def _column_kind(table: Table, place: int) -> ColumnKind:
    path = table.columns[place].path
    if place == 0:
        return ColumnKind.LABEL
    if _refers_to_notes(table.columns[place]):
        return ColumnKind.NOTE
    said = [row.cells[place].text for row in table.body if place < len(row.cells) and row.cells[place].length]
    figures = sum(holds_figure(text) for text in said)
    if not said or figures < _MOSTLY * len(said):
        return ColumnKind.WORDS
    return ColumnKind.CHANGE if any(read_header(level).is_change for level in path) else ColumnKind.FIGURES


def _refers_to_notes(column: Column) -> bool:
    return bool(column.path) and _NOTE_HEADER.match(column.path[-1].strip()) is not None


def _is_percent_column(table: Table, place: int) -> bool:
    """Whether a column of percentages prints the sign with its first figure alone, as is done with currencies."""
    said = [row.cells[place].text for row in table.body if place < len(row.cells) and row.cells[place].length]
    if not any("%" in text for text in said):
        return False
    figures = [text for text in said if holds_figure(text)]
    signed = len(figures) > 1 and "%" in SHARE_BESIDE.sub("", figures[0])
    return signed and not any(units_currency(text) for text in figures)


_UNIT_HEADER = re.compile(r"^(?:units?(?: of measure(?:ment)?)?|uom)$", re.I)


def _points_of(table: Table, place: int) -> str:
    figures = (row.cells[place].text for row in table.body if place < len(row.cells))
    unit = next((own_unit(text) for text in figures if holds_figure(text) or own_unit(text)), "")
    return unit if is_points(unit) else ""


_LEFT_OUT_AMOUNTS = re.compile(
    r"\bper\b|%|percent|\b(?:ratios?|rates?|amounts?|data|otherwise|noted|indicated|where|as|shares?|figures?|prices?|average)\b"
)
"""What a units line leaves out besides things that are counted."""


def _find_things_left_out(units: str) -> frozenset[str]:
    """The things that a units line leaves out, by their names alone: "employees" of "Millions, except employees"."""
    parts = re.split(r",|;|\band\b|\bor\b|&", find_exceptions(units))
    named = (LONG_WORD.findall(part) for part in parts if not _LEFT_OUT_AMOUNTS.search(part))
    return frozenset(names[0] for names in named if len(names) == 1)


def find_exceptions(units: str) -> str:
    """What a units line leaves out ("except per share amounts")."""
    return units.casefold().partition("except")[2]


_MOST_COLUMNS_TOLD = 12
"""Columns that a description names; it counts the others."""


def _units_words(view: TableView) -> str:
    scale = scale_name(view.scale)
    if scale and view.unit:
        return f"{scale}s of {view.unit}"
    return f"{scale}s" if scale else view.unit


def _columns_words(view: TableView) -> str:
    """The columns in words; a period is said in full where it differs from the one before by more than its year."""
    told: list[str] = []
    before = ""
    for place, column in enumerate(view.table.columns[1:], start=1):
        period = view.periods[place]
        stem = replace(period, year=None).words if period.year and not period.is_change else ""
        if period.year and not period.is_change and is_period_only(column.path):
            told.append(str(period.year) if stem and stem == before else period.words)
        elif column.header:
            told.append(" / ".join(column.path))
        before = stem
    told = [words for words, _ in groupby(told)]
    if len(told) > _MOST_COLUMNS_TOLD:
        told = [*told[:_MOST_COLUMNS_TOLD], f"and {len(told) - _MOST_COLUMNS_TOLD} more"]
    return f"columns: {', '.join(told)}" if told else ""
