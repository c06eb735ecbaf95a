"""Tables of a document as a reader sees them: with their titles, units and the statement they are."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from vectorless_web.engine.documents.node import Node, NodeKind, Table
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.figures.periods import ColumnPeriod, read_header, years_in

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
    r"\b(?:thousands|millions|billions)\b|\bin\s+(?:thousand|million|billion)\b|[$€£]\s?(?:000|m|mn|bn)\b"
    r"|(?:[$€£]|\b(?:USD|EUR|GBP|CHF|dollars?|euros?))\s?(?:thousand|million|billion)\b",
    re.I,
)
LONGEST_HEADING = 90
"""Characters of a heading that may name a statement. The line that states a table's units may be twice as long."""
LONGEST_PERIOD_LINE = 200
"""Characters of a line above a table that may state its periods; a longer one is prose."""


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

    @cached_property
    def units(self) -> str:
        """Its units line, as printed."""
        return units_line(self.tree, self.node, self.table)

    @cached_property
    def statement(self) -> str:
        """The primary statement it is, "" when it is none."""
        return self.table.statement or statement_named(self.node, self.path)

    @cached_property
    def periods(self) -> tuple[ColumnPeriod, ...]:
        """What is known of each column, from its header or from the line of dates above the table."""
        return column_periods(self.tree, self.node, self.table)

    @property
    def name(self) -> str:
        """What a reader calls the table: its caption, else the title of its section."""
        return self.node.title or (self.path[-1] if self.path else "Table")


def tables_of(tree: Tree, keys: Iterable[int]) -> Iterator[TableView]:
    """The tables among `keys`."""
    for key in keys:
        if tree.kind(key) is NodeKind.TABLE:
            node = tree.node(key)
            if node.table is not None:
                yield TableView(node, node.table, tree)


def column_periods(tree: Tree, node: Node, table: Table) -> tuple[ColumnPeriod, ...]:
    """The period of each column. Headers without any year are completed from a line of dates above the table."""
    periods = [read_header(column.header, column.period) for column in table.columns]
    if any(period.year for period in periods):
        return tuple(periods)
    numeric = _numeric_columns(table)
    for text in _lines_above(tree, node):
        years = years_in(text)
        if len(years) == len(numeric):
            for column, year in zip(numeric, years, strict=True):
                periods[column] = read_header(f"{text.split(str(years[0]))[0]} {year}", str(year))
            break
    return tuple(periods)


def _numeric_columns(table: Table) -> list[int]:
    """Columns in which at least a third of the rows that state numbers have one."""
    counts = [0] * len(table.columns)
    rows = 0
    for row in table.body:
        places = [
            i
            for i, cell in enumerate(row.cells)
            if i and i < len(counts) and any(c.isdigit() or c == "—" for c in cell.text)
        ]
        rows += bool(places)
        for place in places:
            counts[place] += 1
    return [column for column, count in enumerate(counts) if rows and count * 3 >= rows]


def _lines_above(tree: Tree, node: Node) -> Iterator[str]:
    """Short texts before the table on its page, nearest first, running heads included."""
    for key in range(node.key - 1, max(0, node.key - 8), -1):
        above = tree.node(key)
        if above.page_start != node.page_start or above.kind is NodeKind.TABLE:
            return
        if len(above.text) <= LONGEST_PERIOD_LINE:
            yield above.text


def units_line(tree: Tree, node: Node, table: Table) -> str:
    """The units as printed: the table's own line, a header cell, its caption, or the text just above it."""
    headers = " ".join(cell.text for row in table.rows if row.is_header for cell in row.cells[:1])
    for text in (table.units, table.columns[0].header if table.columns else "", headers, node.title):
        if _UNITS.search(text):
            return text
    return _find_units_above(tree, node)


def _find_units_above(tree: Tree, node: Node) -> str:
    """A short line naming units in one of the three nodes before the table, its section's heading included."""
    for key in range(node.key - 1, max(0, node.key - 4), -1):
        text = tree.node(key).text
        if len(text) <= 2 * LONGEST_HEADING and _UNITS.search(text) and tree.kind(key) is not NodeKind.TABLE:
            return text
    return ""


def statement_named(node: Node, path: tuple[str, ...]) -> str:
    """The primary statement that caption or section title names, or ""."""
    for title in (node.title, path[-1] if path else ""):
        if title and len(title) <= LONGEST_HEADING and not _NO_STATEMENT.search(title):
            name = next((name for name, pattern in _STATEMENTS if pattern.search(title)), "")
            if name:
                return name
    return ""
