"""A table as a relation: rows and columns with the words, periods and units by which each cell is known."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache

from vectorless_web.engine.documents.node import Cell, NodeKind, Row
from vectorless_web.engine.tables.cells import CellReading, is_count, read_cell
from vectorless_web.engine.tables.periods import (
    LONGEST_HEADING,
    ColumnPeriod,
    OwnPeriod,
    is_period_only,
    read_header,
    years_in,
)
from vectorless_web.engine.tables.units import find_units, says_scale, units_currency, units_scale
from vectorless_web.engine.tables.view import TableView
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import Number, decimal_mark, is_spaced, numbers_in

DASHES = frozenset("—–-−")
_SIGNS = " $€£¥"
_NOTE_MARK = re.compile(r"\s*(?:\(\s*(?:\d{1,2}|[a-z]|i{1,3}|iv|vi{0,3})\s*\)|[*†‡])+\s*$", re.I)
_GLUED_MARK = re.compile(r"(?<=[a-z)])[1-9]$")

MOST_HEADS = 3
"""Rows at the top of a table that may still be headers."""

MOST_ABOVE, MOST_BELOW = 9, 6
"""Nodes above and below a table in which its units may be told."""

LONGEST_BELOW = 250
"""Characters of a text below a table that may tell its units: the heading of all notes rather than prose."""

MOST_NEAR = 1500
"""Characters of the text before a table that may say what the table is about."""

LONGEST_CELL_WORDS = 8
"""Letters beside the number of a cell; a cell with more of them is a sentence that mentions a number."""


@lru_cache(maxsize=1 << 15)
def words_of(text: str) -> frozenset[str]:
    """The index terms of a text; a percent sign says "percent"."""
    terms = set(analyse(text))
    return frozenset(terms | {"percent"} if "%" in text or "percentag" in terms else terms)


@dataclass(frozen=True, slots=True)
class Axis:
    """A column: its place, its header path (outermost first) and the words in it."""

    index: int
    path: tuple[str, ...]
    words: frozenset[str]

    @property
    def name(self) -> str:
        """The header in one line."""
        return ", ".join(level.strip(" ,") for level in self.path)


@dataclass(frozen=True, slots=True)
class RelationLine:
    """A body row: its place (from 0, headers counted), its label, its groups (outermost first), the words of both.

    `row_words` are the words of all its cells.
    """

    row: Row
    index: int
    label: str
    groups: tuple[str, ...]
    words: frozenset[str]
    group_words: frozenset[str]
    row_words: frozenset[str]

    @property
    def path(self) -> tuple[str, ...]:
        """Groups and label, outermost first."""
        return (*self.groups, self.label) if self.label else self.groups


@dataclass(frozen=True)
class Entry:
    """A cell that states a number, in its row and column.

    `label` names it in its row: the row's label, or the cell that does in tables set side by side. `scale` multiplies
    the printed number into units; `is_blank`: a dash is there.
    """

    line: RelationLine
    axis: Axis
    label: str
    number: Number
    reading: CellReading
    period: ColumnPeriod
    unit: str
    scale: Decimal
    currency: str
    is_blank: bool = False

    @property
    def value(self) -> Decimal:
        """The number in units: printed number x scale."""
        return self.number.value * self.scale

    @cached_property
    def label_words(self) -> frozenset[str]:
        """The words of the label."""
        return words_of(self.label)

    @property
    def cell_id(self) -> str:
        """The cell's name in its table: "r12c3" is in row 12 and column 3, both from 0, headers counted."""
        return f"r{self.line.index}c{self.axis.index}"

    @property
    def measure(self) -> str:
        """What two cells must share to be added or compared: the currency, else the unit."""
        return self.currency or self.unit


@dataclass(frozen=True)
class TableSource:
    """Where figures are looked for: a document's tables, how well each fits the question, and what the document is.

    `ranks` are retrieval fits in [0, 1] by node key; `own` is the quarter that the document reports on; `subject` are
    the index terms of the document's title, issuer and file name.
    """

    document: str
    tables: Sequence[TableView]
    ranks: Mapping[int, float] = field(default_factory=dict)
    own: OwnPeriod | None = None
    subject: frozenset[str] = frozenset()

    @cached_property
    def relations(self) -> tuple["Relation", ...]:
        """The tables as relations, in the order given."""
        return tuple(Relation(self, view) for view in self.tables)


