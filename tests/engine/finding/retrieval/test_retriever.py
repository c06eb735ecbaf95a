"""The builder and its stages, beyond the worked cases."""

import pytest

from tests.support.hash_seeds import ROOT, tell_under_two_seeds
from tests.support.memory_collection import MappedCommunities, MemoryCollection
from vectorless_web.engine.finding import retrieval as package
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    CorpusNode,
    DropReason,
    FusionStrategy,
    GraphExpand,
    GraphExpandDirection,
    GraphExpandMode,
    JaccardReranker,
    Lane,
    RetrievalEmpty,
    RetrievalQuery,
    RetrievalWarning,
    Retriever,
    SparseVector,
    TemporalFilter,
    WarningCode,
)


def _corpus(count: int = 5, **settings: object) -> MemoryCollection:
    nodes = [CorpusNode(f"n{i:03}", "Doc", "word " * i, None, {}) for i in range(count)]
    return MemoryCollection(nodes, vectors={"m": {node.id: [1.0, i] for i, node in enumerate(nodes)}}, **settings)


def _codes(retriever: Retriever) -> list[WarningCode]:
    return [warning.code for warning in retriever.execute().warnings]


def test_a_builder_never_changes() -> None:
    start = Retriever(_corpus())
    start.label("Doc")
    with pytest.raises(RetrievalEmpty):
        start.execute()


def test_every_drop_has_its_reason() -> None:
    result = Retriever(_corpus()).vector("m", [1, 0]).token_budget(17).limit(2).execute()
    assert [item.node.id for item in result.items] == ["n000", "n001"]
    assert [drop.reason for drop in result.left_out] == [DropReason.LIMIT] * 3
    tight = Retriever(_corpus()).vector("m", [1, 0]).token_budget(12).execute()
    assert {drop.reason for drop in tight.left_out} == {DropReason.BUDGET}
    assert len(tight.items) + tight.dropped == tight.candidates_seen


def test_nodes_found_by_structure_keep_their_order() -> None:
    result = Retriever(_corpus()).structure(["n004", "n002", "unknown"]).execute()
    assert [(item.node.id, dict(item.lane_scores)[Lane.STRUCTURE]) for item in result.items] == [
        ("n004", 1.0),
        ("n002", 0.5),
    ]


@pytest.mark.parametrize("asked", [[], [1.0]])
def test_vectors_of_no_numbers_find_nothing(asked: list[float]) -> None:
    empty = MemoryCollection([CorpusNode("a", "note")], vectors={"m": {"a": ()}})
    result = Retriever(empty).vector("m", asked).execute()
    assert (result.items, [warning.code for warning in result.warnings]) == ((), [WarningCode.LANE_EMPTY])


def test_each_lane_is_cut_at_256_or_where_the_query_says() -> None:
    asked = Retriever(_corpus(300)).vector("m", [1, 0])
    both = asked.structure(f"n{number:03}" for number in range(20, 300))
    seen = [one.execute().candidates_seen for one in (asked, both, asked.lane_cap(2), both.lane_cap(2))]
    assert seen == [256, 276, 2, 4]


def test_what_expansion_adds_to_the_first_candidates_stands_before_the_others() -> None:
    linked = _corpus(6, edges=[("n000", "cites", "n004")])
    asked = Retriever(linked).structure(["n000", "n001", "n002", "n004"]).graph_expand(GraphExpand(decay=0.1))
    orders = [[i.node.id for i in one.execute().items] for one in (asked, asked.expand_first(2))]
    assert orders == [["n000", "n001", "n002", "n004"], ["n000", "n001", "n004", "n002"]]


def test_some_kinds_of_nodes_are_walked_through_and_not_added() -> None:
    nodes = [CorpusNode(name, kind) for name, kind in (("a", "leaf"), ("b", "heading"), ("c", "leaf"))]
    corpus = MemoryCollection(nodes, edges=[("a", "cites", "b"), ("b", "holds", "c")])
    walk = Retriever(corpus).structure(["a"]).graph_expand(GraphExpand(depth=2, through=("heading",)))
    assert [(item.node.id, item.score) for item in walk.execute().items] == [("a", 1.0), ("c", 0.49)]


def test_another_tenants_nodes_never_appear() -> None:
    nodes = [CorpusNode(name, "Doc", None, None, {"tenant": name[0]}) for name in ("a1", "b1")]
    vectors = {"m": {"a1": [1.0], "b1": [1.0]}}
    corpus = MemoryCollection(nodes, vectors=vectors, edges=[("a1", "cites", "b1")])
    result = Retriever(corpus).vector("m", [1]).tenant("a").graph_expand(GraphExpand()).execute()
    assert [item.node.id for item in result.items] == ["a1"]


def test_the_system_anchor_stays_out_unless_asked_for() -> None:
    corpus = _corpus(2, anchor="n000")
    assert [i.node.id for i in Retriever(corpus).label("Doc").execute().items] == ["n001"]
    assert len(Retriever(corpus).label("Doc").include_system().execute().items) == 2


