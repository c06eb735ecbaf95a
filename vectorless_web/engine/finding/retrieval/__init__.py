"""From candidates to a packed, deterministic context: every name that callers of the library use."""

# isort: skip_file

from vectorless_web.engine.finding.retrieval.corpus import CorpusNode as CorpusNode, Link as Link
from vectorless_web.engine.finding.retrieval.corpus import DocumentCollection as DocumentCollection
from vectorless_web.engine.finding.retrieval.corpus import MemoryCollection as MemoryCollection
from vectorless_web.engine.finding.retrieval.corpus import NodeAddress as NodeAddress, NodeCollection as NodeCollection
from vectorless_web.engine.finding.retrieval.corpus import PropertyValue as PropertyValue
from vectorless_web.engine.finding.retrieval.corpus import RetrievalEmpty as RetrievalEmpty
from vectorless_web.engine.finding.retrieval.expansion import CommunityFilter as CommunityFilter
from vectorless_web.engine.finding.retrieval.expansion import CommunityLookup as CommunityLookup
from vectorless_web.engine.finding.retrieval.expansion import GraphExpand as GraphExpand
from vectorless_web.engine.finding.retrieval.expansion import GraphExpandDirection as GraphExpandDirection
from vectorless_web.engine.finding.retrieval.expansion import GraphExpandMode as GraphExpandMode
from vectorless_web.engine.finding.retrieval.expansion import MappedCommunities as MappedCommunities
from vectorless_web.engine.finding.retrieval.expansion import SectionCommunities as SectionCommunities
from vectorless_web.engine.finding.retrieval.expansion import apply_community_filter as apply_community_filter
from vectorless_web.engine.finding.retrieval.expansion import expand_by_decay as expand_by_decay
from vectorless_web.engine.finding.retrieval.expansion import hybrid_union as hybrid_union
from vectorless_web.engine.finding.retrieval.expansion import personalized_pagerank as personalized_pagerank
from vectorless_web.engine.finding.retrieval.lanes import FusionStrategy as FusionStrategy, SparseVector as SparseVector
from vectorless_web.engine.finding.retrieval.lanes import VectorDimensionMismatch as VectorDimensionMismatch
from vectorless_web.engine.finding.retrieval.lanes import VectorIndex as VectorIndex, cosine_search as cosine_search
from vectorless_web.engine.finding.retrieval.lanes import convex_min_max_fusion as convex_min_max_fusion
from vectorless_web.engine.finding.retrieval.lanes import reciprocal_rank_fusion as reciprocal_rank_fusion
from vectorless_web.engine.finding.retrieval.lanes import score_normalized_fusion as score_normalized_fusion
from vectorless_web.engine.finding.retrieval.lanes import sparse_search as sparse_search
from vectorless_web.engine.finding.retrieval.lanes import (
    weighted_reciprocal_rank_fusion as weighted_reciprocal_rank_fusion,
)
from vectorless_web.engine.finding.retrieval.packing import DiversityCandidate as DiversityCandidate
from vectorless_web.engine.finding.retrieval.packing import DropReason as DropReason, Reranker as Reranker
from vectorless_web.engine.finding.retrieval.packing import JaccardReranker as JaccardReranker
from vectorless_web.engine.finding.retrieval.packing import RerankFailed as RerankFailed, clip as clip, pack as pack
from vectorless_web.engine.finding.retrieval.packing import render_node as render_node, rerank as rerank
from vectorless_web.engine.finding.retrieval.packing import render_node_with_adjacency as render_node_with_adjacency
from vectorless_web.engine.finding.retrieval.packing import select_diverse as select_diverse
from vectorless_web.engine.finding.retrieval.result import WARNINGS_CAP as WARNINGS_CAP, Circumstances as Circumstances
from vectorless_web.engine.finding.retrieval.result import Lane as Lane, RetrievalResult as RetrievalResult
from vectorless_web.engine.finding.retrieval.result import RetrievalWarning as RetrievalWarning
from vectorless_web.engine.finding.retrieval.result import RetrievedItem as RetrievedItem, WarningCode as WarningCode
from vectorless_web.engine.finding.retrieval.result import SessionReservoir as SessionReservoir
from vectorless_web.engine.finding.retrieval.result import cap_warnings as cap_warnings, confidence as confidence
from vectorless_web.engine.finding.retrieval.result import quantiles as quantiles, score_shape as score_shape
from vectorless_web.engine.finding.retrieval.retriever import RetrievalQuery as RetrievalQuery, Retriever as Retriever
from vectorless_web.engine.finding.retrieval.retriever import TemporalFilter as TemporalFilter, make_gate as make_gate
from vectorless_web.engine.finding.retrieval.retriever import property_equals as property_equals
from vectorless_web.engine.llm.model import HeuristicEstimator as HeuristicEstimator, TokenEstimator as TokenEstimator
