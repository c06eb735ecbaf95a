"""One search in progress, what it may spend, and its moves: comparing children, entering one, following a pilot."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation.events import (
    EventKind,
    RankedNode,
    Rejection,
    SearchEvent,
    SearchStats,
    describe_place,
    name_of,
)
from vectorless_web.engine.finding.navigation.pilot import (
    GoDeeper,
    Guidance,
    PilotDecision,
    RankedCandidate,
    SearchDirection,
    SearchState,
    needs_prefilter,
    needs_pruning,
    scores_of,
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


class Meter:
    """Counts turns and time against the limits; once a limit is reached it stays reached."""

    def __init__(self, limits: SearchLimits) -> None:
        self.limits = limits
        self.turns = 0
        self.stopped = ""
        """Which limit ended the search, in words; empty while there is room."""
        self._deadline = limits.clock() + limits.wall_seconds

    def turn(self) -> bool:
        """Spend one turn; false when turns or time are used up."""
        if self.stopped or self._is_over():
            return False
        self.turns += 1
        return True

    def give_out(self) -> None:
        """Note that the turns were too few for what was left to do."""
        self.stopped = self.stopped or f"all {self.limits.turns} turns of the search are used"

    def _is_over(self) -> bool:
        if self.turns >= self.limits.turns:
            self.give_out()
        elif self.limits.clock() >= self._deadline:
            self.stopped = f"the {self.limits.wall_seconds:g} seconds of the search are used"
        return bool(self.stopped)


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

    @property
    def order(self) -> tuple[float, int, bool]:
        """Sorting key: best first, ties in reading order."""
        return (-self.score, self.key, self.own)

    def extend_route(self, key: int, score: float, reason: str | None) -> "Route":
        """This route with one more step."""
        return Route((*self.keys, key), (*self.scores, score), (*self.reasons, reason))

    def reading_itself(self, score: float) -> "Route":
        """This route, ending at its last node's own leaves, which score so."""
        return Route(self.keys, (*self.scores[:-1], score), self.reasons, own=True)


def by_merit(route: Route) -> tuple[float, int, bool]:
    """Sorting key of routes: best first, ties in reading order."""
    return route.order


