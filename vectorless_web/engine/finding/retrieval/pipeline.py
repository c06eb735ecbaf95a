"""The builder says what to retrieve; the pipeline runs lanes, fusion, expansion, reranking, and packing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from vectorless_web.engine.finding.retrieval.corpus import (
    CorpusNode,
    Gate,
    NodeCollection,
    PropertyValue,
    RetrievalEmpty,
    SparseVector,
    cosine_search,
    keep_standouts,
    sparse_scores,
)
from vectorless_web.engine.finding.retrieval.expansion import (
    MAX_NODES,
    CommunityFilter,
    CommunityLookup,
    GraphExpand,
    GraphExpandMode,
    apply_community_filter,
    expand_by_decay,
    expand_by_pagerank,
)
from vectorless_web.engine.finding.retrieval.fusion import (
    RRF_K,
    FusionStrategy,
    Identifier,
    Scored,
    best_of_each,
    convex_min_max_fusion,
    keep_finite,
    sort_scored,
    weighted_reciprocal_rank_fusion,
)
from vectorless_web.engine.finding.retrieval.packing import (
    RERANK_TOP_K,
    Dropped,
    DropReason,
    NodeEstimator,
    NodeReranker,
    Packer,
    Reranker,
    render_node,
    reorder,
)
from vectorless_web.engine.finding.retrieval.query import (
    LANE_ORDER,
    Circumstances,
    Lane,
    NodeFilter,
    RetrievalQuery,
    RetrievalResult,
    RetrievalWarning,
    RetrievedItem,
    TemporalFilter,
    WarningCode,
    cap_warnings,
    remove_repeats,
)
from vectorless_web.engine.questions.plan import WeightedTerm
from vectorless_web.engine.text.tokens import HeuristicEstimator, TokenEstimator


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


FILTER_ONLY_SCORE = 1.0
"""Score of every node when a query filters and ranks by nothing; all tie, so ids decide."""


def execute(
    corpus: NodeCollection, query: RetrievalQuery, estimator: TokenEstimator | NodeEstimator
) -> RetrievalResult:
    """Run the query. Raises RetrievalEmpty when it asks for nothing, VectorDimensionMismatch for a wrong vector."""
    if not _asks_for_something(corpus, query):
        raise RetrievalEmpty
    run = _Execution(corpus, query, estimator)
    candidates = run.admit_known(run.join_communities(run.find_candidates()))
    candidates = run.rerank_first(run.expand_neighbours(candidates))
    return run.pack_items(candidates)


def _asks_for_something(corpus: NodeCollection, query: RetrievalQuery) -> bool:
    given = (query.label, query.vector, query.sparse, query.structure)
    return bool(query.where) or any(part is not None for part in given) or has_lexical_lane(corpus, query)


@dataclass
class _Execution:
    """One execution: the stages as methods over (id, score) lists, and what they record on the way."""

    corpus: NodeCollection
    query: RetrievalQuery
    estimator: TokenEstimator | NodeEstimator
    lane_scores: dict[Identifier, dict[Lane, float]] = field(default_factory=dict)
    warnings: list[RetrievalWarning] = field(default_factory=list)

    def find_candidates(self) -> list[Scored]:
        """Candidates of all lanes, fused; with filters only, every node that passes them."""
        lanes = run_lanes(self.corpus, self.query)
        for found in lanes:
            for name, score in found.hits:
                self.lane_scores.setdefault(name, {})[found.lane] = score
            self._warn(WarningCode.LANE_EMPTY, not found.hits)
            self._warn(WarningCode.NON_FINITE_SCORE, found.non_finite > 0)
        return fuse(lanes, self.query) if lanes else self._filter_hits()

    def _filter_hits(self) -> list[Scored]:
        gate = node_gate(self.corpus, self.query.gate)
        return [(name, FILTER_ONLY_SCORE) for name in self.corpus.ids() if gate is None or gate(name)]

    def join_communities(self, candidates: list[Scored]) -> list[Scored]:
        """The candidates with the members of the first ones' communities after them, who obey the gates too."""
        lookup = self.query.communities
        if self.query.community.is_identity:
            return candidates
        self._warn(WarningCode.COMMUNITY_FILTER_NOOP, lookup is None or lookup.is_empty())
        if lookup is None:
            return candidates
        gate = node_gate(self.corpus, self.query.gate)
        everyone = apply_community_filter(candidates, lookup, self.query.community)
        members = everyone[len(candidates) :]
        return candidates + [(name, score) for name, score in members if gate is None or gate(name)]

    def admit_known(self, candidates: Sequence[Scored]) -> list[Scored]:
        """Each known candidate once, without tombstones and the system anchor."""
        first: dict[Identifier, float] = {}
        for name, score in candidates:
            first.setdefault(name, score)
        return [(name, score) for name, score in first.items() if self._is_visible(name)]

    def _is_visible(self, name: Identifier) -> bool:
        if not self.query.include_system and name == self.corpus.anchor:
            return False
        if not self.query.include_tombstoned and self.corpus.is_tombstoned(name):
            return False
        return self.corpus.node(name) is not None

    def expand_neighbours(self, candidates: list[Scored]) -> list[Scored]:
        """Candidates and their neighbours, best first; unchanged without graph expansion."""
        config = self.query.graph
        if config is None:
            return candidates
        added = self._neighbours(candidates, config)
        for name, score in added:
            self.lane_scores.setdefault(name, {})[Lane.GRAPH] = score
        return sort_scored([*candidates, *added])

    def _neighbours(self, seeds: list[Scored], config: GraphExpand) -> list[Scored]:
        by_rank = config.mode is GraphExpandMode.PPR
        # The walk with decay asks for neighbours alone: one edge is enough to know that there are any.
        edges = list(self.corpus.edges()) if by_rank else list(islice(self.corpus.edges(), 1))
        walked = [*edges, *config.knn_edges]
        nodes = len({end for edge in walked for end in edge[:2]}) if by_rank else 0
        self.warnings += Circumstances(
            ppr=by_rank,
            ppr_opt_in=config.opt_in,
            graph_expand=True,
            authored_edges=len(edges),
            vectors=len(config.knn_edges),
            ppr_nodes=nodes,
        ).warnings()
        if by_rank and (nodes <= MAX_NODES or config.opt_in):
            return expand_by_pagerank(seeds, walked, config, admits=self._admits_neighbour)
        return expand_by_decay(seeds, self.corpus.neighbours, config, admits=self._admits_neighbour)

    def _admits_neighbour(self, name: Identifier) -> bool:
        node = self.corpus.node(name)
        return node is not None and self._is_visible(name) and self.query.gate.admits_neighbour(node)

    def rerank_first(self, candidates: list[Scored]) -> list[Scored]:
        """The first candidates in the reranker's order; unchanged when there is none or it fails."""
        query, reranker = self.query, self.query.reranker
        if reranker is None or query.text is None:
            self._warn(WarningCode.NO_RERANKER, query.rerank or reranker is not None)
            return candidates
        head = candidates[: max(query.rerank_top_k, 0)]
        nodes = [self._node(name) for name, _ in head]
        outcome = reorder(candidates, lambda: self._rerank_scores(reranker, nodes), top_k=query.rerank_top_k)
        self._warn(WarningCode.NO_RERANKER, outcome.failed)
        for name, score in outcome.scores.items():
            self.lane_scores.setdefault(name, {})[Lane.RERANK] = score
        return outcome.candidates

    def _rerank_scores(self, reranker: Reranker | NodeReranker, nodes: Sequence[CorpusNode]) -> Sequence[float]:
        text = self.query.text or ""
        if isinstance(reranker, NodeReranker):
            return reranker.rerank_nodes(text, nodes)
        return reranker.rerank(text, [render_node(node, cap=self.query.summary_cap) for node in nodes])

    def pack_items(self, candidates: Sequence[Scored]) -> RetrievalResult:
        """The items that fit, and the account of everything else."""
        packer = Packer(token_budget=self.query.token_budget, limit=self.query.limit)
        left_out: list[Dropped] = []
        items = tuple(self._take_packed(candidates, packer, left_out))
        floored = sum(entry.reason is DropReason.CONFIDENCE for entry in left_out)
        self._warn(WarningCode.BELOW_CONFIDENCE_FLOOR, 0 < floored == len(candidates))
        return RetrievalResult(
            items=items,
            tokens_used=packer.tokens_used,
            tokens_budget=self.query.token_budget,
            dropped=len(left_out),
            candidates_seen=len(candidates),
            warnings=tuple(cap_warnings(remove_repeats(self.warnings))),
            fingerprint=self.query.fingerprint(self.corpus.version, type(self.estimator).__qualname__),
            left_out=tuple(left_out),
        )

    def _take_packed(
        self, candidates: Sequence[Scored], packer: Packer, left_out: list[Dropped]
    ) -> Iterator[RetrievedItem]:
        floor = self.query.min_confidence
        for name, score in candidates:
            if floor is not None and score < floor:
                left_out.append(Dropped(name, 0, DropReason.CONFIDENCE))
                continue
            if packer.is_full:
                left_out.append(Dropped(name, 0, DropReason.LIMIT))
                continue
            node = self._node(name)
            rendered = render_node(node, cap=self.query.summary_cap)
            tokens = self._tokens(node, rendered)
            reason = packer.refusal(tokens)
            if reason is not None:
                left_out.append(Dropped(name, tokens, reason))
                continue
            packer.take(tokens)
            yield RetrievedItem(node, rendered, tokens, score, self._lanes(name))

    def _tokens(self, node: CorpusNode, rendered: str) -> int:
        estimator = self.estimator
        return estimator.estimate_node(node) if isinstance(estimator, NodeEstimator) else estimator.estimate(rendered)

    def _lanes(self, name: Identifier) -> tuple[tuple[Lane, float], ...]:
        return tuple(sorted(self.lane_scores.get(name, {}).items(), key=lambda pair: LANE_ORDER[pair[0]]))

    def _node(self, name: Identifier) -> CorpusNode:
        node = self.corpus.node(name)
        assert node is not None, "candidates without a node were dropped"
        return node

    def _warn(self, code: WarningCode, holds: bool) -> None:
        if holds:
            self.warnings.append(RetrievalWarning(code))


