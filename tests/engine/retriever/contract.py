"""Runs worked cases, given as plain JSON values, through the retriever's public names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.retriever import (
    Circumstances,
    CommunityFilter,
    CorpusNode,
    FusionStrategy,
    GraphExpand,
    GraphExpandDirection,
    GraphExpandMode,
    HeuristicEstimator,
    JaccardReranker,
    Link,
    MappedCommunities,
    MemoryCorpus,
    Piece,
    PropertyValue,
    RerankFailed,
    RetrievalResult,
    RetrievalWarning,
    Retriever,
    SessionReservoir,
    SparseVector,
    StoredNode,
    TemporalFilter,
    VectorDimensionMismatch,
    VectorIndex,
    WarningCode,
    apply_community_filter,
    cap_warnings,
    clip,
    confidence,
    convex_min_max_fusion,
    cosine_search,
    expand_by_decay,
    hybrid_union,
    pack,
    personalized_pagerank,
    property_equals,
    quantiles,
    reciprocal_rank_fusion,
    render_node,
    render_node_with_adjacency,
    rerank,
    score_normalized_fusion,
    score_shape,
    select_diverse,
    sparse_search,
    weighted_reciprocal_rank_fusion,
)

Json = Any
Case = Mapping[str, Any]
BOUNDS = ("created_after", "created_before", "updated_after", "updated_before")


def run_case(group: str, case: Case) -> object:
    """The result of one case in the shape its `expected` has; an error is returned as `{"error": code, ...}`."""
    try:
        return GROUPS[group](case)
    except VectorDimensionMismatch as error:
        return {"error": error.code, "index_dim": error.index_dim, "query_dim": error.query_dim}
    except EngineError as error:
        return {"error": error.code}


def _pairs(scored: Sequence[tuple[str, float]]) -> list[list[Json]]:
    return [[name, score] for name, score in scored]


def _scored(pairs: Sequence[Sequence[Json]]) -> list[tuple[str, float]]:
    return [(name, float(score)) for name, score in pairs]


def _rrf(case: Case) -> object:
    return _pairs(reciprocal_rank_fusion(case["lists"], case.get("k", 60.0)))


def _weighted_rrf(case: Case) -> object:
    lists = [(entry["ids"], entry["weight"]) for entry in case["lists"]]
    return _pairs(weighted_reciprocal_rank_fusion(lists, case.get("k", 60.0)))


def _convex(case: Case) -> object:
    return _pairs(convex_min_max_fusion([(_scored(lane["hits"]), lane["weight"]) for lane in case["lanes"]]))


def _score_normalized(case: Case) -> object:
    a, b = _scored(case["a"]), _scored(case["b"])
    return _pairs(score_normalized_fusion(a, case["a_weight"], b, case["b_weight"]))


def _tokens(case: Case) -> object:
    return HeuristicEstimator().estimate(case["text"])


def _value(typed: Case) -> PropertyValue:
    kind, value = typed["type"], typed.get("value")
    if kind == "list":
        return [_value(entry) for entry in value]
    if kind == "map":
        return {name: _value(entry) for name, entry in value.items()}
    convert: dict[str, Callable[[Json], PropertyValue]] = {
        "string": str,
        "integer": int,
        "float": float,
        "bool": bool,
        "null": lambda _: None,
        "bytes": lambda raw: raw.encode() if isinstance(raw, str) else bytes(raw or ()),
        "link": lambda target: Link(str(target)),
    }
    return convert[kind](value)


def _properties(typed: Case | None) -> dict[str, PropertyValue]:
    return {name: _value(value) for name, value in (typed or {}).items()}


def _node(data: Case) -> CorpusNode:
    context = data.get("context", data.get("context_sentence"))
    return CorpusNode(data["id"], data["ntype"], data.get("summary"), context, _properties(data.get("props")))


def _render(case: Case) -> object:
    return render_node(_node(case["node"]))


def _adjacency(case: Case) -> object:
    outgoing, incoming = ([tuple(edge) for edge in case.get(side, [])] for side in ("outgoing", "incoming"))
    return render_node_with_adjacency(_node(case["node"]), outgoing=outgoing, incoming=incoming, cap=case["cap"])


def _pack(case: Case) -> object:
    candidates = [(name, tokens) for name, tokens in case["candidates"]]
    packed = pack(candidates, token_budget=case.get("token_budget"), limit=case.get("limit"))
    return {
        "items": list(packed.items),
        "tokens_used": packed.tokens_used,
        "tokens_budget": packed.tokens_budget,
        "dropped": len(packed.dropped),
        "candidates_seen": packed.candidates_seen,
    }


def _bounds(data: Case) -> TemporalFilter:
    return TemporalFilter(**{name: data[name] for name in BOUNDS if data.get(name) is not None})


def _temporal(case: Case) -> object:
    return _bounds(case["filter"]).matches(_properties(case.get("props")))


def _property(case: Case) -> object:
    name, wanted = case["where"]
    return property_equals(_properties(case.get("props")), name, _value(wanted))


def _community_filter(cfg: Case) -> CommunityFilter:
    known = ("enabled", "expand_seeds", "max_per_community", "decay")
    return CommunityFilter(**{name: cfg[name] for name in known if cfg.get(name) is not None})


def _communities(data: Case) -> MappedCommunities:
    # JSON has string keys only, so communities are compared as strings.
    of = {name: str(community) for name, community in (data.get("community_of") or {}).items() if community is not None}
    members = {str(community): ids for community, ids in (data.get("members_of") or {}).items()}
    return MappedCommunities(of, members)


def _community(case: Case) -> object:
    candidates = _scored(case["candidates"])
    return _pairs(apply_community_filter(candidates, _communities(case), _community_filter(case.get("cfg") or {})))


def _counted(given: Json) -> list[float]:
    if isinstance(given, Mapping):
        step = next((value for key, value in given.items() if "step" in key), 1)
        return [float(step * i) for i in range(given["count"])]
    return [float(value) for value in given]


def _median(case: Case) -> object:
    reservoir = SessionReservoir()
    for value in _counted(case["observations"]):
        reservoir.observe("session", value, at=0.0)
    return {"median": reservoir.median("session"), "warmup": reservoir.is_warming_up("session")}


def _gc(case: Case) -> object:
    given = case["sessions"]
    idle = (
        [(f"session-{i:08}", seconds) for i, seconds in enumerate(_counted(given))]
        if isinstance(given, Mapping)
        else [(name, float(seconds)) for name, seconds in given]
    )
    limits = {name: case[key] for name, key in _GC_LIMITS if case.get(key) is not None}
    reservoir = SessionReservoir(**limits)
    for name, seconds in idle:
        reservoir.observe(name, 0.0, at=-seconds)
    swept = reservoir.evict(now=0.0)
    return {"evicted_ttl": swept.evicted_ttl, "evicted_cap": swept.evicted_cap, "active": swept.active}


_GC_LIMITS = (("idle_seconds", "ttl_seconds"), ("max_sessions", "max_sessions"))


def _catalog(case: Case) -> object:
    warning = RetrievalWarning(WarningCode(case["code"]))
    return {"knob": warning.knob, "remediation_ref": warning.remediation_ref}


def _cap(case: Case) -> object:
    warnings = cap_warnings([RetrievalWarning(WarningCode(code)) for code in case["codes"]])
    return [warning.code.value for warning in warnings]


def _trigger(case: Case) -> object:
    request = case.get("request") or {}
    circumstances = Circumstances(
        rerank=request.get("rerank") is not None,
        reranker_available=bool(case.get("reranker_available")),
        community=bool(request.get("community_filter")),
        ppr=str(request.get("graph_mode") or "").lower() == "ppr",
        ppr_opt_in=bool(request.get("ppr_opt_in")),
        graph_expand=request.get("graph_expand") is not None,
        authored_edges=case.get("authored_edges") or 0,
        vectors=case.get("vectors") or 0,
        ppr_nodes=case.get("ppr_nodes") or 0,
    )
    return [warning.code.value for warning in circumstances.warnings()]


def _sparse_vector(data: Case) -> SparseVector:
    return SparseVector(tuple(data["indices"]), tuple(data["values"]), data.get("vocab_id", ""))


def _sparse_validate(case: Case) -> object:
    try:
        _sparse_vector(case)
    except ValueError:
        return {"ok": False}
    return {"ok": True}


def _from_unsorted(case: Case) -> object:
    vector = SparseVector.from_unsorted([(index, value) for index, value in case["pairs"]], case.get("vocab_id", ""))
    return {"indices": list(vector.indices), "values": list(vector.values)}


def _sparse_dot(case: Case) -> object:
    return _sparse_vector(case["a"]).dot(_sparse_vector(case["b"]))


def _sparse_search(case: Case) -> object:
    vocabulary = case.get("vocab_id", "")
    documents = [(name, _sparse_vector(data)) for name, data in case["docs"]]
    indexed = [(name, vector) for name, vector in documents if vector.vocab_id == vocabulary]
    return _pairs(sparse_search(indexed, _sparse_vector(case["query"]), case["k"]))


def _vector_search(case: Case) -> object:
    index = VectorIndex.build(case["dim"], [(name, vector) for name, vector in case["docs"]])
    return _pairs(cosine_search(index, case["query"], case["k"]))


_SAME_NAME = ("depth", "decay", "max_expand", "max_frontier", "max_per_seed", "damping", "max_iter", "eps")
_EDGE_TYPES = ("edge_types", "etype_filter", "etypes", "edge_type_filter")


def _graph_expand(config: Case) -> GraphExpand:
    mode = config.get("mode") or "decay"
    if isinstance(mode, Mapping):
        (mode, settings) = next(iter(mode.items()))
        config = {**config, **(settings or {})}
    same: dict[str, Any] = {name: config[name] for name in _SAME_NAME if config.get(name) is not None}
    types = next((config[name] for name in _EDGE_TYPES if config.get(name) is not None), None)
    return GraphExpand(
        **same,
        edge_types=None if types is None else tuple(types),
        edge_weight=config.get("edge_weight") or {},
        direction=GraphExpandDirection(config.get("direction") or "outgoing"),
        mode=GraphExpandMode(str(mode).lower()),
        opt_in=bool(config.get("opt_in") or config.get("ppr_opt_in")),
    )


def _expand_decay(case: Case) -> object:
    seeds = _scored(case["seeds"])
    corpus = MemoryCorpus([], edges=[(source, kind, target) for source, kind, target in case["edges"]])
    added = expand_by_decay(seeds, corpus.neighbours, _graph_expand(case.get("config") or {}))
    return _pairs(merged(seeds, added))


def merged(seeds: Sequence[tuple[str, float]], added: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Seeds and added neighbours in one list, best first, ties by id."""
    return sorted([*dict(seeds).items(), *added], key=lambda pair: (-pair[1], pair[0]))


