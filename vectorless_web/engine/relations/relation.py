"""A table as a relation: lines and columns with the words, periods and units by which a cell is known."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, lru_cache

from vectorless_web.engine.documents.node import Column, Node, NodeKind, Row
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.lookup import RowCell, figure_of, read_cell_number
from vectorless_web.engine.figures.periods import ColumnPeriod, OwnPeriod, read_header
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.figures.units import (
    LONGEST_UNITS,
    counts_things,
    find_units,
    says_scale,
    units_currency,
    units_scale,
)
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.quantities import quantities_in

_DASHES = frozenset("—–-−")
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NOTE_MARK = re.compile(r"\s*(?:\(\s*(?:\d{1,2}|[a-z]|i{1,3}|iv|vi{0,3})\s*\)|[*†‡])+\s*$", re.I)
_GLUED_MARK = re.compile(r"(?<=[a-z)])[1-9]$")
_CHANGE = re.compile(r"change|variance|increase|decrease|growth|better|worse|\bvs\b|\bversus\b|favou?rable|\+/", re.I)
_SUM_LABEL = re.compile(r"^\W*(?:(?:sub|grand\s+)?-?totals?|sum)\b|\btotals?\W*$", re.I)
_GROSS = frozenset({"gross", "net", "total", "befor", "after"})
"""Words by which a row of its group's own name says that it sums the group up."""

_TOLD_IN_PERCENT = re.compile(r"(?<!\d)(?<!\d\s)%|\bpercentage\b", re.I)
"""Words that make figures percentages; "at 60 % humidity" is a condition under which something else is measured."""

_NOTES = re.compile(r"^\W*(?:notes?|ref(?:erence)?s?)\W*$", re.I)


@lru_cache(maxsize=1 << 15)
def words_of(text: str) -> frozenset[str]:
    """The index terms of a text; a percent sign says "percent"."""
    terms = set(analyse(text))
    if "%" in text:
        terms.add("percent")
    if "percentag" in terms:
        terms.add("percent")
    return frozenset(terms)


def column_path(column: Column) -> tuple[str, ...]:
    """The header levels of a column, top down."""
    return tuple(part.strip() for part in column.header.split(" / ") if part.strip())


@dataclass(frozen=True, slots=True)
class Axis:
    """A column: its header path, the words in it, its period, and whether it holds changes between other columns."""

    index: int
    path: tuple[str, ...]
    words: frozenset[str]
    period: ColumnPeriod
    is_change: bool
    unit: str = ""

    @property
    def says_year(self) -> bool:
        """Whether the header itself names the year, not only what stands around the table."""
        year = self.period.year
        return year is not None and any(str(year) in text or f"{year % 100:02}" in text for text in self.path)

    @property
    def name(self) -> str:
        """The header in one line."""
        return ", ".join(level.strip(" ,") for level in self.path)


