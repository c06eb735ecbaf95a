"""How lanes score nodes (vectors by cosine, learned sparse ones by dot product) and how their lists become one.

Pure functions, float64; scores are rounded to 12 digits and ties go by ascending id.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import InvalidInput

Identifier = Any
"""Names a node of a corpus: text, or another hashable value that `<` orders and `str` writes out. One kind a corpus."""

Scored = tuple[Identifier, float]
"""An id and its score."""

SCORE_DIGITS = 12
"""Decimal digits of a score. A float64 near 1 has 15 to 16; the last ones differ with the order of a sum, and equal
scores must tie on every machine."""
_EXACT_ABOVE = 1e3
"""Above this a float64 has no twelve decimal digits left to round."""


def round_scores(scores: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores to 12 decimal digits, so that sums taken in another order cannot flip a tie."""
    given = np.asarray(scores, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(given) < _EXACT_ABOVE, np.round(given, SCORE_DIGITS) + 0.0, given)


def sort_scored(scored: Iterable[Scored]) -> list[Scored]:
    """Best first; equal scores in ascending order of id (text by code points, which is UTF-8 byte order)."""
    pairs = list(scored)
    falling = (-round_scores([score for _, score in pairs])).tolist()
    return [(name, 0.0 - score) for score, name in sorted(zip(falling, (name for name, _ in pairs), strict=True))]


def keep_finite(scored: Iterable[Scored]) -> list[Scored]:
    """The pairs whose score is a finite number, in their order."""
    return [pair for pair in scored if math.isfinite(pair[1])]


def best_of_each(scored: Iterable[Scored]) -> dict[Identifier, float]:
    """Each id once, with the greatest score it has, in order of first appearance."""
    best: dict[Identifier, float] = {}
    for name, score in scored:
        held = best.get(name)
        if held is None or score > held:
            best[name] = score
    return best


RRF_K = 60.0
"""k of reciprocal rank fusion, in ranks: the value of Cormack, Clarke and Buettcher 2009, who found results flat around
it. A smaller k favours what stands first in one lane, a larger one what stands in several."""
_FLAT = 1e-12
"""A lane whose scores differ by less has no order of its own."""
_FLAT_SCORE = 0.5
"""What every hit of such a lane counts after scaling: the middle of [0, 1]."""


class FusionStrategy(StrEnum):
    """How several lanes become one list; one lane alone always keeps its native scores."""

    RRF = "rrf"
    CONVEX_MIN_MAX = "convex_min_max"


def reciprocal_rank_fusion(lists: Iterable[Sequence[Identifier]], k: float = RRF_K) -> list[Scored]:
    """Fuse lists of ids (best first): score(d) = sum over lists of 1 / (k + rank + 1), rank from 0.

    Returns (id, score) pairs, best first. Raises ValueError when `k` is not above -1.
    Source: Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009.
    """
    return weighted_reciprocal_rank_fusion([(ids, 1.0) for ids in lists], k)


def weighted_reciprocal_rank_fusion(
    lists: Iterable[tuple[Sequence[Identifier], float]], k: float = RRF_K
) -> list[Scored]:
    """The same with a weight for each list: score(d) = sum over lists of weight / (k + rank + 1).

    An id that stands twice in a list counts once, at its best rank. Lists of weight 0 add nothing.
    """
    if not k > -1:
        raise ValueError("k must be greater than -1")
    return _sum_up(
        {name: weight / (k + rank + 1) for rank, name in reversed(list(enumerate(ids)))}
        for ids, weight in lists
        if _counts(weight)
    )


def convex_min_max_fusion(lanes: Iterable[tuple[Sequence[Scored], float]]) -> list[Scored]:
    """Fuse (hits, weight) lanes: each lane's scores become (s - min) / (max - min), then a weighted sum.

    All scores of a flat lane (max - min < 1e-12) become 0.5. Non-finite scores are dropped, an id that stands twice in
    a lane counts once with its best score, lanes of weight 0 add nothing. Returns (id, score) pairs, best first.
    Source: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.
    """
    return _sum_up(_scale_hits(hits, weight) for hits, weight in lanes if _counts(weight))


def score_normalized_fusion(a: Sequence[Scored], a_weight: float, b: Sequence[Scored], b_weight: float) -> list[Scored]:
    """The same of two lists; but the ids of a list of weight 0 stay, with what the other list gives them."""
    return _sum_up(
        _scale_hits(hits, weight) for hits, weight in ((a, a_weight), (b, b_weight)) if math.isfinite(weight)
    )


def _counts(weight: float) -> bool:
    return weight != 0 and math.isfinite(weight)


def _scale_hits(hits: Sequence[Scored], weight: float) -> dict[Identifier, float]:
    best = best_of_each(keep_finite(hits))
    low, high = min(best.values(), default=0.0), max(best.values(), default=0.0)
    # Halved first: the difference of two huge scores of opposite sign would overflow.
    reach = high / 2 - low / 2
    if 2 * reach < _FLAT:
        return dict.fromkeys(best, weight * _FLAT_SCORE)
    return {name: weight * ((score / 2 - low / 2) / reach) for name, score in best.items()}


def _sum_up(parts: Iterable[dict[Identifier, float]]) -> list[Scored]:
    """Add the parts up, id by id; `fsum` is exact, so their order does not matter."""
    gathered: dict[Identifier, list[float]] = {}
    for part in parts:
        for name, value in part.items():
            gathered.setdefault(name, []).append(value)
    return sort_scored((name, math.fsum(values)) for name, values in gathered.items())


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
        return sum(v * weights[i] for i, v in zip(self.indices, self.values, strict=True) if i in weights)


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

    Scores lie in [-1, 1]; a zero or non-finite vector scores 0. `gate` is asked before the k are counted. An index of
    vectors without numbers answers nothing.
    Raises VectorDimensionMismatch when the query has another length than the index. Source: Salton, Wong and Yang,
    "A Vector Space Model for Automatic Indexing", CACM 1975.
    """
    if index.dim and len(query) != index.dim:
        raise VectorDimensionMismatch(index_dim=index.dim, query_dim=len(query))
    if k <= 0 or not index.ids or not index.dim:
        return []
    unit = unit_rows(np.asarray(query, np.float64).reshape(1, -1))[0]
    scores = np.clip(round_scores(np.asarray(index.rows, np.float64) @ unit), -1.0, 1.0)
    # The ids ascend, so a stable sort leaves equal scores in order of id.
    order = ((index.ids[place], float(scores[place])) for place in np.argsort(-scores, kind="stable").tolist())
    return list(islice((hit for hit in order if gate is None or gate(hit[0])), k))
