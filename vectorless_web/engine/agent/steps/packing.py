"""Packs whatever a planner or an answer is shown, through the Retriever, with a reason for each drop."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.answers.claims import PackedNode
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.questions.plan import WeightedTerm
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.retrieval import (
    CorpusNode,
    DocumentCollection,
    Dropped,
    Lane,
    NodeAddress,
    RetrievalResult,
    RetrievedItem,
    Retriever,
    reciprocal_rank_fusion,
)
from vectorless_web.engine.retrieval.corpus import Gate, VectorIndex
from vectorless_web.engine.retrieval.fusion import Scored, sort_scored


class EvidenceCollection(DocumentCollection):
    """A DocumentCorpus that answers the walk's own question with its evidence ranking, any other text by its words.

    `space` is the document's number in addresses. `vectors` are the document's own, for the vector lane; without them
    there is none.
    """

    def __init__(self, entry: DocumentEntry, finder: Finder, *, space: int, vectors: NodeVectors | None = None) -> None:
        super().__init__({space: finder.document}, names={space: entry.title or entry.name})
        self._space, self._finder, self._node_vectors = space, finder, vectors
        if vectors is not None:
            self.version = hashlib.sha256(f"{self.version} {vectors.digest}".encode()).hexdigest()

    def vector_index(self, model: str) -> VectorIndex | None:
        """The document's vectors when that model made them, mapped as they are stored."""
        vectors = self._node_vectors
        if vectors is None or vectors.model != model:
            return None
        ids = tuple(NodeAddress(self._space, key) for key in vectors.keys)
        return VectorIndex(vectors.dimensions, ids, vectors.rows)

    def lexical_search(
        self,
        text: str,
        terms: Sequence[WeightedTerm],
        *,
        weights: Mapping[str, float],
        limit: int,
        gate: Gate | None,
    ) -> list[Scored]:
        """Ranked leaves of the question; scores are shares of the attainable weight."""
        if tuple(terms) != self._finder.plan.terms:
            return super().lexical_search(text, terms, weights=weights, limit=limit, gate=gate)
        if gate is None:
            return [(NodeAddress(self._space, c.key), c.score) for c in self._finder.ranked][:limit]
        # The shortlist is cut, and a filter must stand before every cut.
        fits = self._finder.fits(self._finder.document.tree.leaves())
        found = [(NodeAddress(self._space, key), score) for key, score in fits.items() if score > 0]
        return sort_scored(scored for scored in found if gate(scored[0]))[:limit]


class CoverageReranker:
    """Orders nodes of one document by the share of the question that they say, the titles above them included.

    Fusion by rank forgets how well a node fits; this measure, which also decides what an
    answer may quote, brings it back.
    """

    name = "coverage"

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def rerank_nodes(self, query: str, nodes: Sequence[CorpusNode]) -> list[float]:
        """The share in [0, 1] for each node; `query` is the question that the finder is for."""
        return [round(self._finder.node_coverage(node.id.key), 9) for node in nodes]


class ShownEstimator:
    """Counts a node by what a prompt shows of it. `size_of` gives the tokens of a passage there."""

    def __init__(self, walks: Mapping[int, Walk], size_of: Callable[[PackedNode], int]) -> None:
        self._walks, self._size_of = walks, size_of

    def estimate_node(self, node: CorpusNode) -> int:
        """Tokens of the node in a prompt."""
        return self._size_of(_as_packed(node.id, self._walks))


LISTED_DROPS = 12
"""Candidates left out that an observation names; the rest are counted."""

LISTED_ITEMS = 40
"""Nodes of the answer's context that an observation names."""

UNREAD, UNREAD_SHARE = 40, 0.25
"""Leaves that nobody asked for may fill the answer's context: so many a document, each with that share of the best
fit. The first step of a model's walk brings them."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The context of an answer: nodes of all walks, and the account of it as JSON values.

    `left_out` counts the nodes read that did not fit.
    """

    passages: tuple[PackedNode, ...]
    observation: dict[str, Any]
    left_out: int = 0


def retriever(walk: Walk, *, most: int | None = None) -> Retriever:
    """A retriever over the walk's document under the tokens the walk has left, or `most` when that is less."""
    left = max(0, walk.limits.token_budget - walk.tokens_used)
    vectors = walk.lane.vectors if walk.lane else None
    corpus = EvidenceCollection(walk.entry, walk.finder, space=walk.number, vectors=vectors)
    return Retriever(corpus).token_budget(left if most is None else max(0, min(left, most)))


def take_packed(walk: Walk, result: RetrievalResult) -> list[int]:
    """Open what was packed and count its tokens; the keys to read, a section that was found standing for its leaves."""
    tree = walk.document.tree
    keys: list[int] = []
    for item in result.items:
        key = item.node.id.key
        keys.extend(tree.leaves(key)[:8] if tree.kind(key) is NodeKind.SECTION else [key])
        walk.packed.append(walk.packed_node(key))
    walk.tokens_used += result.tokens_used
    walk.open_with_context(keys)
    return list(dict.fromkeys(keys))


def describe_retrieval(walk: Walk, result: RetrievalResult) -> dict[str, Any]:
    """A step's observation of a result: what was packed, with the score of each lane, and its account."""
    return {
        "items": [_item_row(walk, item) for item in result.items],
        **account_for_result(result, {walk.number: walk}),
    }