class Log:
    """Turns what happens into events; `take_events` hands over those not yet yielded."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._untold: list[SearchEvent] = []
        self._noted: set[str] = set()

    def take_events(self) -> Iterator[SearchEvent]:
        """The events since the last call."""
        events, self._untold = self._untold, []
        return iter(events)

    def note(self, say: str) -> None:
        """Add a sentence the reader should know; a repeated one is added once."""
        if say not in self._noted:
            self._noted.add(say)
            self._untold.append(SearchEvent(EventKind.NOTE, say))

    def log_comparison(self, route: Route, scored: Sequence[Route], decision: PilotDecision | None) -> None:
        """The children of a node were scored."""
        if not scored:
            return
        best = min(scored, key=by_merit)
        count = f"{len(scored)} section{'s' if len(scored) != 1 else ''}"
        say = f"Compared {count} of {name_of(self._tree, route.key)}; {name_of(self._tree, best.key)} comes first"
        ranked = tuple(RankedNode(found.key, found.scores[-1], found.keys, found.reason) for found in scored)
        self._add(EventKind.SCORING, say, route, decision, scored=ranked)

    def log_choice(self, route: Route) -> None:
        """A branch is taken."""
        self._add(EventKind.CHOOSING, self._say_reason("Took", route, route.reason), route)

    def log_jump(self, route: Route) -> None:
        """The search goes straight to a node."""
        self._add(EventKind.JUMPING, self._say_reason("Went straight to", route, route.reason), route)

    def log_return(self, route: Route, decision: PilotDecision | None) -> None:
        """A branch that had been put aside is taken up."""
        say = self._say_reason("Went back to", route, decision.reasoning if decision else "")
        self._add(EventKind.BACKTRACKING, say, route, decision)

    def log_rejection(self, routes: Sequence[Route], chosen: int | None, why: str = "") -> None:
        """Branches are not taken, by the reason given, else since the chosen one promises more or nothing speaks."""
        if not routes:
            return
        if not why:
            better = f"it promises less than {name_of(self._tree, chosen)}" if chosen is not None else ""
            why = better or NOTHING_SPEAKS
        listed = tuple(Rejection(route.key, route.score, why) for route in routes)
        names = ", ".join(name_of(self._tree, route.key) for route in routes[:3])
        more = f" and {len(routes) - 3} more" if len(routes) > 3 else ""
        self._untold.append(SearchEvent(EventKind.REJECTING, f"Put aside {names}{more}", rejected=listed))

    def log_drop(self, keys: Sequence[int], why: str) -> None:
        """Children that were not even compared."""
        if keys:
            listed = tuple(Rejection(key, 0.0, why) for key in keys)
            say = f"Left out {len(keys)} sections: {why}"
            self._untold.append(SearchEvent(EventKind.REJECTING, say, rejected=listed))

    def log_entry(self, node: RankedNode, decision: PilotDecision | None) -> None:
        """A section is opened and read."""
        route = Route(node.path, (node.score,) * len(node.path))
        say = f"Opened {describe_place(self._tree, node.key)}"
        self._add(EventKind.ENTERING, say, route, decision, key=node.key)

    def log_end(self, event: SearchEvent) -> None:
        """The last event of the search."""
        self._untold.append(event)

    def _say_reason(self, verb: str, route: Route, why: str) -> str:
        say = f"{verb} {describe_place(self._tree, route.key)}"
        return f"{say}: {why}" if why else say

    def _add(
        self,
        kind: EventKind,
        say: str,
        route: Route,
        decision: PilotDecision | None = None,
        *,
        scored: tuple[RankedNode, ...] = (),
        key: int | None = None,
    ) -> None:
        event = SearchEvent(
            kind, say, key=route.key if key is None else key, path=route.keys, score=route.score, scored=scored
        )
        if decision is not None:
            event = replace(
                event,
                confidence=decision.confidence,
                point=decision.intervention_point,
                reasoning=decision.reasoning,
                engine=decision.engine,
                tokens=decision.tokens,
                cost_usd=decision.cost_usd,
            )
        self._untold.append(event)


NOTHING_SPEAKS = "nothing in it speaks of the question"
"""Reason of a branch that no word of the question brought forward."""


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
        self.best_score = 0.0
        """The best score of any node scored so far."""
        self._scorer = scorer
        self._scored: set[int] = set()
        self._tokens, self._cost = 0, 0.0
        self.guidance = Guidance(pilot, spend_turn=self.meter.turn, note=self.log.note, account=self._pay)

    def scores(self, keys: Sequence[int]) -> list[float]:
        """The scorer's scores, each a finite number in [0, 1]."""
        self._scored.update(keys)
        scores = [_clamp_score(score) for score in self._scorer.scores(keys)]
        self.best_score = max([self.best_score, *scores])
        return scores

    def list_unvisited(self, keys: Sequence[int]) -> tuple[int, ...]:
        """Those of the keys that were not visited yet."""
        return tuple(key for key in keys if key not in self.visited)

    def own_leaves(self, key: int) -> list[int]:
        """The leaves that stand directly in a section, running headers and footers left out."""
        kinds = ((child, self.tree.kind(child)) for child in self.tree.children(key))
        return [child for child, kind in kinds if kind not in _OUTER and kind is not NodeKind.RUNNING]

    def state(self, route: Route, candidates: Sequence[int], scores: Sequence[float] = ()) -> SearchState:
        """What the pilot is shown at the end of a route."""
        return SearchState(
            self.tree,
            self.query,
            path=route.keys,
            candidates=tuple(candidates),
            visited=frozenset(self.visited),
            iteration=self.iteration,
            best_score=self.best_score,
            step_reasons=route.reasons,
            scores=tuple(scores),
        )

    def finish(self) -> None:
        """Tell the end: what was entered, best first."""
        if self.meter.stopped:
            self.log.note(f"The search stopped: {self.meter.stopped}.")
        ranked = tuple(sorted(self.entered, key=lambda node: (-node.score, node.key)))
        say = f"{describe_place(self.tree, ranked[0].key)} fits best" if ranked else "Found nothing to read"
        key = ranked[0].key if ranked else -1
        self.log.log_end(SearchEvent(EventKind.FINISHED, say, key=key, ranked=ranked, stats=self._stats()))

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


