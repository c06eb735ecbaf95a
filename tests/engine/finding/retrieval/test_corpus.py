"""Compiled documents as a corpus: lanes, edges and communities over a real artefact."""

import numpy as np
import pytest

from tests.support.engine_documents import compiled, paragraph, section
from vectorless_web.engine.finding.retrieval import (
    DocumentCollection,
    GraphExpand,
    Lane,
    NodeAddress,
    Retriever,
    VectorIndex,
    cosine_search,
)
from vectorless_web.engine.finding.retrieval.corpus import CONTAINS
from vectorless_web.engine.finding.retrieval.lanes import unit_rows
from vectorless_web.engine.finding.retrieval.retriever import RetrievalQuery


@pytest.fixture
def corpus(document):
    return DocumentCollection({1: document}, names={1: "Harbour"})


def test_the_lexical_lane_finds_the_passage(document, corpus, key_of):
    result = Retriever(corpus).text("price of barley").execute()
    best = result.items[0]
    assert best.node.id == NodeAddress(1, key_of("Barley"))
    assert dict(best.lane_scores)[Lane.LEXICAL] == best.score > 0
    assert best.node.context.startswith("Harbour > ")
    assert f"id: {best.node.id}\n" in best.rendered


def test_expansion_follows_containment_into_leaves(document, corpus, key_of):
    section = next(k for k in document.tree.sections() if "Grain" in document.tree.node(k).title)
    expand = GraphExpand(edge_types=(CONTAINS,))
    found = Retriever(corpus).structure([NodeAddress(1, section)]).graph_expand(expand).execute()
    assert {item.node.id for item in found.items} == {
        NodeAddress(1, key) for key in [section, *document.tree.leaves(section)]
    }


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


def test_a_fingerprint_is_taken_over_written_addresses():
    given, written = (RetrievalQuery(structure=((name, 1.0),)) for name in (NodeAddress(1, 851), "1:851"))
    assert given.fingerprint("v", "e") == written.fingerprint("v", "e")


def test_float32_rows_score_as_their_float64_selves_do():
    rows = unit_rows(np.random.default_rng(7).normal(size=(2500, 24))).astype(np.float32)
    ids = tuple(sorted(f"d:{number}" for number in range(2500)))
    query = np.random.default_rng(8).normal(size=24).tolist()
    narrow = cosine_search(VectorIndex(24, ids, rows), query, 50)
    assert narrow == cosine_search(VectorIndex(24, ids, rows.astype(np.float64)), query, 50)


def test_other_vectors_are_another_corpus_and_another_fingerprint():
    document = compiled("Rules", section("Work", paragraph("Pause."), paragraph("Pay.")))

    def asked(vector):
        vectors = {NodeAddress(1, 2): vector, NodeAddress(1, 3): [0.0, 1.0]}
        corpus = DocumentCollection({1: document}, vectors={"m": vectors})
        return Retriever(corpus).vector("m", [1.0, 0.0]).execute()

    assert asked([1.0, 0.0]).canonical() == asked([1.0, 0.0]).canonical()
    assert asked([1.0, 0.0]).fingerprint != asked([0.5, 0.5]).fingerprint
