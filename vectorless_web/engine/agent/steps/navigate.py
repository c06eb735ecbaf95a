"""SCAN and NAVIGATE: what stands below a section, moves in the tree, and the guided search below a node."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vectorless_web.engine.agent.context.outline import join_names, pages_of, pages_words, say_count, shorten_title
from vectorless_web.engine.agent.events import Rejected, StepResult, refuse_step
from vectorless_web.engine.agent.steps.extract import only_points
from vectorless_web.engine.agent.steps.packing import describe_retrieval, observed_nodes, retriever, take_packed
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.navigation.beam import beam
from vectorless_web.engine.navigation.events import RankedNode, SearchReport, report
from vectorless_web.engine.navigation.pilots.pilot import MinimalPilot
from vectorless_web.engine.navigation.search import SearchLimits
from vectorless_web.engine.ranking.finder import Candidate

MAX_REJECTED = 8
"""Rejected branches carried into the trace."""

MAX_REFS = 24
"""Nodes of the map that one step carries."""

SEARCH_SECONDS = 20.0

FOLLOWED = 12
"""Leaves read of what a reference names."""

ENTERED = 12
"""Leaves that a search brings of the sections it found, the best ones."""

MOVES = ("parent", "children", "next", "previous")


class Navigator:
    """Takes NAVIGATE steps; `pilot_for` gives the pilot that guides the search of a walk."""

    def __init__(self, *, pilot_for: Callable[[Walk], MinimalPilot]) -> None:
        self._pilot_for = pilot_for

    def navigate(self, walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
        """Move from a node in the direction asked, follow a reference, or search below the node."""
        key = arguments.get("node", walk.position)
        if key not in walk.document.tree:
            return refuse_step(f"Looked for section {key}, which this document does not have.")
        direction = str(arguments.get("direction", "search"))
        if direction == "search":
            return self._search(walk, key)
        if direction == "reference":
            return _follow_reference(walk, key, arguments.get("target"))
        if direction == "place":
            return _go_to_place(walk, key)
        if direction not in MOVES:
            return refuse_step(
                f"Knew no way called {direction!r}; ways are {join_names([*MOVES, 'reference', 'search'])}."
            )
        return _move_to_relative(walk, key, direction)

    def _search(self, walk: Walk, start: int) -> StepResult:
        clock, seconds = walk.deadline.search(walk.place, SEARCH_SECONDS)
        limits = SearchLimits(wall_seconds=seconds, clock=clock)
        events = beam(walk.document.tree, walk.plan, walk.finder.scorer, self._pilot_for(walk), limits, start)
        told = report(events)
        brought = _open_ranked_leaves(walk, told.ranked)
        rejected = tuple(
            Rejected(walk.title_of(r.key), r.reason, walk.ref(r.key, "turned_back"))
            for r in told.rejected[:MAX_REJECTED]
        )
        walk.rejected.extend(rejected)
        if told.ranked:
            walk.position = told.ranked[0].key
        return StepResult(
            say=_describe_path(walk, told, brought) if told.ranked else _describe_failed_search(walk, start),
            observation=_search_row(walk, told),
            refs=tuple(walk.ref(mark.key, mark.role) for mark in told.marks if mark.role != "turned_back")[:MAX_REFS],
            rejected=rejected,
            confidence=_measure_best_coverage(walk, told),
            engine=told.engine,
            tokens=told.stats.tokens,
            cost_usd=told.stats.cost_usd,
            is_idle=not brought and told.engine == "offline" and not told.stats.tokens,
        )


def _open_ranked_leaves(walk: Walk, ranked: Sequence[RankedNode]) -> int:
    """Bring the leaves of the sections found that no step had brought, in the order of the search; how many."""
    tree = walk.document.tree
    seen: dict[int, Candidate] = {}
    # A section that nothing speaks for is only the first of many.
    for node in (node for node in ranked if node.score > 0):
        leaves = node.leaves or ((node.key,) if tree.node(node.key).is_leaf else ())
        for position, leaf in enumerate(leaves):
            seen.setdefault(leaf, Candidate(leaf, node.score, node.score / (1 + position)))
    walk.structure = list(seen.values())
    new = [leaf for leaf in seen if leaf not in walk.opened][:ENTERED]
    walk.open_with_context(new)
    walk.queue = [seen[leaf] for leaf in new] + walk.queue
    return len(new)


def _go_to_place(walk: Walk, key: int) -> StepResult:
    """Go where documents say what is asked for, and bring what stands there, in reading order."""
    tree = walk.document.tree
    new = walk.open_with_context(walk.places)
    section = tree.section_of(key)
    walk.position = section
    walk.queue = [Candidate(leaf, 1.0, 1.0) for leaf in new] + walk.queue
    title = shorten_title(walk.title_of(section) if section else walk.entry.title or walk.entry.name)
    return StepResult(
        say=f"Went to {title}, {pages_of(tree.node(section))}, and opened {say_count(len(new), 'passage')}",
        observation={"at": section, "title": walk.title_of(section), **observed_nodes(walk, new)},
        refs=(walk.ref(section),),
    )


def _describe_failed_search(walk: Walk, start: int) -> str:
    return f"Searched {shorten_title(walk.title_of(start))} section by section; no branch speaks of the question"


def _describe_path(walk: Walk, told: SearchReport, brought: int) -> str:
    best = told.ranked[0]
    path = [walk.title_of(key) for key in best.path] or walk.document.tree.path(best.key)
    way = ", then ".join(shorten_title(title) for title in path[:-1])
    where = f"{shorten_title(walk.title_of(best.key))}, {pages_of(walk.document.tree.node(best.key))}"
    every = len(walk.document.tree.leaves())
    opened = f"opened {brought} of {say_count(every, 'passage')}" if brought else "everything there was open already"
    return f"Went down to {where}" + (f", by way of {way}" if way else "") + f"; {opened}"


def _measure_best_coverage(walk: Walk, told: SearchReport) -> float:
    leaves = told.ranked[0].leaves[:3] if told.ranked else ()
    return round(max((walk.finder.node_coverage(leaf) for leaf in leaves), default=0.0), 4)


def _search_row(walk: Walk, told: SearchReport) -> dict[str, Any]:
    return {
        "ranked": [_ranked_row(walk, node) for node in told.ranked],
        "path": [walk.title_of(key) for key in told.ranked[0].path] if told.ranked else [],
        "reason": told.ranked[0].reason if told.ranked else "",
        "log": list(told.log[:20]),
        "notes": list(told.notes),
        "sections_compared": told.stats.sections_scored,
        "consultations": told.stats.consultations,
    }


def _ranked_row(walk: Walk, node: RankedNode) -> dict[str, Any]:
    found = walk.document.tree.node(node.key)
    return {
        "key": node.key,
        "title": walk.title_of(node.key),
        "pages": pages_of(found),
        "score": round(node.score, 4),
        "reason": node.reason,
    }


def _follow_reference(walk: Walk, key: int, target: object) -> StepResult:
    """Follow a reference made in a leaf to the node it names."""
    known = {reference.target: "" for reference in walk.document.tree.references(key)}
    known |= {reference: words for words, reference in walk.references()}
    if not isinstance(target, int) or target not in walk.document.tree or target not in known:
        return refuse_step(f"Found no reference to {target} in {shorten_title(walk.title_of(key))}.")
    pointer = walk.find_pointer(target)
    walk.followed.add(target)
    walk.position = target
    node = walk.document.tree.node(target)
    leaves = walk.document.tree.leaves(target)[:FOLLOWED]
    if pointer is not None and only_points(walk, pointer, target):
        walk.led.update(dict.fromkeys(leaves, pointer))
    # What was read before is read again: now it is known what it is about.
    walk.read = [key for key in walk.read if key not in leaves]
    walk.queue = [Candidate(leaf, 1.0, 1.0) for leaf in leaves] + walk.queue
    result = retriever(walk).structure([walk.address(leaf) for leaf in leaves]).execute()
    take_packed(walk, result)
    title, words = shorten_title(walk.title_of(target)), shorten_title(known[target])
    # "Note 16" leads to "Note 16. Contingencies": said twice it reads as a slip.
    named = f" “{words}”" if words and not title.casefold().startswith(words.casefold()) else ""
    return StepResult(
        say=f"Followed the reference{named} to {title}, {pages_of(node)}",
        observation={
            "at": target,
            "title": walk.title_of(target),
            "pages": pages_of(node),
            **describe_retrieval(walk, result),
        },
        refs=(walk.ref(target),),
    )


def _move_to_relative(walk: Walk, key: int, direction: str) -> StepResult:
    tree = walk.document.tree
    if direction == "children":
        found = tree.children(key)
    elif direction == "parent":
        found = [tree.parent(key)] if key else []
    else:
        found = _find_sibling(walk, key, 1 if direction == "next" else -1)
    if not found:
        return refuse_step(
            f"Stood at {shorten_title(walk.title_of(key))}, which has nothing in the direction “{direction}”."
        )
    walk.position = found[0] if direction != "children" else key
    here = tree.node(walk.position)
    return StepResult(
        say=f"Moved to {shorten_title(walk.title_of(walk.position))}, {pages_of(here)}",
        observation={
            "at": walk.position,
            "path": tree.path(walk.position),
            "nodes": [
                {
                    "key": k,
                    "title": walk.title_of(k),
                    "pages": pages_words(tree.node(k).page_start, tree.node(k).page_end),
                }
                for k in found[:40]
            ],
        },
        refs=(walk.ref(walk.position),),
    )


def _find_sibling(walk: Walk, key: int, step: int) -> list[int]:
    parent = walk.document.tree.parent(key)
    family = walk.document.tree.children(parent) if parent >= 0 else []
    place = family.index(key) + step if key in family else -1
    return [family[place]] if 0 <= place < len(family) else []


SHOWN = 40
"""Children listed in an observation; the rest are counted."""

PROMISING = 0.6
"""A child within this share of the best one looks promising too."""


def scan(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Look over the children of a section: titles, sizes, hints and the best score in each subtree."""
    tree, key = walk.document.tree, arguments.get("node", 0)
    if key not in tree:
        return refuse_step(f"Looked for section {key}, which this document does not have.")
    children = tree.child_sections(key) or tree.children(key)
    if not children:
        return refuse_step(f"Looked into {walk.title_of(key)}, which has no parts.")
    worth = [(walk.finder.best_below(child), child) for child in children]
    best = sorted(worth, key=lambda pair: (-round(pair[0], 9), pair[1]))
    promising = [child for score, child in best[:3] if score > 0 and score >= PROMISING * best[0][0]]
    walk.position = key
    return StepResult(
        say=_describe_scan(walk, key, children, promising),
        observation=_describe_children(walk, worth, promising),
        refs=(walk.ref(key), *(walk.ref(child, "looked") for child in [c for _, c in best[:8]])),
        rejected=tuple(
            Rejected(walk.title_of(child), "none of the question's words stand in it", walk.ref(child, "looked"))
            for score, child in worth
            if score <= 0
        )[:8],
        confidence=round(walk.finder.node_coverage(walk.finder.scorer.evidence(best[0][1]).best), 4),
    )


def _describe_scan(walk: Walk, key: int, children: Sequence[int], promising: Sequence[int]) -> str:
    name = shorten_title(walk.title_of(key)) if key else shorten_title(walk.entry.title)
    size = say_count(len(children), "section" if walk.document.tree.child_sections(key) else "passage")
    if not promising:
        return f"Looked over {name}, {size}; none speaks of the question"
    titles = [
        f"{shorten_title(walk.title_of(child))} ({pages_of(walk.document.tree.node(child))})" for child in promising
    ]
    verb = "looks" if len(titles) == 1 else "look"
    return f"Looked over {name}, {size}; {join_names(titles)} {verb} most promising"


def _describe_children(walk: Walk, worth: Sequence[tuple[float, int]], promising: Sequence[int]) -> dict[str, Any]:
    rows = [
        {
            "key": child,
            "title": walk.title_of(child),
            "pages": pages_of(walk.document.tree.node(child)),
            "tokens": walk.document.tree.node(child).token_count,
            "score": round(score, 4),
            "promising": child in promising,
        }
        for score, child in worth[:SHOWN]
    ]
    return {"children": rows, "not_listed": max(0, len(worth) - SHOWN)}
