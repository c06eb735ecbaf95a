"""Greedy search: follow the best child down to a section to read, then return to the nearest branch put aside."""

from collections.abc import Iterator, Sequence

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.navigation.events import SearchEvent
from vectorless_web.engine.navigation.pilots.pilot import Backtrack, ExploreSiblings, FoundAnswer, JumpTo, PilotDecision
from vectorless_web.engine.navigation.search import (
    BEAM_PILOT_SHARE,
    DEFAULT_LIMITS,
    Route,
    Search,
    SearchLimits,
    by_merit,
)
from vectorless_web.engine.navigation.steps import (
    Comparison,
    compare,
    compare_siblings,
    conclude,
    enter_section,
    enter_waiting,
    give_up,
    is_terminal,
    jump_route,
    make_own_route,
    reconsider_routes,
    start_route,
)
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.scorer import Scorer


def greedy(
    tree: Tree,
    query: QueryPlan,
    scorer: Scorer,
    pilot: object,
    limits: SearchLimits = DEFAULT_LIMITS,
    start: int = 0,
) -> Iterator[SearchEvent]:
    """Walk below `start` depth first; the last event carries the sections entered, best first."""
    search = Search(tree, query, scorer, pilot=pilot, limits=limits, share=BEAM_PILOT_SHARE)
    return _Greedy(search, start_route(tree, start)).run()


class _Greedy:
    """`frontier` holds the branches put aside, the nearest last; `ahead` is the way taken next."""

    def __init__(self, search: Search, start: Route) -> None:
        self.search, self.start, self.last = search, start, start
        self.ahead: Route | None = start
        self.frontier: list[Route] = []
        self.is_found = False
        self.backtracks = 0

    def run(self) -> Iterator[SearchEvent]:
        while self.is_unfinished() and self.search.meter.turn():
            self.take_turn()
            yield from self.search.log.take_events()
        if not self.is_found:
            enter_waiting(self.search, [*([self.ahead] if self.ahead else []), *reversed(self.frontier)], self.start)
        self.search.finish()
        yield from self.search.log.take_events()

    def is_unfinished(self) -> bool:
        has_more = self.ahead is not None or bool(self.frontier)
        return has_more and not self.is_found and len(self.search.entered) < self.search.limits.results

    def take_turn(self) -> None:
        route, self.ahead = self.ahead, None
        if route is None:
            self.backtrack()
        elif is_terminal(self.search, route):
            self.read(route)
        else:
            self.last = route
            self.obey(route, compare(self.search, route))

    def read(self, route: Route) -> None:
        self.last = route
        reading = enter_section(self.search, route)
        self.put_aside(reading.onward)
        match reading.direction:
            case FoundAnswer():
                self.is_found = True
            case JumpTo(target=target) if reading.decision is not None:
                self.ahead = jump_route(self.search, target, reading.decision)
            case ExploreSiblings():
                self.go_on(route, compare_siblings(self.search, route).routes)

    def obey(self, route: Route, comparison: Comparison) -> None:
        match comparison.direction:
            case FoundAnswer():
                self.is_found = True
                conclude(self.search, comparison.routes or (route,))
            case JumpTo(target=target) if comparison.decision is not None:
                self.jump(target, comparison.decision, comparison.routes)
            case Backtrack() if route.keys:
                give_up(self.search, comparison)
            case ExploreSiblings() if route.keys:
                give_up(self.search, comparison)
                self.go_on(route, compare_siblings(self.search, route).routes)
            case _:
                own = make_own_route(self.search, route)
                self.go_on(route, [*comparison.routes, *([own] if own is not None else [])])

    def jump(self, target: int, decision: PilotDecision, routes: Sequence[Route]) -> None:
        self.ahead = jump_route(self.search, target, decision)
        if self.ahead is None:
            self.go_on(self.last, routes)
        else:
            self.put_aside([route for route in routes if route.key != self.search.tree.section_of(target)])

    def go_on(self, route: Route, routes: Sequence[Route]) -> None:
        """Take the best, put the others aside so that the second best is nearest."""
        if not routes:
            return
        best, *others = sorted(routes, key=by_merit)
        self.ahead = best
        self.search.log.log_choice(best)
        self.search.log.log_rejection(others, best.key)
        self.put_aside(others)

    def put_aside(self, routes: Sequence[Route]) -> None:
        self.frontier.extend(sorted(routes, key=by_merit, reverse=True))

    def backtrack(self) -> None:
        """Take up the nearest branch put aside; the pilot may prefer another of those beside it."""
        self.frontier = [route for route in self.frontier if route.own or route.key not in self.search.visited]
        if not self.frontier:
            return
        decision: PilotDecision | None = None
        nearest = len(self.frontier[-1].keys)
        beside = [route for route in self.frontier if len(route.keys) == nearest]
        route = self.frontier[-1]
        if self.backtracks < self.search.limits.backtracks:
            self.backtracks += 1
            ranked, decision = reconsider_routes(self.search, self.last, beside)
            route = ranked[0] if decision is not None else route
        self.frontier = [other for other in self.frontier if (other.key, other.own) != (route.key, route.own)]
        self.search.log.log_return(route, decision)
        self.ahead = route
