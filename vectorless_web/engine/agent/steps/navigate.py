"""SCAN, NAVIGATE and RETRIEVE: what stands below a section, moves in the tree, and nodes fetched by key or search."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.context.outline import (
    join_names,
    on_pages,
    pages_of,
    pages_words,
    say_count,
    shorten_title,
)
from vectorless_web.engine.agent.context.vector_lane import LaneQuery, lane_query
from vectorless_web.engine.agent.events import Rejected, StepResult, refuse_step
from vectorless_web.engine.agent.steps.extract import extract, only_points, sweep
from vectorless_web.engine.agent.steps.nearness import NearnessReranker, measure_nearness
from vectorless_web.engine.agent.steps.packing import (
    CoverageReranker,
    describe_retrieval,
    list_nearest,
    observed_nodes,
    retriever,
    take_packed,
)
from vectorless_web.engine.agent.steps.read import look_up, read_named
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.figures.needs import wants_figures
from vectorless_web.engine.navigation.events import RankedNode, SearchReport, report
from vectorless_web.engine.navigation.pilots.pilot import MinimalPilot
from vectorless_web.engine.navigation.search import SearchLimits
from vectorless_web.engine.navigation.strategies import beam
from vectorless_web.engine.ranking.finder import Candidate
from vectorless_web.engine.retrieval import CommunityFilter, NodeAddress, Retriever, SectionCommunities
from vectorless_web.engine.retrieval.packing import NodeReranker
from vectorless_web.engine.text.similarity import token_set_ratio

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


UNASKED = 12
"""Passages that are copied from before a model is asked."""

MOST_ITEMS = 24
"""Nodes one RETRIEVE packs."""

SAME_SECTION = CommunityFilter(enabled=True, max_per_community=4)
"""The rest of a note or statement, a table broken over nodes: each of the best three brings up to four leaves."""

READ_BESIDE, AS_MUCH = 8, 0.8
"""Passages, the best ones, with which a place that the question names is compared, and the share of the best one's fit
from which it is read alone: with less the place does not speak of what is asked, and the question may have erred."""

AROUND = 40
"""Tokens that rendering adds to a leaf's own: where it stands, its id, its page."""

TITLE_LIKENESS = 80.0
"""Least likeness (0..100) of a title that is taken for the one asked for."""

_NUMBERS = re.compile(r"\d+[a-z]?(?:\.\d+)*|\b[ivxlc]+\b", re.I)


