"""The vector file: what is embedded of a leaf, and that what was written comes back or is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_documents import compiled, paragraph, section
from vectorless_web.engine.documents.vectors import clip_to_tokens, leaf_texts, open_vectors, write_vectors
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.llm.model import HeuristicEstimator

ROWS = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
KEYS = [2, 10, 9]


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "a.vec"
    path.write_bytes(write_vectors(KEYS, ROWS, model="tiny", artefact="f" * 64))
    return path


def test_rows_come_back_mapped_normalised_and_in_the_order_of_ids(stored):
    vectors = open_vectors(stored)
    assert vectors.keys == (10, 2, 9) == tuple(sorted(KEYS, key=str))
    assert np.allclose(vectors.rows, [[0, 0], [0.6, 0.8], [0, -1]])
    assert (vectors.model, vectors.artefact, vectors.dimensions) == ("tiny", "f" * 64, 2)
    assert vectors.rows.dtype == np.float32 and not vectors.rows.flags.writeable


def test_equal_vectors_are_equal_bytes_whatever_order_they_come_in():
    again = write_vectors(KEYS[::-1], ROWS[::-1], model="tiny", artefact="f" * 64)
    assert again == write_vectors(KEYS, ROWS, model="tiny", artefact="f" * 64)


def test_rows_must_fit_the_keys():
    with pytest.raises(ValueError, match="2 keys"):
        write_vectors([1, 2], ROWS, model="tiny", artefact="")


def test_a_damaged_file_is_refused(stored):
    data = stored.read_bytes()
    altered = [data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :] for place in (0, 9, 30, len(data) - 1)]
    for damaged in (*altered, data[:-4], data + b"more", b""):
        stored.write_bytes(damaged)
        with pytest.raises(ArtefactDamaged):
            open_vectors(stored)


def test_a_leaf_is_embedded_with_the_titles_above_it_and_headings_are_not():
    document = compiled("Rules", section("Work", section("Rest", paragraph("Pause for an hour."), paragraph("  "))))
    assert [(leaf.key, leaf.text) for leaf in leaf_texts(document, max_tokens=100)] == [
        (3, "Work > Rest\nPause for an hour.")
    ]


def test_a_long_leaf_is_clipped_to_the_models_limit():
    document = compiled("Rules", section("Work", paragraph("word " * 500)))
    (leaf,) = leaf_texts(document, max_tokens=50)
    assert HeuristicEstimator().estimate(leaf.text) == 50
    assert leaf.text.startswith("Work\nword word")


@given(st.text(max_size=300), st.integers(0, 80))
def test_a_clipped_text_is_the_longest_beginning_that_fits(text, most):
    estimate, kept = HeuristicEstimator().estimate, clip_to_tokens(text, most)
    assert text.startswith(kept) and estimate(kept) <= most
    assert kept == text or estimate(text[: len(kept) + 1]) > most
