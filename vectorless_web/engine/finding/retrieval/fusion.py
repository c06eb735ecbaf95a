"""Fusion: several ranked lists become one. Pure functions, float64, ties by ascending id."""

import math
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from statistics import median
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


SHAPE_MINIMUM = 8
"""Fewer scores than this have no shape: with eight each quartile holds two."""


def confidence(scores: Sequence[float]) -> float:
    """clamp(1 - max(last, 0) / first) in [0, 1] over scores best first: how far the best stands out.

    0 for fewer than two scores or a first that is not positive. Source: this package. The
    confidence shown beside an answer is worked out elsewhere (engine.answers.confidence).
    """
    if len(scores) < 2 or not scores[0] > 0:
        return 0.0
    return min(max(1.0 - max(scores[-1], 0.0) / scores[0], 0.0), 1.0)


def quantiles(scores: Sequence[float]) -> list[float]:
    """(K - 1 - i) / (K - 1) for rank i of K: 1 for the best, 0 for the last; a single score is 1.

    As many values as scores, which stand best first; only their number counts. Source: rank
    normalisation.
    """
    count = len(scores)
    return [(count - 1 - i) / (count - 1) for i in range(count)] if count > 1 else [1.0] * count


class Shape(StrEnum):
    """How the scores of a list are spread (see `score_shape`)."""

    BIMODAL = "bimodal"
    LONG_TAIL = "long-tail"
    UNIFORM = "uniform"
    INSUFFICIENT = "insufficient-samples"


@dataclass(frozen=True, slots=True)
class Distribution:
    """Minimum, maximum, median (upper of the middle two), interquartile range and shape; zeros when insufficient."""

    min: float = 0.0
    max: float = 0.0
    median: float = 0.0
    iqr: float = 0.0
    shape: Shape = Shape.INSUFFICIENT


def score_shape(scores: Sequence[float]) -> Distribution:
    """Shape of eight or more finite scores, in any order.

    Bimodal when one gap with at least two scores on each side exceeds half the range;
    else long-tail when max - median > 2 x iqr; else uniform. Quartiles are the entries
    at n // 4 and 3n // 4 of the sorted scores. Scores that are not finite do not count.
    Source: this package's rules, in the manner of Tukey, Exploratory Data Analysis, 1977.
    """
    ordered = sorted(score for _, score in keep_finite(("", score) for score in scores))
    count = len(ordered)
    if count < SHAPE_MINIMUM:
        return Distribution()
    low, high, middle = ordered[0], ordered[-1], ordered[count // 2]
    iqr = ordered[3 * count // 4] - ordered[count // 4]
    gaps = [above - below for below, above in pairwise(ordered)][1:-1]
    if max(gaps) > (high - low) / 2:
        shape = Shape.BIMODAL
    else:
        shape = Shape.LONG_TAIL if high - middle > 2 * iqr else Shape.UNIFORM
    return Distribution(low, high, middle, iqr, shape)


WINDOW = 128
"""Values kept of one session, the last ones. Chosen by hand, like the three below; no run of the workspace uses
them."""
WARM_UP = 12
"""Values from which a session has a median: of fewer, one odd value moves it far."""
IDLE_SECONDS = 3600.0
"""Seconds after its last value from which a session may be dropped."""
MAX_SESSIONS = 10 * WINDOW
"""Sessions kept; with WINDOW it bounds the memory to about 164,000 numbers."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """What one sweep removed: idle sessions, then the oldest above the cap; `active` are left."""

    evicted_ttl: int
    evicted_cap: int
    active: int


@dataclass(slots=True)
class _Session:
    values: deque[float]
    seen: int = 0
    last: float = 0.0


@dataclass(slots=True)
class SessionReservoir:
    """The last `window` values of each session; time is passed in, in seconds, so nothing depends on a clock.

    Its median may change a confidence that is shown, never an order. Source: a sliding
    window with a robust centre (the sample median).
    """

    window: int = WINDOW
    warm_up: int = WARM_UP
    idle_seconds: float = IDLE_SECONDS
    max_sessions: int = MAX_SESSIONS
    _sessions: dict[str, _Session] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._sessions)

    def observe(self, session: str, value: float, *, at: float) -> None:
        """Record a value of the session; one that is not finite is ignored."""
        if not math.isfinite(value):
            return
        held = self._sessions.setdefault(session, _Session(deque(maxlen=self.window)))
        held.values.append(value)
        held.seen += 1
        held.last = max(held.last, at) if held.seen > 1 else at

    def is_warming_up(self, session: str) -> bool:
        """Whether the session has fewer than `warm_up` observations."""
        held = self._sessions.get(session)
        return held is None or held.seen < self.warm_up

    def median(self, session: str) -> float | None:
        """Median of the window, the mean of the middle two when even; None while warming up."""
        if self.is_warming_up(session):
            return None
        return float(median(self._sessions[session].values))

    def evict(self, *, now: float) -> Eviction:
        """Drop sessions idle for more than `idle_seconds`, then the longest idle above `max_sessions`."""
        idle = [name for name, held in self._sessions.items() if now - held.last > self.idle_seconds]
        self._drop(idle)
        over = max(len(self._sessions) - self.max_sessions, 0)
        oldest = sorted(self._sessions, key=lambda name: (self._sessions[name].last, name))[:over]
        self._drop(oldest)
        return Eviction(len(idle), len(oldest), len(self._sessions))

    def _drop(self, names: list[str]) -> None:
        for name in names:
            del self._sessions[name]
