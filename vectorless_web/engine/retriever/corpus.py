"""What the retriever reads from: nodes with properties, vectors, edges; and one corpus held in memory."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from vectorless_web.engine.query.plan import WeightedTerm
from vectorless_web.engine.retriever.ranking import Scored
from vectorless_web.engine.retriever.similarity import Gate, SparseVector, VectorIndex


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
    """One node as it is ranked, filtered and rendered.

    `ntype` is its label, `summary` its text and `context` where it stands; None leaves
    the line out.
    """

    id: str
    ntype: str
    summary: str | None = None
    context: str | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=lambda: NO_PROPERTIES)


class Direction(StrEnum):
    """Which way edges are followed."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


class RetrievalCorpus(Protocol):
    """A fixed set of nodes. Ids are compared by code points; every method is pure.

    `version` changes whenever an answer of any method may change. `anchor` is the id
    of the system's own node, never returned unless asked for; "" when there is none.
    """

    version: str
    anchor: str

    def ids(self) -> Sequence[str]:
        """All ids, ascending."""
        ...

    def node(self, node_id: str) -> CorpusNode | None:
        """The node, or None when the corpus has no such id."""
        ...

    def label(self, node_id: str) -> str:
        """The node's ntype without reading the node; "" for an unknown id."""
        ...

    def is_tombstoned(self, node_id: str) -> bool:
        """Whether the node was deleted but is still stored."""
        ...

    def vector_index(self, model: str) -> VectorIndex | None:
        """The vectors of that embedding model, or None when it is unknown."""
        ...

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[str, SparseVector]]:
        """(id, vector) of every node that has one in that vocabulary."""
        ...

    def lexical_vocabulary(self) -> str:
        """`bm25:<analyser>:<version>` of the lexical index, or "" when there is none."""
        ...

    def lexical_search(
        self,
        text: str,
        terms: Sequence[WeightedTerm],
        *,
        weights: Mapping[str, float],
        limit: int,
        gate: Gate | None,
    ) -> list[Scored]:
        """The `limit` best nodes by BM25 that the gate lets pass. `terms` may be empty: then `text` is analysed."""
        ...

    def neighbours(self, node_id: str, direction: Direction) -> Sequence[tuple[str, str]]:
        """(edge type, other id) of the node's edges in one direction (not BOTH), in ascending order."""
        ...

    def edges(self) -> Iterator[tuple[str, str, float]]:
        """(source, target, weight) of every edge."""
        ...


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node for MemoryCorpus: what is shown, its vectors by model, its sparse vectors."""

    node: CorpusNode
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    sparse: tuple[SparseVector, ...] = ()


class MemoryCorpus:
    """A corpus of plain data: `edges` are (source, type, target) triples. It has no lexical index."""

    def __init__(
        self,
        nodes: Iterable[StoredNode],
        *,
        edges: Iterable[tuple[str, str, str]] = (),
        tombstoned: Iterable[str] = (),
        anchor: str = "",
    ) -> None:
        self._nodes = {stored.node.id: stored for stored in nodes}
        self._ids = tuple(sorted(self._nodes))
        self._edges = tuple(sorted(edges))
        self._tombstoned = frozenset(tombstoned)
        self._around = _adjacency(self._edges)
        self.anchor = anchor
        self.version = self._hash()

    def _hash(self) -> str:
        parts = [self._nodes[name] for name in self._ids]
        state = repr((parts, self._edges, sorted(self._tombstoned), self.anchor))
        return hashlib.sha256(state.encode("utf-8", "backslashreplace")).hexdigest()

    def ids(self) -> Sequence[str]:
        """All ids, ascending."""
        return self._ids

    def node(self, node_id: str) -> CorpusNode | None:
        """The node, or None."""
        stored = self._nodes.get(node_id)
        return stored.node if stored else None

    def label(self, node_id: str) -> str:
        """The node's ntype, "" for an unknown id."""
        stored = self._nodes.get(node_id)
        return stored.node.ntype if stored else ""

    def is_tombstoned(self, node_id: str) -> bool:
        """Whether the id is among the tombstones."""
        return node_id in self._tombstoned

    def vector_index(self, model: str) -> VectorIndex | None:
        """Vectors of the model; their length is that of the first node that has one."""
        vectors = [(name, self._nodes[name].vectors[model]) for name in self._ids if model in self._nodes[name].vectors]
        return VectorIndex.build(len(vectors[0][1]), vectors) if vectors else None

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[str, SparseVector]]:
        """(id, vector) pairs in that vocabulary."""
        return [(name, v) for name in self._ids for v in self._nodes[name].sparse if v.vocab_id == vocab_id]

    def lexical_vocabulary(self) -> str:
        """No lexical index: ""."""
        return ""

    def lexical_search(
        self,
        text: str,
        terms: Sequence[WeightedTerm],
        *,
        weights: Mapping[str, float],
        limit: int,
        gate: Gate | None,
    ) -> list[Scored]:
        """No lexical index: nothing."""
        return []

    def neighbours(self, node_id: str, direction: Direction) -> Sequence[tuple[str, str]]:
        """(edge type, other id), ascending."""
        return self._around[direction].get(node_id, ())

    def edges(self) -> Iterator[tuple[str, str, float]]:
        """All edges, each of weight 1."""
        return ((source, target, 1.0) for source, _, target in self._edges)


def _adjacency(edges: Sequence[tuple[str, str, str]]) -> dict[Direction, dict[str, list[tuple[str, str]]]]:
    outgoing: dict[str, list[tuple[str, str]]] = {}
    incoming: dict[str, list[tuple[str, str]]] = {}
    for source, edge_type, target in edges:
        outgoing.setdefault(source, []).append((edge_type, target))
        incoming.setdefault(target, []).append((edge_type, source))
    for around in (outgoing, incoming):
        for pairs in around.values():
            pairs.sort()
    return {Direction.OUTGOING: outgoing, Direction.INCOMING: incoming}