@dataclass(frozen=True)
class Relation:
    """A table with everything that says what its cells are."""

    source: TableSource = field(repr=False, compare=False)
    view: TableView

    @property
    def rank(self) -> float:
        """How well retrieval found the table to fit, in [0, 1]."""
        return self.source.ranks.get(self.view.node.key, 0.0)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The columns that hold figures."""
        width = max([len(self.view.table.columns), *(len(row.cells) for row in self.view.table.body)], default=0)
        return tuple(self._axis(index) for index in range(width) if index not in self.view.note_columns)

    def _axis(self, index: int) -> Axis:
        columns = self.view.table.columns
        own = tuple(part.strip() for part in columns[index].path if part.strip()) if index < len(columns) else ()
        late = tuple(row.cells[index].text.strip() for row in self.late_heads if index < len(row.cells))
        path = tuple(text for text in (*own, *late) if text and not _is_units_line(text))
        return Axis(index, path, words_of(" ".join(path)))

    @cached_property
    def heads(self) -> list[list[str]]:
        """The header rows as texts, top down, late ones among them."""
        rows = [row for row in self.view.table.rows if row.is_header]
        return [[cell.text.strip() for cell in row.cells] for row in (*rows, *self.late_heads)]

    @cached_property
    def late_heads(self) -> tuple[Row, ...]:
        """Rows above the first figures that were not read as headers: periods, with names of columns, and no amount.

        Words alone are no sign, and what has a label of its own is a row: the rows of a form, a name and a value in
        turns, look the same.
        """
        columns = self.view.table.columns
        if columns[1:] and all(column.header for column in columns[1:]):
            return ()
        found: list[Row] = []
        for row in self.view.table.body[:MOST_HEADS]:
            values = [cell.text.strip() for cell in row.cells[1:] if cell.text.strip()]
            label = row.cells[0].text.strip()
            if label and not _is_units_line(label):
                break
            if not values or not all(_is_heading(text) for text in values):
                break
            found.append(row)
        has_period = any(read_header(cell.text).is_said for row in found for cell in row.cells[1:])
        return tuple(found) if has_period else ()

    @cached_property
    def lines(self) -> tuple[RelationLine, ...]:
        """The body rows that have figures, each under the groups it is in."""
        found: list[RelationLine] = []
        group = ""
        late = {row.offset for row in self.late_heads}
        # What is above rows is read with the table; a name reaches to the next one where it told nothing of any row.
        is_read = any(row.path for row in self.view.table.rows)
        for index, row in enumerate(self.view.table.rows):
            if row.is_header or row.offset in late:
                continue
            label = clean_label(row.label)
            if any(_holds_value(cell.text) for cell in row.cells[1 if row.label else 0 :]):
                groups = row.path if is_read or not group else (group,)
                words = words_of(" ".join(cell.text for cell in row.cells))
                group_words = words_of(" ".join(groups))
                found.append(RelationLine(row, index, label, tuple(groups), words_of(label), group_words, words))
            else:
                told = label or next((cell.text.strip() for cell in row.cells if cell.text.strip()), "")
                group = told.strip(" :")
        return tuple(found)

    def knows(self, terms: Iterable[str]) -> bool:
        """Whether each of the terms is in the table, around it, or in what the document is about."""
        return all(
            term in self.vocabulary
            or term in self.place_words
            or term in self.near_words
            or term in self.source.subject
            for term in terms
            if term != "percent"
        )

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of the table and of its headers."""
        return words_of(self.view.node.text).union(self.axis_words, *(line.words for line in self.lines))

    @cached_property
    def axis_words(self) -> frozenset[str]:
        """The words of all column headers."""
        return frozenset(word for axis in self.axes for word in axis.words)

    def own_words(self, axis: Axis) -> frozenset[str]:
        """The words of a column's header that tell no period and that not every column has."""
        return self._own_words.get(axis.index, frozenset())

    @cached_property
    def _own_words(self) -> dict[int, frozenset[str]]:
        plain = {
            axis.index: words_of(" ".join(level for level in axis.path if not is_period_only((level,))))
            for axis in self.axes
            if axis.words
        }
        others = [words for index, words in plain.items() if index]
        shared = frozenset[str]().union(*others[:1]).intersection(*others) if len(others) > 1 else frozenset[str]()
        return {
            index: frozenset(word for word in words - shared if not word.isdigit()) for index, words in plain.items()
        }

    @cached_property
    def place_words(self) -> frozenset[str]:
        """Words of caption, section, units and the header over the labels."""
        head = " ".join(cells[0] for cells in self.heads if cells)
        return words_of(" ".join((self.view.node.title, *self.view.path, self.view.units, head)))

    @cached_property
    def near_words(self) -> frozenset[str]:
        """Words of the text just before the table, which announces it."""
        tree, node = self.view.tree, self.view.node
        texts = []
        for key in range(node.key - 1, max(0, node.key - 4), -1):
            other = tree.node(key)
            if other.kind in (NodeKind.TABLE, NodeKind.DOCUMENT) or abs(other.page_start - node.page_start) > 1:
                break
            texts.append(other.text[-MOST_NEAR:])
        return words_of(" ".join(texts))

    @cached_property
    def near_years(self) -> frozenset[int]:
        """Years that caption, section or units line name."""
        return frozenset(years_in(" ".join((self.view.node.title, *self.view.path[-2:], self.view.units))))

    @cached_property
    def newest_year(self) -> int:
        """The latest year that a column names, 0 where none names one."""
        return max((read_header(axis.name).year or 0 for axis in self.axes if axis.index), default=0)

    @property
    def has_periods(self) -> bool:
        """Whether any column names a year."""
        return self.newest_year > 0

    @cached_property
    def units(self) -> str:
        """The units as printed: the units line, else what the headers that are about the whole table or the text
        around it say."""
        if self.view.scale != 1:
            return self.view.units
        told = [text for text in self._shared_heads if says_scale(text)]
        told += [match[0] for text in self._around if (match := find_units(text))]
        return told[0] if told else self.view.units

    @cached_property
    def _shared_heads(self) -> list[str]:
        found = []
        for cells in self.heads:
            values = [text for text in cells[1:] if text]
            is_shared = len(values) == 1 or len({units_scale(text) for text in values}) == 1
            found += [*cells[:1], *(values[:1] if is_shared else ())]
        return found

    @cached_property
    def _around(self) -> tuple[str, ...]:
        tree, node = self.view.tree, self.view.node
        above, below = [], []
        for key in range(node.key - 1, max(0, node.key - MOST_ABOVE), -1):
            other = tree.node(key)
            if other.kind is NodeKind.TABLE or other.page_start < node.page_start - 1:
                break
            above.append(other.text)
        for key in range(node.subtree_end, min(node.subtree_end + MOST_BELOW, len(tree))):
            other = tree.node(key)
            is_of_next = tree.kind(min(key + 1, len(tree) - 1)) is NodeKind.TABLE
            if is_of_next or other.kind is NodeKind.TABLE or other.page_start > node.page_start:
                break
            if len(other.text) <= LONGEST_BELOW:
                below.append(other.text)
        return (*above, *reversed(self.view.path), *below)

    def entries(self, line: RelationLine) -> tuple[Entry, ...]:
        """The cells of a row that state a number, or a dash for none, in printed order."""
        known = self._entries.get(line.row.offset)
        if known is None:
            known = self._entries[line.row.offset] = tuple(self._read_entries(line))
        return known

    @cached_property
    def _entries(self) -> dict[int, tuple[Entry, ...]]:
        return {}

    def _read_entries(self, line: RelationLine) -> Iterator[Entry]:
        for axis in self.axes:
            if axis.index >= len(line.row.cells) or (axis.index == 0 and line.row.label):
                continue
            cell = line.row.cells[axis.index]
            number = self._read_number(axis, cell)
            if number is None:
                continue
            reading = read_cell(self.view, line.row, axis.index)
            period = reading.period
            if not period.year:
                told = read_header(axis.name)
                period = told if told.year else period
            unit, scale, currency = self._complete_unit(reading, line, axis, number)
            is_blank = bool(cell.text.strip()) and set(cell.text.strip(_SIGNS)) <= DASHES
            own = reading.row_path[len(line.row.path) :] or ((line.label,) if line.label else ())
            label = " ".join(clean_label(part) for part in own)
            yield Entry(line, axis, label, number, reading, period, unit, scale, currency, is_blank)

    def _read_number(self, axis: Axis, cell: Cell) -> Number | None:
        number = read_cell_number(cell)
        if not is_spaced(cell.text) and (number is None or not number.two_ways):
            return number
        mark = self.find_mark(axis.index)
        return read_cell_number(cell, mark) if mark else None

    def find_mark(self, column: int) -> str:
        """The decimal mark of a column by its numbers, else the document's; "" where they differ."""
        if column not in self._marks:
            body = self.view.table.body
            own = (row.cells[column].text for row in body if column < len(row.cells))
            self._marks[column] = decimal_mark(own, "") or self.view.tree.decimal_mark
        return self._marks[column]

    @cached_property
    def _marks(self) -> dict[int, str]:
        return {}

    def _complete_unit(
        self, reading: CellReading, line: RelationLine, axis: Axis, number: Number
    ) -> tuple[str, Decimal, str]:
        """Unit, scale and currency of a cell; a scale that header or surroundings tell holds for money without one."""
        if number.percent or reading.unit == "%":
            return "%", Decimal(1), ""
        if number.scale != 1:
            return reading.unit, Decimal(1), number.currency or reading.currency
        is_told = reading.scale != 1 or reading.unit not in ("", reading.currency)
        if is_told or is_count(line.row, line.row.cells[axis.index].text):
            return reading.unit, reading.scale, number.currency or reading.currency
        told = axis.name if says_scale(axis.name) else self.units
        currency = number.currency or reading.currency or units_currency(told)
        return currency or reading.unit, units_scale(told), currency


