"""The tree of a compiled document: moves over nodes in pre-order, and single fields of all of them."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from vectorless_web.engine.documents.node import Node, NodeKind, Reference, Table
from vectorless_web.engine.errors import NotFound
from vectorless_web.engine.text.numbers import decimal_mark

DIGIT = re.compile(r"\d")
Integer = Literal["depth", "page_start", "page_end", "token_count"]


class RowOutline(NamedTuple):
    """A table row without its cells; `figures` counts the cells after the first that hold a digit."""

    label: str
    path: tuple[str, ...]
    page_index: int
    is_header: bool
    figures: int


class TableOutline(NamedTuple):
    """A table's rows, and the primary statement it is ("" for none)."""

    rows: tuple[RowOutline, ...]
    statement: str


class Columns(Protocol):
    """Fields of all nodes; every sequence is indexed by key."""

    @property
    def titles(self) -> Sequence[str]:
        """Gives the title of every node."""

    @property
    def texts(self) -> Sequence[str]:
        """Gives the text of every node."""

    def integers(self, name: Integer) -> Sequence[int]:
        """An integer field of all nodes."""

    def table(self, key: int) -> TableOutline | None:
        """The outline of a node's table; None when it has none."""


class NodeColumns:
    """Columns of nodes that are there already."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes

    @cached_property
    def titles(self) -> list[str]:
        """Gives the title of every node."""
        return [node.title for node in self._nodes]

    @cached_property
    def texts(self) -> list[str]:
        """Gives the text of every node."""
        return [node.text for node in self._nodes]

    def integers(self, name: Integer) -> list[int]:
        """An integer field of all nodes."""
        return [getattr(node, name) for node in self._nodes]

    def table(self, key: int) -> TableOutline | None:
        """The outline of a node's table; None when it has none."""
        table = self._nodes[key].table
        return None if table is None else _outline(table)


def _outline(table: Table) -> TableOutline:
    rows = (
        RowOutline(
            row.label,
            row.path,
            row.page_index,
            row.is_header,
            sum(DIGIT.search(cell.text) is not None for cell in row.cells[1:]),
        )
        for row in table.rows
    )
    return TableOutline(tuple(rows), table.statement)


_INNER = (NodeKind.DOCUMENT, NodeKind.SECTION)
_KINDS = {kind.value: kind for kind in NodeKind}


class Tree:
    """Read-only moves over nodes. `nodes[i].key == i`; a lazily decoded sequence is fine.

    `structure` is (parents, subtree_ends, kinds): plain integer sequences and kind names,
    so that moving through the tree decodes no node; so are `columns`, the fields that are
    asked of all nodes.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        references: Sequence[Reference] = (),
        *,
        structure: tuple[Sequence[int], Sequence[int], Sequence[str]] | None = None,
        columns: Columns | None = None,
    ) -> None:
        self._nodes = nodes
        self.columns: Columns = columns or NodeColumns(nodes)
        self._references: dict[int, list[Reference]] = {}
        for reference in references:
            self._references.setdefault(reference.source, []).append(reference)
        if structure is None:
            structure = (
                [node.parent for node in nodes],
                [node.subtree_end for node in nodes],
                [node.kind.value for node in nodes],
            )
        self._parents, self._ends, self._kinds = structure

    @cached_property
    def decimal_mark(self) -> str:
        """The mark before decimals by the document's numbers; "" where they contradict each other."""
        return decimal_mark(self.columns.texts)

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int) and 0 <= key < len(self._nodes)

    def node(self, key: int) -> Node:
        """The node of that key; NotFound if there is none."""
        if key not in self:
            raise NotFound(f"There is no section numbered {key} in this document.")
        return self._nodes[key]

    @property
    def root(self) -> Node:
        """The node of the whole document, which has key 0."""
        return self._nodes[0]

    def kind(self, key: int) -> NodeKind:
        """The node's kind, without decoding the node."""
        return _KINDS[self._kinds[key]]

    def is_section(self, key: int) -> bool:
        """Whether the node is a section, without decoding it."""
        return self._kinds[key] == NodeKind.SECTION

    def is_leaf(self, key: int) -> bool:
        """Whether the node can have no children, without decoding it."""
        return self._kinds[key] not in _INNER

    def parent(self, key: int) -> int:
        """The parent's key; -1 for the root."""
        return int(self._parents[key])

    def subtree_end(self, key: int) -> int:
        """The first key after the node's subtree."""
        return int(self._ends[key])

    def children(self, key: int) -> list[int]:
        """Keys of the direct children, in reading order."""
        found: list[int] = []
        child, end = key + 1, self.subtree_end(key)
        while child < end:
            found.append(child)
            child = self.subtree_end(child)
        return found

    def child_sections(self, key: int) -> list[int]:
        """Keys of the direct children that are sections."""
        return [child for child in self.children(key) if self.is_section(child)]

    def ancestors(self, key: int) -> list[int]:
        """Keys from the root down to the node's parent."""
        found: list[int] = []
        parent = self.parent(key)
        while parent >= 0:
            found.append(parent)
            parent = self.parent(parent)
        return found[::-1]

    def path(self, key: int) -> list[str]:
        """Titles from below the root down to the node itself (an untitled leaf adds nothing)."""
        keys = [*self.ancestors(key)[1:], key] if key else []
        titles = self.columns.titles
        return [title for title in (titles[k] for k in keys) if title]

    def section_of(self, key: int) -> int:
        """The nearest section (or the root) that holds the node; a section is its own."""
        while key > 0 and self._kinds[key] != NodeKind.SECTION:
            key = self.parent(key)
        return key

    def innermost_sections(self) -> list[int]:
        """For every node what `section_of` says, in one pass."""
        found: list[int] = []
        for key, (kind, parent) in enumerate(zip(self._kinds, self._parents, strict=True)):
            found.append(key if parent < 0 or kind == NodeKind.SECTION else found[parent])
        return found

    def sections(self) -> Iterator[int]:
        """Keys of all sections, in reading order."""
        return (key for key in range(len(self._nodes)) if self.is_section(key))

    def leaves(self, key: int = 0) -> list[int]:
        """Keys of the leaves in the node's subtree (the node itself if it is one), RUNNING ones left out."""
        outer = (*_INNER, NodeKind.RUNNING)
        return [k for k in range(key, self.subtree_end(key)) if self._kinds[k] not in outer]

    def references(self, key: int) -> list[Reference]:
        """Mentions of other nodes made in this leaf's text."""
        return self._references.get(key, [])