@dataclass(frozen=True, slots=True)
class Line:
    """A body row: its label, the groups it stands under (outermost first), the words of both, and its own period."""

    row: Row
    label: str
    groups: tuple[str, ...]
    words: frozenset[str]
    group_words: frozenset[str]
    period: ColumnPeriod

    @property
    def is_sum(self) -> bool:
        """Whether the label says that the row sums others up."""
        if _SUM_LABEL.search(self.label):
            return True
        return bool(self.group_words) and self.words - _GROSS <= self.group_words and bool(self.words & _GROSS)


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell with a number, in its line and column. `is_blank`: a dash or nothing stands there."""

    line: Line
    axis: Axis
    cell: RowCell
    is_blank: bool = False


@dataclass(frozen=True)
class Relation:
    """A table with everything that says what its cells are; `own` is the quarter its document reports on."""

    document: str
    view: TableView
    own: OwnPeriod | None = None
    rank: float = 0.0
    subject: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The columns that hold figures."""
        width = max([len(self.view.table.columns), *(len(row.cells) for row in self.view.table.body)], default=0)
        axes = [self._axis(index) for index in range(width) if index not in self.view.note_columns]
        found = [axis for axis in axes if not _NOTES.match(axis.name)]
        years = [axis.path[-1] for axis in found if axis.path and _LONE_YEAR.match(axis.path[-1])]
        found = [replace(axis, is_change=axis.is_change and not _is_only_of_year(axis, years)) for axis in found]
        if all(axis.is_change for axis in found if axis.index):
            found = [replace(axis, is_change=False) for axis in found]
        return tuple(found)

    @cached_property
    def axis_words(self) -> frozenset[str]:
        """The words of all column headers."""
        return frozenset(word for axis in self.axes for word in axis.words)

    def _axis(self, index: int) -> Axis:
        columns, periods = self.view.table.columns, self.view.periods
        own = column_path(columns[index]) if index < len(columns) else ()
        spread = tuple(text for text in _inherit_header(self._heads, index) if text not in own)
        late = tuple(row.cells[index].text.strip() for row in self._late_heads if index < len(row.cells))
        path = tuple(
            text
            for text in (*spread, *own, *late)
            if text and not _EXCEPTIONS.search(text) and not _LONE_UNITS.match(text)
        )
        header = " ".join(path)
        period = periods[index] if index < len(periods) else read_header("")
        if not period.year:
            period = read_header(_SHORT_FISCAL.sub(r"FY\1", header))
        unit = columns[index].unit if index < len(columns) else ""
        if "%" in unit and not re.search(r"%|percent", header, re.I):
            unit = ""
        return Axis(index, path, words_of(header), period, bool(_CHANGE.search(header)), unit)

    @cached_property
    def _heads(self) -> list[list[str]]:
        """The header rows as texts, top down, late ones among them."""
        rows = [row for row in self.view.table.rows if row.is_header]
        return [[cell.text.strip() for cell in row.cells] for row in (*rows, *self._late_heads)]

    @cached_property
    def _late_heads(self) -> tuple[Row, ...]:
        """Rows above the first figures that were not read as headers: years and names of columns, no amount."""
        found: list[Row] = []
        columns = self.view.table.columns
        if all(column.header for column in columns[1:]) and columns[1:]:
            return ()
        for row in self.view.table.body[:MOST_HEADS]:
            values = [cell.text.strip() for cell in row.cells[1:] if cell.text.strip()]
            if not values or not all(_is_heading(text) for text in values):
                break
            found.append(row)
        years = any(_HEADING_YEAR.search(cell.text) for row in found for cell in row.cells[1:])
        named = any(sum(bool(cell.text.strip()) for cell in row.cells[1:]) > 1 for row in found)
        return tuple(found) if years or named else ()

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The body rows that have figures, each under the groups it stands in."""
        return tuple(line for line, has_cells in self._all_lines if has_cells)

    @cached_property
    def label_words(self) -> frozenset[str]:
        """The words of all lines' labels and groups."""
        return frozenset(word for line in self.lines for word in (*line.words, *line.group_words))

    @cached_property
    def _all_lines(self) -> tuple[tuple[Line, bool], ...]:
        found: list[tuple[Line, bool]] = []
        group = ""
        for row in self.view.table.body[len(self._late_heads) :]:
            label = _GLUED_MARK.sub("", _NOTE_MARK.sub("", row.label)).strip(" :.")
            has_cells = any(_holds_value(cell.text) for cell in row.cells[1 if row.label else 0 :])
            told = label or next((cell.text.strip() for cell in row.cells if cell.text.strip()), "")
            if not has_cells:
                group = told.strip(" :")
            groups = row.path or ((group,) if group and has_cells else ())
            found.append((_line(row, label, groups), has_cells))
            if has_cells and _closes(label, group):
                group = ""
        return tuple(found)

    @cached_property
    def groups(self) -> dict[str, list[Line]]:
        """The lines of each group by the group's label, sums left out."""
        found: dict[str, list[Line]] = {}
        summed: set[str] = set()
        for line in self.lines:
            for group in line.groups:
                if line.is_sum and group in found and group == line.groups[-1]:
                    summed.add(group)
                elif group not in summed and not line.is_sum and line.label:
                    found.setdefault(group, []).append(line)
        return {group.strip(" :"): lines for group, lines in found.items()}

    @cached_property
    def place_words(self) -> frozenset[str]:
        """Words of caption, section and units."""
        head = " ".join(cells[0] for cells in self._heads if cells)
        lead = [text for text in self._near_texts if _LEAD_IN.search(text)]
        return words_of(" ".join((self.view.node.title, *self.view.path[-2:], self.view.units, head, *lead[:1])))

    @cached_property
    def near_words(self) -> frozenset[str]:
        """Words of the text just before and after the table, on its page."""
        return words_of(" ".join(self._near_texts))

    @cached_property
    def near_years(self) -> frozenset[int]:
        """Years that caption, section or the text around name."""
        corners = [cells[0] for cells in self._heads if cells]
        texts = (
            corners
            if _YEARS.search(" ".join(corners))
            else (self.view.node.title, *self.view.path[-2:], *self._near_texts)
        )
        return frozenset(int(year) for text in texts for year in _YEARS.findall(text))

    @cached_property
    def _near_texts(self) -> tuple[str, ...]:
        tree, node = self.view.tree, self.view.node
        texts = []
        for keys in (range(node.key - 1, max(0, node.key - 4), -1), range(node.key + 1, min(node.key + 3, len(tree)))):
            for key in keys:
                other = tree.node(key)
                if other.kind in (NodeKind.TABLE, NodeKind.DOCUMENT) or abs(other.page_start - node.page_start) > 1:
                    break
                texts.append(other.text[:MOST_NEAR])
        return tuple(texts)

    @property
    def text(self) -> str:
        """What the table and the text around it say."""
        return " ".join((*self.view.path, self.view.node.title, *self._near_texts, self.view.node.text))

    @cached_property
    def has_periods(self) -> bool:
        """Whether any column names a year."""
        return any(axis.period.year for axis in self.axes if axis.index)

    @cached_property
    def units(self) -> str:
        """The units as printed: the units line, else what any header cell says of them."""
        own = _SHARES_IN.sub(" ", self.view.units)
        if own and (units_scale(own) != 1 or (units_currency(own) and own == self.view.units)):
            return own
        told = [text for text in self._shared_heads if says_scale(text)]
        told += [match[0] for text in self._around if (match := find_units(text))]
        return told[0] if told else self.view.units

    @cached_property
    def _shared_heads(self) -> list[str]:
        """Header texts that speak of the whole table: its corner, lone ones, and those that every column repeats."""
        found = []
        for cells in self._heads:
            values = [text for text in cells[1:] if text]
            scales = {units_scale(text) for text in values}
            is_shared = len(values) == 1 or (len(scales) == 1 and len(values) > 1)
            found += [*cells[:1], *(values[:1] if is_shared else ())]
        return found

    @cached_property
    def _around(self) -> tuple[str, ...]:
        """Texts above the table, nearest first, what it stands under, then short lines below it."""
        tree, node = self.view.tree, self.view.node
        above, below = [], []
        for key in range(node.key - 1, max(0, node.key - MOST_ABOVE), -1):
            other = tree.node(key)
            if other.kind is NodeKind.TABLE or other.page_start < node.page_start - 1:
                break
            above.append(other.text)
        for key in range(node.subtree_end + 1, min(node.subtree_end + MOST_BELOW, len(tree))):
            other = tree.node(key)
            is_of_next = other.kind is NodeKind.SECTION or tree.kind(min(key + 1, len(tree) - 1)) is NodeKind.TABLE
            if is_of_next or other.kind is NodeKind.TABLE or other.page_start > node.page_start:
                break
            if len(other.text) <= LONGEST_UNITS:
                below.append(other.text)
        return (*above, *reversed(self.view.path), *below)

    def entries(self, line: Line) -> list[Entry]:
        """The cells of a line that state a number, or a dash for none, in printed order."""
        found = []
        for axis in self.axes:
            if axis.index >= len(line.row.cells) or (axis.index == 0 and line.row.label):
                continue
            cell = line.row.cells[axis.index]
            number = read_cell_number(cell)
            if number is not None:
                blank = bool(cell.text.strip()) and set(cell.text.strip(" $€£")) <= _DASHES
                found.append(Entry(line, axis, RowCell(number, axis.name, axis.period, axis.unit, axis.index), blank))
        return found

    def figure(self, entry: Entry, fit: float) -> Figure:
        """The figure of a cell, with its row as quote."""
        where = ", ".join(
            part for part in (self.view.name, f"{entry.axis.name} column" if entry.axis.name else "") if part
        )
        figure = figure_of(self.document, self.view, entry.line.row, entry.cell, where=where, fit=min(fit, 1.0))
        figure = replace(figure, label=_name_line(entry.line))
        return self._with_units(figure, entry)

    @cached_property
    def _signs_cells(self) -> bool:
        """Whether any cell bears a currency's sign: then it is meant for the cells without one, too."""
        return any(units_currency(cell.text) for row in self.view.table.body for cell in row.cells[1:])

    def _with_units(self, figure: Figure, entry: Entry) -> Figure:
        """Units that a header or the row's own label states, where the units line states none."""
        told = " ".join((*entry.axis.path, entry.line.label))
        if figure.currency and not entry.cell.number.currency and not self._signs_cells:
            figure = replace(figure, currency=units_currency(told) or units_currency(self.units))
        if counts_things(entry.line.label):
            return replace(
                figure, scale=entry.cell.number.scale, currency=entry.cell.number.currency, unit=_measure_unit(entry)
            )
        percent = figure.percent or bool(_TOLD_IN_PERCENT.search(told))
        if percent:
            return replace(figure, percent=True, scale=Decimal(1), currency="")
        if figure.scale == 1 and not figure.per_share and entry.cell.number.scale == 1:
            own = next((text for text in (entry.axis.name, entry.line.label) if says_scale(text)), self.units)
            figure = replace(figure, scale=units_scale(own), currency=figure.currency or units_currency(own))
        return replace(figure, unit=_measure_unit(entry)) if not figure.currency else figure


