"""Search over a document's tree: greedy, beam and Monte Carlo, each under a pilot's guidance and hard limits."""

from vectorless_web.engine.pilot.scorer import (
    DocumentScorer,
    EvidenceScorer,
    PrecomputedScorer,
    Scorer,
    SegmentScorer,
    SubtreeEvidence,
)
from vectorless_web.engine.search.beam import beam
from vectorless_web.engine.search.events import EventKind, RankedNode, Rejection, SearchEvent, SearchStats
from vectorless_web.engine.search.greedy import greedy
from vectorless_web.engine.search.limits import SearchLimits
from vectorless_web.engine.search.mcts import mcts
from vectorless_web.engine.search.minimap import MapMark, minimap
from vectorless_web.engine.search.report import SearchReport, report

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
