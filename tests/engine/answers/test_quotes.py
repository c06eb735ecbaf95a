"""Quotes: exact, normalised, nearly with equal digits, or missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.answers.claims import Check
from vectorless_web.engine.answers.quotes import locate_quote

TEXT = "Capital expenditure was “mainly” for the new plant; it came to $1,577 million in 2018, up from $1,373 million."


def test_words_that_stand_there_are_exact():
    found = locate_quote(TEXT, "it came to $1,577 million in 2018")
    assert (found.check, TEXT[found.start : found.end]) == (Check.EXACT, "it came to $1,577 million in 2018")


def test_the_place_seen_first_wins_over_an_earlier_equal_one():
    text = "net sales 5\nnet sales 5"
    assert locate_quote(text, "net sales 5", near=12).start == 12


def test_other_quotes_dashes_and_spaces_are_normalised():
    found = locate_quote(TEXT, 'was  "mainly" for\nthe new plant')
    assert (found.check, TEXT[found.start : found.end]) == (Check.NORMALISED, "was “mainly” for the new plant")


def test_a_slip_in_a_word_is_fuzzy():
    found = locate_quote(TEXT, "mainly for the new plannt; it came to $1,577 million in 2018, up from $1,373 million")
    assert found.check is Check.FUZZY


@pytest.mark.parametrize(
    "quote", ["it came to $1,578 million in 2018, up from", "it came to $15,77 million in 2018, up"]
)
def test_one_digit_more_less_or_other_is_missing(quote):
    assert locate_quote(TEXT, quote).check is Check.MISSING


@pytest.mark.parametrize(
    "quote", ["577 million", "$1,57", "1,3", "apital expenditure", "", "  ", "…", "the plant of the moon"]
)
def test_parts_of_numbers_and_words_and_nothing_are_missing(quote):
    assert locate_quote(TEXT, quote).check is Check.MISSING


def test_a_hyphenated_line_end_is_mended():
    found = locate_quote("The manage-\nment board met in Lund.", "The management board met")
    assert found.check is Check.NORMALISED


@given(st.text(min_size=1, max_size=80), st.integers(0, 79), st.integers(1, 80))
def test_a_located_span_always_lies_inside_the_text(text, start, length):
    found = locate_quote(text, text[start : start + length])
    assert 0 <= found.start <= found.end <= len(text)


@given(st.lists(st.sampled_from(["net", "sales", "1,577", "2018", "plant", "—", "of"]), min_size=3, max_size=30))
def test_a_run_of_whole_words_is_always_found(words):
    text = " ".join(words)
    assert locate_quote(text, " ".join(words[1:])).check is not Check.MISSING or not any(
        character.isalnum() for character in " ".join(words[1:])
    )


TABLE = "\t2019\t2018\nNet sales\t$ 5,400\t$ 5,000\nOther sales\t12\t15,77\nOther income, net\t(1)\t2\n"


@pytest.mark.parametrize(
    "quote,stands_for",
    [
        ("Net sales | $ 5,400 | $ 5,000", "Net sales\t$ 5,400\t$ 5,000"),
        ("| Net sales | $5,400 | $5,000 |", "Net sales\t$ 5,400\t$ 5,000"),
        ("Net sales $5,400 $5,000", "Net sales\t$ 5,400\t$ 5,000"),
        ("**Net sales** | 5,400", "Net sales\t$ 5,400\t$ 5,000"),
        ("Net sales | 5,000", "Net sales\t$ 5,400\t$ 5,000"),
        ("Other income, net | 2", "Other income, net\t(1)\t2"),
    ],
)
def test_cells_joined_otherwise_or_left_out_are_their_row(quote, stands_for):
    found = locate_quote(TABLE, quote)
    assert (found.check, TABLE[found.start : found.end]) == (Check.NORMALISED, stands_for)


@pytest.mark.parametrize(
    "quote",
    [
        "Net sales | 5,000 | 5,400",
        "Net sales | 9,999",
        "Sales | 5,000",
        "Other sales | 1577",
        "Other sales 1215,77",
        "Net sales | 12",
        "Net sales 5,4005,000",
    ],
)
def test_other_cells_another_order_and_joined_numbers_are_no_row(quote):
    assert locate_quote(TABLE, quote, nearly=False).check is Check.MISSING
