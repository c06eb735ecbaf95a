"""Consultation of pilots: every answer is checked and every failure becomes a note, so that no pilot harms a search."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import Cancelled, EngineError
from vectorless_web.engine.navigation.pilots.config import PilotConfig
from vectorless_web.engine.navigation.pilots.pilot import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    InterventionPoint,
    JumpTo,
    NodeId,
    PilotDecision,
    PilotExt,
    RankedCandidate,
    SearchDirection,
    SearchState,
    as_number,
    as_share,
)

Answer = TypeVar("Answer")
_DEFAULT_CONFIG = PilotConfig()

FAILURES: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    EOFError,
    EngineError,
    ImportError,
    LookupError,
    MemoryError,
    NameError,
    OSError,
    RuntimeError,
    StopIteration,
    SyntaxError,
    TypeError,
    ValueError,
    Warning,
)
"""How a pilot, which may be anybody's code, can fail without harm to the run: every built-in kind and the engine's own.

Not every Exception: what a queue or a host throws into the thread to end a job (a time-out, a lost
lease) belongs to neither, and has to get through.
"""


class Guidance:
    """One pilot, asked for one search.

    A pilot whose budget is spent, or that does not want to be asked, is replaced by its
    `fallback`, if it has one. `spend_turn` counts a consultation and refuses it when no
    turn is left; `note` receives sentences for the reader; `account` each decision given.
    """

    def __init__(
        self,
        pilot: Any,
        *,
        spend_turn: Callable[[], bool],
        note: Callable[[str], None],
        account: Callable[[PilotDecision], None],
    ) -> None:
        self._advisers = [PilotExt(pilot)]
        self._spend_turn, self._note, self._account = spend_turn, note, account
        self.consultations = 0
        fallback = self._safely(lambda: self._advisers[0].fallback, otherwise=None)
        if fallback is not None:
            self._advisers.append(PilotExt(fallback))

    @property
    def config(self) -> PilotConfig:
        """The pilot's configuration."""
        return self._safely(lambda: self._advisers[0].config, otherwise=_DEFAULT_CONFIG)

    @property
    def is_active(self) -> bool:
        """Whether the pilot or its fallback would be asked."""
        return any(self._is_active(adviser) for adviser in self._advisers)

    def start(self, state: SearchState, start: NodeId) -> PilotDecision | None:
        """The pilot's judgement of the children of the start node; None without an active pilot or a usable answer."""
        for adviser in filter(self._is_active, self._advisers):
            answer = self._ask_pilot(partial(adviser.guide_start, state.tree, state.query, start))
            if answer is not None:
                return self._check_decision(answer, state)
        return None

    def decide(self, state: SearchState) -> PilotDecision | None:
        """The pilot's judgement of the candidates; None when it is not asked or its answer is unusable."""
        for adviser in self._advisers:
            if self._safely(partial(adviser.can_intervene, state), otherwise=False):
                return self._check_decision(self._ask_pilot(partial(adviser.decide, state)), state)
        return None

    def backtrack(self, state: SearchState) -> PilotDecision | None:
        """The pilot's judgement of the branches put aside; None when it is not asked or its answer is unusable."""
        for adviser in self._advisers:
            if self._safely(partial(adviser.can_intervene, state), otherwise=False):
                return self._check_decision(self._ask_pilot(partial(adviser.guide_backtrack, state)), state)
        return None

    def prune(self, state: SearchState) -> list[NodeId] | None:
        """The candidates worth keeping, in their order; None for no opinion."""
        for adviser in filter(self._is_active, self._advisers):
            kept = self._ask_pilot(partial(adviser.binary_prune, state))
            self._report_pruning(adviser)
            if isinstance(kept, list | tuple | set | frozenset):
                wanted = {key for key in kept if isinstance(key, int)}
                return [key for key in state.candidates if key in wanted]
        return None

    def _report_pruning(self, adviser: PilotExt) -> None:
        record = self._safely(lambda: adviser.last_prune, otherwise=None)
        if isinstance(record, PilotDecision):
            self._account(record)
            if record.note:
                self._note(record.note)

    def _is_active(self, adviser: PilotExt) -> bool:
        return bool(self._safely(lambda: adviser.is_active, otherwise=False))

    def _ask_pilot(self, question: Callable[[], Answer]) -> Answer | None:
        if not self._spend_turn():
            return None
        self.consultations += 1
        return self._safely(question, otherwise=None)

    def _safely(self, question: Callable[[], Answer], *, otherwise: Answer) -> Answer:
        try:
            return question()
        except Cancelled:
            raise
        except FAILURES as error:
            self._note(f"The pilot failed ({type(error).__name__}); the walk goes on without its advice.")
            return otherwise

    def _check_decision(self, answer: object, state: SearchState) -> PilotDecision | None:
        if answer is None:
            return None
        decision = self._safely(lambda: _mend_decision(answer, state), otherwise=None)
        if decision is None:
            self._note("The pilot's answer was unusable; the walk goes on without it.")
            return None
        self._account(decision)
        if decision.note:
            self._note(decision.note)
        return decision


