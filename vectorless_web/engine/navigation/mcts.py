"""Monte Carlo tree search by UCT (Kocsis and Szepesvari 2006): prefer branches of high mean or few visits."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.navigation.events import SearchEvent
from vectorless_web.engine.navigation.pilots.pilot import Backtrack, ExploreSiblings, FoundAnswer, GoDeeper, JumpTo
from vectorless_web.engine.navigation.search import (
    DEFAULT_LIMITS,
    MCTS_PILOT_SHARE,
    Route,
    Search,
    SearchLimits,
    by_merit,
)
from vectorless_web.engine.navigation.steps import (
    Comparison,
    SectionReading,
    compare,
    compare_siblings,
    conclude,
    enter_section,
    enter_waiting,
    give_up,
    is_terminal,
    jump_route,
    make_own_route,
    start_route,
)
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.scorer import Scorer

EXPLORATION = math.sqrt(2.0)
"""c of UCT. The square root of 2 is the value for which Kocsis and Szepesvari prove that regret grows logarithmically
when rewards lie in [0, 1], as scores do."""
DEEPEST = 16
"""Levels one sample walks down unguided, at most. A bound against damaged trees: outlines of documents are seldom
deeper than nine levels. No run of the workspace uses this search."""


def mcts(
    tree: Tree,
    query: QueryPlan,
    scorer: Scorer,
    pilot: object,
    limits: SearchLimits = DEFAULT_LIMITS,
    start: int = 0,
) -> Iterator[SearchEvent]:
    """Sample the sections below `start`; the last event carries the best nodes at any depth.

    Deterministic: the value of a node is its merged score, not a random playout, and
    ties go to the earlier section.
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


class _MonteCarlo:
    """`pool` are the sections sampled, to be entered best first when sampling ends."""

    def __init__(self, search: Search, start: Route) -> None:
        self.search, self.start = search, start
        self.root = _Arm(start, prior=0.0)
        self.pool: dict[tuple[int, bool], Route] = {}
        self.closed: set[int] = set()
        self.is_found = False

    def run(self) -> Iterator[SearchEvent]:
        while self.is_sampling() and self.search.meter.turn():
            self.sample()
            yield from self.search.log.take_events()
        while self.is_entering() and self.search.meter.turn():
            self.enter_best()
            yield from self.search.log.take_events()
        if not self.is_found:
            if not self.root.is_exhausted:
                self.search.meter.give_out()
            enter_waiting(self.search, self.list_waiting() or self.list_unplayed(), self.start)
        self.search.finish()
        yield from self.search.log.take_events()

    def is_sampling(self) -> bool:
        """Turns are kept back for entering what was found."""
        limits = self.search.limits
        has_turns = self.search.meter.turns < limits.turns - min(2 * limits.results, limits.turns // 2)
        return has_turns and not self.is_found and not self.root.is_exhausted

    def is_entering(self) -> bool:
        return bool(self.pool) and not self.is_found and len(self.search.entered) < self.search.limits.results

    def sample(self) -> None:
        """Select by UCT, expand, value, and pass the value back up."""
        line = [self.root]
        while line[-1].is_expanded and (arm := line[-1].most_urgent()) is not None:
            line.append(arm)
        if line[-1].route.keys and not line[-1].is_expanded:
            self.search.log.log_choice(line[-1].route)
        value = self.play(line[-1])
        for arm in reversed(line):
            arm.visits += 1
            arm.total += value
            arm.is_exhausted = arm.is_expanded and all(below.is_exhausted for below in arm.arms)

    def play(self, arm: _Arm) -> float:
        """Expand the arm and follow its best child greedily to a section to read: that section's score is the value."""
        arm.is_expanded = True
        route = arm.route
        if is_terminal(self.search, route):
            self.pool.setdefault((route.key, route.own), route)
            return arm.prior
        comparison = compare(self.search, route)
        routes = self.obey(route, comparison)
        own = make_own_route(self.search, route) if isinstance(comparison.direction, GoDeeper) else None
        ways = sorted([*routes, *([own] if own is not None else [])], key=by_merit)
        arm.arms = [_Arm(way, prior=way.scores[-1]) for way in ways]
        return self.play_out(ways[0]) if ways else 0.0

    def play_out(self, route: Route) -> float:
        """Walk on by the scorer alone, unguided; the section it ends in waits to be entered."""
        for _ in range(DEEPEST):
            if is_terminal(self.search, route):
                break
            children = self.search.list_unvisited(self.search.tree.child_sections(route.key))
            if not children or route.key in self.closed:
                return route.scores[-1]
            score, key = max(zip(self.search.scores(children), (-child for child in children), strict=True))
            route = route.extend_route(-key, score, None)
        if is_terminal(self.search, route) and (route.own or route.key not in self.search.visited):
            self.pool.setdefault((route.key, route.own), route)
        return route.scores[-1]

    def obey(self, route: Route, comparison: Comparison) -> Sequence[Route]:
        match comparison.direction:
            case FoundAnswer():
                self.is_found = True
                conclude(self.search, comparison.routes or (route,))
                return ()
            case JumpTo(target=target) if comparison.decision is not None:
                jumped = jump_route(self.search, target, comparison.decision)
                return comparison.routes if jumped is None else (jumped,)
            case Backtrack() if route.keys:
                self.close(route, comparison)
                return ()
            case ExploreSiblings() if route.keys:
                self.close(route, comparison)
                return compare_siblings(self.search, route).routes
        return comparison.routes

    def close(self, route: Route, comparison: Comparison) -> None:
        """Leave a branch for good, with what unguided samples found in it before."""
        give_up(self.search, comparison)
        self.closed.add(route.key)
        self.pool = {place: way for place, way in self.pool.items() if route.key not in way.keys}

    def list_waiting(self) -> list[Route]:
        """Sampled sections, best first."""
        return sorted(self.pool.values(), key=by_merit)

    def list_unplayed(self) -> list[Route]:
        """Ways known when no section could be sampled."""
        return sorted((arm.route for arm in self.root.arms), key=by_merit)

    def enter_best(self) -> None:
        route = self.list_waiting()[0]
        del self.pool[(route.key, route.own)]
        if not route.own and route.key in self.search.visited:
            return
        reading = enter_section(self.search, route)
        self.is_found = isinstance(reading.direction, FoundAnswer)
        for onward in (*reading.onward, *self.after(route, reading)):
            self.play_out(onward)

    def after(self, route: Route, reading: SectionReading) -> Sequence[Route]:
        """The ways the pilot points to once a section was read."""
        match reading.direction:
            case JumpTo(target=target) if reading.decision is not None:
                jumped = jump_route(self.search, target, reading.decision)
                return () if jumped is None else (jumped,)
            case ExploreSiblings():
                return compare_siblings(self.search, route).routes
        return ()
