"""What the Retriever reads from: nodes with properties, vectors compared by cosine or dot product, edges."""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import EngineError, InvalidInput
from vectorless_web.engine.finding.retrieval.fusion import (
    Identifier,
    Scored,
    best_of_each,
    keep_finite,
    round_array,
    sort_scored,
)
from vectorless_web.engine.questions.plan import WeightedTerm


class RetrievalEmpty(InvalidInput):
    """Raised by `Retriever.execute` when no label, property, lexical query, vector or list of nodes is given."""

    code = "retrieval_empty"

    def __init__(self) -> None:
        super().__init__("Nothing was asked for: give a label, a property, a text, a vector or nodes to retrieve.")


class VectorDimensionMismatch(InvalidInput):
    """Raised when a query vector is not as long as the vectors of its model; carries both lengths."""

    code = "vector_dim_mismatch"

    def __init__(self, *, index_dim: int, query_dim: int) -> None:
        super().__init__(f"The query vector has {query_dim} numbers, the index holds vectors of {index_dim}.")
        self.index_dim = index_dim
        self.query_dim = query_dim


class RerankFailed(EngineError):
    """Raised by a reranker that cannot score; the retriever then keeps the fused order and warns."""

    code = "rerank_failed"
    retryable = True


BLOCK_ROWS = 1024
"""Rows of float32 that are widened to float64 at a time: 1,024 rows of 1,024 numbers take 8 MB. Bounds memory; the
scores do not depend on it."""

Gate = Callable[[Identifier], bool]
"""Whether the node of an id may take part."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weights over the token ids of one vocabulary: `indices` strictly ascending, `values` as many.

    Raises ValueError when the lengths differ or the indices do not ascend. Vectors of
    different `vocab_id` share nothing.
    """

    indices: tuple[int, ...]
    values: tuple[float, ...]
    vocab_id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "indices", tuple(self.indices))
        object.__setattr__(self, "values", tuple(self.values))
        if len(self.indices) != len(self.values):
            raise ValueError(f"{len(self.indices)} indices but {len(self.values)} values")
        if any(left >= right for left, right in pairwise(self.indices)):
            raise ValueError("indices must be strictly ascending")

    @classmethod
    def from_unsorted(cls, pairs: Iterable[tuple[int, float]], vocab_id: str = "") -> "SparseVector":
        """Sort (index, value) pairs; of duplicates the greatest value stays, values <= 0 or not finite are dropped.

        Source: max pooling of SPLADE (Formal et al., SIGIR 2021).
        """
        best: dict[int, float] = {}
        for index, value in pairs:
            if math.isfinite(value) and value > best.get(index, 0.0):
                best[index] = value
        indices = sorted(best)
        return cls(tuple(indices), tuple(best[index] for index in indices), vocab_id)

    def dot(self, other: "SparseVector") -> float | None:
        """Sum of products over shared token ids, 0.0 when none is shared; None for another vocabulary."""
        if self.vocab_id != other.vocab_id:
            return None
        weights = dict(zip(other.indices, other.values, strict=True))
        products = [v * weights[i] for i, v in zip(self.indices, self.values, strict=True) if i in weights]
        return math.fsum(products) if all(map(math.isfinite, products)) else sum(products)


def sparse_search(
    documents: Iterable[tuple[Identifier, SparseVector]], query: SparseVector, k: int, *, gate: Gate | None = None
) -> list[Scored]:
    """The k documents (id, vector) of greatest dot product with the query, best first, ties by id.

    Documents of another vocabulary, that share no token with the query or that the
    gate refuses are absent, as are non-finite scores. Of an id given twice the better
    score counts. Source: the inner product of learned sparse vectors, as in SPLADE
    (Formal et al., SIGIR 2021).
    """
    return sort_scored(best_of_each(keep_finite(sparse_scores(documents, query, gate=gate))).items())[: max(k, 0)]


def sparse_scores(
    documents: Iterable[tuple[Identifier, SparseVector]], query: SparseVector, *, gate: Gate | None = None
) -> Iterator[Scored]:
    """(id, dot product) of every document that shares a token with the query, in the order given."""
    wanted = frozenset(query.indices)
    for name, vector in documents:
        if wanted.isdisjoint(vector.indices) or (gate is not None and not gate(name)):
            continue
        score = query.dot(vector)
        if score is not None:
            yield name, score


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Vectors of one model: `ids` ascending, `rows` of shape (len(ids), dim), each of length 1 or zero.

    `rows` may be float32 and mapped from a file.
    """

    dim: int
    ids: tuple[Identifier, ...]
    rows: NDArray[np.float64] | NDArray[np.float32]

    @classmethod
    def build(cls, dim: int, vectors: Iterable[tuple[Identifier, Sequence[float]]]) -> "VectorIndex":
        """Index (id, vector) pairs of `dim` numbers; others are left out, of an id given twice the first counts."""
        kept: dict[Identifier, Sequence[float]] = {}
        for name, vector in vectors:
            if len(vector) == dim:
                kept.setdefault(name, vector)
        ids = tuple(sorted(kept))
        rows = np.array([kept[name] for name in ids], np.float64).reshape(len(ids), dim)
        return cls(dim, ids, unit_rows(rows))


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (n, dim) scaled to Euclidean length 1; a zero row or one that is not finite becomes zero."""
    usable = np.isfinite(rows).all(axis=1, keepdims=True)
    clean = np.where(usable, rows, 0.0)
    # Scaled by the greatest entry first, so that squares neither overflow nor vanish.
    peak = np.abs(clean).max(axis=1, initial=0.0)
    clean = clean / np.where(peak > 0, peak, 1.0)[:, None]
    length = np.sqrt((clean * clean).sum(axis=1))
    return clean / np.where(length > 0, length, 1.0)[:, None]