def _mend_decision(answer: object, state: SearchState) -> PilotDecision | None:
    """The decision with foreign keys, doubles and impossible numbers taken out, and the reader told."""
    if not isinstance(answer, PilotDecision):
        return None
    ranked = _select_usable(answer.ranked_candidates, set(state.candidates) or {state.current_node or 0})
    direction = _check_direction(answer.direction, state.tree)
    lost = "" if direction is not None else "The pilot pointed to a place that does not exist."
    point = answer.intervention_point
    return replace(
        answer,
        ranked_candidates=ranked,
        direction=direction or GoDeeper(),
        confidence=as_share(answer.confidence) or 0.0,
        reasoning=_clean_text(answer.reasoning),
        intervention_point=point if isinstance(point, InterventionPoint) else state.point,
        note=" ".join(part for part in (_clean_text(answer.note), lost) if part),
        engine=_clean_text(answer.engine) or "offline",
        tokens=int(max(as_number(answer.tokens) or 0.0, 0.0)),
        cost_usd=max(as_number(answer.cost_usd) or 0.0, 0.0),
    )


def _select_usable(candidates: Iterable[RankedCandidate], allowed: set[NodeId]) -> tuple[RankedCandidate, ...]:
    found: dict[NodeId, RankedCandidate] = {}
    for candidate in candidates:
        if not isinstance(candidate, RankedCandidate) or not isinstance(candidate.node, int):
            continue
        score = as_share(candidate.score)
        if candidate.node in allowed and score is not None:
            found.setdefault(candidate.node, RankedCandidate(candidate.node, score, _clean_text(candidate.reason)))
    return tuple(found.values())


def _check_direction(direction: SearchDirection, tree: Tree) -> SearchDirection | None:
    if isinstance(direction, JumpTo):
        is_key = isinstance(direction.target, int) and not isinstance(direction.target, bool)
        return direction if is_key and direction.target in tree else None
    if isinstance(direction, FoundAnswer):
        return FoundAnswer(as_share(direction.confidence) or 0.0)
    return direction if isinstance(direction, GoDeeper | ExploreSiblings | Backtrack) else None


_LONGEST_REMARK = 400
"""Characters kept of a text that a pilot gives, such as a reason or a note: any code may be a pilot."""


def _clean_text(value: object) -> str:
    return " ".join(value.split())[:_LONGEST_REMARK] if isinstance(value, str) else ""


def scores_of(decision: PilotDecision | None, candidates: Sequence[NodeId]) -> list[RankedCandidate | None]:
    """What the decision says of each candidate, None where it says nothing."""
    said = {candidate.node: candidate for candidate in decision.ranked_candidates} if decision else {}
    return [said.get(key) for key in candidates]