def _clamp_score(score: float) -> float:
    return min(max(score, 0.0), 1.0) if math.isfinite(score) else 0.0


@dataclass(frozen=True, slots=True)
class Ways:
    """Where a search may go on: routes, best first, and what the pilot decided, if it was asked."""

    routes: tuple[Route, ...] = ()
    decision: PilotDecision | None = None

    @property
    def direction(self) -> SearchDirection:
        """What the pilot wants the search to do."""
        return self.decision.direction if self.decision is not None else GoDeeper()


def compare(search: Search, route: Route) -> Ways:
    """Judge the unvisited child sections at the end of a route."""
    search.visited.add(route.key)
    candidates = search.list_unvisited(search.tree.child_sections(route.key))
    if not candidates:
        return Ways()
    return judge_candidates(search, route, candidates)


def judge_candidates(search: Search, route: Route, candidates: Sequence[int]) -> Ways:
    """Judge the candidates as next steps of a route."""
    full = search.state(route, candidates, search.scores(candidates))
    shown = _narrow_state(search, full)
    decision = _advice(search, full, shown)
    search.iteration += 1
    routes = _merge_routes(search, route, shown, decision)
    search.log.log_comparison(route, routes, decision)
    return Ways(_keep_hopeful(search, routes), decision)


def _advice(search: Search, full: SearchState, shown: SearchState) -> PilotDecision | None:
    is_first = search.iteration == 0
    if is_first and len(shown.candidates) == len(full.candidates):
        return search.guidance.start(shown, shown.current_node or 0)
    return search.guidance.decide(shown)


def _narrow_state(search: Search, state: SearchState) -> SearchState:
    """Keep the best-scored candidates, then let the pilot prune those that are still too many; what goes is told."""
    config = search.guidance.config
    if search.guidance.is_active and needs_prefilter(len(state.candidates), config):
        kept = _pick_best(state, config.prefilter)
        state = _restrict_state(search, state, kept, why="other sections match the question's words better")
    if not needs_pruning(len(state.candidates), config):
        return state
    chosen = search.guidance.prune(state)
    if chosen is None:
        return state
    # A pilot that drops too much is topped up with the best-scored.
    wanted = set(chosen) if len(chosen) >= config.prune_keep else set(chosen) | _pick_best(state, config.prune_keep)
    return _restrict_state(search, state, wanted, why="set aside by the pilot, among many")


def _restrict_state(search: Search, state: SearchState, kept: set[int], *, why: str) -> SearchState:
    search.log.log_drop([key for key in state.candidates if key not in kept], why)
    pairs = [pair for pair in zip(state.candidates, state.scores, strict=True) if pair[0] in kept]
    route = Route(state.path, reasons=state.step_reasons or ())
    return search.state(route, [key for key, _ in pairs], [score for _, score in pairs])


