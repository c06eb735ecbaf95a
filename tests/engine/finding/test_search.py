"""The two doors of finding: documents are searched under a budget, a tree is walked under a pilot."""

import dataclasses

import pytest

from vectorless_web.engine.finding.navigation import LexicalPilot, ModelPilot, NoopPilot, make_pilot, navigate_tree
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    DocumentCollection,
    GraphExpand,
    Lane,
    NodeAddress,
    RetrievalQuery,
    SparseVector,
    TemporalFilter,
    WarningCode,
    read_fusion,
    search_documents,
)
from vectorless_web.engine.finding.retrieval.corpus import count_microseconds
from vectorless_web.engine.questions.understand import understand


def test_lanes_run_together_and_the_fused_order_is_packed(document, key_of):
    tides, barley = (NodeAddress(1, key_of(words)) for words in ("tide table", "price of barley"))
    sparse = SparseVector((1,), (1.0,), "own")
    vectors = {"m": {tides: (1.0, 0.0), barley: (0.0, 1.0)}}
    corpus = DocumentCollection({1: document}, vectors=vectors, sparse=[(tides, sparse)])
    query = RetrievalQuery(structure=((tides, 1.0),), vector=("m", (1.0, 0.0)), sparse=sparse, token_budget=2000)
    found = search_documents(understand("Who keeps the tide table?"), corpus, query)
    first = found.items[0]
    assert first.node.id == tides
    assert [lane for lane, _ in first.lane_scores] == [Lane.VECTOR, Lane.SPARSE, Lane.LEXICAL, Lane.STRUCTURE]
    assert [item.score for item in found.items] == sorted((item.score for item in found.items), reverse=True)
    assert len(found.items) + found.dropped == found.candidates_seen


def test_settings_bound_filter_and_warn(document, key_of):
    plan = understand("What happened to the price of barley?")
    corpus = DocumentCollection({1: document})
    small = search_documents(plan, corpus, RetrievalQuery(token_budget=0))
    assert (small.items, small.dropped) == ((), small.candidates_seen)
    only = search_documents(plan, corpus, RetrievalQuery(label="paragraph", community=CommunityFilter(enabled=True)))
    assert {item.node.ntype for item in only.items} == {"paragraph"}
    assert {key_of("northern islands")} <= {item.node.id.key for item in only.items}, "its section joins"
    none = search_documents(plan, corpus, RetrievalQuery(where=(("page", 99),), graph=GraphExpand()))
    assert WarningCode.LANE_EMPTY in {warning.code for warning in none.warnings}
    assert all(warning.knob and warning.remedy and warning.remediation_ref for warning in none.warnings)


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "convex"])
def test_a_floor_is_a_share_of_what_the_lanes_could_give_whatever_the_fusion(document, key_of, fusion):
    plan, tides = understand("Who keeps the tide table?"), NodeAddress(1, key_of("tide table"))
    structure = ((tides, 1.0), (NodeAddress(1, key_of("Forty ships")), 0.5))
    query = RetrievalQuery(structure=structure, **read_fusion(fusion, {Lane.STRUCTURE: 2.0}))
    corpus = DocumentCollection({1: document})
    every, best = (
        search_documents(plan, corpus, dataclasses.replace(query, min_confidence=floor)) for floor in (None, 0.6)
    )
    assert best.items[0].node.id == tides and len(best.items) < len(every.items)


def test_nodes_carry_the_day_that_their_document_states_and_their_edges_on_demand(compiled):
    dated = compiled("# Minutes of 3 May 2021\n\nThe ferry was sold.\n", "minutes.md")
    undated = compiled("# Notes\n\nThe ferry was old.\n", "notes.md")
    late, early = (count_microseconds(day) for day in ("2022-01-01", "2021-05-03"))
    plan, both = understand("What became of the ferry?"), DocumentCollection({1: dated, 2: undated})
    found = search_documents(plan, both, RetrievalQuery(temporal=TemporalFilter(created_after=late)))
    assert {item.node.id.space for item in found.items} == {2}, "a document without a date passes"
    found = search_documents(plan, both, RetrievalQuery(temporal=TemporalFilter(early, late), adjacency=3))
    shown = {item.node.id.space: item.rendered for item in found.items}
    assert set(shown) == {1, 2}
    assert "mnem:created_at" in shown[1] and "Incoming:\n  contains <- 1:" in shown[1]


@pytest.mark.parametrize("strategy", ["beam", "greedy", "mcts"])
def test_a_tree_is_walked_to_the_section_that_says_it(document, strategy):
    found = navigate_tree(document, understand("Who keeps the tide table?"), strategy=strategy)
    assert document.tree.node(found.ranked[0].key).title.endswith("Tides")
    assert found.ranked[0].reason


def test_a_preset_names_its_pilot(document):
    scorer = DocumentScorer(document, understand("tides"))
    assert isinstance(make_pilot("algorithm_only", scorer), NoopPilot)
    assert isinstance(make_pilot("low_cost", scorer), LexicalPilot)
    assert isinstance(make_pilot("balanced", scorer, model=object()), ModelPilot)
