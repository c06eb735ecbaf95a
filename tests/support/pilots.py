"""Pilots for the search tests: told what to say, or hostile."""

from collections.abc import Mapping
from typing import Any

from vectorless_web.engine.finding.navigation import (
    PilotConfig,
    PilotDecision,
    RankedCandidate,
    SearchDirection,
    SearchState,
)


class ToldPilot:
    """Says, at a node, what the table says: a direction, or scores by key. Remembers the states it saw."""

    name = "told"
    is_active = True

    def __init__(
        self, directions: Mapping[int, SearchDirection] | None = None, scores: Mapping[int, float] | None = None
    ):
        self.config = PilotConfig()
        self.directions, self.table = dict(directions or {}), dict(scores or {})
        self.states: list[SearchState] = []
        self.pruned: list[SearchState] = []

    def should_intervene(self, state: SearchState) -> bool:
        return True

    def decide(self, state: SearchState) -> PilotDecision:
        self.states.append(state)
        said = {"direction": self.directions[self.at(state)]} if self.at(state) in self.directions else {}
        return PilotDecision(
            ranked_candidates=tuple(
                RankedCandidate(key, self.table[key], f"reason {key}") for key in state.candidates if key in self.table
            ),
            confidence=1.0,
            reasoning="as told",
            intervention_point=state.point,
            **said,
        )

    def at(self, state: SearchState) -> int:
        return state.current_node or 0

    def binary_prune(self, state: SearchState) -> Any:
        self.pruned.append(state)
        return None


class HostilePilot:
    """Every member answers with the next of the given values, or raises it."""

    name = "hostile"

    def __init__(self, answers: list[Any], config: PilotConfig):
        self._answers, self._turn = answers, 0
        self.config = config

    def _answer(self, *_asked: Any) -> Any:
        answer = self._answers[self._turn % len(self._answers)]
        self._turn += 1
        if isinstance(answer, BaseException):
            raise answer
        return answer

    is_active = property(_answer)
    should_intervene = decide = guide_start = guide_backtrack = binary_prune = reset = _answer
