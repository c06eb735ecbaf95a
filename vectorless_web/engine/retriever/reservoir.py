"""A rolling memory of recent values per session, for a displayed confidence, never for an order."""

import math
from collections import deque
from dataclasses import dataclass, field
from statistics import median

WINDOW = 128
WARM_UP = 12
IDLE_SECONDS = 3600.0
MAX_SESSIONS = 10 * WINDOW


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
