"""What the scores of a list tell: how far the best stands out, their shape, the median of a session's."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from statistics import median

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
    ordered = sorted(filter(math.isfinite, scores))
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