def cosine_search(index: VectorIndex, query: Sequence[float], k: int, *, gate: Gate | None = None) -> list[Scored]:
    """The k vectors of greatest cosine with the query (dim numbers), best first, ties by id.

    Scores lie in [-1, 1]; a zero or non-finite vector scores 0. `gate` is asked before
    the k are counted. Raises VectorDimensionMismatch when the query has another length
    than the index. Source: Salton, Wong and Yang, "A Vector Space Model for Automatic
    Indexing", CACM 1975.
    """
    if len(query) != index.dim:
        raise VectorDimensionMismatch(index_dim=index.dim, query_dim=len(query))
    if k <= 0 or not index.ids:
        return []
    unit = unit_rows(np.asarray(query, np.float64).reshape(1, -1))[0]
    scores = np.clip(round_array(_products(index.rows, unit)), -1.0, 1.0)
    return _take_top(index.ids, scores, k, gate)


def _products(rows: NDArray[np.float64] | NDArray[np.float32], unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Dot products (n,) in double precision; mapped rows are widened a block at a time, never all at once."""
    if rows.dtype == np.float64:
        return np.asarray(rows @ unit, np.float64)
    blocks = [rows[start : start + BLOCK_ROWS].astype(np.float64) @ unit for start in range(0, len(rows), BLOCK_ROWS)]
    return np.concatenate(blocks)


def _take_top(ids: Sequence[Identifier], scores: NDArray[np.float64], k: int, gate: Gate | None) -> list[Scored]:
    found: list[Scored] = []
    # The ids ascend, so a stable sort leaves equal scores in order of id.
    for place in np.argsort(-scores, kind="stable").tolist():
        if len(found) == k:
            break
        if gate is None or gate(ids[place]):
            found.append((ids[place], float(scores[place])))
    return found


def keep_standouts(hits: Sequence[Scored], share: float) -> list[Scored]:
    """The first hits (best first) whose score lies at least `share` of the way from the median to the best.

    Every vector has some cosine with every other, so a lane of them ranks even what has
    nothing to do with the query; `share` in [0, 1] keeps that out of a fusion by rank.
    """
    if not hits:
        return []
    best, median = hits[0][1], hits[len(hits) // 2][1]
    # Rounding may lift the bound above the best one, which stands out in any case.
    least = min(best, median + share * (best - median))
    return [hit for hit in hits if hit[1] >= least]


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
    """A fixed set of nodes. Ids of text are compared by code points; every method is pure.

    `version` changes whenever an answer of any method may change. `anchor` is the id
    of the system's own node, never returned unless asked for; "" when there is none.
    """

    version: str
    anchor: Identifier

    def ids(self) -> Sequence[Identifier]:
        """All ids, ascending."""
        ...

    def node(self, node_id: Identifier) -> CorpusNode | None:
        """The node, or None when the corpus has no such id."""
        ...

    def label(self, node_id: Identifier) -> str:
        """The node's ntype without reading the node; "" for an unknown id."""
        ...

    def is_tombstoned(self, node_id: Identifier) -> bool:
        """Whether the node was deleted but is still stored."""
        ...

    def vector_index(self, model: str) -> VectorIndex | None:
        """The vectors of that embedding model, or None when it is unknown."""
        ...

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[Identifier, SparseVector]]:
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

    def neighbours(self, node_id: Identifier, direction: Direction) -> Sequence[tuple[str, Identifier]]:
        """(edge type, other id) of the node's edges in one direction (not BOTH), in ascending order."""
        ...

    def edges(self) -> Iterator[tuple[Identifier, Identifier, float]]:
        """(source, target, weight) of every edge."""
        ...


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node for MemoryCorpus: what is shown, its vectors by model, its sparse vectors."""

    node: CorpusNode
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    sparse: tuple[SparseVector, ...] = ()


class MemoryCollection:
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

    def node(self, node_id: Identifier) -> CorpusNode | None:
        """The node, or None."""
        stored = self._nodes.get(node_id)
        return stored.node if stored else None

    def label(self, node_id: Identifier) -> str:
        """The node's ntype, "" for an unknown id."""
        stored = self._nodes.get(node_id)
        return stored.node.ntype if stored else ""

    def is_tombstoned(self, node_id: Identifier) -> bool:
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

    def neighbours(self, node_id: Identifier, direction: Direction) -> Sequence[tuple[str, Identifier]]:
        """(edge type, other id), ascending."""
        return self._around[direction].get(node_id, ())

    def edges(self) -> Iterator[tuple[Identifier, Identifier, float]]:
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
