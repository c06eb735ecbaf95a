"""Pilots: advisers that rank the branches of a tree search. A pilot that fails costs its advice and nothing else."""

from vectorless_web.engine.finding.navigation.pilots.budget import PilotBudget, Refusal
from vectorless_web.engine.finding.navigation.pilots.config import PilotConfig, PilotMode
from vectorless_web.engine.finding.navigation.pilots.lexical import LexicalPilot
from vectorless_web.engine.finding.navigation.pilots.model import ModelPilot
from vectorless_web.engine.finding.navigation.pilots.pilot import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    InterventionPoint,
    JumpTo,
    MinimalPilot,
    NodeId,
    NoopPilot,
    Pilot,
    PilotDecision,
    PilotExt,
    RankedCandidate,
    SearchDirection,
    SearchState,
)
from vectorless_web.engine.ranking.scorer import (
    DocumentScorer,
    EvidenceScorer,
    PrecomputedScorer,
    Scorer,
    SegmentScorer,
    SubtreeEvidence,
)

__all__ = [
    "Backtrack",
    "DocumentScorer",
    "EvidenceScorer",
    "ExploreSiblings",
    "FoundAnswer",
    "GoDeeper",
    "InterventionPoint",
    "JumpTo",
    "LexicalPilot",
    "MinimalPilot",
    "ModelPilot",
    "NodeId",
    "NoopPilot",
    "Pilot",
    "PilotBudget",
    "PilotConfig",
    "PilotDecision",
    "PilotExt",
    "PilotMode",
    "PrecomputedScorer",
    "RankedCandidate",
    "Refusal",
    "Scorer",
    "SearchDirection",
    "SearchState",
    "SegmentScorer",
    "SubtreeEvidence",
]
