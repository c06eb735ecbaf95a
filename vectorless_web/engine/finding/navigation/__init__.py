"""Search over a document's tree: greedy, beam and Monte Carlo, each under a pilot's guidance and hard limits.

Where a docstring of this room says "measured": beam search for 65 questions over filings (benchmarks/search.py), with
the lexical pilot and with a scripted model that is wrong in 30 % of its calls, each constant set to about half and
twice its value. As they stand a gold section is among the first 1, 3 and 5 sections entered for 50, 57 and 60 questions
with the lexical pilot, for 49, 58 and 60 with the model. A pilot that fails costs its advice and nothing else.
"""

# isort: skip_file

from vectorless_web.engine.finding.navigation.search import EventKind as EventKind, SearchEvent as SearchEvent
from vectorless_web.engine.finding.navigation.search import SearchReport as SearchReport, minimap as minimap
from vectorless_web.engine.finding.navigation.search import report as report
from vectorless_web.engine.finding.navigation.model import ModelPilot as ModelPilot, PilotBudget as PilotBudget
from vectorless_web.engine.finding.navigation.pilot import Backtrack as Backtrack, ExploreSiblings as ExploreSiblings
from vectorless_web.engine.finding.navigation.pilot import FoundAnswer as FoundAnswer, GoDeeper as GoDeeper
from vectorless_web.engine.finding.navigation.pilot import InterventionPoint as InterventionPoint, JumpTo as JumpTo
from vectorless_web.engine.finding.navigation.pilot import LexicalPilot as LexicalPilot, NoopPilot as NoopPilot
from vectorless_web.engine.finding.navigation.pilot import Pilot as Pilot, PilotConfig as PilotConfig
from vectorless_web.engine.finding.navigation.pilot import PilotDecision as PilotDecision, PilotExt as PilotExt
from vectorless_web.engine.finding.navigation.pilot import PilotMode as PilotMode, RankedCandidate as RankedCandidate
from vectorless_web.engine.finding.navigation.pilot import SearchDirection as SearchDirection
from vectorless_web.engine.finding.navigation.pilot import SearchState as SearchState
from vectorless_web.engine.finding.navigation.search import SearchLimits as SearchLimits
from vectorless_web.engine.finding.navigation.strategies import STRATEGIES as STRATEGIES, beam as beam
from vectorless_web.engine.finding.navigation.strategies import greedy as greedy, mcts as mcts