def read_cell_number(cell: Cell, mark: str = ".") -> Number | None:
    """The number that a cell states; zero for a dash, None for words, dates or nothing."""
    text = cell.text.strip()
    if text.strip(_SIGNS) and set(text.strip(_SIGNS)) <= DASHES:
        return Number(0, len(cell.text), Decimal(0), False, "", Decimal(1), cell.text)
    found = numbers_in(cell.text, mark)
    letters = sum(character.isalpha() for character in text)
    if (
        not found
        or (is_spaced(text) and mark != ",")
        or letters > LONGEST_CELL_WORDS
        or _CODE.match(text)
        or len(found) > 2
    ):
        return None
    return found[0]


_CODE = re.compile(r"\+?\(?0\d[\d /()-]*$|\+\d{1,3}[ (]|\d{1,2}:\d\d|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$")
"""A number that is dialled, a time of the day or a date in figures: none of them counts or measures anything."""


def clean_label(label: str) -> str:
    """A row's label without marks of footnotes and dot leaders."""
    return _GLUED_MARK.sub("", _NOTE_MARK.sub("", label)).strip(" :.")


def _is_units_line(text: str) -> bool:
    """Whether a header tells units and nothing else: "(in thousands, except per share data)"."""
    return text.startswith("(") and text.endswith(")") and says_scale(text)


def _is_heading(text: str) -> bool:
    if len(text) > LONGEST_HEADING:
        return False
    if read_header(text).is_said:
        return True
    return not any(character.isdigit() for character in text) and any(character.isalpha() for character in text)


def _holds_value(text: str) -> bool:
    plain = text.strip()
    return any(character.isdigit() for character in plain) or (bool(plain) and set(plain.strip(_SIGNS)) <= DASHES)
