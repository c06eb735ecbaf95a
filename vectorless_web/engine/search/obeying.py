"""Turns a pilot's direction into ways to walk: jumps, siblings, the branches put aside."""

from collections.abc import Sequence
from dataclasses import replace

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.decision import PilotDecision
from vectorless_web.engine.search.comparing import Comparison, judge
from vectorless_web.engine.search.guidance import scores_of
from vectorless_web.engine.search.reading import enter
from vectorless_web.engine.search.route import Route, by_merit, merge
from vectorless_web.engine.search.search import Search


def start_route(tree: Tree, start: int) -> Route:
    """The way to the node a search starts from; its steps are not scored."""
    keys = (*tree.ancestors(start)[1:], start) if start else ()
    return Route(keys, (), (None,) * len(keys))


def jump_route(search: Search, target: int, decision: PilotDecision) -> Route | None:
    """The straight way to the section of `target`; None when it was visited before."""
    key = search.tree.section_of(target)
    if key in search.visited or key == 0:
        search.log.note("The pilot pointed to a place already visited; the walk goes on.")
        return None
    score = merge(1.0, search.scores([key])[0], confidence=decision.confidence, share=search.share)
    keys = (*search.tree.ancestors(key)[1:], key)
    reason = decision.reasoning or "the pilot points to it"
    route = Route(keys, (score,), (*(None,) * (len(keys) - 1), reason))
    search.log.jumped(route)
    return route


def compare_siblings(search: Search, route: Route) -> Comparison:
    """Judge the unvisited siblings of a way's last node, beside it: they extend the way to its parent."""
    if not route.keys:
        return Comparison()
    beside = search.tree.child_sections(search.tree.parent(route.key))
    candidates = search.unvisited([key for key in beside if key != route.key])
    if not candidates:
        return Comparison()
    parent = Route(route.keys[:-1], route.scores[:-1], route.reasons[:-1])
    return judge(search, parent, candidates)


def reconsider(search: Search, failed: Route, shelf: Sequence[Route]) -> tuple[list[Route], PilotDecision | None]:
    """The put-aside ways re-scored by what the pilot says of them, best first; each stays where it branched off."""
    ways = {route.key: route for route in sorted(shelf, key=by_merit, reverse=True)}
    state = search.state(failed, list(ways), [route.scores[-1] for route in ways.values()])
    decision = search.guidance.backtrack(replace(state, is_backtracking=True))
    if decision is None:
        return sorted(shelf, key=by_merit), None
    return sorted((_reconsidered(search, route, decision) for route in shelf), key=by_merit), decision


def _reconsidered(search: Search, route: Route, decision: PilotDecision) -> Route:
    said = scores_of(decision, [route.key])[0]
    if said is None:
        return route
    last = merge(said.score, route.scores[-1], confidence=decision.confidence, share=search.share)
    reasons = (*route.reasons[:-1], said.reason or route.reason or None)
    return replace(route, scores=(*route.scores[:-1], last), reasons=reasons)


def give_up(search: Search, comparison: Comparison) -> None:
    """Tell that a branch is given up, on the pilot's word."""
    why = comparison.decision.reasoning if comparison.decision else ""
    search.log.rejected(comparison.routes, None, why or "the pilot gave this branch up")


def conclude(search: Search, routes: Sequence[Route]) -> None:
    """The pilot has found the answer: enter what it points to, ask nothing more."""
    enter(search, min(routes, key=by_merit), asking=False)


def settle(search: Search, waiting: Sequence[Route], start: Route) -> None:
    """Enter what waits when a search ends early, without asking anyone; never end with nothing to show."""
    seen = {node.key for node in search.entered}
    fresh: dict[int, Route] = {}
    for route in waiting:
        if route.key not in seen and (route.own or route.key not in search.visited):
            fresh.setdefault(route.key, route)
    if not seen and not fresh:
        fresh = {route.key: route for route in _last_resort(search, start)}
    room = search.limits.results - len(search.entered)
    for route in list(fresh.values())[:room]:
        enter(search, route, asking=False)
    best = max(search.entered, key=lambda node: node.score, default=None)
    search.log.rejected(list(fresh.values())[room:], best.key if best is not None else None)


def _last_resort(search: Search, start: Route) -> list[Route]:
    """Everything was given up: the start's own sections by their scores, else the start itself."""
    children = search.tree.child_sections(start.key)
    ways = [start.extended(key, score, None) for key, score in zip(children, search.scores(children), strict=True)]
    return sorted(ways, key=by_merit) or [start]
