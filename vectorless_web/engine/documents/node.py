"""Nodes of a compiled document: what they hold, the grids of tables, and where characters stand on the page."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `offset` and `length` (characters) locate it in the table node's text; length 0 is an empty cell."""

    text: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Row:
    """One printed row. `label` is the row's own label; `path` the labels above it (outermost first)."""

    label: str
    cells: tuple[Cell, ...]
    offset: int
    length: int
    page_index: int
    is_header: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its header text, top down ("Year ended December 31 / 2018"), and the period and unit read from it.

    `levels` are the levels of the header, outermost first; a table compiled before they were kept has none.
    """

    header: str
    period: str = ""
    unit: str = ""
    levels: tuple[str, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """The levels of the header, outermost first; () for a column without one."""
        return self.levels or tuple(level for level in self.header.split(" / ") if level)

    @property
    def name(self) -> str:
        """The header in one line as people write it: "Year ended December 31, 2018"."""
        return ", ".join(level.strip(" ,") for level in self.path)


@dataclass(frozen=True, slots=True)
class Table:
    """A grid. In the node's text rows end with a newline and cells are parted by a tab.

    `columns[i]` describes `row.cells[i]`; column 0 is usually the row label. `units` is
    the units line as printed ("Dollars in millions, except per share amounts").
    `statement` is the primary statement recognised: `income`, `balance`, `cash_flow`,
    `equity`, `comprehensive_income`, or "". `part` counts the parts of one long table from 0; each part is a node of
    its own, knows the columns of the whole, and is behind the part before.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    units: str = ""
    statement: str = ""
    part: int = 0

    @property
    def body(self) -> tuple[Row, ...]:
        """The rows that are not headers."""
        return tuple(row for row in self.rows if not row.is_header)


class NodeKind(StrEnum):
    """What a node is. Only DOCUMENT and SECTION have children; all others are leaves."""

    DOCUMENT = "document"
    SECTION = "section"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    FIGURE = "figure"
    CODE = "code"
    EQUATION = "equation"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class GlyphRun:
    """A stretch of a node's text that is contiguous in the raw extraction of one page.

    `text[offset:offset + length]` of the node is drawn by the page's characters
    `char_index .. char_index + length - 1`. Characters the compiler added (a space
    at a joined line break) belong to no run.
    """

    offset: int
    page_index: int
    char_index: int
    length: int


@dataclass(frozen=True, slots=True)
class GlyphSpan:
    """Characters on one page: `length` characters from `char_index` of page `page_index` (from 0)."""

    page_index: int
    char_index: int
    length: int


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the tree. Keys are pre-order numbers, valid within one version.

    A section's `text` is its heading as it is on the page (its `runs` cover it) and
    `title` the mended heading. A table's `title` is its caption. `page_start` and
    `page_end` are page indexes (from 0), both inclusive, over the whole subtree.
    `token_count` is the estimate over the whole subtree. `label` is the reference name
    by which the document calls the node ("Note 7", "Item 8", "Table 3"), or "".
    """

    key: int
    parent: int
    subtree_end: int
    depth: int
    kind: NodeKind
    title: str
    text: str
    page_start: int
    page_end: int
    token_count: int
    content_hash: str
    label: str = ""
    runs: tuple[GlyphRun, ...] = ()
    table: Table | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether the node can have no children."""
        return self.kind not in (NodeKind.DOCUMENT, NodeKind.SECTION)


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention of another node ("see Note 7"): from a leaf's characters to its target key."""

    source: int
    offset: int
    length: int
    target: int
