"""The vector lane over mapped float32 rows: how they score, and what the fingerprint follows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_documents import compiled, paragraph, section
from vectorless_web.engine.finding.retrieval import (
    DocumentCollection,
    NodeAddress,
    Retriever,
    VectorIndex,
    cosine_search,
)
from vectorless_web.engine.finding.retrieval.lanes import unit_rows


def test_float32_rows_score_as_their_float64_selves_do():
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
