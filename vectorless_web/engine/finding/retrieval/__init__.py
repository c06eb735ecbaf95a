"""From candidates to a packed, deterministic context: every name that callers of the library use."""

# isort: skip_file

from vectorless_web.engine.finding.retrieval.result import (
    SessionReservoir as SessionReservoir,
    confidence as confidence,
    quantiles as quantiles,
    score_shape as score_shape,
)
from vectorless_web.engine.finding.retrieval.corpus import (
    CorpusNode as CorpusNode,
    Link as Link,
    MemoryCollection as MemoryCollection,
    NodeCollection as NodeCollection,
    PropertyValue as PropertyValue,
    RetrievalEmpty as RetrievalEmpty,
    StoredNode as StoredNode,
)
from vectorless_web.engine.finding.retrieval.corpus import (
    DocumentCollection as DocumentCollection,
    NodeAddress as NodeAddress,
)
from vectorless_web.engine.finding.retrieval.expansion import (
    CommunityFilter as CommunityFilter,
    CommunityLookup as CommunityLookup,
    GraphExpand as GraphExpand,
    GraphExpandDirection as GraphExpandDirection,
    GraphExpandMode as GraphExpandMode,
    HybridEdge as HybridEdge,
    MappedCommunities as MappedCommunities,
    SectionCommunities as SectionCommunities,
    apply_community_filter as apply_community_filter,
    expand_by_decay as expand_by_decay,
    expand_by_pagerank as expand_by_pagerank,
    hybrid_union as hybrid_union,
    personalized_pagerank as personalized_pagerank,
)
from vectorless_web.engine.finding.retrieval.fusion import (
    FusionStrategy as FusionStrategy,
    convex_min_max_fusion as convex_min_max_fusion,
    reciprocal_rank_fusion as reciprocal_rank_fusion,
    score_normalized_fusion as score_normalized_fusion,
    weighted_reciprocal_rank_fusion as weighted_reciprocal_rank_fusion,
)
from vectorless_web.engine.finding.retrieval.packing import (
    DiversityCandidate as DiversityCandidate,
    DropReason as DropReason,
    Dropped as Dropped,
    JaccardReranker as JaccardReranker,
    RerankFailed as RerankFailed,
    Reranker as Reranker,
    clip as clip,
    pack as pack,
    render_node as render_node,
    render_node_with_adjacency as render_node_with_adjacency,
    rerank as rerank,
    select_diverse as select_diverse,
)
from vectorless_web.engine.finding.retrieval.result import (
    WARNINGS_CAP as WARNINGS_CAP,
    Circumstances as Circumstances,
    Lane as Lane,
    RetrievalResult as RetrievalResult,
    RetrievalWarning as RetrievalWarning,
    RetrievedItem as RetrievedItem,
    WarningCode as WarningCode,
    cap_warnings as cap_warnings,
)
from vectorless_web.engine.finding.retrieval.retriever import (
    RetrievalQuery as RetrievalQuery,
    Retriever as Retriever,
    TemporalFilter as TemporalFilter,
    property_equals as property_equals,
)
from vectorless_web.engine.finding.retrieval.vectors import (
    SparseVector as SparseVector,
    VectorDimensionMismatch as VectorDimensionMismatch,
    VectorIndex as VectorIndex,
    cosine_search as cosine_search,
    sparse_search as sparse_search,
)
from vectorless_web.engine.llm.model import HeuristicEstimator as HeuristicEstimator, TokenEstimator as TokenEstimator
