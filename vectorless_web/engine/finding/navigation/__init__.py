"""Search over a document's tree: greedy, beam and Monte Carlo, each under a pilot's guidance and hard limits.

Where a docstring of this room says "measured": beam search for 65 questions over filings (benchmarks/search.py), with
the lexical pilot and with a scripted model that is wrong in 30 % of its calls, each constant set to about half and
twice its value. As they stand a gold section is among the first 1, 3 and 5 sections entered for 50, 57 and 60 questions
with the lexical pilot, for 49, 58 and 60 with the model. A pilot that fails costs its advice and nothing else.
"""

# isort: skip_file

from vectorless_web.engine.finding.navigation.model import ModelPilot, PilotBudget
from vectorless_web.engine.finding.navigation.pilot import Backtrack, ExploreSiblings, FoundAnswer, GoDeeper
from vectorless_web.engine.finding.navigation.pilot import InterventionPoint, JumpTo, LexicalPilot, NoopPilot, Pilot
from vectorless_web.engine.finding.navigation.pilot import PilotConfig, PilotDecision, PilotExt, PilotMode
from vectorless_web.engine.finding.navigation.pilot import RankedCandidate, SearchDirection, SearchState
from vectorless_web.engine.finding.navigation.search import EventKind, RankedNode, SearchEvent, SearchLimits
from vectorless_web.engine.finding.navigation.search import SearchReport, minimap, report
from vectorless_web.engine.finding.navigation.strategies import STRATEGIES, beam, greedy, make_pilot, mcts
from vectorless_web.engine.finding.navigation.strategies import navigate_tree, tell_advice
