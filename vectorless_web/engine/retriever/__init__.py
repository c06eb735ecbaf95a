"""From candidates to a packed, deterministic context."""

from vectorless_web.engine.retriever.calibration import Distribution, Shape, confidence, quantiles, score_shape
from vectorless_web.engine.retriever.community import (
    CommunityFilter,
    CommunityLookup,
    MappedCommunities,
    apply_community_filter,
)
from vectorless_web.engine.retriever.corpus import (
    CorpusNode,
    Link,
    MemoryCorpus,
    PropertyValue,
    RetrievalCorpus,
    StoredNode,
)
from vectorless_web.engine.retriever.diversity import Piece, select_diverse
from vectorless_web.engine.retriever.documents import DocumentCorpus, SectionCommunities, node_id, parse_node_id
from vectorless_web.engine.retriever.failures import RerankFailed, RetrievalEmpty, VectorDimensionMismatch
from vectorless_web.engine.retriever.filters import NodeFilter, TemporalFilter, property_equals
from vectorless_web.engine.retriever.fusion import (
    FusionStrategy,
    convex_min_max_fusion,
    reciprocal_rank_fusion,
    score_normalized_fusion,
    weighted_reciprocal_rank_fusion,
)
from vectorless_web.engine.retriever.graph import (
    GraphExpand,
    GraphExpandDirection,
    GraphExpandMode,
    HybridEdge,
    expand_by_decay,
    expand_by_pagerank,
    hybrid_union,
)
from vectorless_web.engine.retriever.packing import Dropped, DropReason, Packed, pack
from vectorless_web.engine.retriever.pagerank import personalized_pagerank
from vectorless_web.engine.retriever.query import FIELD_WEIGHTS, Lane, RetrievalQuery, RetrievalResult, RetrievedItem
from vectorless_web.engine.retriever.render import clip, render_node, render_node_with_adjacency
from vectorless_web.engine.retriever.reranking import JaccardReranker, Reranker, rerank
from vectorless_web.engine.retriever.reservoir import Eviction, SessionReservoir
from vectorless_web.engine.retriever.retriever import Retriever
from vectorless_web.engine.retriever.similarity import SparseVector, VectorIndex, cosine_search, sparse_search
from vectorless_web.engine.retriever.warnings import (
    WARNINGS_CAP,
    Circumstances,
    RetrievalWarning,
    WarningCode,
    cap_warnings,
)
from vectorless_web.engine.text.tokens import HeuristicEstimator, TokenEstimator

__all__ = [
    "FIELD_WEIGHTS",
    "WARNINGS_CAP",
    "Circumstances",
    "CommunityFilter",
    "CommunityLookup",
    "CorpusNode",
    "Distribution",
    "DocumentCorpus",
    "DropReason",
    "Dropped",
    "Eviction",
    "FusionStrategy",
    "GraphExpand",
    "GraphExpandDirection",
    "GraphExpandMode",
    "HeuristicEstimator",
    "HybridEdge",
    "JaccardReranker",
    "Lane",
    "Link",
    "MappedCommunities",
    "MemoryCorpus",
    "NodeFilter",
    "Packed",
    "Piece",
    "PropertyValue",
    "RerankFailed",
    "Reranker",
    "RetrievalCorpus",
    "RetrievalEmpty",
    "RetrievalQuery",
    "RetrievalResult",
    "RetrievalWarning",
    "RetrievedItem",
    "Retriever",
    "SectionCommunities",
    "SessionReservoir",
    "Shape",
    "SparseVector",
    "StoredNode",
    "TemporalFilter",
    "TokenEstimator",
    "VectorDimensionMismatch",
    "VectorIndex",
    "WarningCode",
    "apply_community_filter",
    "cap_warnings",
    "clip",
    "confidence",
    "convex_min_max_fusion",
    "cosine_search",
    "expand_by_decay",
    "expand_by_pagerank",
    "hybrid_union",
    "node_id",
    "pack",
    "parse_node_id",
    "personalized_pagerank",
    "property_equals",
    "quantiles",
    "reciprocal_rank_fusion",
    "render_node",
    "render_node_with_adjacency",
    "rerank",
    "score_normalized_fusion",
    "score_shape",
    "select_diverse",
    "sparse_search",
    "weighted_reciprocal_rank_fusion",
]
