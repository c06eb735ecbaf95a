"""Quotes: exact, normalised, nearly with equal digits, or missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_documents import Part, compiled, paragraph, section
from vectorless_web.engine.answers.claims import Check, DraftClaim, DraftQuote
from vectorless_web.engine.answers.grounding import Grounder
from vectorless_web.engine.answers.quotes import locate_quote
from vectorless_web.engine.documents.node import Cell, Column, NodeKind, Row, Table

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


PLANT = compiled(
    "Plant manual of Norrvik Chemicals",
    section(
        "Chapter 4 Works on lines that carry gas or have carried it within the last month",
        section("4.1 A hydrogen line must be purged with nitrogen before any weld is begun"),
        section("4.2 Flanges", paragraph("Tightened crosswise.", page=1), page=1),
        page=0,
    ),
    section(
        "5 Pressures",
        Part(
            NodeKind.TABLE,
            "Table 5. Test pressures",
            "\tDecember 31,\t\n\t2019\t2018\nLine 1\t12\t14\n",
            2,
            table=Table(
                (Column(""), Column("December 31, / 2019"), Column("2018")),
                (
                    Row("", (Cell("", 0, 0), Cell("December 31,", 1, 12), Cell("", 14, 0)), 0, 14, 2, is_header=True),
                    Row("", (Cell("", 15, 0), Cell("2019", 16, 4), Cell("2018", 21, 4)), 15, 10, 2, is_header=True),
                    Row("Line 1", (Cell("Line 1", 26, 6), Cell("12", 33, 2), Cell("14", 36, 2)), 26, 12, 2),
                ),
                "(in bar)",
            ),
        ),
        page=2,
    ),
)


def cited(key, words):
    claim = DraftClaim("It is said.", (DraftQuote("a", key, words),))
    return [(one.key, one.quote, one.check) for one in Grounder(documents={"a": PLANT}).check(1, claim).citations]


RULE = "4.1 A hydrogen line must be purged with nitrogen before any weld is begun"
FLANGES = next(key for key in PLANT.tree.leaves() if "crosswise" in PLANT.tree.node(key).text)
PRESSURES = next(key for key in PLANT.tree.leaves() if PLANT.tree.node(key).table)


def test_a_heading_without_a_text_of_its_own_may_be_quoted():
    assert cited(2, "A hydrogen line must be purged with nitrogen") == [
        (2, "A hydrogen line must be purged with nitrogen", Check.EXACT)
    ]


def test_a_heading_above_a_passage_may_be_quoted_as_it_is_shown_there_cut():
    whole = "Chapter 4 Works on lines that carry gas or have carried it within the last month"
    assert cited(FLANGES, "Chapter 4 Works on lines that carry …") == [(1, whole[:35], Check.EXACT)]


def test_a_trail_of_headings_is_cited_at_each_of_them_and_the_words_below_where_they_stand():
    words = "Chapter 4 Works on lines > 4.2 Flanges > Tightened crosswise."
    assert [(key, quote) for key, quote, _ in cited(FLANGES, words)] == [
        (1, "Chapter 4 Works on lines"),
        (3, "4.2 Flanges"),
        (FLANGES, "Tightened crosswise."),
    ]


@pytest.mark.parametrize("words", ["4.1 A helium line must be purged", "Chapter 4 Works > Tightened lengthwise."])
def test_what_no_heading_says_stays_missing(words):
    assert {check for _, _, check in cited(FLANGES, words)} == {Check.MISSING}


@pytest.mark.parametrize(
    "words", ["December 31, | 2019 | 2018", "2019 | 2018", "2019 December 31,", "Table 5. Test pressures (in bar)"]
)
def test_the_head_of_a_table_may_be_quoted_though_it_stands_in_several_rows(words):
    assert [key for key, _, check in cited(PRESSURES, words) if check is not Check.MISSING] == [PRESSURES]


@pytest.mark.parametrize("words", ["December 31, | 2019 | 2017", "Line 1 | 2019"])
def test_a_head_with_a_word_that_stands_in_none_of_its_rows_is_missing(words):
    assert [check for _, _, check in cited(PRESSURES, words)] == [Check.MISSING]
