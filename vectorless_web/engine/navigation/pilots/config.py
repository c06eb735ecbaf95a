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
    """Limits and thresholds of one pilot; `PilotConfig.preset(mode)` gives the tabled values."""

    mode: PilotMode = PilotMode.BALANCED
    tokens_per_query: int = 2000
    """Candidates and replies of all calls together; the fixed instructions are not counted."""
    tokens_per_call: int = 500
    """Candidates and reply of one call. Below what the candidates need they are trimmed, and the prompt says so."""
    calls_per_query: int = 5
    calls_per_level: int = 2
    fork_threshold: int = 3
    """The fewest candidates that make a fork worth asking about."""
    closeness_gap: float = 0.15
    """The two best scores closer than this are too close to call."""
    low_score: float = 0.3
    """A best score below this is too weak to follow unasked."""
    prune_above: int = 20
    """A node with more children than this is pruned first ..."""
    prune_keep: int = 3
    """... keeping at least so many of them ..."""
    prefilter: int = 15
    """... and only so many of the best-scored go before the pilot."""
    max_depth: int = 12
    """No advice is asked for below this depth."""
    guide_start: bool = True
    guide_backtrack: bool = True
    call_seconds: float = 20.0
    """How long one call may take before it counts as failed."""

    @classmethod
    def preset(cls, mode: PilotMode | str) -> "PilotConfig":
        """The tabled configuration of a mode; ValueError for an unknown name."""
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
        prune_above=25,
        prune_keep=5,
        prefilter=20,
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
        prune_above=12,
        prune_keep=2,
        prefilter=8,
    ),
    PilotMode.ALGORITHM_ONLY: PilotConfig(
        mode=PilotMode.ALGORITHM_ONLY, tokens_per_query=0, tokens_per_call=0, calls_per_query=0, calls_per_level=0
    ),
}