def retrieve(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Fetch by `key`, by `title`, the nodes known from the question before (`known`), or search for `query`.

    `tables` brings those that may state the figures asked for, `everything` every page of the document. `nearest`
    brings what comes nearest to the question, as the beginning of a model's walk.

    `tokens`, when given, is the most that this step packs. A model's walk asks for `look_up` (words),
    `read` (a node), `heading` or `pages`, or for a `picture` (of a page, from 1); `whole` reads everything.
    `problem` says what was wrong with a call.
    """
    most = arguments.get("tokens")
    most = most if isinstance(most, int) else None
    if "problem" in arguments:
        return refuse_step(str(arguments["problem"]))
    if "look_up" in arguments:
        return look_up(walk, str(arguments["look_up"]))
    if arguments.keys() & {"read", "heading", "pages", "picture"}:
        return read_named(walk, arguments)
    for name, bring in _BRINGING.items():
        if name in arguments:
            return bring(walk, arguments)
    if "key" in arguments:
        return _fetch(walk, arguments["key"], most)
    if arguments.get("title"):
        return _by_title(walk, str(arguments["title"]), most)
    return _search(walk, str(arguments.get("query") or walk.plan.focus), most)


def _read_whole(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    keys = [passage.key for passage in walk.reader.whole()]
    walk.open(keys)
    walk.is_whole = True
    walk.read.extend(key for key in keys if key not in walk.read)
    pages = len(walk.document.pages)
    return StepResult(
        say=f"Read the whole document, {say_count(pages, 'page')}, {say_count(len(keys), 'passage')}",
        observation=observed_nodes(walk, keys),
        refs=tuple(walk.ref(key, "read") for key in walk.document.tree.child_sections(0) or keys)[:12],
    )


def _bring_tables(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Bring the tables whose rows may state what is asked, those left out that are there already."""
    new = walk.open(walk.tables)
    name = shorten_title(walk.entry.title or walk.entry.name)
    if not new:
        said = f"Looked for tables of {name} on what is asked; every one was there already."
        return replace(refuse_step(said), is_idle=True)
    fits = walk.finder.fits(new)
    best = sorted(new, key=lambda key: (-round(fits[key], 9), key))
    pages = on_pages(_pages(walk, best)[:3])
    return StepResult(
        say=f"Brought {say_count(len(new), 'table')} that may state it; the best {_stand(new)} on {pages}",
        observation=observed_nodes(walk, best),
        refs=tuple(walk.ref(key, "looked") for key in best[:8]),
        confidence=round(max(walk.finder.node_coverage(key) for key in best[:3]), 4),
    )


def _stand(keys: Sequence[int]) -> str:
    return "stands" if len(keys) == 1 else "stand"


def _open_every_page(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Bring all of the document; with `copy` copy at once what answers, as the beginning of a model's walk."""
    leaves = walk.document.tree.leaves()
    walk.open(leaves)
    if arguments.get("copy"):
        return sweep(walk)
    name, pages = shorten_title(walk.entry.title or walk.entry.name), say_count(len(walk.document.pages), "page")
    return StepResult(
        say=f"Opened every page of {name}: {pages}, {say_count(len(leaves), 'passage')}",
        observation={"pages": len(walk.document.pages), "passages": len(leaves)},
        refs=tuple(walk.ref(key, "looked") for key in walk.document.tree.child_sections(0) or leaves)[:12],
    )


def _open_nearest(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Bring what a model is shown first, and the tables that may state what is asked; copy what answers."""
    near = [passage.key for passage in walk.reader.nearest()]
    walk.open_with_context([*near, *list_nearest(walk)])
    walk.open(walk.tables)
    if not near:
        return StepResult(say=f"{shorten_title(walk.entry.title or walk.entry.name)} has no passage to copy from")
    return extract(walk, {"nodes": near[:UNASKED], "tables": list(walk.tables)}, is_opening=True)


def _fetch(walk: Walk, key: object, most: int | None) -> StepResult:
    tree = walk.document.tree
    if not isinstance(key, int) or key not in tree:
        return refuse_step(f"Looked for section {key}, which this document does not have.")
    leaves = tree.leaves(key)
    result = retriever(walk, most=most).structure(_leaves_first(walk, leaves, most)).execute()
    packed = take_packed(walk, result)
    walk.position = key
    walk.queue = [Candidate(leaf, 1.0, 1.0) for leaf in packed] + walk.queue
    return StepResult(
        say=f"Read {shorten_title(walk.title_of(key))} {_how_much(len(packed), len(leaves))}{pages_of(tree.node(key))}",
        observation=describe_retrieval(walk, result),
        refs=(walk.ref(key, "read"),),
        confidence=round(max((walk.finder.node_coverage(leaf) for leaf in packed[:8]), default=0.0), 4),
    )


def _leaves_first(walk: Walk, leaves: Sequence[int], most: int | None) -> list[NodeAddress | tuple[NodeAddress, float]]:
    """Leaves in reading order; of a section too large for what is left the best ones first."""
    tree, left = walk.document.tree, walk.limits.token_budget - walk.tokens_used
    room = left if most is None else min(left, most)
    if sum(tree.node(leaf).token_count + AROUND for leaf in leaves) <= room:
        return [walk.address(leaf) for leaf in leaves]
    fits = walk.finder.fits(leaves)
    return [(walk.address(leaf), fits[leaf]) for leaf in leaves]


def _how_much(packed: int, leaves: int) -> str:
    return "in full, " if packed == leaves else f"{packed} of {leaves} passages, "


def _reuse(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Start from what the question before had read."""
    most = arguments.get("tokens")
    if not walk.known:
        return refuse_step("Knew of nothing that was read before.")
    ids = [walk.address(key) for key in walk.known]
    result = retriever(walk, most=most if isinstance(most, int) else None).structure(ids).limit(MOST_ITEMS).execute()
    keys = take_packed(walk, result)
    walk.queue = [Candidate(key, 1.0, 1.0) for key in keys]
    return StepResult(
        say=f"Reused {say_count(len(keys), 'passage')} read for the question before",
        observation=describe_retrieval(walk, result),
        refs=tuple(walk.ref(key, "read") for key in keys[:8]),
        confidence=round(max((walk.finder.node_coverage(key) for key in keys), default=0.0), 4),
    )


def _by_title(walk: Walk, title: str, most: int | None) -> StepResult:
    key = find_title(walk, title)
    if key is None:
        return refuse_step(f"Looked for a section called {title!r}; this document has none.")
    return _fetch(walk, key, most)


def find_title(walk: Walk, title: str) -> int | None:
    """The section whose title or label is most like `title`; numbers must agree ("Section 2" is never "Section 1")."""
    tree, numbers = walk.document.tree, _numbers(title)
    best: tuple[float, int] | None = None
    for key in tree.sections():
        node = tree.node(key)
        for name in (node.title, node.label):
            if not name or not _numbers_agree(numbers, _numbers(name)):
                continue
            likeness = token_set_ratio(title.lower(), name.lower())
            if likeness >= TITLE_LIKENESS and (best is None or likeness > best[0]):
                best = (likeness, key)
    return best[1] if best else None


def _numbers(text: str) -> list[str]:
    return [match.lower() for match in _NUMBERS.findall(text)]


def _numbers_agree(wanted: list[str], found: list[str]) -> bool:
    return wanted == found[: len(wanted)] if wanted else True


def _search(walk: Walk, query: str, most: int | None) -> StepResult:
    lane = lane_query(walk.lane, query)
    known, queue = len(walk.opened), walk.queue
    result = lane.add_account(_search_document(walk, query, most, lane))
    is_led = any(step.action == "opening" for step in walk.steps)
    if not walk.steps or is_led or len(walk.opened) > known:
        return result
    walk.queue = queue
    return replace(result, is_idle=True)


OF_PART = 6
"""Nodes brought for each part of a question that puts several together, beside those for all of it."""


def _search_document(walk: Walk, query: str, most: int | None, lane: LaneQuery) -> StepResult:
    structure = [(walk.address(c.key), c.score) for c in walk.structure if c.score > 0]
    builder = retriever(walk, most=most).text(query, walk.plan.terms if query == walk.plan.focus else ())
    if structure:
        builder = builder.structure(structure)
    by_words = query == walk.plan.focus and not lane.values
    reranker = _make_reranker(walk) if by_words else None
    builder = _add_stages(walk, lane.on(builder), reranker)
    page = walk.reader.page
    result = builder.where("page", page).execute() if page else builder.execute()
    if page and not result.candidates_seen:
        page, result = None, builder.execute()
    # What the question names by its number is read first; what its words find comes after.
    named = walk.reader.best_of_places() if query == walk.plan.focus and not page else []
    walk.open_with_context(named)
    keys = list(dict.fromkeys([*named, *take_packed(walk, result)]))
    for part in walk.parts.values() if query == walk.plan.focus else ():
        walk.open_with_context(candidate.key for candidate in part.finder.ranked[:OF_PART])
    if named and _says_as_much(walk, named):
        keys = named
    _requeue(walk, keys)
    if not keys:
        outcome = "nothing that fits the tokens left" if result.dropped else "nothing"
        return StepResult(
            say=f"Searched {shorten_title(walk.entry.title)} for “{shorten_title(query)}” and found {outcome}",
            observation=describe_retrieval(walk, result),
            confidence=0.0,
        )
    told: dict[str, Any] = {"filter": {"page": page}} if page else {}
    raised = [key for key in reranker.raised if key in keys] if isinstance(reranker, NearnessReranker) else []
    if walk.nearness is not None and walk.nearness.is_measured:
        told["nearness"] = {**walk.nearness.account(), "raised": raised}
    pages = on_pages(_pages(walk, keys)[:3])
    where = f" of {pages}, the page asked for" if page else f"; the best stand on {pages}"
    where = f"; the place asked for stands on {on_pages(_pages(walk, named)[:3])}" if named else where
    best = walk.queue[0]
    return StepResult(
        say=f"Gathered {say_count(len(keys), 'passage')}{where}{_describe_raised(len(raised))}",
        observation={**describe_retrieval(walk, result), **told},
        refs=tuple(walk.ref(key, "looked") for key in keys[:8]),
        confidence=round(walk.finder.node_coverage(best.key), 4),
    )


def _make_reranker(walk: Walk) -> CoverageReranker | NearnessReranker:
    """Orders by what is said of the question; for words, by a local model of meaning too. Figures are named by rows."""
    shares = {} if wants_figures(walk.plan) else measure_nearness(walk)
    return NearnessReranker(walk.finder, shares) if shares else CoverageReranker(walk.finder)


def _describe_raised(count: int) -> str:
    if not count:
        return ""
    came = "one came forward because its meaning is" if count == 1 else f"{count} came forward because their meaning is"
    return f"; {came} near the question's"


def _add_stages(walk: Walk, builder: Retriever, reranker: NodeReranker | None) -> Retriever:
    """What stands around the best joins; words of the question itself decide the order."""
    sections = SectionCommunities({walk.number: walk.document})
    builder = builder.community(sections, SAME_SECTION).limit(MOST_ITEMS)
    # What was found by its meaning may share no word with the question, and another query is not the question.
    return builder.rerank(reranker) if reranker else builder


def _says_as_much(walk: Walk, keys: Sequence[int]) -> bool:
    """Whether one of these leaves holds about as much of the question as the best of the whole document."""
    best = [candidate.key for candidate in walk.finder.ranked[:READ_BESIDE]]
    fits = walk.finder.fits([*keys, *best])
    return max(fits[key] for key in keys) >= AS_MUCH * max(fits.values())


def _requeue(walk: Walk, keys: list[int]) -> None:
    """What was fetched is read first, in its fused order."""
    fits = walk.finder.fits(keys)
    fetched = [Candidate(key, fits[key], 1.0 / (1 + rank)) for rank, key in enumerate(keys)]
    walk.queue = fetched + [candidate for candidate in walk.queue if candidate.key not in fits]


def _pages(walk: Walk, keys: list[int]) -> list[int]:
    return list(dict.fromkeys(walk.document.tree.node(key).page_start for key in keys))


_BRINGING: Mapping[str, Callable[[Walk, Mapping[str, Any]], StepResult]] = {
    "whole": _read_whole,
    "known": _reuse,
    "tables": _bring_tables,
    "everything": _open_every_page,
    "nearest": _open_nearest,
}
"""What brings nodes of which the step need not say which."""
