"""Asks a pilot so that nothing it does can harm the search: every answer is checked, every failure becomes a note."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.config import PilotConfig
from vectorless_web.engine.pilot.decision import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    JumpTo,
    NodeId,
    PilotDecision,
    RankedCandidate,
    SearchDirection,
)
from vectorless_web.engine.pilot.protocol import PilotExt
from vectorless_web.engine.pilot.state import SearchState

Answer = TypeVar("Answer")


class Guidance:
    """One pilot, asked for one search; it is reset first. `note` takes what the reader should know."""

    def __init__(self, pilot: Any, *, spend_turn: Callable[[], bool], note: Callable[[str], None]) -> None:
        self._pilot = PilotExt(pilot)
        self._spend_turn, self._note = spend_turn, note
        self.consultations = 0
        self._safely(self._pilot.reset, otherwise=None)

    @property
    def config(self) -> PilotConfig:
        """The pilot's configuration."""
        return self._pilot.config

    def start(self, state: SearchState, start: NodeId) -> PilotDecision | None:
        """Judge the children of the start node."""
        if not self._is_active():
            return None
        answer = self._asked(lambda: self._pilot.guide_start(state.tree, state.query, start))
        return self._checked(answer, state)

    def decide(self, state: SearchState) -> PilotDecision | None:
        """Judge the candidates, if the pilot finds it worth its cost."""
        if not self._safely(lambda: self._pilot.can_intervene(state), otherwise=False):
            return None
        return self._checked(self._asked(lambda: self._pilot.decide(state)), state)

    def backtrack(self, state: SearchState) -> PilotDecision | None:
        """Judge the branches that were put aside, if the pilot finds it worth its cost."""
        if not self._safely(lambda: self._pilot.can_intervene(state), otherwise=False):
            return None
        return self._checked(self._asked(lambda: self._pilot.guide_backtrack(state)), state)

    def prune(self, state: SearchState) -> list[NodeId] | None:
        """The candidates worth keeping, in their order; None for no opinion."""
        if not self._is_active():
            return None
        kept = self._asked(lambda: self._pilot.binary_prune(state))
        if not isinstance(kept, list | tuple | set | frozenset):
            return None
        wanted = {key for key in kept if isinstance(key, int)}
        return [key for key in state.candidates if key in wanted]

    def _is_active(self) -> bool:
        return bool(self._safely(lambda: self._pilot.is_active, otherwise=False))

    def _asked(self, question: Callable[[], Answer]) -> Answer | None:
        if not self._spend_turn():
            return None
        self.consultations += 1
        return self._safely(question, otherwise=None)

    def _safely(self, question: Callable[[], Answer], *, otherwise: Answer) -> Answer:
        try:
            return question()
        except Exception as error:  # noqa: BLE001 - a pilot may be anybody's code, and its failure is never the run's.
            self._note(f"The pilot failed ({type(error).__name__}); the walk goes on without its advice.")
            return otherwise

    def _checked(self, answer: object, state: SearchState) -> PilotDecision | None:
        if answer is None:
            return None
        if not isinstance(answer, PilotDecision):
            self._note("The pilot's answer was unusable; the walk goes on without it.")
            return None
        decision = self._safely(lambda: _mended(answer, state), otherwise=None)
        if decision is None:
            return None
        if decision.note:
            self._note(decision.note)
        return decision


def _mended(decision: PilotDecision, state: SearchState) -> PilotDecision:
    """The decision with foreign keys, doubles and impossible numbers taken out, and the reader told."""
    allowed = set(state.candidates) or {state.current_node or 0}
    ranked = _usable(decision.ranked_candidates, allowed)
    direction = _possible(decision.direction, state.tree)
    note = decision.note if isinstance(decision.note, str) else ""
    if direction is None:
        note = " ".join(part for part in (note, "The pilot pointed to a place that does not exist.") if part)
    return replace(
        decision,
        ranked_candidates=ranked,
        direction=direction or GoDeeper(),
        confidence=_share(decision.confidence),
        reasoning=_words(decision.reasoning),
        note=note,
        engine=_words(decision.engine) or "offline",
        tokens=int(_amount(decision.tokens)),
        cost_usd=_amount(decision.cost_usd),
    )


def _usable(candidates: Iterable[RankedCandidate], allowed: set[NodeId]) -> tuple[RankedCandidate, ...]:
    found: dict[NodeId, RankedCandidate] = {}
    for candidate in candidates:
        fits = isinstance(candidate, RankedCandidate) and isinstance(candidate.node, int)
        if fits and candidate.node in allowed and _is_number(candidate.score):
            mended = RankedCandidate(candidate.node, _share(candidate.score), _words(candidate.reason))
            found.setdefault(candidate.node, mended)
    return tuple(found.values())


def _possible(direction: SearchDirection, tree: Tree) -> SearchDirection | None:
    if isinstance(direction, JumpTo):
        is_key = isinstance(direction.target, int) and not isinstance(direction.target, bool)
        return direction if is_key and direction.target in tree else None
    if isinstance(direction, FoundAnswer):
        return FoundAnswer(_share(direction.confidence))
    return direction if isinstance(direction, GoDeeper | ExploreSiblings | Backtrack) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _share(value: object) -> float:
    return min(max(_amount(value), 0.0), 1.0)


def _amount(value: object) -> float:
    return max(float(value), 0.0) if _is_number(value) else 0.0  # type: ignore[arg-type]


def _words(value: object, *, longest: int = 400) -> str:
    return " ".join(value.split())[:longest] if isinstance(value, str) else ""


def scores_of(decision: PilotDecision | None, candidates: Sequence[NodeId]) -> list[RankedCandidate | None]:
    """What the decision says of each candidate, None where it says nothing."""
    said = {candidate.node: candidate for candidate in decision.ranked_candidates} if decision else {}
    return [said.get(key) for key in candidates]
