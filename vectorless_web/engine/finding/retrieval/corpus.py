"""What the Retriever reads from: a collection of nodes with properties, vectors and edges."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.finding.retrieval.fusion import Identifier, Scored
from vectorless_web.engine.finding.retrieval.vectors import SparseVector, VectorIndex
from vectorless_web.engine.questions.plan import QueryPlan


class RetrievalEmpty(InvalidInput):
    """Raised by `Retriever.execute` when no label, property, lexical query, vector or list of nodes is given."""

    code = "retrieval_empty"

    def __init__(self) -> None:
        super().__init__("Nothing was asked for: give a label, a property, a text, a vector or nodes to retrieve.")


CREATED_AT, UPDATED_AT, TENANT = "mnem:created_at", "mnem:updated_at", "tenant"
"""Properties that filters read: times in microseconds since 1970, and whose node it is."""
Gate = Callable[[Identifier], bool]
"""Whether the node of an id may take part."""


@dataclass(frozen=True, slots=True)
class Link:
    """A property that points at another object by its id."""

    target: str


PropertyValue = (
    None | bool | int | float | str | bytes | Link | Sequence["PropertyValue"] | Mapping[str, "PropertyValue"]
)
NO_PROPERTIES: Mapping[str, PropertyValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CorpusNode:
    """One node as it is ranked, filtered and rendered: `ntype` is its label, `summary` its text, `context` the titles
    above it. None leaves the line out."""

    id: Identifier
    ntype: str
    summary: str | None = None
    context: str | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=lambda: NO_PROPERTIES)


class Direction(StrEnum):
    """Which way edges are followed."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


class NodeCollection(Protocol):
    """A fixed set of nodes; every method is pure. A collection need not give what has a body here.

    `version` changes whenever an answer of any method may change. `anchor` is the id of the system's own node, never
    returned unless asked for; "" when there is none.
    """

    version: str
    anchor: Identifier = ""

    def ids(self) -> Sequence[Identifier]:
        """All ids, ascending."""
        ...

    def node(self, node_id: Identifier) -> CorpusNode | None:
        """The node, or None when the collection has no such id."""
        ...

    def neighbours(self, node_id: Identifier, direction: Direction) -> Sequence[tuple[str, Identifier]]:
        """(edge type, other id) of the node's edges in one direction (not BOTH), in ascending order."""
        ...

    def edges(self) -> Iterator[tuple[Identifier, Identifier, float]]:
        """(source, target, weight) of every edge."""
        ...

    def label(self, node_id: Identifier) -> str:
        """The node's ntype; "" for an unknown id."""
        node = self.node(node_id)
        return node.ntype if node else ""

    def is_tombstoned(self, node_id: Identifier) -> bool:
        """Whether the node was deleted but is still stored."""
        return False

    def vector_index(self, model: str) -> VectorIndex | None:
        """The vectors of that embedding model, or None when it is unknown."""
        return None

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[Identifier, SparseVector]]:
        """(id, vector) of every node that has one in that vocabulary."""
        return ()

    def lexical_vocabulary(self) -> str:
        """`bm25:<analyser>:<version>` of the lexical index, or "" when there is none."""
        return ""

    def lexical_search(self, plan: QueryPlan, *, limit: int, gate: Gate | None) -> list[Scored]:
        """The `limit` best nodes by the words of the plan that the gate lets pass."""
        return []


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node of a MemoryCollection: what is shown, its vectors by model, its sparse vectors."""

    node: CorpusNode
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    sparse: tuple[SparseVector, ...] = ()


class MemoryCollection(NodeCollection):
    """A collection of plain data: `edges` are (source, type, target) triples. It has no lexical index."""

    def __init__(
        self,
        nodes: Iterable[StoredNode],
        *,
        edges: Iterable[tuple[str, str, str]] = (),
        tombstoned: Iterable[str] = (),
        anchor: str = "",
    ) -> None:
        self._nodes = {stored.node.id: stored for stored in sorted(nodes, key=lambda stored: str(stored.node.id))}
        self._edges = tuple(sorted(edges))
        self._tombstoned = frozenset(tombstoned)
        self._around: dict[tuple[Direction, Identifier], list[tuple[str, Identifier]]] = {}
        for source, edge_type, target in self._edges:
            self._around.setdefault((Direction.OUTGOING, source), []).append((edge_type, target))
            self._around.setdefault((Direction.INCOMING, target), []).append((edge_type, source))
        self.anchor = anchor
        state = repr((list(self._nodes.values()), self._edges, sorted(self._tombstoned), anchor))
        self.version = hashlib.sha256(state.encode("utf-8", "backslashreplace")).hexdigest()

    def ids(self) -> Sequence[str]:
        return tuple(self._nodes)

    def node(self, node_id: Identifier) -> CorpusNode | None:
        stored = self._nodes.get(node_id)
        return stored.node if stored else None

    def is_tombstoned(self, node_id: Identifier) -> bool:
        return node_id in self._tombstoned

    def vector_index(self, model: str) -> VectorIndex | None:
        held = [(name, stored.vectors[model]) for name, stored in self._nodes.items() if model in stored.vectors]
        return VectorIndex.build(len(held[0][1]), held) if held else None

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[str, SparseVector]]:
        return [(name, v) for name, stored in self._nodes.items() for v in stored.sparse if v.vocab_id == vocab_id]

    def neighbours(self, node_id: Identifier, direction: Direction) -> Sequence[tuple[str, Identifier]]:
        return sorted(self._around.get((direction, node_id), ()))

    def edges(self) -> Iterator[tuple[Identifier, Identifier, float]]:
        return ((source, target, 1.0) for source, _, target in self._edges)
