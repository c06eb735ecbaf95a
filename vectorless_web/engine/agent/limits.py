"""What a run may spend, how it is told to stop, and the wall clock whose decisions a replay takes over."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run. Reaching one ends the walk with what was found, never with an error page."""

    max_steps: int = 6
    """Steps of one walk, 1..30: SCAN, RETRIEVE, NAVIGATE, EXTRACT and SYNTHESIZE count."""
    max_walks: int = 5
    """Documents walked in one run."""
    max_run_steps: int = 60
    """Steps of one conversation, its tool calls among them."""
    token_budget: int = 8000
    """Tokens of context packed for synthesis."""
    wall_seconds: float = 300.0
    model_calls: int = 40
    model_tokens: int = 30000
    each_tokens: int = 160_000
    """Tokens that all conversations of `for_each` may take together, beside `model_tokens`."""
    money_usd: float | None = None


Cancelling = Callable[[], bool]
"""Asked before every step: true when the run should stop."""


Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a run asks whether time is up: before step `step` (from 0) of walk `walk` (from 1)."""

    walk: int
    step: int


@dataclass(frozen=True, slots=True, order=True)
class Late:
    """Time was up at a place of the run.

    With a `reading` (from 1) it was up within the search made there, which had `seconds`, at that reading of its clock.
    """

    place: Place
    reading: int = 0
    seconds: float = 0.0


class Deadline:
    """The time limit of a run; `late` says where in the run time was up.

    With `told` (the `late` of the run that is replayed) no clock is read: time is up where it was up then.
    """

    def __init__(self, clock: Clock, seconds: float, *, told: Collection[Late] | None = None) -> None:
        self._clock, self._seconds, self._told = clock, seconds, told
        self._started = clock()
        self._late: set[Late] = set()

    @property
    def late(self) -> tuple[Late, ...]:
        """Where time was up, by walk and step."""
        return tuple(sorted(self._late))

    def seconds_left(self) -> float:
        """Seconds until the limit, negative once it has passed; all of them in a replay."""
        return self._seconds if self._told is not None else self._started + self._seconds - self._clock()

    def is_up(self, place: Place) -> bool:
        """Whether time is up at this place of the run."""
        late = Late(place)
        up = late in self._told if self._told is not None else self.seconds_left() <= 0
        if up:
            self._late.add(late)
        return up

    def search(self, place: Place, most: float) -> tuple[Clock, float]:
        """The clock of one search, and the seconds it may take (at most `most`, never more than the run has left).

        The first reading of the clock begins the search.
        """
        if self._told is not None:
            return self._replayed_search(place, self._told)
        seconds = max(0.1, min(most, self.seconds_left()))
        return self._watched_clock(place, seconds), seconds

    def _watched_clock(self, place: Place, seconds: float) -> Clock:
        """The run's clock; the reading at which the search's time was up is kept for a replay."""
        readings: list[float] = []

        def read() -> float:
            readings.append(self._clock())
            if readings[-1] >= readings[0] + seconds and self._late_search(place, self._late) is None:
                self._late.add(Late(place, len(readings), seconds))
            return readings[-1]

        return read

    def _replayed_search(self, place: Place, told: Collection[Late]) -> tuple[Clock, float]:
        """A clock that stands still, and jumps to the end at the reading at which time was up then."""
        found = self._late_search(place, told)
        if found is None:
            return (lambda: 0.0), self._seconds
        self._late.add(found)
        readings = count(1)
        return (lambda: found.seconds if next(readings) >= found.reading else 0.0), found.seconds

    @staticmethod
    def _late_search(place: Place, among: Collection[Late]) -> Late | None:
        return next((late for late in among if late.reading and late.place == place), None)
