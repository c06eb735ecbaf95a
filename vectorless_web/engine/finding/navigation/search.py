"""One search in progress, what it may spend, and its moves: comparing children, entering one, following a pilot."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import Cancelled, EngineError
from vectorless_web.engine.finding.navigation.events import (
    EventKind,
    RankedNode,
    SearchEvent,
    SearchStats,
    describe_place,
    name_of,
)
from vectorless_web.engine.finding.navigation.pilot import (
    GoDeeper,
    JumpTo,
    PilotDecision,
    PilotExt,
    RankedCandidate,
    SearchDirection,
    SearchState,
)
from vectorless_web.engine.finding.ranking.ranker import Scorer
from vectorless_web.engine.questions.plan import QueryPlan


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Limits of one search. Reaching one ends it with what was found. Calls, tokens and money are the PilotBudget's."""

    turns: int = 128
    """Loop turns: every expansion, entry, backtrack and consultation costs one, failed ones too. Measured: 64 changes
    the sections of one question, 256 of none."""
    results: int = 5
    """Sections entered, at most. Measured: with 2, 54 of 65 questions reach a gold section instead of 60; with 10 still
    60, and half as many leaves again are scored."""
    width: int = 3
    """Branches a beam keeps at each level. Measured: 1, 2 and 6 reach as many; with a model that is wrong in 30 %, 2
    loses 2 at 1."""
    frontier: int = 9
    """Branches put aside for backtracking; the worst is dropped first. Measured: 4 loses one gold section at 5, 18
    changes none."""
    references: int = 4
    """References followed out of one section, at most. Measured: 2 and 8 change the sections of one question and no
    gold one."""
    backtracks: int = 3
    """Times the pilot is asked which branch to take up again. Measured: 1 and 6 reach the same gold sections."""
    wall_seconds: float = 20.0
    """Seconds one search may take, consultations included; one that waits for a slow model may not hold up the run."""
    clock: Callable[[], float] = field(default=time.monotonic, compare=False)


DEFAULT_LIMITS = SearchLimits()

BEAM_PILOT_SHARE = 0.7
"""w of `merge_scores` for beam and greedy search: a pilot that is sure outvotes the scorer, one at confidence 0.43
equals it. Measured with the model: 0.35 reaches 50, 58 and 59, 0.9 only 39, 56 and 59."""
MCTS_PILOT_SHARE = 0.5
"""w of `merge_scores` for Monte Carlo tree search: even, since visits correct an opinion that was wrong."""
RECENCY = 2.0
"""What a step of a route counts for each that the step before it counts (see `mean`). Measured: 1.0 gains one gold
section at 3, 4.0 loses one at 5; with the model both move by one."""


def merge_scores(pilot: float | None, scorer: float, *, confidence: float, share: float) -> float:
    """Merge the scores of pilot and scorer: (w c p + (1 - w) s) / (w c + 1 - w), in [0, 1].

    p is the pilot's score, s the scorer's, c the pilot's `confidence`, w its `share`. The scorer's score alone
    when the pilot says nothing (None).
    """
    if pilot is None:
        return scorer
    trust = share * confidence
    return (trust * pilot + (1.0 - share) * scorer) / (trust + 1.0 - share)


def average_scores(scores: Sequence[float]) -> float:
    """The weighted mean of a route's steps, each counting RECENCY times the one before it; 0 for none.

    The last steps know most: a branch is as good as what it leads to, and all sections
    below one good chapter share that chapter's score.
    """
    weights = [RECENCY**position for position in range(len(scores))]
    return sum(weight * score for weight, score in zip(weights, scores, strict=True)) / sum(weights) if scores else 0.0


