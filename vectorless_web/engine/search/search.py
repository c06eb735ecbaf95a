"""One search in progress: its tree, question, scorer and pilot, what was visited and what was spent."""

import math
from collections.abc import Sequence

from vectorless_web.engine.document.node import NodeKind
from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.decision import PilotDecision
from vectorless_web.engine.pilot.scorer import Scorer
from vectorless_web.engine.pilot.state import SearchState
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.search.events import EventKind, RankedNode, SearchEvent, SearchStats
from vectorless_web.engine.search.guidance import Guidance
from vectorless_web.engine.search.limits import Meter, SearchLimits
from vectorless_web.engine.search.log import Log
from vectorless_web.engine.search.route import Route
from vectorless_web.engine.search.words import place

_OUTER = (NodeKind.DOCUMENT, NodeKind.SECTION)


class Search:
    """What all algorithms share. `share` is the pilot's weight against the scorer's."""

    def __init__(
        self, tree: Tree, query: QueryPlan, scorer: Scorer, *, pilot: object, limits: SearchLimits, share: float
    ) -> None:
        self.tree, self.query, self.limits, self.share = tree, query, limits, share
        self.meter = Meter(limits)
        self.log = Log(tree)
        self.visited: set[int] = set()
        self.entered: list[RankedNode] = []
        self.followed: set[tuple[int, int]] = set()
        self.iteration = 0
        self._scorer = scorer
        self._scored: set[int] = set()
        self._tokens, self._cost = 0, 0.0
        self.guidance = Guidance(pilot, spend_turn=self.meter.turn, note=self.log.note, account=self._pay)

    def scores(self, keys: Sequence[int]) -> list[float]:
        """The scorer's scores, each a finite number in [0, 1]."""
        self._scored.update(keys)
        return [_share(score) for score in self._scorer.scores(keys)]

    def unvisited(self, keys: Sequence[int]) -> tuple[int, ...]:
        """Those of the keys that were not visited yet."""
        return tuple(key for key in keys if key not in self.visited)

    def own_leaves(self, key: int) -> list[int]:
        """The leaves that stand directly in a section, running headers and footers left out."""
        kinds = ((child, self.tree.kind(child)) for child in self.tree.children(key))
        return [child for child, kind in kinds if kind not in _OUTER and kind is not NodeKind.RUNNING]

    def state(
        self, route: Route, candidates: Sequence[int], scores: Sequence[float] = (), *, best_score: float = 0.0
    ) -> SearchState:
        """What the pilot is shown at the end of a way."""
        return SearchState(
            self.tree,
            self.query,
            path=route.keys,
            candidates=tuple(candidates),
            visited=frozenset(self.visited),
            iteration=self.iteration,
            best_score=max(scores, default=best_score),
            step_reasons=route.reasons,
            scores=tuple(scores),
        )

    def finish(self) -> None:
        """Tell the end: what was entered, best first."""
        if self.meter.stopped:
            self.log.note(f"The search stopped: {self.meter.stopped}.")
        ranked = tuple(sorted(self.entered, key=lambda node: (-node.score, node.key)))
        say = f"{place(self.tree, ranked[0].key)} fits best" if ranked else "Found nothing to read"
        key = ranked[0].key if ranked else -1
        self.log.finished(SearchEvent(EventKind.FINISHED, say, key=key, ranked=ranked, stats=self._stats()))

    def _pay(self, decision: PilotDecision) -> None:
        self._tokens += decision.tokens
        self._cost += decision.cost_usd

    def _stats(self) -> SearchStats:
        leaves = sum(self.tree.kind(key) not in _OUTER for key in self._scored)
        return SearchStats(
            turns=self.meter.turns,
            sections_scored=len(self._scored) - leaves,
            leaves_scored=leaves,
            consultations=self.guidance.consultations,
            tokens=self._tokens,
            cost_usd=self._cost,
            stopped=self.meter.stopped,
        )


def _share(score: float) -> float:
    return min(max(score, 0.0), 1.0) if math.isfinite(score) else 0.0
