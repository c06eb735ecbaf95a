"""Whole retrievals of worked cases."""

from collections.abc import Mapping

from tests.support.memory_collection import MemoryCollection
from tests.support.retrieval_contract_values import (
    Case,
    GivenReranker,
    bounds_of,
    communities_of,
    community_filter,
    graph_expand_of,
    node_of,
    sparse_vector_of,
    value_of,
)
from vectorless_web.engine.finding.retrieval import (
    FusionStrategy,
    JaccardReranker,
    RetrievalResult,
    Retriever,
    SparseVector,
    TemporalFilter,
)


def _sparse_of(data: Case) -> list[SparseVector]:
    sparse = data.get("sparse") or []
    return [sparse_vector_of(entry) for entry in ([sparse] if isinstance(sparse, Mapping) else sparse)]


def _corpus(case: Case) -> MemoryCollection:
    models = {model for node in case["nodes"] for model in node.get("vectors") or {}}
    return MemoryCollection(
        [node_of(node) for node in case["nodes"]],
        vectors={
            model: {n["id"]: n["vectors"][model] for n in case["nodes"] if model in (n.get("vectors") or {})}
            for model in models
        },
        sparse=[(node["id"], vector) for node in case["nodes"] for vector in _sparse_of(node)],
        edges=[(source, kind, target) for source, kind, target in case.get("edges") or []],
        tombstoned=case.get("tombstoned") or [],
        anchor=case.get("anchor") or "",
    )


def run_pipeline(case: Case) -> object:
    """A whole retrieval, in the shape of `expected`."""
    query = case["query"]
    retriever = _gated(Retriever(_corpus(case)), query)
    retriever = _asked(retriever, query)
    retriever = _staged(retriever, query)
    return _shown(retriever.execute())


def _gated(retriever: Retriever, query: Case) -> Retriever:
    if query.get("label") is not None:
        retriever = retriever.label(query["label"])
    if query.get("where") is not None:
        conditions = query["where"] if isinstance(query["where"][0], list) else [query["where"]]
        for name, value in conditions:
            retriever = retriever.where(name, value_of(value))
    if query.get("tenant") is not None:
        retriever = retriever.tenant(query["tenant"])
    bounds = bounds_of({**query, **(query.get("temporal") or {})})
    return retriever.temporal(bounds) if bounds != TemporalFilter() else retriever


def _asked(retriever: Retriever, query: Case) -> Retriever:
    if query.get("query_text") is not None:
        retriever = retriever.text(query["query_text"])
    if query.get("vector") is not None:
        retriever = retriever.vector(query["vector"]["model"], query["vector"]["values"])
    if query.get("sparse") is not None:
        retriever = retriever.sparse(sparse_vector_of(query["sparse"]))
    return retriever


_LANES = {"vector_weight": "vector", "sparse_weight": "sparse"}


def _fusion_of(query: Case) -> tuple[FusionStrategy, float]:
    """The strategy and its rank constant: a name, `{"strategy": name, "k": k}` or `{name: {"k": k}}`."""
    given = query.get("fusion") or "convex_min_max"
    if isinstance(given, Mapping):
        name, settings = (given["strategy"], given) if "strategy" in given else next(iter(given.items()))
    else:
        name, settings = given, {}
    strategy = FusionStrategy.RRF if "rrf" in str(name).lower() else FusionStrategy.CONVEX_MIN_MAX
    return strategy, (settings or {}).get("k") or query.get("rrf_k") or 60.0


def _staged(retriever: Retriever, query: Case) -> Retriever:
    strategy, k = _fusion_of(query)
    retriever = retriever.fusion(strategy, k=k)
    weights = dict(query.get("weights") or {}) | {
        lane: query[key] for key, lane in _LANES.items() if query.get(key) is not None
    }
    retriever = retriever.weights(weights)
    cap = query.get("vector_cap") or query.get("lane_cap")
    retriever = retriever.lane_cap(cap) if cap is not None else retriever
    if query.get("community") is not None:
        community = query["community"]
        retriever = retriever.community(communities_of(community), community_filter(community.get("cfg") or {}))
    if query.get("graph_expand") is not None:
        given = query["graph_expand"]
        by_query = {"mode": query["graph_mode"]} if query.get("graph_mode") else {}
        retriever = retriever.graph_expand(graph_expand_of({**by_query, **given} if by_query else given))
    if query.get("rerank") is not None:
        outcome = query["rerank"]
        reranker = JaccardReranker() if outcome.get("jaccard") else GivenReranker(outcome)
        top_k = outcome.get("top_k") or query.get("rerank_top_k") or 25
        retriever = retriever.rerank(reranker, top_k=top_k)
    retriever = retriever.include_tombstoned(bool(query.get("include_tombstoned")))
    retriever = retriever.include_system(bool(query.get("include_system")))
    return retriever.token_budget(query.get("token_budget")).limit(query.get("limit"))


def _shown(result: RetrievalResult) -> object:
    return {
        "items": [[item.node.id, item.score] for item in result.items],
        "tokens": [item.tokens for item in result.items],
        "lane_scores": [[[lane.value, score] for lane, score in item.lane_scores] for item in result.items],
        "tokens_used": result.tokens_used,
        "tokens_budget": result.tokens_budget,
        "dropped": result.dropped,
        "candidates_seen": result.candidates_seen,
    }
