"""String likeness, and the words that two texts share."""

from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.similarity import LONGEST, ratio, word_differences


def test_ratios_run_from_0_to_100():
    assert ratio("abc", "abc") == 100


TEXTS = st.text("ab 12.,\n£é漢", max_size=60)


def changed(pieces) -> list[str]:
    return [piece.text for piece in pieces if not piece.same]


def test_a_changed_figure_is_one_piece():
    left, right = word_differences("Net debt was 412.6 million in 2024.", "Net debt was 486.1 million in 2024.")

    assert (changed(left), changed(right)) == (["412.6"], ["486.1"])


def test_words_that_changed_side_by_side_are_one_piece():
    left, right = word_differences("It rose very slowly.", "It fell quite fast.")

    assert (changed(left), changed(right)) == (["rose very slowly"], ["fell quite fast"])


def test_the_same_text_has_no_difference():
    assert changed(word_differences("Alike.", "Alike.")[0]) == []


def test_very_long_texts_are_compared_as_a_whole():
    words = "word " * (LONGEST + 1)

    assert changed(word_differences(words, words + "more")[0]) == [words]


@given(TEXTS, TEXTS)
def test_the_pieces_are_the_texts_again(a, b):
    left, right = word_differences(a, b)

    assert "".join(piece.text for piece in left) == a
    assert "".join(piece.text for piece in right) == b


@given(TEXTS, TEXTS)
def test_what_is_shared_stands_in_both_in_the_same_order(a, b):
    left, right = word_differences(a, b)
    shared = ["".join("".join(piece.text for piece in side if piece.same).split()) for side in (left, right)]

    assert shared[0] == shared[1]
