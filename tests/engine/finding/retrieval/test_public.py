"""The public names of the package: all there, each documented, those that refuse say what they raise."""

import inspect

import pytest

from vectorless_web.engine.finding import retrieval as package
from vectorless_web.engine.finding.retrieval import MemoryCollection, Retriever, VectorIndex, cosine_search

PUBLIC = [name for name, thing in vars(package).items() if name[0] != "_" and not inspect.ismodule(thing)]
PROMISED = """
Retriever RetrievalResult RetrievedItem Lane FusionStrategy GraphExpand GraphExpandDirection
GraphExpandMode TemporalFilter CommunityFilter SessionReservoir RetrievalWarning WarningCode
WARNINGS_CAP cap_warnings TokenEstimator HeuristicEstimator render_node render_node_with_adjacency
reciprocal_rank_fusion weighted_reciprocal_rank_fusion convex_min_max_fusion score_normalized_fusion
pack personalized_pagerank SparseVector cosine_search sparse_search rerank RetrievalEmpty
VectorDimensionMismatch
"""
BUILDER = """
label where tenant text vector sparse structure token_budget limit fusion weights graph_expand community
rerank temporal include_tombstoned execute
"""


def test_every_promised_name_is_public() -> None:
    assert set(PROMISED.split()) <= set(PUBLIC)
    assert all(hasattr(Retriever, method) for method in BUILDER.split())


def test_each_builder_method_gives_a_new_builder() -> None:
    start = Retriever(MemoryCollection([]))
    changed = [start.label("a"), start.limit(1), start.token_budget(1), start.text("a"), start.tenant("t")]
    assert all(isinstance(builder, Retriever) and builder is not start for builder in changed)


def test_a_wrong_vector_tells_both_lengths() -> None:
    with pytest.raises(package.VectorDimensionMismatch) as refused:
        cosine_search(VectorIndex.build(2, [("a", [1.0, 0.0])]), [1.0], 1)
    assert (refused.value.index_dim, refused.value.query_dim) == (2, 1)
