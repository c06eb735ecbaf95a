"""Settings of the router; every field is a workspace setting."""

from dataclasses import dataclass
from enum import StrEnum


class RouteMode(StrEnum):
    """When a model is asked to rank the first candidates: never, when the first two are close, or always."""

    FAST = "fast"
    BALANCED = "balanced"
    PRECISE = "precise"


@dataclass(frozen=True, slots=True)
class RouterConfig:
    """Limits and weights. The weights need not sum to 1: a signal that is missing is left out and the rest rescaled."""

    activate_threshold: int = 20
    """Documents: at or below so many all of them go on, since a run can look at that many cards itself."""
    max_candidates: int = 15
    """Documents on the shortlist. A run reads the cards of all of them and opens at most five."""
    bm25_top_k: int = 50
    """Documents kept for a second look; a model never sees more cards (about 200 tokens each)."""
    mode: RouteMode = RouteMode.FAST
    w_bm25: float = 0.5
    """Weight of the words. Measured: at twice the value 62 documents come first instead of 63."""
    w_keyword: float = 0.3
    """Weight of the keywords. At twice the value 60 come first."""
    w_graph: float = 0.2
    """Weight of the links. The least, because a link is the weakest sign."""
    w_text: float = 0.5
    """Weight of what one place of the text says. Measured: at 0.75 and 1.0 61 documents come first instead of 63; of
    88 questions on everyday documents 59 and 60 instead of 57. Earlier, when the square of the share counted: of 200
    facts in running text of 1,000 handbooks all come first at 1.0, 199 at 0.5 and 106 at 0 (benchmarks/README.md).
    """
    w_fields: float = 1.0
    """Weight of the typed fields. At half the value 58 come first, at twice 63."""
