"""Runs worked cases, given as plain JSON values, through the retriever's public names."""

from collections.abc import Callable, Mapping

from tests.support.memory_collection import MemoryCollection
from tests.support.retrieval_contract_values import (
    Case,
    GivenReranker,
    Json,
    asked_for,
    bounds_of,
    communities_of,
    community_filter,
    graph_expand_of,
    node_of,
    or_else,
    pairs,
    properties_of,
    scored,
    sparse_vector_of,
    value_of,
)
from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.finding.retrieval import (
    Circumstances,
    DiversityCandidate,
    FusionStrategy,
    HeuristicEstimator,
    JaccardReranker,
    RetrievalResult,
    RetrievalWarning,
    Retriever,
    SessionReservoir,
    SparseVector,
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
from vectorless_web.engine.finding.retrieval.result import Shape


def run_case(group: str, case: Case) -> object:
    """The result of one case in the shape its `expected` has; an error is returned as `{"error": code, ...}`."""
    try:
        return GROUPS[group](case)
    except VectorDimensionMismatch as error:
        return {"error": error.code, "index_dim": error.index_dim, "query_dim": error.query_dim}
    except EngineError as error:
        return {"error": error.code}


def _k(case: Case) -> float:
    return float(or_else(case.get("k"), 60.0))


def _adjacency(case: Case) -> object:
    edges = {side: [tuple(edge) for edge in case.get(side) or []] for side in ("outgoing", "incoming")}
    return render_node_with_adjacency(node_of(case["node"]), **edges, cap=or_else(case.get("cap"), 10))


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


def _trigger(case: Case) -> object:
    request = case.get("request") or {}
    circumstances = Circumstances(
        rerank=request.get("rerank") is not None,
        reranker_available=bool(case.get("reranker_available")),
        community=asked_for(request.get("community_filter")),
        ppr=str(request.get("graph_mode") or "").lower() == "ppr",
        ppr_opt_in=any(value for name, value in {**case, **request}.items() if "opt_in" in name),
        graph_expand=request.get("graph_expand") is not None,
        authored_edges=case.get("authored_edges") or 0,
        vectors=case.get("vectors") or 0,
        ppr_nodes=case.get("ppr_nodes") or 0,
    )
    return [warning.code.value for warning in circumstances.warnings()]


def _shown(thing: object, *names: str) -> dict[str, object]:
    values = {name: getattr(thing, name) for name in names}
    plain = {tuple: list, Shape: str}
    return {name: plain.get(type(value), lambda same: same)(value) for name, value in values.items()}


def _sparse_validate(case: Case) -> object:
    try:
        sparse_vector_of(case)
    except ValueError:
        return {"ok": False}
    return {"ok": True}


def _sparse_search(case: Case) -> object:
    vocabulary = case.get("vocab_id", "")
    documents = [(name, sparse_vector_of(data)) for name, data in case["docs"]]
    indexed = [(name, vector) for name, vector in documents if vector.vocab_id == vocabulary]
    return pairs(sparse_search(indexed, sparse_vector_of(case["query"]), case["k"]))


def _expand_decay(case: Case) -> object:
    seeds = scored(case["seeds"])
    corpus = MemoryCollection([], edges=[(source, kind, target) for source, kind, target in case["edges"]])
    added = expand_by_decay(seeds, corpus.neighbours, graph_expand_of(case.get("config") or {}))
    return pairs(sorted([*dict(seeds).items(), *added], key=lambda pair: (-pair[1], pair[0])))


def _ppr(case: Case) -> object:
    settings = {name: case[name] for name in ("damping", "max_iter", "eps") if case.get(name) is not None}
    edges = [(edge[0], edge[1], float(edge[2]) if len(edge) > 2 else 1.0) for edge in case["edges"]]
    return personalized_pagerank(edges, case.get("personalization") or {}, **settings)


def _rerank(case: Case) -> object:
    candidates = scored(case["candidates"])
    query, top_k = case.get("query_text"), or_else(case.get("rerank_top_k"), 25)
    if query is None or not case.get("outcome"):
        return pairs(candidates)
    texts = [name for name, _ in candidates]
    reranker = JaccardReranker() if case["outcome"].get("jaccard") else GivenReranker(case["outcome"])
    outcome = rerank(candidates, texts, query=query, reranker=reranker, top_k=top_k)
    return pairs(outcome.candidates)


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


def _run_pipeline(case: Case) -> object:
    """A whole retrieval, in the shape of `expected`."""
    query = case["query"]
    retriever = _gated(Retriever(_corpus(case)), query)
    retriever = _asked(retriever, query)
    retriever = _staged(retriever, query)
    return _tell_result(retriever.execute())


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


def _tell_result(result: RetrievalResult) -> object:
    return {
        "items": [[item.node.id, item.score] for item in result.items],
        "tokens": [item.tokens for item in result.items],
        "lane_scores": [[[lane.value, score] for lane, score in item.lane_scores] for item in result.items],
        "tokens_used": result.tokens_used,
        "tokens_budget": result.tokens_budget,
        "dropped": result.dropped,
        "candidates_seen": result.candidates_seen,
    }


GROUPS: dict[str, Callable[[Case], object]] = {
    "fusion.rrf": lambda case: pairs(reciprocal_rank_fusion(case["lists"], _k(case))),
    "fusion.weighted_rrf": lambda case: pairs(
        weighted_reciprocal_rank_fusion([(entry["ids"], entry["weight"]) for entry in case["lists"]], _k(case))
    ),
    "fusion.convex_min_max": lambda case: pairs(
        convex_min_max_fusion([(scored(lane["hits"]), lane["weight"]) for lane in case["lanes"]])
    ),
    "fusion.score_normalized": lambda case: pairs(
        score_normalized_fusion(scored(case["a"]), case["a_weight"], scored(case["b"]), case["b_weight"])
    ),
    "tokens.heuristic": lambda case: HeuristicEstimator().estimate(case["text"]),
    "render.clip": lambda case: clip(case["text"], case["cap"]),
    "render.node": lambda case: render_node(node_of(case["node"]), cap=or_else(case.get("cap"), 8192)),
    "render.adjacency": _adjacency,
    "pack.greedy": _pack,
    "filter.temporal": lambda case: bounds_of(case["filter"]).matches(properties_of(case.get("props"))),
    "filter.property": lambda case: property_equals(
        properties_of(case.get("props")), case["where"][0], value_of(case["where"][1])
    ),
    "community.expand": lambda case: pairs(
        apply_community_filter(
            scored(case["candidates"]), communities_of(case), community_filter(case.get("cfg") or {})
        )
    ),
    "reservoir.median": _median,
    "reservoir.gc": _gc,
    "warnings.catalog": lambda case: {
        name: getattr(RetrievalWarning(WarningCode(case["code"])), name) for name in ("knob", "remediation_ref")
    },
    "warnings.cap": lambda case: [
        warning.code.value for warning in cap_warnings([RetrievalWarning(WarningCode(code)) for code in case["codes"]])
    ],
    "warnings.trigger": _trigger,
    "sparse.validate": _sparse_validate,
    "sparse.from_unsorted": lambda case: _shown(
        SparseVector.from_unsorted([tuple(pair) for pair in case["pairs"]], case.get("vocab_id", "")),
        "indices",
        "values",
    ),
    "sparse.dot": lambda case: sparse_vector_of(case["a"]).dot(sparse_vector_of(case["b"])),
    "sparse.search": _sparse_search,
    "vector.search": lambda case: pairs(
        cosine_search(
            VectorIndex.build(case["dim"], [tuple(entry) for entry in case["docs"]]), case["query"], case["k"]
        )
    ),
    "graph.expand_decay": _expand_decay,
    "graph.ppr": _ppr,
    "graph.hybrid_union": lambda case: list(
        map(list, hybrid_union([tuple(edge) for edge in case["authored"]], [tuple(edge) for edge in case["knn"]]))
    ),
    "rerank.apply": _rerank,
    "rerank.jaccard": lambda case: JaccardReranker().rerank(case["query"], case["candidates"]),
    "pipeline": _run_pipeline,
    "calibration.confidence": lambda case: confidence(case["scores"]),
    "calibration.quantiles": lambda case: quantiles(case["scores"]),
    "calibration.shape": lambda case: _shown(score_shape(case["scores"]), "min", "max", "median", "iqr", "shape"),
    "mmr.select": lambda case: pairs(
        select_diverse(
            [DiversityCandidate(item["text"], item["relevance"], item.get("vector") or ()) for item in case["items"]],
            case["k"],
            diversity=or_else(case.get("lambda"), 0.5),
        )
    ),
}
