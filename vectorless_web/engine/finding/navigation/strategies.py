"""The strategies of a search (beam, greedy, Monte Carlo tree search), and one call that walks a tree by them."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation.model import ModelPilot, PilotBudget
from vectorless_web.engine.finding.navigation.pilot import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    JumpTo,
    LexicalPilot,
    NoopPilot,
    Pilot,
    PilotConfig,
    PilotDecision,
)
from vectorless_web.engine.finding.navigation.search import (
    BEAM_PILOT_SHARE,
    DEFAULT_LIMITS,
    MCTS_PILOT_SHARE,
    EventKind,
    Route,
    Search,
    SearchEvent,
    SearchLimits,
    SearchReport,
    Ways,
    by_merit,
    report,
    start_route,
)
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer, TreeScorer
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.questions.plan import QueryPlan

FAR_BEHIND = 0.5
"""A branch that promises less than this share of the best one is put aside, even when the beam has room. Measured: 0.25
and 1.0 reach the same gold sections; 1.0 scores 9.4 % of the leaves instead of 10.1 %."""


def beam(
    tree: Tree, query: QueryPlan, scorer: TreeScorer, pilot: Any, limits: SearchLimits = DEFAULT_LIMITS, start: int = 0
) -> Iterator[SearchEvent]:
    """Walk below `start`, `limits.width` branches side by side.

    The last event carries the sections entered, best first, and what the search cost.
    """
    search = Search(tree, query, scorer, pilot=pilot, limits=limits, share=BEAM_PILOT_SHARE)
    return _Beam(search, start_route(tree, start)).run()


def greedy(
    tree: Tree, query: QueryPlan, scorer: TreeScorer, pilot: Any, limits: SearchLimits = DEFAULT_LIMITS, start: int = 0
) -> Iterator[SearchEvent]:
    """Walk below `start` depth first: a beam of one branch; the next best is taken up when it ends."""
    return beam(tree, query, scorer, pilot, replace(limits, width=1), start)


class _Walk:
    """What a strategy does on the pilot's word."""

    def __init__(self, search: Search, start: Route) -> None:
        self.search, self.limits, self.start = search, search.limits, start
        self.is_found = False

    def obey(self, route: Route, ways: Ways) -> Sequence[Route]:
        """The routes to go on with after a comparison, as the pilot wants it."""
        match ways.direction:
            case FoundAnswer():
                self.is_found = True
                self.search.enter(min(ways.routes or (route,), key=by_merit), asking=False)
                return ()
            case JumpTo(target=target) if ways.decision is not None:
                jumped = self.search.jump(target, ways.decision)
                if jumped is None:
                    return ways.routes
                self.pass_over([other for other in ways.routes if other.key != jumped.key])
                return (jumped,)
            case Backtrack() if route.keys:
                self.give_up(route, ways)
                return ()
            case ExploreSiblings() if route.keys:
                self.give_up(route, ways)
                return self.search.compare_siblings(route).routes
        return ways.routes

    def pass_over(self, routes: Sequence[Route]) -> None:
        """Note the routes that a jump leaves behind."""

    def give_up(self, route: Route, ways: Ways) -> None:
        """Leave a branch."""
        why = ways.decision.reasoning if ways.decision else ""
        self.search.put_off(ways.routes, None, why or "the pilot gave this branch up")

    def follow(self, route: Route, reading: Ways) -> Sequence[Route] | None:
        """The routes that the pilot points to once a section was read; None when it points nowhere."""
        match reading.direction:
            case FoundAnswer():
                self.is_found = True
            case JumpTo(target=target) if reading.decision is not None:
                jumped = self.search.jump(target, reading.decision)
                return () if jumped is None else (jumped,)
            case ExploreSiblings():
                return self.search.compare_siblings(route).routes
        return None


