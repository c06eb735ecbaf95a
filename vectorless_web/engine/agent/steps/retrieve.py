"""RETRIEVE: fetches nodes by key, by title or label, or by search, packed under what is left of the token budget."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vectorless_web.engine.agent.context.outline import on_pages, pages_of, say_count, shorten_title
from vectorless_web.engine.agent.context.vector_lane import LaneQuery, lane_query
from vectorless_web.engine.agent.events import StepResult, refuse_step
from vectorless_web.engine.agent.steps.nearness import NearnessReranker, measure_nearness
from vectorless_web.engine.agent.steps.packing import (
    CoverageReranker,
    describe_retrieval,
    observed_nodes,
    retriever,
    take_packed,
)
from vectorless_web.engine.agent.steps.read import look_up, read_named
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.figures.needs import wants_figures
from vectorless_web.engine.ranking.finder import Candidate
from vectorless_web.engine.retrieval import CommunityFilter, GraphExpand, NodeAddress, Retriever, SectionCommunities
from vectorless_web.engine.retrieval.documents import REFERS_TO
from vectorless_web.engine.retrieval.reranking import NodeReranker
from vectorless_web.engine.text.similarity import token_set_ratio

MOST_ITEMS = 24
"""Nodes one RETRIEVE packs."""

SAME_SECTION = CommunityFilter(enabled=True, max_per_community=4)
"""The rest of a note or statement, a table broken over nodes: each of the best three brings up to four leaves."""

REFERENCES = GraphExpand(edge_types=(REFERS_TO,), max_expand=4)
"""What the passages found point to ("see Note 7")."""

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
    if "whole" in arguments:
        return _read_whole(walk)
    if "known" in arguments:
        return _reuse(walk, most)
    if "key" in arguments:
        return _fetch(walk, arguments["key"], most)
    if arguments.get("title"):
        return _by_title(walk, str(arguments["title"]), most)
    return _search(walk, str(arguments.get("query") or walk.plan.focus), most)


def _read_whole(walk: Walk) -> StepResult:
    keys = [passage.key for passage in walk.reader.whole()]
    walk.is_whole = True
    walk.read.extend(key for key in keys if key not in walk.read)
    pages = len(walk.document.pages)
    return StepResult(
        say=f"Read the whole document, {say_count(pages, 'page')}, {say_count(len(keys), 'passage')}",
        observation=observed_nodes(walk, keys),
        refs=tuple(walk.ref(key, "read") for key in walk.document.tree.child_sections(0) or keys)[:12],
    )


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


def _reuse(walk: Walk, most: int | None) -> StepResult:
    """Start from what the question before had read."""
    if not walk.known:
        return refuse_step("Knew of nothing that was read before.")
    ids = [walk.address(key) for key in walk.known]
    result = retriever(walk, most=most).structure(ids).limit(MOST_ITEMS).execute()
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
    return lane.add_account(_search_document(walk, query, most, lane))


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
    keys = list(dict.fromkeys([*named, *take_packed(walk, result)]))
    if named and _says_as_much(walk, named):
        keys = named
    _requeue(walk, keys, alone=page is not None or keys == named)
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
    """What stands around the best and what it refers to joins; words of the question itself decide the order."""
    sections = SectionCommunities({walk.number: walk.document})
    builder = builder.community(sections, SAME_SECTION).graph_expand(REFERENCES).limit(MOST_ITEMS)
    # What was found by its meaning may share no word with the question, and another query is not the question.
    return builder.rerank(reranker) if reranker else builder


def _says_as_much(walk: Walk, keys: Sequence[int]) -> bool:
    """Whether one of these leaves holds about as much of the question as the best of the whole document."""
    best = [candidate.key for candidate in walk.finder.ranked[:READ_BESIDE]]
    fits = walk.finder.fits([*keys, *best])
    return max(fits[key] for key in keys) >= AS_MUCH * max(fits.values())


def _requeue(walk: Walk, keys: list[int], *, alone: bool) -> None:
    """What was fetched is read first, in its fused order, then, unless `alone`, what the words ranked beside it."""
    fits = walk.finder.fits(keys)
    fetched = [Candidate(key, fits[key], 1.0 / (1 + rank)) for rank, key in enumerate(keys)]
    known = set(keys)
    others = () if alone else walk.finder.ranked
    walk.queue = fetched + [candidate for candidate in others if candidate.key not in known]


def _pages(walk: Walk, keys: list[int]) -> list[int]:
    return list(dict.fromkeys(walk.document.tree.node(key).page_start for key in keys))
