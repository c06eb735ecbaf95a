"""How much a pilot may be asked and may spend: four presets, one frozen record."""

from dataclasses import dataclass
from enum import StrEnum


class PilotMode(StrEnum):
    """The presets. ALGORITHM_ONLY never asks a pilot."""

    BALANCED = "balanced"
    HIGH_QUALITY = "high_quality"
    LOW_COST = "low_cost"
    ALGORITHM_ONLY = "algorithm_only"


@dataclass(frozen=True, slots=True)
class PilotConfig:
    """Limits and thresholds of one pilot; `PilotConfig.preset(mode)` gives those of a mode.

    Wide nodes are cut twice: to the `prefilter` best-scored children, and where these still are more than
    `prune_above`, by the pilot's yes or no to each. "Measured" is said of the figures in `engine.finding.navigation`.
    """

    mode: PilotMode = PilotMode.BALANCED
    tokens_per_query: int = 2000
    """Candidates and replies of all calls together, without the fixed instructions. Measured: 1,000 reach 50, 58 and
    60; 1,294 are used."""
    tokens_per_call: int = 500
    """Candidates and reply of one call; what does not fit is left out and said. Measured: 250 reach 48, 57 and 60."""
    calls_per_query: int = 5
    """Calls of all searches for one question. Measured: 2 reach 53, 57 and 59, 10 reach 50, 58 and 60."""
    calls_per_level: int = 2
    """Calls at one depth of the tree. Measured: 1 loses one gold section at 1, 4 none."""
    fork_threshold: int = 3
    """The fewest candidates that make a fork worth asking about. Measured: 2 changes nothing, 6 gains one at 5."""
    closeness_gap: float = 0.15
    """The two best scores closer than this are too close to call. Measured: 0.075 and 0.3 change no gold section."""
    low_score: float = 0.3
    """A best score below this is too weak to follow unasked. Measured: 0.15 loses one at 3, 0.6 none."""
    prefilter: int = 15
    """Children, the best-scored ones, that go before the pilot. Measured: 8 and 30 gain one gold section at 1."""
    prune_above: int = 10
    """More children than this are pruned before the pilot ranks them."""
    prune_keep: int = 3
    """Children that pruning keeps at least. Measured: 1 loses one gold section at each of 1, 3 and 5, 6 none."""
    max_depth: int = 12
    """Depth of the tree below which no advice is asked for. Measured: 6 and 24 change nothing."""
    guide_start: bool = True
    guide_backtrack: bool = True
    call_seconds: float = 20.0
    """Seconds one call may take before it counts as failed: those of a whole search."""

    @classmethod
    def preset(cls, mode: PilotMode | str) -> "PilotConfig":
        """The configuration of a mode. Raises ValueError for an unknown name."""
        return _PRESETS[PilotMode(mode)]

    @property
    def asks(self) -> bool:
        """Whether this configuration ever asks a pilot."""
        return self.mode is not PilotMode.ALGORITHM_ONLY


_PRESETS = {
    PilotMode.BALANCED: PilotConfig(),
    PilotMode.HIGH_QUALITY: PilotConfig(
        mode=PilotMode.HIGH_QUALITY,
        tokens_per_query=5000,
        tokens_per_call=1000,
        calls_per_query=10,
        calls_per_level=3,
        fork_threshold=2,
        closeness_gap=0.2,
        low_score=0.4,
        prefilter=20,
        prune_above=14,
        prune_keep=5,
    ),
    PilotMode.LOW_COST: PilotConfig(
        mode=PilotMode.LOW_COST,
        tokens_per_query=500,
        tokens_per_call=200,
        calls_per_query=2,
        calls_per_level=1,
        fork_threshold=5,
        closeness_gap=0.1,
        low_score=0.2,
        prefilter=8,
        prune_above=6,
        prune_keep=2,
    ),
    PilotMode.ALGORITHM_ONLY: PilotConfig(
        mode=PilotMode.ALGORITHM_ONLY, tokens_per_query=0, tokens_per_call=0, calls_per_query=0, calls_per_level=0
    ),
}
"""Only "balanced" was measured; the others trade tokens for advice as the specification of the pilot states them."""
