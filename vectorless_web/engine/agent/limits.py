"""What a run may spend, how it is told to stop, and the wall clock whose decisions a replay takes over."""

from collections.abc import Callable, Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run. Reaching one ends the walk with what was found, never with an error page."""

    max_steps: int = 6
    """Steps of one walk, 1..30: SCAN, RETRIEVE, NAVIGATE, EXTRACT and SYNTHESIZE count."""
    max_walks: int = 5
    """Documents walked in one run."""
    max_run_steps: int = 60
    token_budget: int = 8000
    """Tokens of context packed for synthesis."""
    wall_seconds: float = 300.0
    model_calls: int = 40
    model_tokens: int = 30000
    money_usd: float | None = None


Cancelling = Callable[[], bool]
"""Asked before every step: true when the run should stop."""


Clock = Callable[[], float]

FURTHER = "further documents"
"""The place of the decision not to look into further documents."""


class Deadline:
    """Whether time is up, asked at named places; `late` are the places where it was.

    With `told` (the `late` of the run that is replayed) no clock is read: time is up
    where it was up then, and nowhere else. Safe under threads.
    """

    def __init__(self, clock: Clock, seconds: float, *, told: Collection[str] | None = None) -> None:
        self._clock, self._seconds, self._told = clock, seconds, told
        self._started = clock()
        self._late: set[str] = set()

    @property
    def late(self) -> tuple[str, ...]:
        """The places where time was up, in the order of their names."""
        return tuple(sorted(self._late))

    def seconds_left(self) -> float:
        """Seconds until the limit, negative once it has passed; all of them in a replay."""
        return self._seconds if self._told is not None else self._started + self._seconds - self._clock()

    def is_up(self, place: str) -> bool:
        """Whether time is up at this place of the run."""
        up = place in self._told if self._told is not None else self.seconds_left() <= 0
        if up:
            self._late.add(place)
        return up

    def search(self, place: str, most: float) -> tuple[Clock, float]:
        """The clock of one search, and the seconds it may take (at most `most`, never more than the run has left).

        The first reading of the clock begins the search.
        """
        if self._told is not None:
            return self._told_search(f"search {place} ")
        seconds = max(0.1, min(most, self.seconds_left()))
        return self._watched(f"search {place}", seconds), seconds

    def _watched(self, name: str, seconds: float) -> Clock:
        """The clock, which notes at which of its readings time was up."""
        readings: list[float] = []

        def read() -> float:
            readings.append(self._clock())
            if readings[-1] >= readings[0] + seconds and not any(late.startswith(f"{name} ") for late in self._late):
                self._late.add(f"{name} {len(readings)} {seconds!r}")
            return readings[-1]

        return read

    def _told_search(self, prefix: str) -> tuple[Clock, float]:
        found = next((late for late in self._told or () if late.startswith(prefix)), "")
        if not found:
            return (lambda: 0.0), self._seconds
        self._late.add(found)
        last, seconds = found.removeprefix(prefix).split()
        readings: list[int] = []

        def read() -> float:
            readings.append(1)
            return float(seconds) if len(readings) >= int(last) else 0.0

        return read, float(seconds)
