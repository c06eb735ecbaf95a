"""Single fields of all nodes, read without making the nodes: what a look over a whole document needs."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from vectorless_web.engine.documents.node import Node, Table

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
        """The titles."""

    @property
    def texts(self) -> Sequence[str]:
        """The texts."""

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
        """The titles."""
        return [node.title for node in self._nodes]

    @cached_property
    def texts(self) -> list[str]:
        """The texts."""
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
