"""Enters a section: ranks its leaves, asks whether it answers, and finds the references that lead out of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from vectorless_web.engine.pilot.decision import GoDeeper, PilotDecision, SearchDirection
from vectorless_web.engine.search.events import RankedNode
from vectorless_web.engine.search.guidance import scores_of
from vectorless_web.engine.search.route import Route, mean, merge
from vectorless_web.engine.search.search import Search

MOST_LEAVES = 200
"""Leaves of one section that are handed on to be read, the best."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The section as read, the ways its references open, and what the pilot wants done."""

    node: RankedNode
    onward: tuple[Route, ...] = ()
    direction: SearchDirection = field(default_factory=GoDeeper)
    decision: PilotDecision | None = None


def is_terminal(search: Search, route: Route) -> bool:
    """Whether a way ends in a section to read rather than one to walk on."""
    return route.own or not search.tree.child_sections(route.key)


def own_reading(search: Search, route: Route) -> Route | None:
    """A section's own leaves as something to read, when it has subsections besides."""
    leaves = search.own_leaves(route.key)
    best = max(search.scores(leaves), default=0.0)
    return route.reading_itself(best) if best > 0.0 else None


def enter(search: Search, route: Route, *, asking: bool = True) -> Reading:
    """Read the section at the end of a way."""
    search.visited.add(route.key)
    leaves = _ranked_leaves(search, route)
    decision = _evaluation(search, route) if asking else None
    node = RankedNode(route.key, _score(search, route, decision), route.keys, route.reason, leaves)
    search.entered.append(node)
    search.log.entered(node, decision)
    direction = decision.direction if decision is not None else GoDeeper()
    onward = references_from(search, route, leaves) if asking else ()
    return Reading(node=node, onward=onward, direction=direction, decision=decision)


def references_from(search: Search, route: Route, leaves: Sequence[int]) -> tuple[Route, ...]:
    """Ways along references to sections not visited yet, best first; each reference is followed once."""
    targets = _targets(search, route.key, leaves)
    scored = sorted(zip(targets, search.scores(targets), strict=True), key=lambda pair: (-pair[1], pair[0]))
    found = []
    for target, score in scored[: search.limits.references]:
        search.followed.add((route.key, target))
        found.append(route.extended(target, score, f"{_title(search, route.key)} refers to it"))
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
    last = merge(said.score if said else None, route.scores[-1], confidence=decision.confidence, share=search.share)
    return mean((*route.scores[:-1], last))


def _title(search: Search, key: int) -> str:
    return search.tree.node(key).title or "The section before"
