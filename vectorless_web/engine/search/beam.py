"""Beam search: the best few branches are walked side by side, the rest is put aside for backtracking."""

from collections.abc import Iterator, Sequence

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.decision import Backtrack, ExploreSiblings, FoundAnswer, JumpTo, PilotDecision
from vectorless_web.engine.pilot.scorer import Scorer
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.search.comparing import Comparison, compare
from vectorless_web.engine.search.events import SearchEvent
from vectorless_web.engine.search.limits import SearchLimits
from vectorless_web.engine.search.obeying import compare_siblings, jump_route, reconsider, start_route
from vectorless_web.engine.search.reading import enter, is_terminal, own_reading
from vectorless_web.engine.search.route import BEAM_PILOT_SHARE, Route
from vectorless_web.engine.search.search import Search

DEFAULT_LIMITS = SearchLimits()


def beam(
    tree: Tree,
    query: QueryPlan,
    scorer: Scorer,
    pilot: object,
    limits: SearchLimits = DEFAULT_LIMITS,
    start: int = 0,
) -> Iterator[SearchEvent]:
    """Walk below `start`, `limits.width` branches side by side.

    The last event carries the sections entered, best first, and what the search cost.
    """
    search = Search(tree, query, scorer, pilot=pilot, limits=limits, share=BEAM_PILOT_SHARE)
    return _Beam(search, start_route(tree, start)).run()