@dataclass(frozen=True, slots=True)
class Route:
    """The keys walked, the merged score of each step, and why each was taken.

    `own` marks a section that is to be read for its own leaves only, its subsections
    being walked on their own.
    """

    keys: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    reasons: tuple[str | None, ...] = ()
    own: bool = False

    @property
    def score(self) -> float:
        """The mean over the steps: a deep route has no advantage over a short one."""
        return average_scores(self.scores)

    @property
    def key(self) -> int:
        """The node the route leads to; the root for the empty route."""
        return self.keys[-1] if self.keys else 0

    @property
    def reason(self) -> str:
        """Why the last step was taken."""
        return (self.reasons[-1] or "") if self.reasons else ""

    def extend_route(self, key: int, score: float, reason: str | None) -> "Route":
        """This route with one more step."""
        return Route((*self.keys, key), (*self.scores, score), (*self.reasons, reason))

    def reading_itself(self, score: float) -> "Route":
        """This route, ending at its last node's own leaves, which score so."""
        return Route(self.keys, (*self.scores[:-1], score), self.reasons, own=True)


def by_merit(route: Route) -> tuple[float, int, bool]:
    """Sorting key of routes: best first, ties in reading order."""
    return (-route.score, route.key, route.own)


Answer = TypeVar("Answer")

FAILURES: tuple[type[Exception], ...] = (
    *(ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, EngineError, ImportError, LookupError),
    *(MemoryError, NameError, OSError, RuntimeError, StopIteration, SyntaxError, TypeError, ValueError, Warning),
)
"""How a pilot, which may be anybody's code, can fail without harm to the run: every built-in kind and the engine's own.

Not every Exception: what a queue or a host throws into the thread to end a job has to get through.
"""


class Guidance:
    """One pilot, asked for one search; it is reset first.

    A pilot that is not active is not asked: the scorer decides alone. `spend_turn` counts a consultation and refuses
    it when no turn is left; `note` receives sentences for the reader.
    """

    def __init__(self, pilot: Any, *, spend_turn: Callable[[], bool], note: Callable[[str], None]) -> None:
        self.pilot = PilotExt(pilot)
        self._spend_turn, self._note = spend_turn, note
        self.consultations = self.tokens = 0
        self.cost_usd = 0.0
        self._safely(lambda: self.pilot.reset())  # noqa: PLW0108 - looking it up may fail too

    @property
    def is_active(self) -> bool:
        """Whether the pilot would be asked. The reader is told once when it no longer is."""
        is_active = bool(self._safely(lambda: self.pilot.is_active))
        if not is_active and self.consultations:
            self._note("The pilot's budget is spent; from here the document's words decide alone.")
        return is_active

    def start(self, state: SearchState) -> PilotDecision | None:
        """The pilot's judgement of the children of the start node; None without an active pilot or an opinion."""
        if not self.is_active:
            return None
        return self._ask(state, lambda: self.pilot.guide_start(state.tree, state.query, state.current_node or 0))

    def decide(self, state: SearchState, *, backtracking: bool = False) -> PilotDecision | None:
        """The pilot's judgement of the candidates; None when it is not asked or its answer is unusable."""
        if not self.is_active or not self._safely(lambda: self.pilot.can_intervene(state)):
            return None
        return self._ask(state, lambda: (self.pilot.guide_backtrack if backtracking else self.pilot.decide)(state))

    def prune(self, state: SearchState) -> set[int] | None:
        """The candidates worth keeping; None for no opinion."""
        if not self._begin():
            return None
        kept = self._safely(lambda: self.pilot.binary_prune(state))
        record = self._safely(lambda: self.pilot.last_prune)
        if record is not None:
            self._accept(record)
        return None if kept is None else set(kept)

    def _ask(self, state: SearchState, question: Callable[[], PilotDecision | None]) -> PilotDecision | None:
        answer = self._safely(question) if self._begin() else None
        return None if answer is None else self._safely(partial(self._check_decision, answer, state))

    def _begin(self) -> bool:
        if not self._spend_turn():
            return False
        self.consultations += 1
        return True

    def _safely(self, question: Callable[[], Answer]) -> Answer | None:
        try:
            return question()
        except Cancelled:
            raise
        except FAILURES as error:
            self._note(f"The pilot failed ({type(error).__name__}); the walk goes on without its advice.")
            return None

    def _check_decision(self, answer: PilotDecision, state: SearchState) -> PilotDecision:
        """The decision with known candidates alone, each once and with a reason, and with shares in [0, 1]."""
        allowed, direction = set(state.candidates) or {state.current_node or 0}, answer.direction
        known: dict[int, RankedCandidate] = {}
        for one in answer.ranked_candidates:
            if one.node in allowed:
                reason = one.reason or answer.reasoning or "the pilot gave no reason"
                known.setdefault(one.node, RankedCandidate(one.node, _clamp_score(one.score), reason))
        if isinstance(direction, JumpTo) and direction.target not in state.tree:
            self._note("The pilot pointed to a place that does not exist.")
            direction = GoDeeper()
        confidence = _clamp_score(answer.confidence)
        checked = replace(answer, ranked_candidates=tuple(known.values()), direction=direction, confidence=confidence)
        self._accept(checked)
        return checked

    def _accept(self, decision: PilotDecision) -> None:
        self.tokens += decision.tokens
        self.cost_usd += decision.cost_usd
        if decision.note:
            self._note(decision.note)