class Retriever:
    """Retrieves nodes of a corpus into a token budget. Immutable: each method returns a new builder.

    `Retriever(corpus).text("capital expenditure").token_budget(2000).execute()`
    """

    def __init__(
        self,
        corpus: NodeCollection,
        *,
        estimator: TokenEstimator | NodeEstimator | None = None,
        query: RetrievalQuery | None = None,
    ) -> None:
        self._corpus = corpus
        self._estimator: TokenEstimator | NodeEstimator = estimator or HeuristicEstimator()
        self._query = query or RetrievalQuery()

    def _with(self, **changes: Any) -> "Retriever":
        return Retriever(self._corpus, estimator=self._estimator, query=replace(self._query, **changes))

    def label(self, label: str) -> "Retriever":
        """Only nodes of this ntype."""
        return self._with(label=label)

    def where(self, name: str, value: PropertyValue) -> "Retriever":
        """Only nodes whose property is strictly equal to the value; several conditions must all hold.

        Strict in type: 5, 5.0 and "5" differ, true is not 1. Neighbours that the graph adds
        need not meet it.
        """
        return self._with(where=(*self._query.where, (name, value)))

    def tenant(self, name: Identifier) -> "Retriever":
        """Only nodes whose property `tenant` is this one; nodes without a tenant do not pass."""
        return self._with(tenant=name)

    def temporal(self, bounds: TemporalFilter) -> "Retriever":
        """Only nodes within the bounds on creation and change, in microseconds since 1970."""
        return self._with(temporal=bounds)

    def text(
        self, query: str, terms: Iterable[WeightedTerm] = (), *, field_weights: Mapping[str, float] | None = None
    ) -> "Retriever":
        """Ask the lexical lane and the reranker for this text.

        With `terms` (analysed, weighted) the lexical lane uses them instead of the text's
        own; `field_weights` maps index fields to weights.
        """
        weights = self._query.field_weights if field_weights is None else dict(field_weights)
        return self._with(text=query, terms=tuple(terms), field_weights=weights)

    def vector(self, model: str, values: Sequence[float], *, share: float | None = None) -> "Retriever":
        """Ask the vector lane for the nearest vectors of that embedding model; one that is unknown finds nothing.

        `values` has as many numbers as the model's vectors, else `execute` raises
        VectorDimensionMismatch.
        With `share` (0..1) only for those that stand out: at least so far from the median
        cosine to the best.
        """
        return self._with(vector=(model, tuple(values)), vector_share=share)

    def sparse(self, vector: SparseVector) -> "Retriever":
        """Ask the sparse lane for the greatest dot products in the vector's vocabulary; another one finds nothing."""
        return self._with(sparse=vector)

    def structure(self, nodes: Iterable[Identifier | Scored]) -> "Retriever":
        """Take nodes found by other means, best first: ids, or (id, score) pairs.

        Bare ids score 1 / rank, counted from 1. Unknown ids are left out.
        """
        given = [node if isinstance(node, tuple) else (node, 1 / rank) for rank, node in enumerate(nodes, start=1)]
        return self._with(structure=tuple(given))

    def token_budget(self, tokens: int | None) -> "Retriever":
        """At most so many estimated tokens of rendered text; None is no bound."""
        return self._with(token_budget=tokens)

    def limit(self, items: int | None) -> "Retriever":
        """At most so many items; None is no bound."""
        return self._with(limit=items)

    def fusion(self, strategy: FusionStrategy, *, k: float = RRF_K) -> "Retriever":
        """How several lanes are fused; `k` is the constant of reciprocal rank fusion.

        One lane alone keeps its native scores. `execute` raises ValueError for a k of -1 or less.
        """
        return self._with(fusion=strategy, rrf_k=k)

    def weights(self, weights: Mapping[Lane, float]) -> "Retriever":
        """Weight of each lane in the fusion; 1.0 when not named, 0 adds nothing."""
        return self._with(weights=dict(weights))

    def graph_expand(self, config: GraphExpand) -> "Retriever":
        """Add neighbours of what was found."""
        return self._with(graph=config)

    def community(self, lookup: CommunityLookup, config: CommunityFilter | None = None) -> "Retriever":
        """Add members of the communities of the best candidates; on unless the config says otherwise."""
        return self._with(communities=lookup, community=config or CommunityFilter(enabled=True))

    def rerank(self, reranker: Reranker | NodeReranker | None, *, top_k: int = RERANK_TOP_K) -> "Retriever":
        """Let a reranker order the first `top_k` candidates; None keeps the order and warns."""
        return self._with(rerank=True, reranker=reranker, rerank_top_k=top_k)

    def min_confidence(self, floor: float | None) -> "Retriever":
        """Drop candidates whose final score is below the floor."""
        return self._with(min_confidence=floor)

    def summary_cap(self, characters: int) -> "Retriever":
        """Cut context and summary to so many characters each when rendering."""
        return self._with(summary_cap=characters)

    def include_tombstoned(self, include: bool = True) -> "Retriever":
        """Keep deleted nodes that are still stored."""
        return self._with(include_tombstoned=include)

    def include_system(self, include: bool = True) -> "Retriever":
        """Keep the system's own anchor node."""
        return self._with(include_system=include)

    def execute(self) -> RetrievalResult:
        """Run. Raises RetrievalEmpty when nothing was asked for, VectorDimensionMismatch for a wrong vector."""
        return execute(self._corpus, self._query, self._estimator)