def _name_line(line: Line) -> str:
    """A row's label; a sum that does not say what it sums up ("Total") has its group before it."""
    group = line.groups[-1] if line.is_sum and line.groups else ""
    return line.label if words_of(group) <= line.words else f"{group.strip(' :')} - {line.label}"


_INSIDE = re.compile(r"\(([^()]{1,20})\)\s*$")


def _measure_unit(entry: Entry) -> str:
    """The unit behind a cell's number ("400 mg"), else the one that its header or label names ("Weight (kg)")."""
    text = entry.line.row.cells[entry.axis.index].text
    after = text[entry.cell.number.end :].strip(" .;,*†") if entry.cell.number.text in text else ""
    if after.isalpha() and len(after) <= LONGEST_UNIT:
        return after
    for name in (*reversed(entry.axis.path), entry.line.label):
        inside = _INSIDE.search(name)
        if inside and any(quantity.unit for quantity in quantities_in(f"1 {inside[1]}")):
            return inside[1]
    return ""


LONGEST_UNIT = 12
"""Characters of a word behind a number that is its unit."""

MOST_HEADS = 3
"""Rows at the top of a table that may still be headers."""

MOST_ABOVE = 9
"""Nodes above a table in which its units may be told."""

MOST_BELOW = 6
"""Nodes below a table in which they may be told, in a line of at most LONGEST_UNITS characters."""