class _Beam(_Walk):
    """`beam` is walked next, `frontier` was put aside, `pool` waits to be entered."""

    def __init__(self, search: Search, start: Route) -> None:
        super().__init__(search, start)
        self.beam, self.frontier, self.pool = [start], list[Route](), list[Route]()
        self.last, self.backtracks = start, 0

    def run(self) -> Iterator[SearchEvent]:
        while self.is_unfinished() and self.search.spend_turn():
            self.take_turn()
            yield from self.search.take_events()
        if not self.is_found:
            self.search.enter_waiting(sorted([*self.pool, *self.beam], key=by_merit) or self.frontier, self.start)
        self.search.finish()
        yield from self.search.take_events()

    def is_unfinished(self) -> bool:
        has_more = bool(self.beam or self.frontier or self.pool)
        return has_more and not self.is_found and len(self.search.entered) < self.limits.results

    def take_turn(self) -> None:
        if self.beam:
            self.advance()
        elif self.frontier and (not self.pool or _best_score(self.frontier) > _best_score(self.pool)):
            self.backtrack()
        else:
            self.enter_best()

    def advance(self) -> None:
        """Expand every branch of the beam; keep the best `width` of all that comes out."""
        walked, self.beam = self.beam, []
        found: list[Route] = []
        for place, route in enumerate(walked):
            if place and not self.search.spend_turn():
                self.pool.extend(walked[place:])
                break
            found.extend(self.expand(route))
            if self.is_found:
                return
        self.keep(found)

    def expand(self, route: Route) -> Sequence[Route]:
        self.last = route
        if self.search.is_terminal(route):
            self.await_entry(route)
            return ()
        ways = self.search.compare(route)
        own = self.search.make_own_route(route) if isinstance(ways.direction, GoDeeper) else None
        if own is not None:
            self.await_entry(own)
        return self.obey(route, ways)

    def await_entry(self, route: Route) -> None:
        """Let a section wait to be entered; reached twice, the better way counts."""
        rivals = [other for other in self.pool if other.key == route.key]
        if rivals and _best_score(rivals) >= route.score:
            return
        self.pool = [*(other for other in self.pool if other.key != route.key), route]

    def keep(self, found: Sequence[Route]) -> None:
        """The best `width` become the beam; the rest, and what falls far behind the best, is put aside."""
        fresh = {route.key: route for route in sorted(found, key=by_merit, reverse=True) if self.is_fresh(route)}
        ranked = sorted(fresh.values(), key=by_merit)
        wide = ranked[: self.limits.width]
        self.beam = [route for route in wide if route.score >= FAR_BEHIND * ranked[0].score]
        for route in self.beam:
            self.search.tell_move(EventKind.CHOOSING, "Took", route)
        rest = ranked[len(self.beam) :]
        self.search.put_off(rest, ranked[0].key if ranked else None)
        self.put_aside(rest)

    def is_fresh(self, route: Route) -> bool:
        return route.key not in self.search.visited and all(other.key != route.key for other in self.pool)

    def pass_over(self, routes: Sequence[Route]) -> None:
        self.put_aside(routes)

    def put_aside(self, routes: Sequence[Route]) -> None:
        self.frontier = sorted([*self.frontier, *routes], key=by_merit)[: self.limits.frontier]

    def backtrack(self) -> None:
        """Take the best branch up again that was put aside."""
        decision: PilotDecision | None = None
        self.frontier = [route for route in sorted(self.frontier, key=by_merit) if self.is_fresh(route)]
        if self.frontier and self.backtracks < self.limits.backtracks:
            self.backtracks += 1
            self.frontier, decision = self.search.reconsider(self.last, self.frontier)
        if not self.frontier:
            return
        if decision is not None and isinstance(decision.direction, FoundAnswer):
            self.is_found = bool(self.search.entered)
        route = self.frontier.pop(0)
        self.search.tell_move(EventKind.BACKTRACKING, "Went back to", route, decision)
        self.beam = [route]

    def enter_best(self) -> None:
        """Enter the most promising section that waits; its references may lead the walk on."""
        route = min(self.pool, key=by_merit)
        self.pool.remove(route)
        reading = self.search.enter(route)
        self.last = route
        self.put_aside([onward for onward in reading.routes if self.is_fresh(onward)])
        pointed = self.follow(route, reading)
        if isinstance(reading.direction, JumpTo) and pointed is not None:
            self.beam = list(pointed)
        elif pointed is not None:
            self.keep(pointed)


