"""The vector and sparse lanes: cosine and dot product over vectors the caller supplies."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.retriever.failures import VectorDimensionMismatch
from vectorless_web.engine.retriever.ranking import Scored, best_of_each, finite, ranked, rounded_array

BLOCK_ROWS = 1024
"""Float32 rows widened to float64 at a time."""

Gate = Callable[[str], bool]
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
    documents: Iterable[tuple[str, SparseVector]], query: SparseVector, k: int, *, gate: Gate | None = None
) -> list[Scored]:
    """The k documents (id, vector) of greatest dot product with the query, best first, ties by id.

    Documents of another vocabulary, that share no token with the query or that the
    gate refuses are absent, as are non-finite scores. Of an id given twice the better
    score counts. Source: the inner product of learned sparse vectors, as in SPLADE
    (Formal et al., SIGIR 2021).
    """
    return ranked(best_of_each(finite(sparse_scores(documents, query, gate=gate))).items())[: max(k, 0)]


def sparse_scores(
    documents: Iterable[tuple[str, SparseVector]], query: SparseVector, *, gate: Gate | None = None
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
    ids: tuple[str, ...]
    rows: NDArray[np.float64] | NDArray[np.float32]

    @classmethod
    def build(cls, dim: int, vectors: Iterable[tuple[str, Sequence[float]]]) -> "VectorIndex":
        """Index (id, vector) pairs of `dim` numbers; others are left out, of an id given twice the first counts."""
        kept: dict[str, Sequence[float]] = {}
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
    scores = np.clip(rounded_array(_products(index.rows, unit)), -1.0, 1.0)
    return _top(index.ids, scores, k, gate)


def _products(rows: NDArray[np.float64] | NDArray[np.float32], unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Dot products (n,) in double precision; mapped rows are widened a block at a time, never all at once."""
    if rows.dtype == np.float64:
        return np.asarray(rows @ unit, np.float64)
    blocks = [rows[start : start + BLOCK_ROWS].astype(np.float64) @ unit for start in range(0, len(rows), BLOCK_ROWS)]
    return np.concatenate(blocks)


def _top(ids: Sequence[str], scores: NDArray[np.float64], k: int, gate: Gate | None) -> list[Scored]:
    found: list[Scored] = []
    # The ids ascend, so a stable sort leaves equal scores in order of id.
    for place in np.argsort(-scores, kind="stable").tolist():
        if len(found) == k:
            break
        if gate is None or gate(ids[place]):
            found.append((ids[place], float(scores[place])))
    return found


def standing_out(hits: Sequence[Scored], share: float) -> list[Scored]:
    """The first hits (best first) whose score lies at least `share` of the way from the median to the best.

    Every vector has some cosine with every other, so a lane of them ranks even what has
    nothing to do with the query; `share` in [0, 1] keeps that out of a fusion by rank.
    """
    if not hits:
        return []
    best, median = hits[0][1], hits[len(hits) // 2][1]
    least = median + share * (best - median)
    return [hit for hit in hits if hit[1] >= least]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Cosine of two vectors of equal length in [-1, 1]; 0 when either is zero or not finite."""
    rows = unit_rows(np.array([a, b], np.float64).reshape(2, -1))
    return float(np.clip(rows[0] @ rows[1], -1.0, 1.0))
