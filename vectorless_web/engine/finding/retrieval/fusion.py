"""Fusion: several ranked lists become one. Pure functions, float64, ties by ascending id."""

import math
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Identifier = Any
"""Names a node of a corpus: text, or another hashable value that `<` orders and `str` writes out. One kind a corpus."""

Scored = tuple[Identifier, float]
"""An id and its score."""

SCORE_DIGITS = 12
"""Decimal digits of a score. A float64 near 1 has 15 to 16; the last ones differ with the order of a sum, and equal
scores must tie on every machine."""
_EXACT_ABOVE = 1e3
"""Above this a float64 has no twelve decimal digits left to round."""


def round_score(score: float) -> float:
    """The score to 12 decimal digits, so that sums taken in another order cannot flip a tie."""
    return round(score, SCORE_DIGITS)


def round_array(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """`rounded` over an array of any shape; large magnitudes stay as they are."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(scores) < _EXACT_ABOVE, np.round(scores, SCORE_DIGITS) + 0.0, scores)


def sort_scored(scored: Iterable[Scored]) -> list[Scored]:
    """Best first; equal scores in ascending order of id (text by code points, which is UTF-8 byte order)."""
    return sorted(((name, round_score(score)) for name, score in scored), key=lambda pair: (-pair[1], pair[0]))


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


def rank_order(ids: Sequence[Identifier], scores: NDArray[np.float64]) -> list[int]:
    """Positions of `ids` best score first, equal scores by ascending id.

    A stable sort by score, then a sort by id inside each run of equal scores: ids are
    compared only where they decide.
    """
    order = np.argsort(-scores, kind="stable")
    positions: list[int] = order.tolist()
    in_order = scores[order]
    ties = np.flatnonzero(in_order[1:] == in_order[:-1])
    if not ties.size:
        return positions
    starts = ties[np.insert(np.diff(ties) > 1, 0, True)]
    ends = ties[np.append(np.diff(ties) > 1, True)] + 2
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        positions[start:end] = sorted(positions[start:end], key=ids.__getitem__)
    return positions


RRF_K = 60.0
"""k of reciprocal rank fusion, in ranks: the value of Cormack, Clarke and Buettcher 2009, who found results flat around
it. A smaller k favours what stands first in one lane, a larger one what stands in several."""
_FLAT = 1e-12
"""A lane whose scores differ by less has no order of its own."""
_FLAT_SCORE = 0.5
"""What every hit of such a lane counts after scaling: the middle of [0, 1]."""

Contributions = tuple[list[Identifier], NDArray[np.float64]]
"""Distinct ids and what a lane adds to each."""


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
    """Fuse (ids, weight) lists: score(d) = sum over lists of weight / (k + rank + 1), rank from 0.

    An id that stands twice in a list counts once, at its best rank. Lists without
    entries and lists of weight 0 add nothing. Raises ValueError when `k` is not above -1.
    Source: Cormack, Clarke and Buettcher 2009, with a weight for each list.
    """
    if not k > -1:
        raise ValueError("k must be greater than -1")
    return _sum_contributions(
        [_rank_contributions(ids, weight, k) for ids, weight in lists if _has_influence(ids, weight)]
    )


def convex_min_max_fusion(lanes: Iterable[tuple[Sequence[Scored], float]]) -> list[Scored]:
    """Fuse (hits, weight) lanes: each lane's scores become (s - min) / (max - min), then a weighted sum.

    All scores of a flat lane (max - min < 1e-12) become 0.5. Non-finite scores are
    dropped, an id that stands twice in a lane counts once with its best score, lanes
    of weight 0 add nothing. Returns (id, score) pairs, best first.
    Source: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.
    """
    return _sum_contributions([_scale_hits(hits, weight) for hits, weight in lanes if _has_influence(hits, weight)])


def score_normalized_fusion(a: Sequence[Scored], a_weight: float, b: Sequence[Scored], b_weight: float) -> list[Scored]:
    """Fuse two lists of (id, score) with weights by the min-max normalisation of `convex_min_max_fusion`.

    Unlike there, the ids of a list of weight 0 stay in the result, with what the other list gives them.
    Source: Bruch, Gai and Ingber 2023, the case of two lanes.
    """
    return _sum_contributions(
        [_scale_hits(hits, weight) for hits, weight in ((a, a_weight), (b, b_weight)) if math.isfinite(weight)]
    )


def _has_influence(entries: Sequence[object], weight: float) -> bool:
    return len(entries) > 0 and weight != 0 and math.isfinite(weight)


def _rank_contributions(ids: Sequence[Identifier], weight: float, k: float) -> Contributions:
    if not _has_repeats(ids):
        return list(ids), weight / (k + np.arange(len(ids), dtype=np.float64) + 1)
    first = {name: rank for rank, name in reversed(list(enumerate(ids)))}
    return list(first), weight / (k + np.fromiter(first.values(), np.float64, len(first)) + 1)


def _has_repeats(ids: Collection[Identifier]) -> bool:
    return len(set(ids)) < len(ids)


def _scale_hits(hits: Sequence[Scored], weight: float) -> Contributions:
    names = [name for name, _ in hits]
    scores = np.fromiter((score for _, score in hits), np.float64, len(hits))
    if _has_repeats(names) or not np.isfinite(scores).all():
        best = best_of_each(keep_finite(hits))
        names, scores = list(best), np.fromiter(best.values(), np.float64, len(best))
    return names, weight * min_max(scores) if names else scores


def min_max(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores (any number of them, at least one) scaled to [0, 1]; 0.5 for all when they are flat.

    Source: Bruch, Gai and Ingber 2023, section 3.
    """
    low, high = float(scores.min()), float(scores.max())
    # Halved first: the difference of two huge scores of opposite sign would overflow.
    reach = high / 2 - low / 2
    if 2 * reach < _FLAT:
        return np.full(scores.shape, _FLAT_SCORE)
    return (scores / 2 - low / 2) / reach


def _sum_contributions(parts: Sequence[Contributions]) -> list[Scored]:
    """Add the parts up, id by id, in an order that does not depend on the order of the parts."""
    ids = list(dict.fromkeys(name for names, _ in parts for name in names))
    if not ids:
        return []
    place = dict(zip(ids, range(len(ids)), strict=True))
    table = np.zeros((len(ids), len(parts)))
    for column, (names, values) in enumerate(parts):
        rows = np.fromiter(map(place.__getitem__, names), np.intp, len(names))
        table[rows, column] = values
    table.sort(axis=1)
    totals = round_array(table.sum(axis=1))
    order = rank_order(ids, totals)
    return list(zip(map(ids.__getitem__, order), totals[order].tolist(), strict=True))
