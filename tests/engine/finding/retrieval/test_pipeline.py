"""The builder and its stages, beyond the worked cases."""

from pathlib import Path

import pytest

from vectorless_web.engine.finding.retrieval import (
    CorpusNode,
    DropReason,
    GraphExpand,
    GraphExpandMode,
    Lane,
    MemoryCollection,
    RetrievalEmpty,
    RetrievalWarning,
    Retriever,
    StoredNode,
    VectorDimensionMismatch,
    WarningCode,
)

ROOT = Path(__file__).parents[4]


def _corpus(count: int = 5, **settings: object) -> MemoryCollection:
    nodes = [StoredNode(CorpusNode(f"n{i:03}", "Doc", "word " * i, None, {}), {"m": [1.0, i]}) for i in range(count)]
    return MemoryCollection(nodes, **settings)


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
    assert [(item.node.id, item.lane_score(Lane.STRUCTURE)) for item in result.items] == [("n004", 1.0), ("n002", 0.5)]


def test_a_lane_is_cut_at_256() -> None:
    assert Retriever(_corpus(300)).vector("m", [1, 0]).execute().candidates_seen == 256


def test_vectors_of_no_numbers_score_nothing_and_refuse_others() -> None:
    empty = MemoryCollection([StoredNode(CorpusNode("a", "note"), vectors={"m": ()})])
    assert [item.score for item in Retriever(empty).vector("m", []).execute().items] == [0.0]
    with pytest.raises(VectorDimensionMismatch):
        Retriever(empty).vector("m", [1.0]).execute()


def test_another_tenants_nodes_never_appear() -> None:
    nodes = [
        StoredNode(CorpusNode(name, "Doc", None, None, {"tenant": name[0]}), {"m": [1.0]}) for name in ("a1", "b1")
    ]
    corpus = MemoryCollection(nodes, edges=[("a1", "cites", "b1")])
    result = Retriever(corpus).vector("m", [1]).tenant("a").graph_expand(GraphExpand()).execute()
    assert [item.node.id for item in result.items] == ["a1"]


def test_the_system_anchor_stays_out_unless_asked_for() -> None:
    corpus = _corpus(2, anchor="n000")
    assert [i.node.id for i in Retriever(corpus).label("Doc").execute().items] == ["n001"]
    assert len(Retriever(corpus).label("Doc").include_system().execute().items) == 2


def test_an_empty_lane_is_said() -> None:
    assert _codes(Retriever(_corpus()).vector("another", [1, 0])) == [WarningCode.LANE_EMPTY]


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