_SHARES_IN = re.compile(r"\bshares?\s+(?:amounts?\s+)?in\s+(?:thousands|millions)", re.I)
_LONE_UNITS = re.compile(r"^\([^()]*\b(?:thousands|millions|billions)\b[^()]*\)$", re.I)
_EXCEPTIONS = re.compile(r"\bexcept\b", re.I)
_SHORT_FISCAL = re.compile(r"\bF['’]?(\d\d)\b")
_HEADING_YEAR = re.compile(r"(?:19|20)\d\d|\bF?Y?\s?['’]?\d\d\b|\bQ[1-4]\b")
_PLAIN_AMOUNT = re.compile(r"^\W*[$€£]?\s?\(?-?\d[\d,.]*\)?\s*%?\)?\W*$")
_LONE_YEAR = re.compile(r"^\W*(?:19|20)\d\d\W*(?:\(\d\)|[*†]*)$")


def _is_heading(text: str) -> bool:
    """Whether a cell names a column: a year or words, no amount."""
    if _LONE_YEAR.match(text):
        return True
    if any(character.isdigit() for character in text) and not _DATED_HEAD.search(text):
        return False
    return not _PLAIN_AMOUNT.match(text) and any(character.isalpha() for character in text) and len(text) < 60


_DATED_HEAD = re.compile(
    r"(?:19|20)\d\d|\bFY?\s?['’]?\d\d|\bQ[1-4]\b|\bweeks\b|\bmonths\b|\b(?:jan|feb|mar|apr|may|jun|jul"
    r"|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d",
    re.I,
)


