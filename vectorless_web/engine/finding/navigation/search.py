"""A search of a tree: its limits, its moves (comparing, entering, following a pilot), and what it tells."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation.pilot import (
    GoDeeper,
    Guidance,
    PilotDecision,
    RankedCandidate,
    SearchDirection,
    SearchState,
    clamp_share,
    scores_of,
    shorten_text,
)
from vectorless_web.engine.finding.ranking.ranker import TreeScorer
from vectorless_web.engine.questions.plan import QueryPlan


class EventKind(StrEnum):
    """What happened. FINISHED is always the last event and the only one with ranked nodes."""

    SCORING = "scoring"
    """The children of a node were compared."""
    CHOOSING = "choosing"
    """A branch was taken."""
    REJECTING = "rejecting"
    """Branches were not taken; each says why."""
    ENTERING = "entering"
    """A section was entered to be read."""
    BACKTRACKING = "backtracking"
    """A branch was given up for one that had been put aside."""
    JUMPING = "jumping"
    """The walk went straight to a node, by a reference or on the pilot's word."""
    NOTE = "note"
    """Something the reader should know: a failed consultation, a limit, an unusable reply."""
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class RankedNode:
    """A node with its score in [0, 1], the keys walked to it, and why it was or was not taken.

    `leaves` are the keys of the leaves to read there, most promising first (only for sections that were entered).
    """

    key: int
    score: float
    reason: str = ""
    path: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchStats:
    """Counts of one search: turns, sections and leaves scored, consultations of the pilot, tokens, US dollars."""

    turns: int = 0
    sections_scored: int = 0
    leaves_scored: int = 0
    consultations: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    stopped: str = ""
    """Which limit ended it, or ""."""


@dataclass(frozen=True, slots=True)
class SearchEvent:
    """One thing that happened. `say` is a plain sentence for the trace.

    `key` is the node concerned (-1 for none), `path` the keys walked to it, and `decision` what the pilot said, where
    it was asked.
    """

    kind: EventKind
    say: str
    key: int = -1
    path: tuple[int, ...] = ()
    score: float = 0.0
    decision: PilotDecision | None = None
    scored: tuple[RankedNode, ...] = ()
    rejected: tuple[RankedNode, ...] = ()
    ranked: tuple[RankedNode, ...] = ()
    stats: SearchStats = SearchStats()


def name_of(tree: Tree, key: int) -> str:
    """The name of a node in a sentence: its title, shortened; without one, its kind."""
    node = tree.node(key)
    return shorten_text(node.title) or ("the document" if key == 0 else f"an untitled {node.kind.value}")


def describe_place(tree: Tree, key: int) -> str:
    """Name and pages of a node, the pages as people count them: "Leases (pp. 84-86)"."""
    node = tree.node(key)
    first, last = node.page_start + 1, node.page_end + 1
    return f"{name_of(tree, key)} ({f'p. {first}' if first == last else f'pp. {first}-{last}'})"


_ROLES = ("looked", "turned_back", "walked", "read")
"""Least telling first: a node keeps the most telling role it earned."""


def minimap(events: Iterable[SearchEvent]) -> dict[int, str]:
    """The nodes that the events touched, in reading order, with the most telling role that each earned."""
    roles: dict[int, int] = {}
    for event in events:
        marks = [(found.key, "looked") for found in event.scored] + [(row.key, "turned_back") for row in event.rejected]
        if event.kind in (EventKind.CHOOSING, EventKind.JUMPING, EventKind.BACKTRACKING, EventKind.ENTERING):
            marks += [(key, "walked") for key in event.path]
        if event.kind is EventKind.ENTERING:
            marks.append((event.key, "read"))
        for key, role in marks:
            roles[key] = max(roles.get(key, 0), _ROLES.index(role))
    return {key: _ROLES[roles[key]] for key in sorted(roles)}


@dataclass(frozen=True, slots=True)
class SearchReport:
    """`ranked` are the sections entered, best first; `rejected` the branches not taken, the most promising first.

    `marks` are those of `minimap`. `notes` are sentences the reader must see (failed consultations, limits), `log` the
    other sentences in order. `advice` are the events at which the pilot was asked. `engine` names the model if it
    decided anywhere, else `offline`.
    """

    ranked: tuple[RankedNode, ...]
    rejected: tuple[RankedNode, ...]
    marks: dict[int, str]
    notes: tuple[str, ...]
    log: tuple[str, ...]
    engine: str
    stats: SearchStats
    advice: tuple[SearchEvent, ...]


def report(events: Iterable[SearchEvent]) -> SearchReport:
    """Everything a step needs of a search's events; the events are read once."""
    told = tuple(events)
    advice = tuple(event for event in told if event.decision is not None)
    engines = (event.decision.engine for event in advice if event.decision is not None)
    return SearchReport(
        ranked=told[-1].ranked,
        rejected=_collect_rejections(told),
        marks=minimap(told),
        notes=tuple(event.say for event in told if event.kind is EventKind.NOTE),
        log=tuple(event.say for event in told if event.kind not in (EventKind.NOTE, EventKind.FINISHED)),
        engine=next((engine for engine in engines if engine != "offline"), "offline"),
        stats=told[-1].stats,
        advice=advice,
    )


def _collect_rejections(events: Iterable[SearchEvent]) -> tuple[RankedNode, ...]:
    """Each branch once, with its last reason; what was entered after all is not among them."""
    found: dict[int, RankedNode] = {}
    for event in events:
        found.update((rejection.key, rejection) for rejection in event.rejected)
        if event.kind is EventKind.ENTERING:
            for key in event.path:
                found.pop(key, None)
    return tuple(sorted(found.values(), key=lambda rejection: (-rejection.score, rejection.key)))


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

    `own` marks a section that is to be read for its own leaves only, its subsections being walked on their own.
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


@dataclass(frozen=True, slots=True)
class Ways:
    """Where a search may go on: routes, best first, and what the pilot decided, if it was asked."""

    routes: tuple[Route, ...] = ()
    decision: PilotDecision | None = None

    @property
    def direction(self) -> SearchDirection:
        """What the pilot wants the search to do."""
        return self.decision.direction if self.decision is not None else GoDeeper()


NOTHING_ELSE = "there was no other section to choose"
"""Reason of what is read where every branch was given up, or where a document has no sections."""
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
        self, tree: Tree, query: QueryPlan, scorer: TreeScorer, *, pilot: object, limits: SearchLimits, share: float
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
        scores = [clamp_share(score) for score in self._scorer.scores(keys)]
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
            count = f"{len(dropped)} section{'s' if len(dropped) != 1 else ''}"
            self._tell(EventKind.REJECTING, f"Left out {count}: {why}", rejected=dropped)
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
        self.entered.append(RankedNode(route.key, score, route.reason or NOTHING_ELSE, route.keys, tuple(leaves)))
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


def _pick_best(state: SearchState, count: int) -> set[int]:
    order = sorted(zip(state.scores, state.candidates, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return {key for _, key in order[:count]}


def start_route(tree: Tree, start: int) -> Route:
    """The route to the node a search starts from; its steps are not scored."""
    keys = (*tree.ancestors(start)[1:], start) if start else ()
    return Route(keys, (), (None,) * len(keys))
