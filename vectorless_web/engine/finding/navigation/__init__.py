"""Search over a document's tree: greedy, beam and Monte Carlo, each under a pilot's guidance and hard limits.

Where a docstring of this room says "measured": beam search for 65 questions over filings (benchmarks/search.py), with
the lexical pilot and with a scripted model that is wrong in 30 % of its calls, each constant set to about half and
twice its value. As they stand a gold section is among the first 1, 3 and 5 sections entered for 50, 57 and 60
questions with the lexical pilot, for 49, 58 and 60 with the model. A pilot that fails costs its advice
and nothing else.
"""

from vectorless_web.engine.finding.navigation.budget import PilotBudget, Refusal
from vectorless_web.engine.finding.navigation.config import PilotConfig, PilotMode
from vectorless_web.engine.finding.navigation.events import EventKind, SearchEvent, SearchReport, minimap, report
from vectorless_web.engine.finding.navigation.lexical import LexicalPilot
from vectorless_web.engine.finding.navigation.model import ModelPilot
from vectorless_web.engine.finding.navigation.pilot import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    InterventionPoint,
    JumpTo,
    MinimalPilot,
    NoopPilot,
    Pilot,
    PilotDecision,
    PilotExt,
    RankedCandidate,
    SearchDirection,
    SearchState,
)
from vectorless_web.engine.finding.navigation.search import SearchLimits
from vectorless_web.engine.finding.navigation.strategies import STRATEGIES, beam, greedy, mcts

__all__ = [
    "STRATEGIES",
    "Backtrack",
    "EventKind",
    "ExploreSiblings",
    "FoundAnswer",
    "GoDeeper",
    "InterventionPoint",
    "JumpTo",
    "LexicalPilot",
    "MinimalPilot",
    "ModelPilot",
    "NoopPilot",
    "Pilot",
    "PilotBudget",
    "PilotConfig",
    "PilotDecision",
    "PilotExt",
    "PilotMode",
    "RankedCandidate",
    "Refusal",
    "SearchDirection",
    "SearchEvent",
    "SearchLimits",
    "SearchReport",
    "SearchState",
    "beam",
    "greedy",
    "mcts",
    "minimap",
    "report",
]
