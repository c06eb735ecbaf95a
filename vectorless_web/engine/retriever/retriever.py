"""The builder: says what to retrieve, one setting a method, and runs it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.query.plan import WeightedTerm
from vectorless_web.engine.retriever.community import CommunityFilter, CommunityLookup
from vectorless_web.engine.retriever.corpus import PropertyValue, RetrievalCorpus
from vectorless_web.engine.retriever.filters import TemporalFilter
from vectorless_web.engine.retriever.fusion import RRF_K, FusionStrategy
from vectorless_web.engine.retriever.graph import GraphExpand
from vectorless_web.engine.retriever.pipeline import execute
from vectorless_web.engine.retriever.query import Lane, RetrievalQuery, RetrievalResult
from vectorless_web.engine.retriever.ranking import Scored
from vectorless_web.engine.retriever.reranking import RERANK_TOP_K, Reranker
from vectorless_web.engine.retriever.similarity import SparseVector
from vectorless_web.engine.text.tokens import HeuristicEstimator, TokenEstimator


class Retriever:
    """Retrieves nodes of a corpus into a token budget. Immutable: each method returns a new builder.

    `Retriever(corpus).text("capital expenditure").token_budget(2000).execute()`
    """

    def __init__(
        self,
        corpus: RetrievalCorpus,
        *,
        estimator: TokenEstimator | None = None,
        query: RetrievalQuery | None = None,
    ) -> None:
        self._corpus = corpus
        self._estimator = estimator or HeuristicEstimator()
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

    def tenant(self, name: str) -> "Retriever":
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

    def structure(self, nodes: Iterable[str | Scored]) -> "Retriever":
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

    def rerank(self, reranker: Reranker | None, *, top_k: int = RERANK_TOP_K) -> "Retriever":
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
