"""Search over a document's tree: greedy, beam and Monte Carlo, each under a pilot's guidance and hard limits."""

from vectorless_web.engine.navigation.beam import beam
from vectorless_web.engine.navigation.events import (
    EventKind,
    MapMark,
    RankedNode,
    Rejection,
    SearchEvent,
    SearchReport,
    SearchStats,
    minimap,
    report,
)
from vectorless_web.engine.navigation.greedy import greedy
from vectorless_web.engine.navigation.mcts import mcts
from vectorless_web.engine.navigation.search import SearchLimits
from vectorless_web.engine.ranking.scorer import (
    DocumentScorer,
    EvidenceScorer,
    PrecomputedScorer,
    Scorer,
    SegmentScorer,
    SubtreeEvidence,
)

__all__ = [
    "DocumentScorer",
    "EventKind",
    "EvidenceScorer",
    "MapMark",
    "PrecomputedScorer",
    "RankedNode",
    "Rejection",
    "Scorer",
    "SearchEvent",
    "SearchLimits",
    "SearchReport",
    "SearchStats",
    "SegmentScorer",
    "SubtreeEvidence",
    "beam",
    "greedy",
    "mcts",
    "minimap",
    "report",
]
