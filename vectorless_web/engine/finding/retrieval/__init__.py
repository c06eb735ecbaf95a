"""From candidates to a packed, deterministic context: every name that callers of the library use."""

# isort: skip_file

from vectorless_web.engine.finding.retrieval.corpus import CorpusNode, DocumentCollection, Link
from vectorless_web.engine.finding.retrieval.corpus import NodeAddress, NodeCollection, PropertyValue, RetrievalEmpty
from vectorless_web.engine.finding.retrieval.corpus import TemporalFilter, property_equals
from vectorless_web.engine.finding.retrieval.expansion import CommunityFilter, CommunityLookup, GraphExpand
from vectorless_web.engine.finding.retrieval.expansion import GraphExpandDirection, GraphExpandMode
from vectorless_web.engine.finding.retrieval.expansion import SectionCommunities, apply_community_filter
from vectorless_web.engine.finding.retrieval.expansion import expand_by_decay, hybrid_union, personalized_pagerank
from vectorless_web.engine.finding.retrieval.lanes import FusionStrategy, SparseVector, VectorDimensionMismatch
from vectorless_web.engine.finding.retrieval.lanes import VectorIndex, convex_min_max_fusion, cosine_search
from vectorless_web.engine.finding.retrieval.lanes import reciprocal_rank_fusion, score_normalized_fusion, sparse_search
from vectorless_web.engine.finding.retrieval.lanes import weighted_reciprocal_rank_fusion
from vectorless_web.engine.finding.retrieval.packing import DiversityCandidate, DropReason, JaccardReranker
from vectorless_web.engine.finding.retrieval.packing import RerankFailed, Reranker, clip, pack, render_node
from vectorless_web.engine.finding.retrieval.packing import render_node_with_adjacency, rerank, select_diverse
from vectorless_web.engine.finding.retrieval.result import WARNINGS_CAP, Circumstances, Lane, RetrievalResult
from vectorless_web.engine.finding.retrieval.result import RetrievalWarning, RetrievedItem, SessionReservoir
from vectorless_web.engine.finding.retrieval.result import WarningCode, cap_warnings, confidence, quantiles, score_shape
from vectorless_web.engine.finding.retrieval.retriever import RetrievalQuery, Retriever, make_gate, read_fusion
from vectorless_web.engine.finding.retrieval.retriever import search_documents
from vectorless_web.engine.llm.model import HeuristicEstimator, TokenEstimator
