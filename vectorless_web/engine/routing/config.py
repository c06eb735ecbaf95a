"""Settings of the router; every field is a workspace setting."""

from dataclasses import dataclass
from enum import StrEnum


class RouteMode(StrEnum):
    """How much a model has to say: nothing, only when the cut is ambiguous, or always about the first candidates."""

    FAST = "fast"
    BALANCED = "balanced"
    PRECISE = "precise"


@dataclass(frozen=True, slots=True)
class RouterConfig:
    """Limits and weights. The weights need not sum to 1: a signal that is missing is left out and the rest rescaled."""

    activate_threshold: int = 20
    """At or below so many documents all of them go on."""
    max_candidates: int = 15
    """Documents on the shortlist."""
    bm25_top_k: int = 50
    """Documents kept for a second look; a model never sees more."""
    mode: RouteMode = RouteMode.FAST
    w_bm25: float = 0.5
    w_keyword: float = 0.3
    w_graph: float = 0.2
    w_fields: float = 1.0