def observed_nodes(walk: Walk, keys: Sequence[int]) -> dict[str, Any]:
    """A step's observation of nodes that were read by name, in the order read."""
    tree = walk.document.tree
    rows = [
        {
            "key": key,
            "title": walk.title_of(key),
            "page": tree.node(key).page_start + 1,
            "tokens": tree.node(key).token_count,
        }
        for key in keys
    ]
    return {"items": rows, "tokens": sum(tree.node(key).token_count for key in keys)}


def _item_row(walk: Walk, item: RetrievedItem) -> dict[str, Any]:
    """A packed node; `joined` marks one that no lane found: it stands in the section of one that was."""
    key = item.node.id.key
    lanes = {lane.value: round(score, 4) for lane, score in item.lane_scores}
    return {
        "key": key,
        "title": walk.title_of(key),
        "page": walk.document.tree.node(key).page_start + 1,
        "tokens": item.tokens,
        "score": round(item.score, 6),
        "lanes": lanes,
        **({} if lanes.keys() - {Lane.RERANK.value} else {"joined": "community"}),
    }


def gather_evidence(
    walks: Sequence[Walk], *, names: Mapping[str, str], tokens: int, size_of: Callable[[PackedNode], int]
) -> Gathered:
    """Pack what all walks found into `tokens`: what was copied from, then what was read, then what else comes near.

    The documents' lists are fused by rank, so that they take turns whatever their scores.
    `names` are shown for document ids; `size_of` counts a node as it will be shown.
    """
    by_space = {walk.number: walk for walk in walks}
    fused = reciprocal_rank_fusion([_worth_showing(walk) for walk in walks])
    if not fused:
        return Gathered((), {})
    documents = {space: walk.document for space, walk in by_space.items()}
    corpus = DocumentCollection(documents, names={space: names[walk.entry.id] for space, walk in by_space.items()})
    estimator = ShownEstimator(by_space, size_of)
    result = Retriever(corpus, estimator=estimator).structure(fused).token_budget(max(0, tokens)).execute()
    addresses = [item.node.id for item in result.items]
    if all(walk.is_whole for walk in walks):
        addresses.sort(key=lambda address: (address.space, address.key))
    passages = tuple(_as_packed(address, by_space) for address in addresses)
    read = {walk.address(key) for walk in walks for key in _list_read_nodes(walk)}
    return Gathered(passages, _account(result, by_space), sum(dropped.id in read for dropped in result.left_out))


def _list_read_nodes(walk: Walk) -> list[int]:
    """What the model's own draft quotes and what it noted, then what it fetched, then what was copied from."""
    drafted = [quote.key for claim in (walk.draft.claims if walk.draft else ()) for quote in claim.quotes]
    facts = sorted(walk.facts, key=lambda fact: (-round(fact.fit, 9), fact.key))
    chosen = [key for key in (*drafted, *walk.noted) if key in walk.document.tree]
    return list(dict.fromkeys([*chosen, *(packed.key for packed in walk.packed), *(fact.key for fact in facts)]))


def _worth_showing(walk: Walk) -> list[NodeAddress]:
    if walk.is_whole:
        return [walk.address(passage.key) for passage in walk.reader.whole()]
    # A heading says nothing that does not stand above what is below it.
    leaves = [
        key
        for key in dict.fromkeys([*_list_read_nodes(walk), *list_nearest(walk)])
        if walk.document.tree.kind(key) is not NodeKind.SECTION and key in walk.opened
    ]
    return [walk.address(key) for key in leaves]


def list_nearest(walk: Walk) -> list[int]:
    """The leaves that come nearest to the question, those left out that say nothing."""
    best = walk.finder.ranked[:UNREAD]
    near = [candidate.key for candidate in best if candidate.score >= UNREAD_SHARE * best[0].score]
    return [key for key in near if not walk.reader.is_filler(key)]


def _as_packed(address: NodeAddress, walks: Mapping[int, Walk]) -> PackedNode:
    return walks[address.space].packed_node(address.key)


def _account(result: RetrievalResult, walks: Mapping[int, Walk]) -> dict[str, Any]:
    rows = [
        {**_place(item.node.id, walks), "tokens": item.tokens, "score": round(item.score, 6)}
        for item in result.items[:LISTED_ITEMS]
    ]
    return {"items": rows, "packed": len(result.items), **account_for_result(result, walks)}


def account_for_result(result: RetrievalResult, walks: Mapping[int, Walk]) -> dict[str, Any]:
    """What a result cost and left out: tokens, budget, drops with their reasons, warnings, fingerprint.

    The first drops are named in rank order, `{document, key, title, page, tokens, reason}`.
    """
    return {
        "tokens": result.tokens_used,
        "budget": result.tokens_budget,
        "dropped": result.dropped,
        "left_out": [_drop_row(dropped, walks) for dropped in result.left_out[:LISTED_DROPS]],
        "warnings": [warning.code.value for warning in result.warnings],
        "fingerprint": result.fingerprint,
    }


def _drop_row(dropped: Dropped, walks: Mapping[int, Walk]) -> dict[str, Any]:
    address: NodeAddress = dropped.id
    # What the limit cut was never rendered, so its size is that of its own text.
    tokens = dropped.tokens or walks[address.space].document.tree.node(address.key).token_count
    return {**_place(address, walks), "tokens": tokens, "reason": dropped.reason.value}


def _place(address: NodeAddress, walks: Mapping[int, Walk]) -> dict[str, Any]:
    walk, key = walks[address.space], address.key
    page = walk.document.tree.node(key).page_start + 1
    return {"document": walk.entry.id, "key": key, "title": walk.title_of(key), "page": page}