def _is_only_of_year(axis: Axis, years: Sequence[str]) -> bool:
    """Whether a column is headed by a year that no other has: then it holds that year's figures, not a change."""
    return bool(axis.path) and years.count(axis.path[-1]) == 1


def _inherit_header(heads: Sequence[Sequence[str]], index: int) -> Iterator[str]:
    """Headers that stand over a column without being above it: over its left neighbours, or alone in their row."""
    for place, cells in enumerate(heads[:-1]):
        if not index or index >= len(cells) or cells[index]:
            continue
        below = heads[place + 1 :]
        filled = [i for i, text in enumerate(cells) if i and text]
        under = [i for i in range(1, len(cells)) if any(i < len(row) and row[i] for row in below)]
        if index not in under or not filled:
            continue
        if len(filled) == 1:
            yield cells[filled[0]]
        else:
            left = [i for i in filled if i < index]
            if left and left[-1] in under:
                yield cells[left[-1]]


MOST_NEAR = 1500
"""Characters of a text beside a table that may say what the table is about."""

_LEAD_IN = re.compile(
    r":\s*$|\b(?:following|below)\s+(?:table|schedule|chart)|\btables?\s+(?:below|above|sets?|shows?"
    r"|presents?|summari[sz]es|provides?|lists?)"
    r"|\bas follows\b|\b(?:set (?:out|forth)|summari[sz]ed|shown|listed|presented"
    r"|detailed)\s+(?:in the table\s+)?below\b",
    re.I,
)
"""How a text announces the table that follows it: what it says is said of the table."""


def _line(row: Row, label: str, groups: Sequence[str]) -> Line:
    return Line(row, label, tuple(groups), words_of(label), words_of(" ".join(groups)), read_header(label))


def _holds_value(text: str) -> bool:
    plain = text.strip()
    return any(character.isdigit() for character in plain) or (bool(plain) and set(plain.strip(" $€£")) <= _DASHES)


def _closes(label: str, group: str) -> bool:
    """Whether a total ends its group: "Total assets" ends "Assets", "Total" ends any."""
    said = words_of(label)
    rest = said - _GROSS - {"subtot"}
    return len(rest) < len(said) and (not rest or rest <= words_of(group))


def relations_of(
    document: str,
    views: Iterable[TableView],
    *,
    own: OwnPeriod | None = None,
    ranks: dict[int, float] | None = None,
    subject: str = "",
) -> list[Relation]:
    """The tables of a document as relations; `ranks` are their retrieval fits by key, `subject` the document's name."""
    known = ranks or {}
    terms = words_of(subject)
    return [Relation(document, view, own, known.get(view.node.key, 0.0), terms) for view in views]


def units_of(tree: Tree, node: Node) -> str:
    """The units of a table node as printed, "" for any other node."""
    if node.table is None:
        return ""
    relation = Relation("", TableView(node, node.table, tree))
    own = [axis.name for axis in relation.axes if says_scale(axis.name)]
    return relation.units if units_scale(relation.units) != 1 or not own else own[0]