class _Beam:
    """`frontier` is walked next, `shelf` was put aside, `pool` waits to be entered."""

    def __init__(self, search: Search, start: Route) -> None:
        self.search, self.limits = search, search.limits
        self.frontier, self.shelf, self.pool = [start], list[Route](), list[Route]()
        self.last = start
        self.start = start
        self.is_found = False
        self.backtracks = 0

    def run(self) -> Iterator[SearchEvent]:
        while self.is_unfinished() and self.search.meter.turn():
            self.take_turn()
            yield from self.search.log.told()
        self.settle()
        self.search.finish()
        yield from self.search.log.told()

    def is_unfinished(self) -> bool:
        has_more = bool(self.frontier or self.shelf or self.pool)
        return has_more and not self.is_found and len(self.search.entered) < self.limits.results

    def take_turn(self) -> None:
        if self.frontier:
            self.advance()
        elif self.shelf and (not self.pool or best(self.shelf).score > best(self.pool).score):
            self.backtrack()
        else:
            self.enter_best()

    def advance(self) -> None:
        """Expand every branch of the beam; keep the best `width` of all that comes out."""
        walked, self.frontier = self.frontier, []
        found: list[Route] = []
        for place, route in enumerate(walked):
            if place and not self.search.meter.turn():
                self.pool.extend(walked[place:])
                break
            found.extend(self.expand(route))
            if self.is_found:
                return
        self.keep(found)

    def expand(self, route: Route) -> Sequence[Route]:
        self.last = route
        if is_terminal(self.search, route):
            self.await_entry(route)
            return ()
        comparison = compare(self.search, route)
        own = own_reading(self.search, route)
        if own is not None:
            self.await_entry(own)
        return self.obey(route, comparison)

    def await_entry(self, route: Route) -> None:
        """Let a section wait to be entered; reached twice, the better way counts."""
        rivals = [other for other in self.pool if other.key == route.key]
        if rivals and best(rivals).score >= route.score:
            return
        self.pool = [*(other for other in self.pool if other.key != route.key), route]

    def obey(self, route: Route, comparison: Comparison) -> Sequence[Route]:
        """Do what the pilot says with what a comparison found."""
        match comparison.direction:
            case FoundAnswer():
                self.conclude(comparison.routes or (route,))
                return ()
            case JumpTo(target=target):
                return self.jump(target, comparison)
            case Backtrack() if route.keys:
                return self.give_up(comparison)
            case ExploreSiblings() if route.keys:
                self.give_up(comparison)
                return compare_siblings(self.search, route).routes
        return comparison.routes

    def jump(self, target: int, comparison: Comparison) -> Sequence[Route]:
        if comparison.decision is None:
            return comparison.routes
        route = jump_route(self.search, target, comparison.decision)
        if route is None:
            return comparison.routes
        self.put_aside([other for other in comparison.routes if other.key != route.key])
        return (route,)

    def give_up(self, comparison: Comparison) -> Sequence[Route]:
        why = comparison.decision.reasoning if comparison.decision else ""
        self.search.log.rejected(comparison.routes, None, why or "the pilot gave this branch up")
        return ()

    def keep(self, found: Sequence[Route]) -> None:
        """The best `width` become the beam; the rest is put aside."""
        fresh = {route.key: route for route in sorted(found, key=order, reverse=True) if self.is_fresh(route)}
        hopeless = [route for route in fresh.values() if route.scores[-1] <= 0.0]
        if len(hopeless) < len(fresh):
            self.search.log.rejected(hopeless, None)
        ranked = sorted((route for route in fresh.values() if route not in hopeless), key=order)
        self.frontier = ranked[: self.limits.width]
        for route in self.frontier:
            self.search.log.chosen(route)
        rest = ranked[self.limits.width :]
        self.search.log.rejected(rest, ranked[0] if ranked else None)
        self.put_aside(rest)

    def is_fresh(self, route: Route) -> bool:
        return route.key not in self.search.visited and all(other.key != route.key for other in self.pool)

    def put_aside(self, routes: Sequence[Route]) -> None:
        self.shelf = sorted([*self.shelf, *routes], key=order)[: self.limits.shelf]

    def backtrack(self) -> None:
        """Take the best branch up again that was put aside."""
        decision: PilotDecision | None = None
        self.shelf = [route for route in sorted(self.shelf, key=order) if self.is_fresh(route)]
        if self.shelf and self.backtracks < self.limits.backtracks:
            self.backtracks += 1
            self.shelf, decision = reconsider(self.search, self.last, self.shelf)
        if not self.shelf:
            return
        if decision is not None and isinstance(decision.direction, FoundAnswer):
            self.is_found = bool(self.search.entered)
        route = self.shelf.pop(0)
        self.search.log.returned(route, decision)
        self.frontier = [route]

    def enter_best(self) -> None:
        """Enter the most promising section that waits; its references may lead the walk on."""
        route = best(self.pool)
        self.pool.remove(route)
        reading = enter(self.search, route)
        self.last = route
        self.put_aside([onward for onward in reading.onward if self.is_fresh(onward)])
        match reading.direction:
            case FoundAnswer():
                self.is_found = True
            case JumpTo(target=target) if reading.decision is not None:
                jumped = jump_route(self.search, target, reading.decision)
                self.frontier = [jumped] if jumped is not None else []
            case ExploreSiblings():
                self.keep(compare_siblings(self.search, route).routes)

    def conclude(self, routes: Sequence[Route]) -> None:
        """The pilot has found the answer: enter what it points to and stop."""
        self.is_found = True
        enter(self.search, best(routes), asking=False)

    def settle(self) -> None:
        """Enter what waited when the search was stopped, without asking anyone; never end with nothing to show."""
        waiting = sorted([*self.pool, *self.frontier], key=order) if not self.is_found else []
        if not self.search.entered and not waiting:
            waiting = sorted(self.shelf, key=order) or self.last_resort()
        for route in waiting[: self.limits.results - len(self.search.entered)]:
            enter(self.search, route, asking=False)

    def last_resort(self) -> list[Route]:
        """Everything was given up: the start's own sections by their scores, else the start itself."""
        children = self.search.tree.child_sections(self.start.key)
        scored = zip(children, self.search.scores(children), strict=True)
        ways = [self.start.extended(key, score, None) for key, score in scored]
        return sorted(ways, key=order) or [self.start]


def order(route: Route) -> tuple[float, int, bool]:
    """Best first, ties in reading order."""
    return route.order


def best(routes: Sequence[Route]) -> Route:
    """The most promising of some ways."""
    return min(routes, key=order)
