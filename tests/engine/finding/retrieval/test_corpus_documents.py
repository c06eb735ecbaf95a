"""Compiled documents as a corpus: lanes, edges and communities over a real artefact."""

import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    DocumentCollection,
    GraphExpand,
    Lane,
    NodeAddress,
    Retriever,
    SectionCommunities,
)
from vectorless_web.engine.finding.retrieval.corpus import CONTAINS
from vectorless_web.engine.finding.retrieval.retriever import RetrievalQuery
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.understand import understand

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
    return DocumentCollection({1: document}, names={1: "Harbour"})


def _key(document, words):
    tree = document.tree
    return next(key for key in range(len(tree)) if words in tree.node(key).text and tree.node(key).is_leaf)


def test_the_lexical_lane_finds_the_passage(document, corpus):
    result = Retriever(corpus).text("price of barley").execute()
    best = result.items[0]
    assert best.node.id == NodeAddress(1, _key(document, "Barley"))
    assert best.lane_score(Lane.LEXICAL) == best.score > 0
    assert best.node.context.startswith("Harbour > ")
    assert f"id: {best.node.id}\n" in best.rendered


def test_a_plan_replaces_the_words_of_the_text(document, corpus):
    result = Retriever(corpus).text("anything", understand("tide")).limit(1).execute()
    assert "tide" in result.items[0].node.summary.lower()


def test_a_label_is_tested_before_the_cap(corpus):
    result = Retriever(corpus).text("harbour").label(NodeKind.PARAGRAPH.value).execute()
    assert {item.node.ntype for item in result.items} == {"paragraph"}


def test_words_and_structure_are_fused(document, corpus):
    key = NodeAddress(1, _key(document, "tide table"))
    result = Retriever(corpus).text("price of barley").structure([key]).execute()
    assert {lane for item in result.items for lane, _ in item.lane_scores} == {Lane.LEXICAL, Lane.STRUCTURE}


def test_expansion_follows_containment_into_leaves(document, corpus):
    section = next(k for k in document.tree.sections() if "Grain" in document.tree.node(k).title)
    expand = GraphExpand(edge_types=(CONTAINS,))
    found = Retriever(corpus).structure([NodeAddress(1, section)]).graph_expand(expand).execute()
    assert {item.node.id for item in found.items} == {
        NodeAddress(1, key) for key in [section, *document.tree.leaves(section)]
    }


def test_a_mention_leads_to_the_section_it_names(document, corpus):
    source = _key(document, "Forty ships")
    mentioned = [reference.target for reference in document.tree.references(source)]
    found = Retriever(corpus).structure([NodeAddress(1, source)]).graph_expand(GraphExpand()).execute()
    assert {item.node.id for item in found.items} == {NodeAddress(1, key) for key in [source, *mentioned]}


def test_the_rest_of_a_section_joins_as_its_community(document, corpus):
    source = _key(document, "northern islands")
    lookup = SectionCommunities({1: document})
    found = (
        Retriever(corpus).structure([NodeAddress(1, source)]).community(lookup, CommunityFilter(enabled=True)).execute()
    )
    assert [item.node.id for item in found.items] == [NodeAddress(1, source), NodeAddress(1, _key(document, "Barley"))]


def test_two_documents_are_searched_as_one(document):
    corpus = DocumentCollection({1: document, 2: document})
    result = Retriever(corpus).text("price of barley").execute()
    first, second = result.items[:2]
    assert first.score == second.score
    assert first.node.id < second.node.id


@pytest.mark.parametrize("address", [NodeAddress(1, 999999), NodeAddress(2, 1), NodeAddress(1, -1)])
def test_unknown_addresses_are_no_nodes(corpus, address):
    assert corpus.node(address) is None
    assert corpus.label(address) == ""


def test_addresses_are_ordered_as_they_are_written():
    addresses = [NodeAddress(space, key) for space in (1, 2, 10) for key in (1, 9, 10, 851)]
    assert list(map(str, sorted(addresses))) == sorted(map(str, addresses))
    assert str(NodeAddress(1, 851)) == "1:851"


def test_a_fingerprint_is_taken_over_written_addresses():
    given, written = (RetrievalQuery(structure=((name, 1.0),)) for name in (NodeAddress(1, 851), "1:851"))
    assert given.fingerprint("v", "e") == written.fingerprint("v", "e")
