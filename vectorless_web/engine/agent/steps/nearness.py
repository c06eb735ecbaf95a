"""The local model of meaning in a walk: which sentences it measures, and how that orders nodes beside the words."""

from collections.abc import Mapping, Sequence

from vectorless_web.engine.agent.steps.packing import CoverageReranker
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.passages.extraction import find_passages, mix_nearness, words_measured
from vectorless_web.engine.passages.passage import pieces_of
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.retrieval.corpus import CorpusNode

FIRST_BY_WORDS, STAY_AMONG = 5, 10
"""Pages that hold most of the question's words, and the pages among which they stay whatever their meaning."""


NODES_A_TEXT = 3
"""Nodes read for each sentence that a lane measures, the best by their words. With 5, which takes a tenth of the work
beside the measuring longer, 100 everyday questions get the same answers but for one, wrong either way."""


def measure_nearness(walk: Walk) -> Mapping[str, float]:
    """Shares in [0, 1] by sentence: of the best that the words and the outline shortlist. Measured once a walk.

    Empty without a local model.
    """
    lane = walk.nearness
    if lane is None:
        return {}
    if not lane.is_measured:
        tree = walk.document.tree
        nodes = [
            (tree.node(candidate.key), candidate.fit, ", ".join(tree.path(candidate.key)[-2:]))
            for candidate in walk.finder.ranked[: NODES_A_TEXT * lane.most]
        ]
        found = find_passages(walk.entry.id, nodes, walk.finder)
        lane.measure(walk.plan.question, {words_measured(passage): passage.where for passage in found})
    return lane.shares


class NearnessReranker:
    """Orders nodes by what they say of the question, and by the sentence of theirs that comes nearest in meaning."""

    name = "coverage+nearness"

    def __init__(self, finder: Finder, shares: Mapping[str, float]) -> None:
        self._finder, self._shares = finder, shares
        self.raised: tuple[int, ...] = ()
        """Nodes that meaning brought among the first STAY_AMONG."""

    def rerank_nodes(self, query: str, nodes: Sequence[CorpusNode]) -> list[float]:
        """For each node a share in [0, 1] that falls with its place; `query` is the question that the finder is for."""
        said = CoverageReranker(self._finder).rerank_nodes(query, nodes)
        near = [self._nearest(node.id.key) for node in nodes]
        mixed = [mix_nearness(words, meaning) for words, meaning in zip(said, near, strict=True)]
        by_words = sorted(range(len(nodes)), key=lambda place: (-said[place], nodes[place].id))
        by_both = sorted(range(len(nodes)), key=lambda place: (-round(mixed[place], 9), nodes[place].id))
        tree = self._finder.document.tree
        pages = [tree.node(node.id.key).page_start for node in nodes]
        order = keep_first_pages(by_words, by_both, pages)
        before = set(by_words[:STAY_AMONG])
        self.raised = tuple(nodes[place].id.key for place in order[:STAY_AMONG] if place not in before)
        score = {place: 1.0 - rank / len(nodes) for rank, place in enumerate(order)}
        return [round(score[place], 9) for place in range(len(nodes))]

    def _nearest(self, key: int) -> float:
        pieces = pieces_of(self._finder.document.tree.node(key))
        return max((self._shares.get(piece.text, 0.0) for piece in pieces), default=0.0)


def keep_first_pages(by_words: Sequence[int], by_both: Sequence[int], pages: Sequence[int]) -> list[int]:
    """The second order, changed so that the first order's first pages stay among its first pages.

    Both orders hold places of `pages`, the page of each node. A page that would fall out takes
    the place of the last one that it need not yield to.
    """
    kept = list(dict.fromkeys(pages[place] for place in by_words))[:FIRST_BY_WORDS]
    first = list(dict.fromkeys(pages[place] for place in by_both))[:STAY_AMONG]
    fallen = [page for page in kept if page not in first]
    if not fallen:
        return list(by_both)
    for page in fallen:
        first.remove(next(other for other in reversed(first) if other not in kept))
        first.append(page)
    return sorted(by_both, key=lambda place: pages[place] not in first)