def _ppr(case: Case) -> object:
    settings = {name: case[name] for name in ("damping", "max_iter", "eps") if case.get(name) is not None}
    edges = [(edge[0], edge[1], float(edge[2]) if len(edge) > 2 else 1.0) for edge in case["edges"]]
    return personalized_pagerank(edges, case.get("personalization") or {}, **settings)


def _hybrid(case: Case) -> object:
    authored = [(source, target) for source, target in case["authored"]]
    edges = hybrid_union(authored, [(source, target, weight) for source, target, weight in case["knn"]])
    return [[edge.source, edge.target, edge.weight, edge.provenance.value] for edge in edges]


class _GivenReranker:
    """Answers with prepared scores, or fails."""

    name = "given"

    def __init__(self, outcome: Case) -> None:
        self._outcome = outcome

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """The prepared scores."""
        if self._outcome.get("error"):
            raise RerankFailed("The reranker did not answer.")
        scores: Sequence[float] = self._outcome["scores"]
        return scores


def _rerank(case: Case) -> object:
    candidates = _scored(case["candidates"])
    query, top_k = case.get("query_text"), case.get("rerank_top_k", 25)
    if query is None:
        return _pairs(candidates)
    texts = [name for name, _ in candidates]
    outcome = rerank(candidates, texts, query=query, reranker=_GivenReranker(case["outcome"]), top_k=top_k)
    return _pairs(outcome.candidates)


