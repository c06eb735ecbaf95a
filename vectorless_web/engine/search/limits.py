"""What one search may spend, and the meter that counts it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Limits of one search. Reaching one ends it with what was found. Calls, tokens and money are the PilotBudget's."""

    turns: int = 128
    """Loop turns: every expansion, entry, backtrack and consultation costs one, failed ones too."""
    results: int = 5
    """Sections entered, at most."""
    width: int = 3
    """Branches a beam keeps at each level."""
    shelf: int = 9
    """Branches put aside for backtracking; the worst is dropped first."""
    references: int = 4
    """References followed out of one section, at most."""
    backtracks: int = 3
    """Times the pilot is asked which branch to take up again."""
    wall_seconds: float = 20.0
    clock: Callable[[], float] = field(default=time.monotonic, compare=False)


DEFAULT_LIMITS = SearchLimits()


class Meter:
    """Counts turns and time against the limits; once a limit is reached it stays reached."""

    def __init__(self, limits: SearchLimits) -> None:
        self.limits = limits
        self.turns = 0
        self.stopped = ""
        """Which limit ended the search, in words; empty while there is room."""
        self._deadline = limits.clock() + limits.wall_seconds

    def turn(self) -> bool:
        """Spend one turn; false when turns or time are used up."""
        if self.stopped or self._is_over():
            return False
        self.turns += 1
        return True

    def give_out(self) -> None:
        """Say that there were too few turns for all there was to do."""
        self.stopped = self.stopped or f"all {self.limits.turns} turns of the search are used"

    def _is_over(self) -> bool:
        if self.turns >= self.limits.turns:
            self.give_out()
        elif self.limits.clock() >= self._deadline:
            self.stopped = f"the {self.limits.wall_seconds:g} seconds of the search are used"
        return bool(self.stopped)
