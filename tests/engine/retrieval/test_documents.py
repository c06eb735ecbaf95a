"""Compiled documents as a corpus: lanes, edges and communities over a real artefact."""

import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.plan import WeightedTerm
from vectorless_web.engine.retrieval import (
    CommunityFilter,
    DocumentCorpus,
    GraphExpand,
    Lane,
    Retriever,
    SectionCommunities,
    node_id,
    parse_node_id,
)
from vectorless_web.engine.retrieval.documents import CONTAINS

TEXT = """# Harbour report

## 1 Ships

Forty ships entered the harbour in the spring. Most of them carried grain, as section 2 explains.

## 2 Grain

The grain came from the northern islands and was stored in the old tower.

Barley made up the larger part of it, and the price of barley rose.

## 3 Tides

The tide table is kept by the harbour master.
"""


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("harbour") / "harbour.md"
    path.write_text(TEXT, encoding="utf-8")
    return CompiledDocument(compile_file(path, name="harbour.md"))


@pytest.fixture
def corpus(document):
    return DocumentCorpus({"h": document}, names={"h": "Harbour"})


def _key(document, words):
    tree = document.tree
    return next(key for key in range(len(tree)) if words in tree.node(key).text and tree.node(key).is_leaf)


def test_the_lexical_lane_finds_the_passage(document, corpus):
    result = Retriever(corpus).text("price of barley").execute()
    best = result.items[0]
    assert best.node.id == node_id("h", _key(document, "Barley"))
    assert best.lane_score(Lane.LEXICAL) == best.score > 0
    assert best.node.context.startswith("Harbour > ")
    assert f"id: {best.node.id}\n" in best.rendered


def test_weighted_terms_replace_the_words_of_the_text(document, corpus):
    result = Retriever(corpus).text("anything", [WeightedTerm("tide")]).limit(1).execute()
    assert "tide" in result.items[0].node.summary.lower()


def test_a_label_is_tested_before_the_cap(corpus):
    result = Retriever(corpus).text("harbour").label(NodeKind.PARAGRAPH.value).execute()
    assert {item.node.ntype for item in result.items} == {"paragraph"}


def test_words_and_structure_are_fused(document, corpus):
    key = node_id("h", _key(document, "tide table"))
    result = Retriever(corpus).text("price of barley").structure([key]).execute()
    assert {lane for item in result.items for lane, _ in item.lane_scores} == {Lane.LEXICAL, Lane.STRUCTURE}


def test_expansion_follows_containment_into_leaves(document, corpus):
    section = next(k for k in document.tree.sections() if "Grain" in document.tree.node(k).title)
    expand = GraphExpand(edge_types=(CONTAINS,))
    found = Retriever(corpus).structure([node_id("h", section)]).graph_expand(expand).execute()
    assert {item.node.id for item in found.items} == {
        node_id("h", key) for key in [section, *document.tree.leaves(section)]
    }


def test_a_mention_leads_to_the_section_it_names(document, corpus):
    source = _key(document, "Forty ships")
    mentioned = [reference.target for reference in document.tree.references(source)]
    found = Retriever(corpus).structure([node_id("h", source)]).graph_expand(GraphExpand()).execute()
    assert {item.node.id for item in found.items} == {node_id("h", key) for key in [source, *mentioned]}


def test_the_rest_of_a_section_joins_as_its_community(document, corpus):
    source = _key(document, "northern islands")
    lookup = SectionCommunities({"h": document})
    found = (
        Retriever(corpus).structure([node_id("h", source)]).community(lookup, CommunityFilter(enabled=True)).execute()
    )
    assert [item.node.id for item in found.items] == [node_id("h", source), node_id("h", _key(document, "Barley"))]


def test_two_documents_are_searched_as_one(document):
    corpus = DocumentCorpus({"a": document, "b": document})
    result = Retriever(corpus).text("price of barley").execute()
    first, second = result.items[:2]
    assert first.score == second.score
    assert first.node.id < second.node.id


@pytest.mark.parametrize("identifier", ["", "h", "h:", "h:x", "h:999999", "z:1", "h:-1", "h:١"])
def test_unknown_ids_are_no_nodes(corpus, identifier):
    assert corpus.node(identifier) is None
    assert corpus.label(identifier) == ""


def test_ids_can_hold_colons():
    assert parse_node_id(node_id("a:b", 7)) == ("a:b", 7)
