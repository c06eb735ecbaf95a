"""Runs worked cases, given as plain JSON values, through the retriever's public names."""

from collections.abc import Callable, Mapping, Sequence

from tests.support.retrieval_contract_pipeline import run_pipeline
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
    HeuristicEstimator,
    JaccardReranker,
    MemoryCollection,
    RetrievalWarning,
    SessionReservoir,
    SparseVector,
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


def run_case(group: str, case: Case) -> object:
    """The result of one case in the shape its `expected` has; an error is returned as `{"error": code, ...}`."""
    try:
        return GROUPS[group](case)
    except VectorDimensionMismatch as error:
        return {"error": error.code, "index_dim": error.index_dim, "query_dim": error.query_dim}
    except EngineError as error:
        return {"error": error.code}


def _rrf(case: Case) -> object:
    return pairs(reciprocal_rank_fusion(case["lists"], or_else(case.get("k"), 60.0)))


def _weighted_rrf(case: Case) -> object:
    lists = [(entry["ids"], entry["weight"]) for entry in case["lists"]]
    return pairs(weighted_reciprocal_rank_fusion(lists, or_else(case.get("k"), 60.0)))


def _convex(case: Case) -> object:
    return pairs(convex_min_max_fusion([(scored(lane["hits"]), lane["weight"]) for lane in case["lanes"]]))


def _score_normalized(case: Case) -> object:
    a, b = scored(case["a"]), scored(case["b"])
    return pairs(score_normalized_fusion(a, case["a_weight"], b, case["b_weight"]))


def _tokens(case: Case) -> object:
    return HeuristicEstimator().estimate(case["text"])


def _render(case: Case) -> object:
    return render_node(node_of(case["node"]), cap=or_else(case.get("cap"), 8192))


def _adjacency(case: Case) -> object:
    outgoing, incoming = ([tuple(edge) for edge in case.get(side) or []] for side in ("outgoing", "incoming"))
    cap = or_else(case.get("cap"), 10)
    return render_node_with_adjacency(node_of(case["node"]), outgoing=outgoing, incoming=incoming, cap=cap)


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


def _temporal(case: Case) -> object:
    return bounds_of(case["filter"]).matches(properties_of(case.get("props")))


def _property(case: Case) -> object:
    name, wanted = case["where"]
    return property_equals(properties_of(case.get("props")), name, value_of(wanted))


def _community(case: Case) -> object:
    candidates = scored(case["candidates"])
    return pairs(apply_community_filter(candidates, communities_of(case), community_filter(case.get("cfg") or {})))


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
        community=asked_for(request.get("community_filter")),
        ppr=str(request.get("graph_mode") or "").lower() == "ppr",
        ppr_opt_in=any(value for name, value in {**case, **request}.items() if "opt_in" in name),
        graph_expand=request.get("graph_expand") is not None,
        authored_edges=case.get("authored_edges") or 0,
        vectors=case.get("vectors") or 0,
        ppr_nodes=case.get("ppr_nodes") or 0,
    )
    return [warning.code.value for warning in circumstances.warnings()]


def _sparse_validate(case: Case) -> object:
    try:
        sparse_vector_of(case)
    except ValueError:
        return {"ok": False}
    return {"ok": True}


def _from_unsorted(case: Case) -> object:
    vector = SparseVector.from_unsorted([(index, value) for index, value in case["pairs"]], case.get("vocab_id", ""))
    return {"indices": list(vector.indices), "values": list(vector.values)}


def _sparse_dot(case: Case) -> object:
    return sparse_vector_of(case["a"]).dot(sparse_vector_of(case["b"]))


def _sparse_search(case: Case) -> object:
    vocabulary = case.get("vocab_id", "")
    documents = [(name, sparse_vector_of(data)) for name, data in case["docs"]]
    indexed = [(name, vector) for name, vector in documents if vector.vocab_id == vocabulary]
    return pairs(sparse_search(indexed, sparse_vector_of(case["query"]), case["k"]))


def _vector_search(case: Case) -> object:
    index = VectorIndex.build(case["dim"], [(name, vector) for name, vector in case["docs"]])
    return pairs(cosine_search(index, case["query"], case["k"]))


def _expand_decay(case: Case) -> object:
    seeds = scored(case["seeds"])
    corpus = MemoryCollection([], edges=[(source, kind, target) for source, kind, target in case["edges"]])
    added = expand_by_decay(seeds, corpus.neighbours, graph_expand_of(case.get("config") or {}))
    return pairs(merged(seeds, added))


def merged(seeds: Sequence[tuple[str, float]], added: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Seeds and added neighbours in one list, best first, ties by id."""
    return sorted([*dict(seeds).items(), *added], key=lambda pair: (-pair[1], pair[0]))


def _ppr(case: Case) -> object:
    settings = {name: case[name] for name in ("damping", "max_iter", "eps") if case.get(name) is not None}
    edges = [(edge[0], edge[1], float(edge[2]) if len(edge) > 2 else 1.0) for edge in case["edges"]]
    return personalized_pagerank(edges, case.get("personalization") or {}, **settings)


def _hybrid(case: Case) -> object:
    authored = [(source, target) for source, target in case["authored"]]
    return list(map(list, hybrid_union(authored, [tuple(edge) for edge in case["knn"]])))


def _rerank(case: Case) -> object:
    candidates = scored(case["candidates"])
    query, top_k = case.get("query_text"), or_else(case.get("rerank_top_k"), 25)
    if query is None or not case.get("outcome"):
        return pairs(candidates)
    texts = [name for name, _ in candidates]
    reranker = JaccardReranker() if case["outcome"].get("jaccard") else GivenReranker(case["outcome"])
    outcome = rerank(candidates, texts, query=query, reranker=reranker, top_k=top_k)
    return pairs(outcome.candidates)


def _jaccard(case: Case) -> object:
    return JaccardReranker().rerank(case["query"], case["candidates"])


def _shape(case: Case) -> object:
    found = score_shape(case["scores"])
    return {"min": found.min, "max": found.max, "median": found.median, "iqr": found.iqr, "shape": found.shape.value}


def _mmr(case: Case) -> object:
    pieces = [DiversityCandidate(item["text"], item["relevance"], item.get("vector") or ()) for item in case["items"]]
    return pairs(select_diverse(pieces, case["k"], diversity=or_else(case.get("lambda"), 0.5)))


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
    "pipeline": run_pipeline,
    "calibration.confidence": lambda case: confidence(case["scores"]),
    "calibration.quantiles": lambda case: quantiles(case["scores"]),
    "calibration.shape": _shape,
    "mmr.select": _mmr,
}