def _pick_best(state: SearchState, count: int) -> set[int]:
    order = sorted(zip(state.scores, state.candidates, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return {key for _, key in order[:count]}


def _merge_routes(
    search: Search, route: Route, state: SearchState, decision: PilotDecision | None
) -> tuple[Route, ...]:
    said = scores_of(decision, state.candidates)
    confidence = decision.confidence if decision is not None else 0.0
    routes = [
        _extend_route(search, route, key, score=score, said=opinion, confidence=confidence)
        for key, score, opinion in zip(state.candidates, state.scores, said, strict=True)
    ]
    return tuple(sorted(routes, key=by_merit))


def _extend_route(
    search: Search, route: Route, key: int, *, score: float, said: RankedCandidate | None, confidence: float
) -> Route:
    pilot = said.score if said is not None else None
    merged = merge_scores(pilot, score, confidence=confidence, share=search.share)
    return route.extend_route(key, merged, said.reason if said is not None and confidence > 0 else _say_score(score))


def _say_score(score: float) -> str:
    """The reason for a branch of which no pilot spoke."""
    return f"its best passage reaches {score:.0%} of the document's best" if score > 0 else NOTHING_SPEAKS


def _keep_hopeful(search: Search, routes: tuple[Route, ...]) -> tuple[Route, ...]:
    """The routes for which anything speaks; all of them when nothing speaks for any."""
    hopeful = tuple(route for route in routes if route.scores[-1] > 0.0)
    if not hopeful:
        return routes
    search.log.log_rejection([route for route in routes if route.scores[-1] <= 0.0], None)
    return hopeful


MOST_LEAVES = 200
"""Leaves of one section that are handed on to be read, the best. Bounds the time of a step."""


def is_terminal(search: Search, route: Route) -> bool:
    """Whether a route ends in a section to read rather than one to walk on."""
    return route.own or not search.tree.child_sections(route.key)


def make_own_route(search: Search, route: Route) -> Route | None:
    """A section's own leaves as something to read, when it has subsections besides."""
    leaves = search.own_leaves(route.key)
    best = max(search.scores(leaves), default=0.0)
    return route.reading_itself(best) if best > 0.0 else None


def enter_section(search: Search, route: Route, *, asking: bool = True) -> Ways:
    """Read the section at the end of a route; its references lead on."""
    search.visited.add(route.key)
    leaves = _ranked_leaves(search, route)
    decision = _evaluation(search, route) if asking else None
    node = RankedNode(route.key, _score(search, route, decision), route.keys, route.reason, leaves)
    search.entered.append(node)
    search.log.log_entry(node, decision)
    return Ways(references_from(search, route, leaves) if asking else (), decision)


def references_from(search: Search, route: Route, leaves: Sequence[int]) -> tuple[Route, ...]:
    """Routes along references to sections not visited yet, best first; each reference is followed once."""
    targets = _targets(search, route.key, leaves)
    scored = sorted(zip(targets, search.scores(targets), strict=True), key=lambda pair: (-pair[1], pair[0]))
    found = []
    for target, score in scored[: search.limits.references]:
        search.followed.add((route.key, target))
        found.append(route.extend_route(target, score, f"{_title(search, route.key)} refers to it"))
    return tuple(found)


def _targets(search: Search, source: int, leaves: Sequence[int]) -> list[int]:
    found = {}
    for leaf in leaves:
        for reference in search.tree.references(leaf):
            if reference.target not in search.tree:
                continue
            target = search.tree.section_of(reference.target)
            if target not in search.visited and target != 0 and (source, target) not in search.followed:
                found[target] = True
    return list(found)


def _ranked_leaves(search: Search, route: Route) -> tuple[int, ...]:
    leaves = search.own_leaves(route.key) or search.tree.leaves(route.key)
    scores = dict(zip(leaves, search.scores(leaves), strict=True))
    return tuple(sorted(leaves, key=lambda leaf: (-scores[leaf], leaf))[:MOST_LEAVES])


def _evaluation(search: Search, route: Route) -> PilotDecision | None:
    if not route.keys:
        return None
    return search.guidance.decide(search.state(route, ()))


def _score(search: Search, route: Route, decision: PilotDecision | None) -> float:
    """The route's score, its last step merged with what the pilot says of the section itself."""
    if decision is None or not route.scores:
        return route.score
    said = scores_of(decision, [route.key])[0]
    last = merge_scores(
        said.score if said else None, route.scores[-1], confidence=decision.confidence, share=search.share
    )
    return average_scores((*route.scores[:-1], last))


def _title(search: Search, key: int) -> str:
    return search.tree.node(key).title or "The section before"


def start_route(tree: Tree, start: int) -> Route:
    """The route to the node a search starts from; its steps are not scored."""
    keys = (*tree.ancestors(start)[1:], start) if start else ()
    return Route(keys, (), (None,) * len(keys))


def jump_route(search: Search, target: int, decision: PilotDecision) -> Route | None:
    """The straight route to the section of `target`; None when it was visited before."""
    key = search.tree.section_of(target)
    if key in search.visited or key == 0:
        search.log.note("The pilot pointed to a place already visited; the walk goes on.")
        return None
    score = merge_scores(1.0, search.scores([key])[0], confidence=decision.confidence, share=search.share)
    keys = (*search.tree.ancestors(key)[1:], key)
    reason = decision.reasoning or "the pilot points to it"
    route = Route(keys, (score,), (*(None,) * (len(keys) - 1), reason))
    search.log.log_jump(route)
    return route


def compare_siblings(search: Search, route: Route) -> Ways:
    """Judge the unvisited siblings of a route's last node, beside it: they extend the route to its parent."""
    if not route.keys:
        return Ways()
    beside = search.tree.child_sections(search.tree.parent(route.key))
    candidates = search.list_unvisited([key for key in beside if key != route.key])
    if not candidates:
        return Ways()
    parent = Route(route.keys[:-1], route.scores[:-1], route.reasons[:-1])
    return judge_candidates(search, parent, candidates)


def reconsider_routes(
    search: Search, failed: Route, frontier: Sequence[Route]
) -> tuple[list[Route], PilotDecision | None]:
    """The put-aside routes re-scored by what the pilot says of them, best first; each stays where it branched off."""
    ways = {route.key: route for route in sorted(frontier, key=by_merit, reverse=True)}
    state = search.state(failed, list(ways), [route.scores[-1] for route in ways.values()])
    decision = search.guidance.backtrack(replace(state, is_backtracking=True))
    if decision is None:
        return sorted(frontier, key=by_merit), None
    return sorted((_rescore_route(search, route, decision) for route in frontier), key=by_merit), decision


def _rescore_route(search: Search, route: Route, decision: PilotDecision) -> Route:
    said = scores_of(decision, [route.key])[0]
    if said is None:
        return route
    last = merge_scores(said.score, route.scores[-1], confidence=decision.confidence, share=search.share)
    reasons = (*route.reasons[:-1], said.reason or route.reason or None)
    return replace(route, scores=(*route.scores[:-1], last), reasons=reasons)


def give_up(search: Search, ways: Ways) -> None:
    """Log that a branch is given up because the pilot says so."""
    why = ways.decision.reasoning if ways.decision else ""
    search.log.log_rejection(ways.routes, None, why or "the pilot gave this branch up")


def conclude(search: Search, routes: Sequence[Route]) -> None:
    """The pilot has found the answer: enter what it points to, ask nothing more."""
    enter_section(search, min(routes, key=by_merit), asking=False)


def enter_waiting(search: Search, waiting: Sequence[Route], start: Route) -> None:
    """Enter waiting sections when a search ends early, without asking the pilot; enter at least one section."""
    seen = {node.key for node in search.entered}
    fresh: dict[int, Route] = {}
    for route in waiting:
        if route.key not in seen and (route.own or route.key not in search.visited):
            fresh.setdefault(route.key, route)
    if not seen and not fresh:
        fresh = {route.key: route for route in _last_resort(search, start)}
    room = search.limits.results - len(search.entered)
    for route in list(fresh.values())[:room]:
        enter_section(search, route, asking=False)
    best = max(search.entered, key=lambda node: node.score, default=None)
    search.log.log_rejection(list(fresh.values())[room:], best.key if best is not None else None)


def _last_resort(search: Search, start: Route) -> list[Route]:
    """Everything was given up: the start's own sections by their scores, else the start itself."""
    children = search.tree.child_sections(start.key)
    ways = [start.extend_route(key, score, None) for key, score in zip(children, search.scores(children), strict=True)]
    return sorted(ways, key=by_merit) or [start]
