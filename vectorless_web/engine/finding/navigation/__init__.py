"""Search over a document's tree: greedy, beam and Monte Carlo, each under a pilot's guidance and hard limits.

How the constants of this room were measured, where their docstrings say "measured": beam search for 65 questions over
filings (benchmarks/search.py), once with the lexical pilot and once with a scripted model that is wrong in 30 % of its
calls, each constant set to about half and about twice its value. As they stand a gold section is among the first 1, 3
and 5 sections entered for 50, 57 and 60 questions with the lexical pilot, for 49, 58 and 60 with the model.
"""

from vectorless_web.engine.finding.navigation.events import (
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
from vectorless_web.engine.finding.navigation.search import SearchLimits
from vectorless_web.engine.finding.navigation.strategies import beam, greedy, mcts
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
