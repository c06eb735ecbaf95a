"""The moves of a search: comparing children, entering a section, following a pilot's direction."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.navigation.events import RankedNode
from vectorless_web.engine.navigation.guidance import scores_of
from vectorless_web.engine.navigation.pilots.pilot import (
    GoDeeper,
    PilotDecision,
    RankedCandidate,
    SearchDirection,
    SearchState,
    needs_prefilter,
    needs_pruning,
)
from vectorless_web.engine.navigation.search import Route, Search, average_scores, by_merit, merge_scores


@dataclass(frozen=True, slots=True)
class Comparison:
    """The routes into the children, best first, and the direction the pilot gives."""

    routes: tuple[Route, ...] = ()
    direction: SearchDirection = field(default_factory=GoDeeper)
    decision: PilotDecision | None = None


def compare(search: Search, route: Route) -> Comparison:
    """Judge the unvisited child sections at the end of a way."""
    search.visited.add(route.key)
    candidates = search.list_unvisited(search.tree.child_sections(route.key))
    if not candidates:
        return Comparison()
    return judge_candidates(search, route, candidates)


def judge_candidates(search: Search, route: Route, candidates: Sequence[int]) -> Comparison:
    """Judge the candidates as next steps of a way."""
    full = search.state(route, candidates, search.scores(candidates))
    shown = _narrow_state(search, full)
    decision = _advice(search, full, shown)
    search.iteration += 1
    routes = _merge_routes(search, route, shown, decision)
    search.log.log_comparison(route, routes, decision)
    routes = _keep_hopeful(search, routes)
    direction = decision.direction if decision is not None else GoDeeper()
    return Comparison(routes=routes, direction=direction, decision=decision)


def _advice(search: Search, full: SearchState, shown: SearchState) -> PilotDecision | None:
    is_first = search.iteration == 0
    if is_first and len(shown.candidates) == len(full.candidates):
        return search.guidance.start(shown, shown.current_node or 0)
    return search.guidance.decide(shown)


def _narrow_state(search: Search, state: SearchState) -> SearchState:
    """Prune first, then keep the best-scored; what goes is told."""
    pruned = _prune_state(search, state)
    config = search.guidance.config
    if not search.guidance.is_active or not needs_prefilter(len(pruned.candidates), config):
        return pruned
    kept = _pick_best(pruned, config.prefilter)
    return _restrict_state(search, pruned, kept, why="other sections match the question's words better")


def _prune_state(search: Search, state: SearchState) -> SearchState:
    config = search.guidance.config
    if not needs_pruning(len(state.candidates), config):
        return state
    kept = search.guidance.prune(state)
    if kept is None:
        return state
    # A pilot that drops too much is topped up with the best-scored.
    wanted = set(kept) if len(kept) >= config.prune_keep else set(kept) | _pick_best(state, config.prune_keep)
    return _restrict_state(search, state, wanted, why="set aside at a glance, among many")


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
    return route.extend_route(key, merged, said.reason if said is not None and said.reason else None)


def _keep_hopeful(search: Search, routes: tuple[Route, ...]) -> tuple[Route, ...]:
    """The ways for which anything speaks; all of them when nothing speaks for any."""
    hopeful = tuple(route for route in routes if route.scores[-1] > 0.0)
    if not hopeful:
        return routes
    search.log.log_rejection([route for route in routes if route.scores[-1] <= 0.0], None)
    return hopeful


MOST_LEAVES = 200
"""Leaves of one section that are handed on to be read, the best. Bounds the time of a step; chosen by hand."""


@dataclass(frozen=True, slots=True)
class SectionReading:
    """A section that was read, the routes along its references, and the direction the pilot gives."""

    node: RankedNode
    onward: tuple[Route, ...] = ()
    direction: SearchDirection = field(default_factory=GoDeeper)
    decision: PilotDecision | None = None


def is_terminal(search: Search, route: Route) -> bool:
    """Whether a way ends in a section to read rather than one to walk on."""
    return route.own or not search.tree.child_sections(route.key)


def make_own_route(search: Search, route: Route) -> Route | None:
    """A section's own leaves as something to read, when it has subsections besides."""
    leaves = search.own_leaves(route.key)
    best = max(search.scores(leaves), default=0.0)
    return route.reading_itself(best) if best > 0.0 else None


def enter_section(search: Search, route: Route, *, asking: bool = True) -> SectionReading:
    """Read the section at the end of a way."""
    search.visited.add(route.key)
    leaves = _ranked_leaves(search, route)
    decision = _evaluation(search, route) if asking else None
    node = RankedNode(route.key, _score(search, route, decision), route.keys, route.reason, leaves)
    search.entered.append(node)
    search.log.log_entry(node, decision)
    direction = decision.direction if decision is not None else GoDeeper()
    onward = references_from(search, route, leaves) if asking else ()
    return SectionReading(node=node, onward=onward, direction=direction, decision=decision)


def references_from(search: Search, route: Route, leaves: Sequence[int]) -> tuple[Route, ...]:
    """Ways along references to sections not visited yet, best first; each reference is followed once."""
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
    return search.guidance.decide(search.state(route, (), best_score=route.scores[-1] if route.scores else 0.0))


def _score(search: Search, route: Route, decision: PilotDecision | None) -> float:
    """The way's score, its last step merged with what the pilot says of the section itself."""
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
    """The way to the node a search starts from; its steps are not scored."""
    keys = (*tree.ancestors(start)[1:], start) if start else ()
    return Route(keys, (), (None,) * len(keys))


def jump_route(search: Search, target: int, decision: PilotDecision) -> Route | None:
    """The straight way to the section of `target`; None when it was visited before."""
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


def compare_siblings(search: Search, route: Route) -> Comparison:
    """Judge the unvisited siblings of a way's last node, beside it: they extend the way to its parent."""
    if not route.keys:
        return Comparison()
    beside = search.tree.child_sections(search.tree.parent(route.key))
    candidates = search.list_unvisited([key for key in beside if key != route.key])
    if not candidates:
        return Comparison()
    parent = Route(route.keys[:-1], route.scores[:-1], route.reasons[:-1])
    return judge_candidates(search, parent, candidates)


def reconsider_routes(
    search: Search, failed: Route, frontier: Sequence[Route]
) -> tuple[list[Route], PilotDecision | None]:
    """The put-aside ways re-scored by what the pilot says of them, best first; each stays where it branched off."""
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


def give_up(search: Search, comparison: Comparison) -> None:
    """Log that a branch is given up because the pilot says so."""
    why = comparison.decision.reasoning if comparison.decision else ""
    search.log.log_rejection(comparison.routes, None, why or "the pilot gave this branch up")


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
