"""The pilot: guidance that is asked when it pays, obeyed when it speaks, harmless when it fails."""

from vectorless_web.engine.pilot.budget import PilotBudget, Refusal, Reservation
from vectorless_web.engine.pilot.config import PilotConfig, PilotMode
from vectorless_web.engine.pilot.decision import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    InterventionPoint,
    JumpTo,
    NodeId,
    PilotDecision,
    RankedCandidate,
    SearchDirection,
)
from vectorless_web.engine.pilot.lexical import LexicalPilot
from vectorless_web.engine.pilot.model import ModelPilot
from vectorless_web.engine.pilot.noop import NoopPilot
from vectorless_web.engine.pilot.protocol import MinimalPilot, Pilot, PilotExt
from vectorless_web.engine.pilot.scorer import (
    DocumentScorer,
    EvidenceScorer,
    PrecomputedScorer,
    Scorer,
    SegmentScorer,
    SubtreeEvidence,
)
from vectorless_web.engine.pilot.state import SearchState

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
    "Reservation",
    "Scorer",
    "SearchDirection",
    "SearchState",
    "SegmentScorer",
    "SubtreeEvidence",
]