def _jaccard(case: Case) -> object:
    return JaccardReranker().rerank(case["query"], case["candidates"])


def _stored(data: Case) -> StoredNode:
    sparse = data.get("sparse") or []
    vectors = [sparse] if isinstance(sparse, Mapping) else sparse
    return StoredNode(_node(data), data.get("vectors") or {}, tuple(_sparse_vector(entry) for entry in vectors))


def _corpus(case: Case) -> MemoryCorpus:
    return MemoryCorpus(
        [_stored(node) for node in case["nodes"]],
        edges=[(source, kind, target) for source, kind, target in case.get("edges") or []],
        tombstoned=case.get("tombstoned") or [],
        anchor=case.get("anchor") or "",
    )


def _pipeline(case: Case) -> object:
    query = case["query"]
    retriever = _gated(Retriever(_corpus(case)), query)
    retriever = _asked(retriever, query)
    retriever = _staged(retriever, query)
    return _shown(retriever.execute())


def _gated(retriever: Retriever, query: Case) -> Retriever:
    if query.get("label") is not None:
        retriever = retriever.label(query["label"])
    if query.get("where") is not None:
        name, value = query["where"]
        retriever = retriever.where(name, _value(value))
    if query.get("tenant") is not None:
        retriever = retriever.tenant(query["tenant"])
    bounds = _bounds({**query, **(query.get("temporal") or {})})
    return retriever.temporal(bounds) if bounds != TemporalFilter() else retriever


