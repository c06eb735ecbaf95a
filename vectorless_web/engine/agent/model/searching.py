"""How the tools of a model use the Retriever and the ranker of passages over documents that are open."""

import re
from collections.abc import Sequence
from typing import Any

from vectorless_web.engine.agent.model.view import DocumentView, clean_text
from vectorless_web.engine.agent.retrieving import account_for, make_search, rank_documents
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.finding.retrieval import DocumentCollection, Lane, NodeAddress
from vectorless_web.engine.finding.search import search_documents
from vectorless_web.engine.passages.find import Passage
from vectorless_web.engine.questions.plan import QueryPlan


def rank_passages(state: RunState, plan: QueryPlan, views: Sequence[DocumentView], *, most: int) -> tuple[Passage, ...]:
    """The passages of these documents that come closest, ranked together, best first; those without words left out."""
    found = rank_documents(state, plan, {view.id: view.document for view in views}, most=most)
    by_id = {view.id: view for view in views}
    return tuple(p for p in found if by_id[p.document].list_pieces(p.key))


LANE_WEIGHTS = {Lane.STRUCTURE: 2.0}
"""Weights where the settings ask for a weighted fusion: the ranking of whole passages counts twice. Chosen by hand."""


def search_nodes(
    state: RunState, plan: QueryPlan, views: Sequence[DocumentView], *, most: int
) -> tuple[list[tuple[DocumentView, int]], dict[str, Any]]:
    """Nodes for a query, best first: the lane of its words and that of passages, fused as the settings say.

    Beside them how they were found: fusion, the lanes of each node, and warnings, as JSON.
    """
    numbered = {view.number: view for view in views}
    if not plan.terms or not views:
        return [], {}
    ranked = rank_passages(state, plan, views, most=2 * most)
    by_id = {view.id: view.number for view in views}
    structure = [(NodeAddress(by_id[passage.document], passage.key), passage.score) for passage in ranked]
    documents = {number: view.document for number, view in numbered.items()}
    query = make_search(state.settings, LANE_WEIGHTS, structure=tuple(structure), limit=3 * most)
    result = search_documents(plan, DocumentCollection(documents, lexicon=state.lexicon), query)
    found = [(item, address) for item in result.items if isinstance(address := item.node.id, NodeAddress)]
    kept = [(item, at) for item, at in found if numbered[at.space].list_readable(at.key) == [at.key]][:most]
    lanes = [[numbered[at.space].id, at.key, [lane.value for lane, _ in item.lane_scores]] for item, at in kept]
    account = {"fusion": state.settings.fusion, "lanes": lanes, **account_for(result)}
    account |= state.find_near(plan.question, list(by_id)).as_observation()
    return [(numbered[at.space], at.key) for _, at in kept], account


MOST_ANY = 80
"""Characters that a * may stand for."""


def find_literally(view: DocumentView, text: str) -> list[tuple[int, int]]:
    """(node, index of its piece) of every place of the text at the beginning of a word, else anywhere in words.

    Case and white space are set aside.

    The index is -1 where it is in a table's caption or column names, which are shown with any of its rows.
    """
    parts = [re.escape(" ".join(part.split())).replace(r"\ ", r"\s+") for part in clean_text(text).split("*")]
    if not any(parts):
        return []
    said = f".{{0,{MOST_ANY}}}?".join(parts)
    # Scripts without capitals, such as Chinese, part no words.
    begins = [rf"(?<![^\W\d_]){said}"] if clean_text(text)[:1].lower() != clean_text(text)[:1].upper() else []
    ways = (_find_pattern(view, re.compile(way, re.IGNORECASE | re.DOTALL)) for way in (*begins, said))
    return next(filter(None, ways), [])


def _find_pattern(view: DocumentView, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    found = []
    for key in range(1, len(view.tree)):
        own = (view.tree.columns.titles[key], view.tree.columns.texts[key])
        if view.tree.is_leaf(key) and not any(map(pattern.search, own)):
            continue
        places = [place for place, piece in enumerate(view.list_pieces(key)) if pattern.search(piece.text)]
        is_above = not places and view.find_table(key) is not None
        found += [(key, place) for place in ([-1] if is_above else places)]
    return found