def _best_score(routes: Sequence[Route]) -> float:
    return max(route.score for route in routes)


EXPLORATION = math.sqrt(2.0)
"""c of UCT. The square root of 2 is the value for which Kocsis and Szepesvari prove that regret grows logarithmically
when rewards lie in [0, 1], as scores do."""
DEEPEST = 16
"""Levels one sample walks down unguided, at most: a bound against damaged trees, since outlines are seldom deeper than
nine levels."""


def mcts(
    tree: Tree, query: QueryPlan, scorer: TreeScorer, pilot: Any, limits: SearchLimits = DEFAULT_LIMITS, start: int = 0
) -> Iterator[SearchEvent]:
    """Sample the sections below `start`; the last event carries the best nodes at any depth.

    Deterministic: the value of a node is its merged score, not a random playout, and ties go to the earlier section.
    """
    search = Search(tree, query, scorer, pilot=pilot, limits=limits, share=MCTS_PILOT_SHARE)
    return _MonteCarlo(search, start_route(tree, start)).run()


def uct(mean: float, visits: int, parent_visits: int, *, exploration: float = EXPLORATION) -> float:
    """mean + c * sqrt(ln N / n); infinite for a node never visited."""
    if visits == 0:
        return math.inf
    return mean + exploration * math.sqrt(math.log(max(parent_visits, 1)) / visits)


@dataclass(slots=True)
class _Arm:
    """One node of the search tree and what its visits brought."""

    route: Route
    prior: float
    visits: int = 0
    total: float = 0.0
    arms: list["_Arm"] = field(default_factory=list)
    is_expanded: bool = False
    is_exhausted: bool = False

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else self.prior

    def most_urgent(self) -> "_Arm | None":
        """The arm UCT plays next; never-visited arms by their priors."""
        open_arms = [arm for arm in self.arms if not arm.is_exhausted]
        if not open_arms:
            return None
        return min(open_arms, key=lambda arm: (-uct(arm.mean, arm.visits, self.visits), -arm.prior, arm.route.key))