def _asked(retriever: Retriever, query: Case) -> Retriever:
    if query.get("query_text") is not None:
        retriever = retriever.text(query["query_text"])
    if query.get("vector") is not None:
        retriever = retriever.vector(query["vector"]["model"], query["vector"]["values"])
    if query.get("sparse") is not None:
        retriever = retriever.sparse(_sparse_vector(query["sparse"]))
    return retriever


_LANES = {"vector_weight": "vector", "sparse_weight": "sparse"}


def _staged(retriever: Retriever, query: Case) -> Retriever:
    fusion = query.get("fusion") or FusionStrategy.CONVEX_MIN_MAX
    chosen = fusion if isinstance(fusion, Mapping) else {"strategy": fusion, "k": query.get("rrf_k")}
    retriever = retriever.fusion(FusionStrategy(str(chosen["strategy"]).lower()), k=chosen.get("k") or 60.0)
    weights = dict(query.get("weights") or {}) | {
        lane: query[key] for key, lane in _LANES.items() if query.get(key) is not None
    }
    retriever = retriever.weights(weights)
    if query.get("community") is not None:
        community = query["community"]
        retriever = retriever.community(_communities(community), _community_filter(community.get("cfg") or {}))
    if query.get("graph_expand") is not None:
        retriever = retriever.graph_expand(_graph_expand(query["graph_expand"]))
    if query.get("rerank") is not None:
        outcome = query["rerank"]
        reranker = JaccardReranker() if outcome.get("jaccard") else _GivenReranker(outcome)
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


def _shape(case: Case) -> object:
    found = score_shape(case["scores"])
    return {"min": found.min, "max": found.max, "median": found.median, "iqr": found.iqr, "shape": found.shape.value}


def _mmr(case: Case) -> object:
    pieces = [Piece(item["text"], item["relevance"], item["vector"]) for item in case["items"]]
    return _pairs(select_diverse(pieces, case["k"], diversity=case.get("lambda", 0.5)))


GROUPS: dict[str, Callable[[Case], object]] = {
    "fusion.rrf": _rrf,
    "fusion.weighted_rrf": _weighted_rrf,
    "fusion.convex_min_max": _convex,
    "fusion.score_normalized": _score_normalized,
    "tokens.heuristic": _tokens,
    "render.clip": lambda case: clip(case["text"], case["cap"]),
    "render.node": _render,
    "render.adjacency": _adjacency,
    "pack.greedy": _pack,
    "filter.temporal": _temporal,
    "filter.property": _property,
    "community.expand": _community,
    "reservoir.median": _median,
    "reservoir.gc": _gc,
    "warnings.catalog": _catalog,
    "warnings.cap": _cap,
    "warnings.trigger": _trigger,
    "sparse.validate": _sparse_validate,
    "sparse.from_unsorted": _from_unsorted,
    "sparse.dot": _sparse_dot,
    "sparse.search": _sparse_search,
    "vector.search": _vector_search,
    "graph.expand_decay": _expand_decay,
    "graph.ppr": _ppr,
    "graph.hybrid_union": _hybrid,
    "rerank.apply": _rerank,
    "rerank.jaccard": _jaccard,
    "pipeline": _pipeline,
    "calibration.confidence": lambda case: confidence(case["scores"]),
    "calibration.quantiles": lambda case: quantiles(case["scores"]),
    "calibration.shape": _shape,
    "mmr.select": _mmr,
}
