"""The vector lane over mapped float32 rows: which hits stand out, and what the fingerprint follows."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.engine_documents import compiled, paragraph, section
from vectorless_web.engine.finding.retrieval import DocumentCollection, NodeAddress, Retriever, cosine_search
from vectorless_web.engine.finding.retrieval.corpus import VectorIndex, keep_standouts, unit_rows

SCORES = st.lists(st.floats(-1, 1), max_size=40).map(lambda scores: sorted(scores, reverse=True))


@given(SCORES, st.floats(0, 1))
@example([-2.621953872810286e-87, -1.0], 1.0)
def test_what_stands_out_is_a_beginning_that_holds_the_best(scores, share):
    hits = [(str(number), score) for number, score in enumerate(scores)]
    kept = keep_standouts(hits, share)
    assert kept == hits[: len(kept)]
    assert bool(kept) == bool(hits)


def test_only_what_lies_well_above_the_median_stands_out():
    hits = [("a", 0.9), ("b", 0.6), ("c", 0.49), ("d", 0.1), ("e", 0.1), ("f", 0.1), ("g", 0.0)]
    assert keep_standouts(hits, 0.5) == hits[:2]
    assert keep_standouts(hits, 1.0) == hits[:1]


def test_float32_rows_of_many_blocks_score_as_their_float64_selves_do():
    rows = unit_rows(np.random.default_rng(7).normal(size=(2500, 24))).astype(np.float32)
    ids = tuple(sorted(f"d:{number}" for number in range(2500)))
    query = np.random.default_rng(8).normal(size=24).tolist()
    narrow = cosine_search(VectorIndex(24, ids, rows), query, 50)
    assert narrow == cosine_search(VectorIndex(24, ids, rows.astype(np.float64)), query, 50)


@given(st.lists(st.floats(-1, 1), max_size=4), st.integers(-1, 5))
def test_an_empty_index_answers_nothing(query, most):
    assert cosine_search(VectorIndex.build(len(query), []), query, most) == []


def test_other_vectors_are_another_corpus_and_another_fingerprint():
    document = compiled("Rules", section("Work", paragraph("Pause."), paragraph("Pay.")))

    def asked(vector):
        vectors = {NodeAddress(1, 2): vector, NodeAddress(1, 3): [0.0, 1.0]}
        corpus = DocumentCollection({1: document}, vectors={"m": vectors})
        return Retriever(corpus).vector("m", [1.0, 0.0]).execute()

    assert asked([1.0, 0.0]).canonical() == asked([1.0, 0.0]).canonical()
    assert asked([1.0, 0.0]).fingerprint != asked([0.5, 0.5]).fingerprint


def test_a_share_is_part_of_the_fingerprint_and_cuts_the_lane():
    document = compiled("Rules", section("Work", *(paragraph(f"Pause {n}.") for n in range(5))))
    vectors = {NodeAddress(1, key): [1.0, 0.0] if key == 2 else [0.1, 1.0] for key in range(2, 7)}
    builder = Retriever(DocumentCollection({1: document}, vectors={"m": vectors}))
    whole, cut = builder.vector("m", [1.0, 0.0]).execute(), builder.vector("m", [1.0, 0.0], share=0.5).execute()
    assert [item.node.id for item in cut.items] == [NodeAddress(1, 2)]
    assert len(whole.items) == 5
    assert whole.fingerprint != cut.fingerprint
