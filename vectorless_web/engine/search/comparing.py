"""Compares the children of a node: narrowed when there are many, judged by scorer and pilot together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from vectorless_web.engine.pilot.decision import GoDeeper, PilotDecision, RankedCandidate, SearchDirection
from vectorless_web.engine.pilot.gate import needs_prefilter, needs_pruning
from vectorless_web.engine.pilot.state import SearchState
from vectorless_web.engine.search.guidance import scores_of
from vectorless_web.engine.search.route import Route, by_merit, merge
from vectorless_web.engine.search.search import Search


@dataclass(frozen=True, slots=True)
class Comparison:
    """The ways into the children, best first, and what the pilot wants done."""

    routes: tuple[Route, ...] = ()
    direction: SearchDirection = field(default_factory=GoDeeper)
    decision: PilotDecision | None = None


def compare(search: Search, route: Route) -> Comparison:
    """Judge the unvisited child sections at the end of a way."""
    search.visited.add(route.key)
    candidates = search.unvisited(search.tree.child_sections(route.key))
    if not candidates:
        return Comparison()
    return judge(search, route, candidates)


def judge(search: Search, route: Route, candidates: Sequence[int]) -> Comparison:
    """Judge the candidates as next steps of a way."""
    full = search.state(route, candidates, search.scores(candidates))
    shown = _narrowed(search, full)
    decision = _advice(search, full, shown)
    search.iteration += 1
    routes = _merged(search, route, shown, decision)
    search.log.compared(route, routes, decision)
    routes = _hopeful(search, routes)
    direction = decision.direction if decision is not None else GoDeeper()
    return Comparison(routes=routes, direction=direction, decision=decision)


def _advice(search: Search, full: SearchState, shown: SearchState) -> PilotDecision | None:
    is_first = search.iteration == 0
    if is_first and len(shown.candidates) == len(full.candidates):
        return search.guidance.start(shown, shown.current_node or 0)
    return search.guidance.decide(shown)


def _narrowed(search: Search, state: SearchState) -> SearchState:
    """Prune first, then keep the best-scored; what goes is told."""
    pruned = _pruned(search, state)
    config = search.guidance.config
    if not search.guidance.is_active or not needs_prefilter(len(pruned.candidates), config):
        return pruned
    kept = _best(pruned, config.prefilter)
    return _restricted(search, pruned, kept, why="other sections match the question's words better")


def _pruned(search: Search, state: SearchState) -> SearchState:
    config = search.guidance.config
    if not needs_pruning(len(state.candidates), config):
        return state
    kept = search.guidance.prune(state)
    if kept is None:
        return state
    # A pilot that drops too much is topped up with the best-scored.
    wanted = set(kept) if len(kept) >= config.prune_keep else set(kept) | _best(state, config.prune_keep)
    return _restricted(search, state, wanted, why="set aside at a glance, among many")


def _restricted(search: Search, state: SearchState, kept: set[int], *, why: str) -> SearchState:
    search.log.dropped([key for key in state.candidates if key not in kept], why)
    pairs = [pair for pair in zip(state.candidates, state.scores, strict=True) if pair[0] in kept]
    route = Route(state.path, reasons=state.step_reasons or ())
    return search.state(route, [key for key, _ in pairs], [score for _, score in pairs])


def _best(state: SearchState, count: int) -> set[int]:
    order = sorted(zip(state.scores, state.candidates, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return {key for _, key in order[:count]}


def _merged(search: Search, route: Route, state: SearchState, decision: PilotDecision | None) -> tuple[Route, ...]:
    said = scores_of(decision, state.candidates)
    confidence = decision.confidence if decision is not None else 0.0
    routes = [
        _step(search, route, key, score=score, said=opinion, confidence=confidence)
        for key, score, opinion in zip(state.candidates, state.scores, said, strict=True)
    ]
    return tuple(sorted(routes, key=by_merit))


def _step(
    search: Search, route: Route, key: int, *, score: float, said: RankedCandidate | None, confidence: float
) -> Route:
    pilot = said.score if said is not None else None
    merged = merge(pilot, score, confidence=confidence, share=search.share)
    return route.extended(key, merged, said.reason if said is not None and said.reason else None)


def _hopeful(search: Search, routes: tuple[Route, ...]) -> tuple[Route, ...]:
    """The ways for which anything speaks; all of them when nothing speaks for any."""
    hopeful = tuple(route for route in routes if route.scores[-1] > 0.0)
    if not hopeful:
        return routes
    search.log.rejected([route for route in routes if route.scores[-1] <= 0.0], None)
    return hopeful