def scores_of(decision: PilotDecision | None, candidates: Sequence[int]) -> list[RankedCandidate | None]:
    """What the decision says of each candidate, None where it says nothing."""
    said = {candidate.node: candidate for candidate in decision.ranked_candidates} if decision else {}
    return [said.get(key) for key in candidates]


@dataclass(frozen=True, slots=True)
class Ways:
    """Where a search may go on: routes, best first, and what the pilot decided, if it was asked."""

    routes: tuple[Route, ...] = ()
    decision: PilotDecision | None = None

    @property
    def direction(self) -> SearchDirection:
        """What the pilot wants the search to do."""
        return self.decision.direction if self.decision is not None else GoDeeper()


NOTHING_SPEAKS = "nothing in it speaks of the question"
"""Reason of a branch that no word of the question brought forward."""
MOST_LEAVES = 200
"""Leaves of one section that are handed on to be read, the best. Bounds the time of a step."""
_OUTER = (NodeKind.DOCUMENT, NodeKind.SECTION)


class Search:
    """What all algorithms share: the limits, the account for the reader, and the moves.

    `share` is the pilot's weight against the scorer's.
    """

    def __init__(
        self, tree: Tree, query: QueryPlan, scorer: Scorer, *, pilot: object, limits: SearchLimits, share: float
    ) -> None:
        self.tree, self.query, self.limits, self.share = tree, query, limits, share
        self.turns = 0
        self.stopped = ""
        """Which limit ended the search, in words; empty while there is room."""
        self.visited: set[int] = set()
        self.entered: list[RankedNode] = []
        self._followed: set[tuple[int, int]] = set()
        self._iteration = 0
        self._best_score = 0.0
        self._scorer, self._scored = scorer, set[int]()
        self._deadline = limits.clock() + limits.wall_seconds
        self._untold: list[SearchEvent] = []
        self._noted: set[str] = set()
        self.guidance = Guidance(pilot, spend_turn=self.spend_turn, note=self.note)

    def spend_turn(self) -> bool:
        """Spend one turn; false when turns or time are used up, and from then on."""
        if self.turns >= self.limits.turns:
            self.give_out()
        elif not self.stopped and self.limits.clock() >= self._deadline:
            self.stopped = f"the {self.limits.wall_seconds:g} seconds of the search are used"
        self.turns += not self.stopped
        return not self.stopped

    def give_out(self) -> None:
        """Note that the turns were too few for what was left to do."""
        self.stopped = self.stopped or f"all {self.limits.turns} turns of the search are used"

    def take_events(self) -> Iterator[SearchEvent]:
        """The events since the last call."""
        events, self._untold = self._untold, []
        return iter(events)

    def note(self, say: str) -> None:
        """Tell a sentence that the reader should know; a repeated one is told once."""
        if say not in self._noted:
            self._noted.add(say)
            self._tell(EventKind.NOTE, say)

    def tell_move(self, kind: EventKind, verb: str, route: Route, decision: PilotDecision | None = None) -> None:
        """Tell that the search goes to the end of a route, and why."""
        why = route.reason if kind is not EventKind.BACKTRACKING else decision.reasoning if decision else ""
        say = f"{verb} {describe_place(self.tree, route.key)}"
        self._tell(kind, f"{say}: {why}" if why else say, route, decision)

    def put_off(self, routes: Sequence[Route], chosen: int | None, why: str = "") -> None:
        """Tell of branches not taken: why, else that the chosen one promises more, or that nothing speaks for them."""
        if not routes:
            return
        better = f"it promises less than {name_of(self.tree, chosen)}" if chosen is not None else ""
        listed = tuple(RankedNode(route.key, route.score, why or better or NOTHING_SPEAKS) for route in routes)
        names = ", ".join(name_of(self.tree, route.key) for route in routes[:3])
        more = f" and {len(routes) - 3} more" if len(routes) > 3 else ""
        self._tell(EventKind.REJECTING, f"Put aside {names}{more}", rejected=listed)

    def _tell(
        self, kind: EventKind, say: str, route: Route | None = None, decision: PilotDecision | None = None, **more: Any
    ) -> None:
        place = {"key": route.key, "path": route.keys, "score": route.score} if route is not None else {}
        self._untold.append(SearchEvent(kind, say, decision=decision, **{**place, **more}))

    def finish(self) -> None:
        """Tell the end: what was entered, best first, and what it cost."""
        if self.stopped:
            self.note(f"The search stopped: {self.stopped}.")
        ranked = tuple(sorted(self.entered, key=lambda node: (-node.score, node.key)))
        leaves = sum(self.tree.kind(key) not in _OUTER for key in self._scored)
        stats = SearchStats(
            turns=self.turns,
            sections_scored=len(self._scored) - leaves,
            leaves_scored=leaves,
            consultations=self.guidance.consultations,
            tokens=self.guidance.tokens,
            cost_usd=self.guidance.cost_usd,
            stopped=self.stopped,
        )
        say = f"{describe_place(self.tree, ranked[0].key)} fits best" if ranked else "Found nothing to read"
        self._tell(EventKind.FINISHED, say, key=ranked[0].key if ranked else -1, ranked=ranked, stats=stats)

    def scores(self, keys: Sequence[int]) -> list[float]:
        """The scorer's scores, each a finite number in [0, 1]."""
        self._scored.update(keys)
        scores = [_clamp_score(score) for score in self._scorer.scores(keys)]
        self._best_score = max([self._best_score, *scores])
        return scores

    def list_unvisited(self, keys: Sequence[int]) -> tuple[int, ...]:
        """Those of the keys that were not visited yet."""
        return tuple(key for key in keys if key not in self.visited)

    def _list_own_leaves(self, key: int) -> list[int]:
        """The leaves that stand directly in a section, running headers and footers left out."""
        outside = (*_OUTER, NodeKind.RUNNING)
        return [child for child in self.tree.children(key) if self.tree.kind(child) not in outside]

    def _state(self, route: Route, candidates: Sequence[int], scores: Sequence[float] = ()) -> SearchState:
        """What the pilot is shown at the end of a route."""
        return SearchState(
            self.tree,
            self.query,
            path=route.keys,
            candidates=tuple(candidates),
            visited=frozenset(self.visited),
            iteration=self._iteration,
            best_score=self._best_score,
            step_reasons=route.reasons,
            scores=tuple(scores),
        )

    def compare(self, route: Route) -> Ways:
        """Judge the unvisited child sections at the end of a route."""
        self.visited.add(route.key)
        return self._judge(route, self.list_unvisited(self.tree.child_sections(route.key)))

    def compare_siblings(self, route: Route) -> Ways:
        """Judge the unvisited siblings of a route's last node, beside it: they extend the route to its parent."""
        if not route.keys:
            return Ways()
        beside = self.tree.child_sections(self.tree.parent(route.key))
        parent = Route(route.keys[:-1], route.scores[:-1], route.reasons[:-1])
        return self._judge(parent, self.list_unvisited([key for key in beside if key != route.key]))

    def _judge(self, route: Route, candidates: Sequence[int]) -> Ways:
        """Judge the candidates as next steps of a route; those for which nothing speaks go, where others are left."""
        if not candidates:
            return Ways()
        full = self._state(route, candidates, self.scores(candidates))
        shown = self._narrow(full)
        is_first = self._iteration == 0 and len(shown.candidates) == len(candidates)
        decision = self.guidance.start(shown) if is_first else self.guidance.decide(shown)
        self._iteration += 1
        said = scores_of(decision, shown.candidates)
        steps = zip(shown.candidates, shown.scores, said, strict=True)
        routes = sorted((self._extend(route, *step, decision) for step in steps), key=by_merit)
        ranked = tuple(RankedNode(one.key, one.scores[-1], one.reason, one.keys) for one in routes)
        count = f"{len(routes)} section{'s' if len(routes) != 1 else ''}"
        say = f"Compared {count} of {name_of(self.tree, route.key)}; {name_of(self.tree, routes[0].key)} comes first"
        self._tell(EventKind.SCORING, say, route, decision, scored=ranked)
        hopeful = [one for one in routes if one.scores[-1] > 0.0]
        if hopeful:
            self.put_off([one for one in routes if one.scores[-1] <= 0.0], None)
        return Ways(tuple(hopeful or routes), decision)

    def _narrow(self, state: SearchState) -> SearchState:
        """Keep the best-scored candidates, then let the pilot prune what is still too many; what goes is told."""
        if not self.guidance.is_active:
            return state
        config = self.guidance.pilot.config
        if len(state.candidates) > config.prefilter:
            why = "other sections match the question's words better"
            state = self._restrict(state, _pick_best(state, config.prefilter), why)
        chosen = self.guidance.prune(state) if len(state.candidates) > config.prune_above else None
        if chosen is None:
            return state
        # A pilot that drops too much is topped up with the best-scored.
        few = len(chosen & set(state.candidates)) < config.prune_keep
        chosen |= _pick_best(state, config.prune_keep) if few else set()
        return self._restrict(state, chosen, "set aside by the pilot, among many")

    def _restrict(self, state: SearchState, kept: set[int], why: str) -> SearchState:
        dropped = tuple(RankedNode(key, 0.0, why) for key in state.candidates if key not in kept)
        if dropped:
            self._tell(EventKind.REJECTING, f"Left out {len(dropped)} sections: {why}", rejected=dropped)
        pairs = [pair for pair in zip(state.candidates, state.scores, strict=True) if pair[0] in kept]
        return replace(state, candidates=tuple(key for key, _ in pairs), scores=tuple(score for _, score in pairs))

    def _extend(
        self, route: Route, key: int, score: float, said: RankedCandidate | None, decision: PilotDecision | None
    ) -> Route:
        reason = f"its best passage reaches {score:.0%} of the document's best" if score > 0 else NOTHING_SPEAKS
        if said is not None and decision is not None and decision.confidence > 0:
            reason = said.reason
        return route.extend_route(key, self._merge(said, score, decision), reason)

    def _merge(self, said: RankedCandidate | None, score: float, decision: PilotDecision | None) -> float:
        if said is None or decision is None:
            return score
        return merge_scores(said.score, score, confidence=decision.confidence, share=self.share)

    def is_terminal(self, route: Route) -> bool:
        """Whether a route ends in a section to read rather than one to walk on."""
        return route.own or not self.tree.child_sections(route.key)

    def make_own_route(self, route: Route) -> Route | None:
        """A section's own leaves as something to read, when it has subsections besides."""
        best = max(self.scores(self._list_own_leaves(route.key)), default=0.0)
        return route.reading_itself(best) if best > 0.0 else None

    def enter(self, route: Route, *, asking: bool = True) -> Ways:
        """Read the section at the end of a route; its references lead on."""
        self.visited.add(route.key)
        leaves = self._list_own_leaves(route.key) or self.tree.leaves(route.key)
        scores = dict(zip(leaves, self.scores(leaves), strict=True))
        leaves = sorted(leaves, key=lambda leaf: (-scores[leaf], leaf))[:MOST_LEAVES]
        decision = self.guidance.decide(self._state(route, ())) if asking and route.keys else None
        score = self._rescore(route, decision).score
        self.entered.append(RankedNode(route.key, score, route.reason, route.keys, tuple(leaves)))
        say = f"Opened {describe_place(self.tree, route.key)}"
        self._tell(EventKind.ENTERING, say, route, decision, score=score)
        return Ways(self._follow_references(route, leaves) if asking else (), decision)

    def _rescore(self, route: Route, decision: PilotDecision | None) -> Route:
        """The route, its last step merged with what the pilot says of its end."""
        said = scores_of(decision, [route.key])[0]
        if said is None or not route.scores:
            return route
        reasons = (*route.reasons[:-1], said.reason or route.reason or None)
        return replace(
            route, scores=(*route.scores[:-1], self._merge(said, route.scores[-1], decision)), reasons=reasons
        )

    def _follow_references(self, route: Route, leaves: Sequence[int]) -> tuple[Route, ...]:
        """Routes along references to sections not visited yet, best first; each reference is followed once."""
        found = dict.fromkeys(
            self.tree.section_of(reference.target)
            for leaf in leaves
            for reference in self.tree.references(leaf)
            if reference.target in self.tree
        )
        targets = [key for key in self.list_unvisited(list(found)) if key and (route.key, key) not in self._followed]
        scored = sorted(zip(targets, self.scores(targets), strict=True), key=lambda pair: (-pair[1], pair[0]))
        reason = f"{self.tree.node(route.key).title or 'The section before'} refers to it"
        chosen = scored[: self.limits.references]
        self._followed.update((route.key, target) for target, _ in chosen)
        return tuple(route.extend_route(target, score, reason) for target, score in chosen)

    def jump(self, target: int, decision: PilotDecision) -> Route | None:
        """The straight route to the section of `target`; None when it was visited before."""
        key = self.tree.section_of(target)
        if key in self.visited or key == 0:
            self.note("The pilot pointed to a place already visited; the walk goes on.")
            return None
        score = merge_scores(1.0, self.scores([key])[0], confidence=decision.confidence, share=self.share)
        keys = (*self.tree.ancestors(key)[1:], key)
        reason = decision.reasoning or "the pilot points to it"
        route = Route(keys, (score,), (*(None,) * (len(keys) - 1), reason))
        self.tell_move(EventKind.JUMPING, "Went straight to", route)
        return route

    def reconsider(self, failed: Route, frontier: Sequence[Route]) -> tuple[list[Route], PilotDecision | None]:
        """The put-aside routes re-scored by what the pilot says, best first; each stays where it branched off."""
        ways = {route.key: route for route in sorted(frontier, key=by_merit, reverse=True)}
        state = self._state(failed, list(ways), [route.scores[-1] for route in ways.values()])
        decision = self.guidance.decide(replace(state, is_backtracking=True), backtracking=True)
        return sorted((self._rescore(route, decision) for route in frontier), key=by_merit), decision

    def enter_waiting(self, waiting: Sequence[Route], start: Route) -> None:
        """Enter waiting sections when a search ends early, without asking the pilot; enter at least one section."""
        seen = {node.key for node in self.entered}
        fresh: dict[int, Route] = {}
        for route in waiting:
            if route.key not in seen and (route.own or route.key not in self.visited):
                fresh.setdefault(route.key, route)
        if not seen and not fresh:
            # Everything was given up: the start's own sections by their scores, else the start itself.
            children = self.tree.child_sections(start.key)
            scored = zip(children, self.scores(children), strict=True)
            ways = sorted((start.extend_route(key, score, None) for key, score in scored), key=by_merit)
            fresh = {route.key: route for route in ways or [start]}
        room = self.limits.results - len(self.entered)
        for route in list(fresh.values())[:room]:
            self.enter(route, asking=False)
        best = max(self.entered, key=lambda node: node.score, default=None)
        self.put_off(list(fresh.values())[room:], best.key if best is not None else None)


def _clamp_score(score: float) -> float:
    return min(max(score, 0.0), 1.0) if math.isfinite(score) else 0.0


def _pick_best(state: SearchState, count: int) -> set[int]:
    order = sorted(zip(state.scores, state.candidates, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return {key for _, key in order[:count]}


def start_route(tree: Tree, start: int) -> Route:
    """The route to the node a search starts from; its steps are not scored."""
    keys = (*tree.ancestors(start)[1:], start) if start else ()
    return Route(keys, (), (None,) * len(keys))