def test_expansion_without_edges_is_said() -> None:
    assert WarningCode.AUTHORED_ADJACENCY_EMPTY in _codes(Retriever(_corpus()).label("Doc").graph_expand(GraphExpand()))
    by_rank = GraphExpand(mode=GraphExpandMode.PPR)
    assert WarningCode.PPR_NO_SUBSTRATE in _codes(Retriever(_corpus()).label("Doc").graph_expand(by_rank))


def test_a_reranker_that_is_missing_is_said() -> None:
    assert _codes(Retriever(_corpus()).vector("m", [1, 0]).text("x").rerank(None)) == [WarningCode.NO_RERANKER]


def test_scores_that_are_not_numbers_are_said_and_dropped() -> None:
    result = Retriever(_corpus()).structure([("n001", float("nan")), ("n002", 1.0)]).execute()
    assert [item.node.id for item in result.items] == ["n002"]
    assert [warning.code for warning in result.warnings] == [WarningCode.NON_FINITE_SCORE]


def test_a_floor_above_everything_is_said() -> None:
    result = Retriever(_corpus()).vector("m", [1, 0]).min_confidence(2.0).execute()
    assert (result.dropped, result.candidates_seen, result.items) == (5, 5, ())
    assert [warning.code for warning in result.warnings] == [WarningCode.BELOW_CONFIDENCE_FLOOR]


def test_every_warning_has_its_page() -> None:
    for code in WarningCode:
        page = (ROOT / RetrievalWarning(code).remediation_ref).read_text(encoding="utf-8")
        assert page.startswith(f"# {code.value}\n")
        assert f"`{RetrievalWarning(code).knob}`" in page
        assert "## Remedy" in page


PROMISED = """
Retriever RetrievalResult RetrievedItem Lane FusionStrategy GraphExpand GraphExpandDirection
GraphExpandMode TemporalFilter CommunityFilter SessionReservoir RetrievalWarning WarningCode
WARNINGS_CAP cap_warnings TokenEstimator HeuristicEstimator render_node render_node_with_adjacency
reciprocal_rank_fusion weighted_reciprocal_rank_fusion convex_min_max_fusion score_normalized_fusion
pack personalized_pagerank SparseVector cosine_search sparse_search rerank RetrievalEmpty
VectorDimensionMismatch
"""


def test_every_promised_name_is_public() -> None:
    assert set(PROMISED.split()) <= vars(package).keys()


def mixed() -> dict[str, Retriever]:
    """A query over two lanes of forty linked nodes, and the same with one thing more each, by the name of the thing."""
    names = [f"n{i:03}" for i in range(40)]
    sparse = [(name, SparseVector((1, i % 7 + 2), (1.0, 0.5), "v")) for i, name in enumerate(names)]
    edges = [(name, "cites", names[i * 7 % 40]) for i, name in enumerate(names)]
    start = Retriever(_corpus(40, sparse=sparse, edges=edges, tombstoned={"n003"})).vector("m", [1, 0.5]).text("word")
    start = start.sparse(SparseVector((1, 4), (0.5, 1.0), "v")).token_budget(300)
    groups = {group: [name for i, name in enumerate(names) if i % 4 == group] for group in range(4)}
    communities = MappedCommunities({name: i % 4 for i, name in enumerate(names)}, groups)
    ranks = GraphExpand(mode=GraphExpandMode.PPR, direction=GraphExpandDirection.BOTH, opt_in=True)
    return {
        "nothing": start,
        "weights": start.weights({Lane.SPARSE: 0.5}),
        **{strategy.value: start.fusion(strategy) for strategy in FusionStrategy},
        "decay": start.graph_expand(GraphExpand(depth=2)),
        "page rank": start.graph_expand(ranks),
        "communities": start.community(communities, CommunityFilter(enabled=True)),
        "reranker": start.rerank(JaccardReranker()),
        "structure": start.structure([("n007", 0.5)]),
        "floor": start.min_confidence(0.3),
        "deleted nodes": start.include_tombstoned(),
        "filter": start.where("year", 2020),
        "time": start.temporal(TemporalFilter(created_after=1)),
        "limit": start.limit(5),
    }


TELL = """
import sys
from tests.engine.finding.retrieval.test_retriever import mixed
for asked in mixed().values():
    sys.stdout.buffer.write(asked.execute().canonical() + b"\\n")
"""


def test_two_processes_with_other_hash_seeds_give_the_same_bytes() -> None:
    first, second = tell_under_two_seeds(TELL)
    assert first == second
    assert first.count(b"\n") == len(mixed()) and b'"items"' in first


def test_the_fingerprint_follows_the_query_and_the_corpus() -> None:
    asked = mixed()
    same = [name for name in asked if asked[name].execute().fingerprint == asked["nothing"].execute().fingerprint]
    assert same == ["nothing", FusionStrategy.RRF.value], "which is the fusion of a query that names none"
    query = RetrievalQuery(label="Doc")
    assert query.fingerprint(_corpus().version, "e") != query.fingerprint(MemoryCollection([]).version, "e")
