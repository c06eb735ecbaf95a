"""Running the lanes: each finds candidates by its own measure, with the gates inside, before its cap."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vectorless_web.engine.retrieval.corpus import Gate, NodeCollection, cosine_search, keep_standouts, sparse_scores
from vectorless_web.engine.retrieval.filters import NodeFilter
from vectorless_web.engine.retrieval.fusion import (
    FusionStrategy,
    Identifier,
    Scored,
    best_of_each,
    convex_min_max_fusion,
    keep_finite,
    sort_scored,
    weighted_reciprocal_rank_fusion,
)
from vectorless_web.engine.retrieval.query import Lane, RetrievalQuery


@dataclass(frozen=True, slots=True)
class LaneHits:
    """What one lane found, best first, each id once; `non_finite` counts the scores it had to drop."""

    lane: Lane
    hits: tuple[Scored, ...]
    non_finite: int = 0


def node_gate(corpus: NodeCollection, conditions: NodeFilter) -> Gate | None:
    """A test on ids for the conditions; None when everything passes. Properties are read only when they decide."""
    if conditions.is_open:
        return None
    if not conditions.reads_properties:
        return lambda name: corpus.label(name) == conditions.label

    def admits(name: Identifier) -> bool:
        if conditions.label is not None and corpus.label(name) != conditions.label:
            return False
        node = corpus.node(name)
        return node is not None and conditions.admits(node)

    return admits


def run_lanes(corpus: NodeCollection, query: RetrievalQuery) -> list[LaneHits]:
    """Every lane the query asks for, in lane order. Raises VectorDimensionMismatch."""
    gate = node_gate(corpus, query.gate)
    asked: list[tuple[bool, Callable[[NodeCollection, RetrievalQuery, Gate | None], LaneHits]]] = [
        (query.vector is not None, _vector_lane),
        (query.sparse is not None, _sparse_lane),
        (has_lexical_lane(corpus, query), _lexical_lane),
        (query.structure is not None, _structure_lane),
    ]
    return [run(corpus, query, gate) for wanted, run in asked if wanted]


def has_lexical_lane(corpus: NodeCollection, query: RetrievalQuery) -> bool:
    """Whether there is a text to look for and an index to look in."""
    return (query.text is not None or bool(query.terms)) and bool(corpus.lexical_vocabulary())


def _vector_lane(corpus: NodeCollection, query: RetrievalQuery, gate: Gate | None) -> LaneHits:
    assert query.vector is not None
    model, values = query.vector
    index = corpus.vector_index(model)
    if index is None:
        return LaneHits(Lane.VECTOR, ())
    if query.vector_share is None:
        return LaneHits(Lane.VECTOR, tuple(cosine_search(index, values, query.lane_cap, gate=gate)))
    hits = keep_standouts(cosine_search(index, values, len(index.ids), gate=gate), query.vector_share)
    return LaneHits(Lane.VECTOR, tuple(hits[: max(query.lane_cap, 0)]))


def _sparse_lane(corpus: NodeCollection, query: RetrievalQuery, gate: Gate | None) -> LaneHits:
    assert query.sparse is not None
    documents = corpus.sparse_vectors(query.sparse.vocab_id)
    return _lane(Lane.SPARSE, list(sparse_scores(documents, query.sparse, gate=gate)), query.lane_cap)


def _lexical_lane(corpus: NodeCollection, query: RetrievalQuery, gate: Gate | None) -> LaneHits:
    found = corpus.lexical_search(
        query.text or "", query.terms, weights=query.field_weights, limit=query.lane_cap, gate=gate
    )
    return _lane(Lane.LEXICAL, found, query.lane_cap)


def _structure_lane(corpus: NodeCollection, query: RetrievalQuery, gate: Gate | None) -> LaneHits:
    given = query.structure or ()
    known = [(name, score) for name, score in given if corpus.label(name) and (gate is None or gate(name))]
    return _lane(Lane.STRUCTURE, known, query.lane_cap)


def _lane(lane: Lane, scored: Sequence[Scored], cap: int) -> LaneHits:
    usable = keep_finite(scored)
    return LaneHits(lane, tuple(sort_scored(best_of_each(usable).items())[:cap]), len(scored) - len(usable))


def fuse(lanes: Sequence[LaneHits], query: RetrievalQuery) -> list[Scored]:
    """One ranked list: the native scores of a single lane, else the fusion the query chose."""
    if len(lanes) == 1:
        return list(lanes[0].hits)
    weights = [query.weights.get(found.lane, 1.0) for found in lanes]
    if query.fusion is FusionStrategy.CONVEX_MIN_MAX:
        return convex_min_max_fusion([(found.hits, w) for found, w in zip(lanes, weights, strict=True)])
    lists = [([name for name, _ in found.hits], w) for found, w in zip(lanes, weights, strict=True)]
    return weighted_reciprocal_rank_fusion(lists, query.rrf_k)