class _MonteCarlo(_Walk):
    """`pool` are the sections sampled, to be entered best first when sampling ends."""

    def __init__(self, search: Search, start: Route) -> None:
        super().__init__(search, start)
        self.root = _Arm(start, prior=0.0)
        self.pool: dict[tuple[int, bool], Route] = {}
        self.closed: set[int] = set()

    def run(self) -> Iterator[SearchEvent]:
        while self.is_sampling() and self.search.spend_turn():
            self.sample()
            yield from self.search.take_events()
        while self.is_entering() and self.search.spend_turn():
            self.enter_best()
            yield from self.search.take_events()
        if not self.is_found:
            if not self.root.is_exhausted:
                self.search.give_out()
            unplayed = (arm.route for arm in self.root.arms)
            self.search.enter_waiting(sorted(self.pool.values() or unplayed, key=by_merit), self.start)
        self.search.finish()
        yield from self.search.take_events()

    def is_sampling(self) -> bool:
        """Turns are kept back for entering what was found."""
        limits = self.search.limits
        has_turns = self.search.turns < limits.turns - min(2 * limits.results, limits.turns // 2)
        return has_turns and not self.is_found and not self.root.is_exhausted

    def is_entering(self) -> bool:
        return bool(self.pool) and not self.is_found and len(self.search.entered) < self.search.limits.results

    def sample(self) -> None:
        """Select by UCT, expand, value, and pass the value back up."""
        line = [self.root]
        while line[-1].is_expanded and (arm := line[-1].most_urgent()) is not None:
            line.append(arm)
        if line[-1].route.keys and not line[-1].is_expanded:
            self.search.tell_move(EventKind.CHOOSING, "Took", line[-1].route)
        value = self.play(line[-1])
        for arm in reversed(line):
            arm.visits += 1
            arm.total += value
            arm.is_exhausted = arm.is_expanded and all(below.is_exhausted for below in arm.arms)

    def play(self, arm: _Arm) -> float:
        """Expand the arm and follow its best child greedily to a section to read: that section's score is the value."""
        arm.is_expanded = True
        route = arm.route
        if self.search.is_terminal(route):
            self.pool.setdefault((route.key, route.own), route)
            return arm.prior
        ways = self.search.compare(route)
        routes = self.obey(route, ways)
        own = self.search.make_own_route(route) if isinstance(ways.direction, GoDeeper) else None
        onward = sorted([*routes, *([own] if own is not None else [])], key=by_merit)
        arm.arms = [_Arm(way, prior=way.scores[-1]) for way in onward]
        return self.play_out(onward[0]) if onward else 0.0

    def play_out(self, route: Route) -> float:
        """Walk on by the scorer alone, unguided; the section it ends in waits to be entered."""
        for _ in range(DEEPEST):
            if self.search.is_terminal(route):
                break
            children = self.search.list_unvisited(self.search.tree.child_sections(route.key))
            if not children or route.key in self.closed:
                return route.scores[-1]
            score, key = max(zip(self.search.scores(children), (-child for child in children), strict=True))
            route = route.extend_route(-key, score, "sampled by its score")
        if self.search.is_terminal(route) and (route.own or route.key not in self.search.visited):
            self.pool.setdefault((route.key, route.own), route)
        return route.scores[-1]

    def give_up(self, route: Route, ways: Ways) -> None:
        """Leave a branch for good, with what unguided samples found in it before."""
        super().give_up(route, ways)
        self.closed.add(route.key)
        self.pool = {place: way for place, way in self.pool.items() if route.key not in way.keys}

    def enter_best(self) -> None:
        route = min(self.pool.values(), key=by_merit)
        del self.pool[(route.key, route.own)]
        if not route.own and route.key in self.search.visited:
            return
        reading = self.search.enter(route)
        for onward in (*reading.routes, *(self.follow(route, reading) or ())):
            self.play_out(onward)


Strategy = Callable[[Tree, QueryPlan, TreeScorer, Any, SearchLimits, int], Iterator[SearchEvent]]
STRATEGIES: Mapping[str, Strategy] = {"beam": beam, "greedy": greedy, "mcts": mcts}
"""The strategies by the names of their setting."""


def make_pilot(
    mode: str, scorer: TreeScorer, *, model: ChatModel | None = None, budget: PilotBudget | None = None
) -> Pilot:
    """The pilot of a preset: nobody for `algorithm_only`, a model where one is given with the run's budget, else the
    words. Raises ValueError for an unknown mode."""
    config = PilotConfig.preset(mode)
    words = LexicalPilot(scorer, config=config)
    if not config.asks:
        return NoopPilot()
    if model is None:
        return words
    return ModelPilot(model, budget=budget or PilotBudget(config), fallback=words, config=config)


def navigate_tree(
    document: CompiledDocument,
    plan: QueryPlan,
    *,
    pilot: Pilot | None = None,
    strategy: str = "beam",
    limits: SearchLimits = DEFAULT_LIMITS,
    start: int = 0,
) -> SearchReport:
    """Walk a document's tree below `start`: the sections entered, best first, those rejected and why, and the cost.

    `strategy`: beam, greedy or mcts. Without a pilot the offline one guides. Raises KeyError for an unknown strategy.
    """
    scorer = DocumentScorer(document, plan)
    guide = pilot or LexicalPilot(scorer)
    return report(STRATEGIES[strategy](document.tree, plan, scorer, guide, limits, start))


def tell_advice(told: SearchReport) -> list[dict[str, object]]:
    """The pilot's decisions, as JSON values: where it was asked, what came of it, how sure it was, what it cost."""
    return [
        {
            "point": decision.intervention_point.value,
            "say": event.say,
            "reasoning": decision.reasoning,
            "confidence": round(decision.confidence, 4),
            "engine": decision.engine,
            "tokens": decision.tokens,
        }
        for event in told.advice
        if (decision := event.decision) is not None
    ]
