"""Vectors of nodes: dense ones compared by cosine, learned sparse ones by dot product."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.finding.retrieval.fusion import (
    Identifier,
    Scored,
    best_of_each,
    keep_finite,
    round_array,
    sort_scored,
)


class VectorDimensionMismatch(InvalidInput):
    """Raised when a query vector is not as long as the vectors of its model; carries both lengths."""

    code = "vector_dim_mismatch"

    def __init__(self, *, index_dim: int, query_dim: int) -> None:
        super().__init__(f"The query vector has {query_dim} numbers, the index holds vectors of {index_dim}.")
        self.index_dim = index_dim
        self.query_dim = query_dim


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weights over the token ids of one vocabulary: `indices` strictly ascending, `values` as many.

    Raises ValueError when the lengths differ or the indices do not ascend. Vectors of different `vocab_id` share
    nothing.
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
        return cls(tuple(sorted(best)), tuple(best[index] for index in sorted(best)), vocab_id)

    def dot(self, other: "SparseVector") -> float | None:
        """Sum of products over shared token ids, 0.0 when none is shared; None for another vocabulary."""
        if self.vocab_id != other.vocab_id:
            return None
        weights = dict(zip(other.indices, other.values, strict=True))
        products = [v * weights[i] for i, v in zip(self.indices, self.values, strict=True) if i in weights]
        return math.fsum(products) if all(map(math.isfinite, products)) else sum(products)


def sparse_search(documents: Iterable[tuple[Identifier, SparseVector]], query: SparseVector, k: int) -> list[Scored]:
    """The k documents (id, vector) of greatest dot product with the query, best first, ties by id.

    Documents of another vocabulary or that share no token with the query are absent, as are scores that are not
    finite. Of an id given twice the better score counts. Source: the inner product of learned sparse vectors, as in
    SPLADE (Formal et al., SIGIR 2021).
    """
    return sort_scored(best_of_each(keep_finite(sparse_scores(documents, query))).items())[: max(k, 0)]


def sparse_scores(documents: Iterable[tuple[Identifier, SparseVector]], query: SparseVector) -> Iterator[Scored]:
    """(id, dot product) of every document that shares a token with the query, in the order given."""
    wanted = frozenset(query.indices)
    for name, vector in documents:
        score = None if wanted.isdisjoint(vector.indices) else query.dot(vector)
        if score is not None:
            yield name, score


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Vectors of one model: `ids` ascending, `rows` of shape (len(ids), dim), each of length 1 or zero."""

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
        return cls(dim, ids, unit_rows(np.array([kept[name] for name in ids], np.float64).reshape(len(ids), dim)))


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (n, dim) scaled to Euclidean length 1; a zero row or one that is not finite becomes zero."""
    usable = np.isfinite(rows).all(axis=1, keepdims=True)
    clean = np.where(usable, rows, 0.0)
    # Scaled by the greatest entry first, so that squares neither overflow nor vanish.
    peak = np.abs(clean).max(axis=1, initial=0.0)
    clean = clean / np.where(peak > 0, peak, 1.0)[:, None]
    length = np.sqrt((clean * clean).sum(axis=1))
    return clean / np.where(length > 0, length, 1.0)[:, None]


def cosine_search(
    index: VectorIndex, query: Sequence[float], k: int, *, gate: Callable[[Identifier], bool] | None = None
) -> list[Scored]:
    """The k vectors of greatest cosine with the query (dim numbers), best first, ties by id.

    Scores lie in [-1, 1]; a zero or non-finite vector scores 0. `gate` is asked before the k are counted.
    Raises VectorDimensionMismatch when the query has another length than the index. Source: Salton, Wong and Yang,
    "A Vector Space Model for Automatic Indexing", CACM 1975.
    """
    if len(query) != index.dim:
        raise VectorDimensionMismatch(index_dim=index.dim, query_dim=len(query))
    if k <= 0 or not index.ids:
        return []
    unit = unit_rows(np.asarray(query, np.float64).reshape(1, -1))[0]
    scores = np.clip(round_array(np.asarray(index.rows, np.float64) @ unit), -1.0, 1.0)
    # The ids ascend, so a stable sort leaves equal scores in order of id.
    order = ((index.ids[place], float(scores[place])) for place in np.argsort(-scores, kind="stable").tolist())
    return list(islice((hit for hit in order if gate is None or gate(hit[0])), k))
