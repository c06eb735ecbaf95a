"""Nodes of a compiled document: what they hold and where their characters stand on the page."""

from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.documents.table import Table


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

    A section's `text` is its heading as it stands on the page (its `runs` cover it) and
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
