"""The Retriever: a builder says what to retrieve; lanes, fusion, expansion, reranking and packing do it."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from vectorless_web.engine.finding.retrieval.corpus import (
    TENANT,
    CorpusNode,
    Direction,
    DocumentCollection,
    Gate,
    NodeCollection,
    PropertyValue,
    RetrievalEmpty,
    TemporalFilter,
    property_equals,
)
from vectorless_web.engine.finding.retrieval.expansion import (
    MAX_NODES,
    CommunityFilter,
    CommunityLookup,
    GraphExpand,
    GraphExpandMode,
    SectionCommunities,
    apply_community_filter,
    expand_by_decay,
    expand_by_pagerank,
)
from vectorless_web.engine.finding.retrieval.lanes import (
    RRF_K,
    FusionStrategy,
    Identifier,
    Scored,
    SparseVector,
    best_of_each,
    convex_min_max_fusion,
    cosine_search,
    keep_finite,
    sort_scored,
    sparse_scores,
    weighted_reciprocal_rank_fusion,
)
from vectorless_web.engine.finding.retrieval.packing import (
    RERANK_TOP_K,
    SUMMARY_CAP,
    Dropped,
    DropReason,
    Reranker,
    pack,
    render_node_with_adjacency,
    rerank,
)
from vectorless_web.engine.finding.retrieval.result import (
    Circumstances,
    Lane,
    RetrievalResult,
    RetrievalWarning,
    RetrievedItem,
    WarningCode,
    cap_warnings,
    tag_types,
)
from vectorless_web.engine.llm.model import HeuristicEstimator, TokenEstimator
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand

LANE_CAP = 256
"""Hits that one lane hands to fusion unless a query says another number. Filters act before the cut, so a filter costs
no recall. Chosen by hand: in reciprocal rank fusion the last of them adds 1 / 316 where the first adds 1 / 61."""
FILTER_ONLY_SCORE = 1.0
"""Score of every node when a query filters and ranks by nothing; all tie, so ids decide."""


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """Everything a Retriever was told. None means not asked for; see the builder's methods for the meaning."""

    label: str | None = None
    where: tuple[tuple[str, PropertyValue], ...] = ()
    tenant: str | None = None
    temporal: TemporalFilter | None = None
    text: str | None = None
    plan: QueryPlan | None = None
    vector: tuple[str, tuple[float, ...]] | None = None
    sparse: SparseVector | None = None
    structure: tuple[Scored, ...] | None = None
    lane_cap: int = LANE_CAP
    token_budget: int | None = None
    limit: int | None = None
    fusion: FusionStrategy = FusionStrategy.RRF
    rrf_k: float = RRF_K
    weights: Mapping[Lane, float] = field(default_factory=dict)
    graph: GraphExpand | None = None
    community: CommunityFilter = field(default_factory=CommunityFilter)
    communities: CommunityLookup | None = None
    expand_first: int | None = None
    rerank: bool = False
    reranker: Reranker | None = None
    rerank_top_k: int = RERANK_TOP_K
    min_confidence: float | None = None
    summary_cap: int = SUMMARY_CAP
    adjacency: int = 0
    include_tombstoned: bool = False
    include_system: bool = False

    def admits(self, node: CorpusNode, *, neighbour: bool = False) -> bool:
        """Whether the node satisfies label, properties, tenant and time; a neighbour need not have the properties: an
        edge may lead to the answer from a node that has them."""
        if self.label is not None and node.ntype != self.label:
            return False
        if self.tenant is not None and node.properties.get(TENANT) != self.tenant:
            return False
        if self.temporal is not None and not self.temporal.matches(node.properties):
            return False
        return neighbour or all(property_equals(node.properties, name, value) for name, value in self.where)

    def fingerprint(self, corpus_version: str, estimator: str) -> str:
        """SHA-256 over the corpus version, the estimator's name and every setting, in hexadecimal."""
        settings = {name: getattr(self, name) for name in self.__dataclass_fields__}
        state = json.dumps([corpus_version, estimator, tag_types(settings)], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(state.encode()).hexdigest()


def make_gate(corpus: NodeCollection, query: RetrievalQuery) -> Gate | None:
    """A test on ids for the query's conditions; None when everything passes. A node is read only when it decides."""
    needs_node = bool(query.where) or query.tenant is not None or query.temporal is not None
    if query.label is None and not needs_node:
        return None

    def admits(name: Identifier) -> bool:
        if query.label is not None and corpus.label(name) != query.label:
            return False
        node = corpus.node(name) if needs_node else None
        return not needs_node or (node is not None and query.admits(node))

    return admits


def run_lanes(corpus: NodeCollection, query: RetrievalQuery) -> dict[Lane, list[Scored]]:
    """What each lane that the query asks for finds, in lane order. Raises VectorDimensionMismatch."""
    gate = make_gate(corpus, query)
    found: dict[Lane, list[Scored]] = {}
    if query.vector is not None:
        model, values = query.vector
        index = corpus.vector_index(model)
        found[Lane.VECTOR] = cosine_search(index, values, query.lane_cap, gate=gate) if index is not None else []
    if query.sparse is not None:
        admitted = (held for held in corpus.sparse_vectors(query.sparse.vocab_id) if gate is None or gate(held[0]))
        found[Lane.SPARSE] = list(sparse_scores(admitted, query.sparse))
    if has_lexical_lane(corpus, query):
        plan = query.plan or understand(query.text or "", expand=False)
        found[Lane.LEXICAL] = corpus.lexical_search(plan, limit=query.lane_cap, gate=gate)
    if query.structure is not None:
        known = (hit for hit in query.structure if corpus.label(hit[0]))
        found[Lane.STRUCTURE] = [hit for hit in known if gate is None or gate(hit[0])]
    return found


def has_lexical_lane(corpus: NodeCollection, query: RetrievalQuery) -> bool:
    """Whether there is a text to look for and an index to look in."""
    return query.text is not None and bool(corpus.lexical_vocabulary())


def fuse(lanes: Mapping[Lane, Sequence[Scored]], query: RetrievalQuery) -> list[Scored]:
    """The candidates of all lanes in one list; one lane alone keeps its native scores."""
    if len(lanes) == 1:
        return list(*lanes.values())
    weighed = [(hits, query.weights.get(lane, 1.0)) for lane, hits in lanes.items()]
    if query.fusion is FusionStrategy.CONVEX_MIN_MAX:
        return convex_min_max_fusion(weighed)
    return weighted_reciprocal_rank_fusion([([n for n, _ in hits], weight) for hits, weight in weighed], query.rrf_k)


@dataclass
class _Execution:
    """One execution: the stages as methods over (id, score) lists, and what they record on the way."""

    corpus: NodeCollection
    query: RetrievalQuery
    estimator: TokenEstimator
    lane_scores: dict[Identifier, dict[Lane, float]] = field(default_factory=dict)
    warnings: list[RetrievalWarning] = field(default_factory=list)
    rendered: dict[Identifier, str] = field(default_factory=dict)
    nodes: dict[Identifier, CorpusNode | None] = field(default_factory=dict)

    def find_candidates(self) -> list[Scored]:
        """Candidates of all lanes, fused; with filters only, every node that passes them."""
        lanes: dict[Lane, list[Scored]] = {}
        for lane, scored in run_lanes(self.corpus, self.query).items():
            finite = keep_finite(scored)
            lanes[lane] = sort_scored(best_of_each(finite).items())[: max(self.query.lane_cap, 0)]
            self._record(lane, lanes[lane])
            self._warn(WarningCode.LANE_EMPTY, not lanes[lane])
            self._warn(WarningCode.NON_FINITE_SCORE, len(finite) < len(scored))
        if lanes:
            return fuse(lanes, self.query)
        gate = make_gate(self.corpus, self.query)
        return [(name, FILTER_ONLY_SCORE) for name in self.corpus.ids() if gate is None or gate(name)]

    def join_communities(self, candidates: list[Scored]) -> list[Scored]:
        """The candidates with the members of the first ones' communities after them, who obey the gates too."""
        lookup, config = self.query.communities, self.query.community
        if not config.enabled:
            return candidates
        self._warn(WarningCode.COMMUNITY_FILTER_NOOP, lookup is None or lookup.is_empty())
        if lookup is None:
            return candidates
        gate = make_gate(self.corpus, self.query)
        members = apply_community_filter(candidates, lookup, config)[len(candidates) :]
        return candidates + [hit for hit in members if gate is None or gate(hit[0])]

    def admit_known(self, candidates: Sequence[Scored]) -> list[Scored]:
        """Each known candidate once, without tombstones and the system anchor."""
        first = dict(reversed(candidates))
        return [(name, first[name]) for name in dict.fromkeys(name for name, _ in candidates) if self._is_visible(name)]

    def _is_visible(self, name: Identifier) -> bool:
        if not self.query.include_system and name == self.corpus.anchor:
            return False
        if not self.query.include_tombstoned and self.corpus.is_tombstoned(name):
            return False
        return self._find_node(name) is not None

    def expand_neighbours(self, candidates: list[Scored]) -> list[Scored]:
        """Candidates and their neighbours, best first; unchanged without graph expansion."""
        config = self.query.graph
        if config is None:
            return candidates
        by_rank = config.mode is GraphExpandMode.PPR
        # The walk with decay asks for neighbours alone: one edge is enough to know that there are any.
        edges = list(self.corpus.edges() if by_rank else islice(self.corpus.edges(), 1))
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
            added = expand_by_pagerank(candidates, walked, config, admits=self._admits_neighbour)
        else:
            added = expand_by_decay(candidates, self.corpus.neighbours, config, admits=self._admits_neighbour)
        self._record(Lane.GRAPH, added)
        return sort_scored([*candidates, *added])

    def _admits_neighbour(self, name: Identifier) -> bool:
        node, graph = self._find_node(name), self.query.graph
        if node is None or graph is None or node.ntype in graph.through:
            return False
        return self._is_visible(name) and self.query.admits(node, neighbour=True)

    def rerank_first(self, candidates: list[Scored]) -> list[Scored]:
        """The first candidates in the reranker's order; unchanged when there is none or it fails."""
        query = self.query
        if query.reranker is None or query.text is None:
            self._warn(WarningCode.NO_RERANKER, query.rerank or query.reranker is not None)
            return candidates
        texts = (self._render(name) for name, _ in candidates)
        outcome = rerank(candidates, texts, query=query.text, reranker=query.reranker, top_k=query.rerank_top_k)
        self._warn(WarningCode.NO_RERANKER, outcome.failed)
        self._record(Lane.RERANK, outcome.scores.items())
        return outcome.candidates

    def pack_items(self, candidates: Sequence[Scored]) -> RetrievalResult:
        """The items that fit, and the account of everything else."""
        query, floor = self.query, self.query.min_confidence
        above = {name: score for name, score in candidates if floor is None or score >= floor}
        self._warn(WarningCode.BELOW_CONFIDENCE_FLOOR, bool(candidates) and not above)
        packed = pack(
            ((name, 0) for name in above),
            token_budget=query.token_budget,
            limit=query.limit,
            count=lambda name: self.estimator.estimate(self._render(name)),
        )
        below = [Dropped(name, 0, DropReason.CONFIDENCE) for name, _ in candidates if name not in above]
        return RetrievalResult(
            items=tuple(self._make_item(name, above[name]) for name in packed.items),
            tokens_used=packed.tokens_used,
            tokens_budget=query.token_budget,
            dropped=len(packed.dropped) + len(below),
            candidates_seen=len(candidates),
            warnings=tuple(cap_warnings(list(dict.fromkeys(self.warnings)))),
            fingerprint=query.fingerprint(self.corpus.version, type(self.estimator).__qualname__),
            left_out=(*packed.dropped, *below),
        )

    def _make_item(self, name: Identifier, score: float) -> RetrievedItem:
        node, rendered = self._node(name), self._render(name)
        lanes = tuple(self.lane_scores.get(name, {}).items())
        return RetrievedItem(node, rendered, self.estimator.estimate(rendered), score, lanes)

    def _render(self, name: Identifier) -> str:
        if name not in self.rendered:
            node, cap, corpus = self._node(name), self.query.adjacency, self.corpus
            self.rendered[name] = render_node_with_adjacency(
                node,
                outgoing=corpus.neighbours(name, Direction.OUTGOING) if cap else (),
                incoming=corpus.neighbours(name, Direction.INCOMING) if cap else (),
                cap=cap,
                summary_cap=self.query.summary_cap,
            )
        return self.rendered[name]

    def _find_node(self, name: Identifier) -> CorpusNode | None:
        """The node, kept: each candidate is looked at three times, and putting one together is most of the work."""
        if name not in self.nodes:
            self.nodes[name] = self.corpus.node(name)
        return self.nodes[name]

    def _node(self, name: Identifier) -> CorpusNode:
        node = self._find_node(name)
        assert node is not None, "candidates without a node were dropped"
        return node

    def _record(self, lane: Lane, scored: Iterable[Scored]) -> None:
        for name, score in scored:
            self.lane_scores.setdefault(name, {})[lane] = score

    def _warn(self, code: WarningCode, holds: bool) -> None:
        if holds:
            self.warnings.append(RetrievalWarning(code))


class Retriever:
    """Retrieves nodes of a corpus into a token budget. Immutable: each method returns a new builder.

    `Retriever(corpus).text("capital expenditure").token_budget(2000).execute()`
    """

    def __init__(
        self, corpus: NodeCollection, *, estimator: TokenEstimator | None = None, query: RetrievalQuery | None = None
    ) -> None:
        self._corpus, self._query = corpus, query or RetrievalQuery()
        self._estimator: TokenEstimator = estimator or HeuristicEstimator()

    def _with(self, **changes: Any) -> "Retriever":
        return Retriever(self._corpus, estimator=self._estimator, query=replace(self._query, **changes))

    def label(self, label: str) -> "Retriever":
        """Only nodes of this ntype."""
        return self._with(label=label)

    def where(self, name: str, value: PropertyValue) -> "Retriever":
        """Only nodes whose property is strictly equal to the value, also in type; several conditions must all hold."""
        return self._with(where=(*self._query.where, (name, value)))

    def tenant(self, name: Identifier) -> "Retriever":
        """Only nodes whose property `tenant` is this one; nodes without a tenant do not pass."""
        return self._with(tenant=name)

    def temporal(self, bounds: TemporalFilter) -> "Retriever":
        """Only nodes within the bounds on creation and change, in microseconds since 1970."""
        return self._with(temporal=bounds)

    def text(self, query: str, plan: QueryPlan | None = None) -> "Retriever":
        """Ask the lexical lane and the reranker for this text; the lane reads the `plan` of it, where one is given."""
        return self._with(text=query, plan=plan)

    def vector(self, model: str, values: Sequence[float]) -> "Retriever":
        """Ask the vector lane for the nearest vectors of that embedding model; one that is unknown finds nothing."""
        return self._with(vector=(model, tuple(values)))

    def sparse(self, vector: SparseVector) -> "Retriever":
        """Ask the sparse lane for the greatest dot products in the vector's vocabulary; another one finds nothing."""
        return self._with(sparse=vector)

    def structure(self, nodes: Iterable[Identifier | Scored]) -> "Retriever":
        """Take nodes found by other means, best first: (id, score) pairs, or ids, which score 1 / rank, from 1."""
        given = [node if isinstance(node, tuple) else (node, 1 / rank) for rank, node in enumerate(nodes, start=1)]
        return self._with(structure=tuple(given))

    def lane_cap(self, hits: int) -> "Retriever":
        """At most so many hits of each lane."""
        return self._with(lane_cap=hits)

    def token_budget(self, tokens: int | None) -> "Retriever":
        """At most so many estimated tokens of rendered text; None is no bound."""
        return self._with(token_budget=tokens)

    def limit(self, items: int | None) -> "Retriever":
        """At most so many items; None is no bound."""
        return self._with(limit=items)

    def fusion(self, strategy: FusionStrategy, *, k: float = RRF_K) -> "Retriever":
        """How several lanes are fused; `k`, above -1, is the constant of reciprocal rank fusion."""
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

    def expand_first(self, candidates: int | None) -> "Retriever":
        """Expand so many of the best candidates alone, and put what that adds before the others; None expands all."""
        return self._with(expand_first=candidates)

    def rerank(self, reranker: Reranker | None, *, top_k: int = RERANK_TOP_K) -> "Retriever":
        """Let a reranker order the first `top_k` candidates; None keeps the order and warns."""
        return self._with(rerank=True, reranker=reranker, rerank_top_k=top_k)

    def min_confidence(self, floor: float | None) -> "Retriever":
        """Drop candidates whose final score is below the floor."""
        return self._with(min_confidence=floor)

    def summary_cap(self, characters: int) -> "Retriever":
        """Cut context and summary to so many characters each when rendering."""
        return self._with(summary_cap=characters)

    def adjacency(self, cap: int) -> "Retriever":
        """Render each node with its edges, at most so many a direction; 0 renders none."""
        return self._with(adjacency=cap)

    def include_tombstoned(self, include: bool = True) -> "Retriever":
        """Keep deleted nodes that are still stored."""
        return self._with(include_tombstoned=include)

    def include_system(self, include: bool = True) -> "Retriever":
        """Keep the system's own anchor node."""
        return self._with(include_system=include)

    def execute(self) -> RetrievalResult:
        """Run. Raises RetrievalEmpty when nothing was asked for, VectorDimensionMismatch for a wrong vector."""
        query = self._query
        given = (query.label, query.vector, query.sparse, query.structure)
        if not (query.where or any(part is not None for part in given) or has_lexical_lane(self._corpus, query)):
            raise RetrievalEmpty
        run = _Execution(self._corpus, query, self._estimator)
        found, most = run.find_candidates(), query.expand_first
        first = len(found) if most is None else most
        expanded = run.expand_neighbours(run.admit_known(run.join_communities(found[:first])))
        return run.pack_items(run.rerank_first(run.admit_known([*expanded, *found[first:]])))


def read_fusion(name: str, weights: Mapping[Lane, float]) -> dict[str, Any]:
    """What a setting asks of a RetrievalQuery: `rrf`, `weighted_rrf` (with `weights` by lane) or `convex`."""
    strategy = FusionStrategy.CONVEX_MIN_MAX if name == "convex" else FusionStrategy.RRF
    return {"fusion": strategy, "weights": {} if name == "rrf" else dict(weights)}


def search_documents(plan: QueryPlan | None, corpus: DocumentCollection, query: RetrievalQuery) -> RetrievalResult:
    """The passages of the documents that fit the query's budget, in the fused order of its lanes.

    The words of the `plan` are a lane of their own; without one that lane stays out, where `query.structure` has ranked
    by them already. Communities are the sections of the documents. Here `min_confidence` is a share of the best score
    that the lanes could give together. Raises RetrievalEmpty when plan and query ask for nothing,
    VectorDimensionMismatch for a vector of another length.
    """
    if plan is not None:
        query = replace(query, text=" ".join(token.text for token in plan.tokens), plan=plan)
    floor, communities = _scale_floor(query), SectionCommunities(corpus.documents)
    return Retriever(corpus, query=replace(query, min_confidence=floor, communities=communities)).execute()


def _scale_floor(query: RetrievalQuery) -> float | None:
    """The floor on the scale of the scores: those of a fusion by rank reach a sixtieth, those of one lane 1."""
    given = {
        Lane.VECTOR: query.vector,
        Lane.SPARSE: query.sparse,
        Lane.LEXICAL: query.text,
        Lane.STRUCTURE: query.structure,
    }
    asked = [lane for lane, wanted in given.items() if wanted is not None]
    if query.min_confidence is None or len(asked) < 2:
        return query.min_confidence
    most = sum(query.weights.get(lane, 1.0) for lane in asked)
    is_convex = query.fusion is FusionStrategy.CONVEX_MIN_MAX
    return query.min_confidence * (most if is_convex else most / (RRF_K + 1))
