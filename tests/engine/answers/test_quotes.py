"""Quotes are copied from places: page, glyphs, surroundings and markers, and nothing that was typed again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_documents import annual_report, compiled, paragraph, section
from vectorless_web.engine.answers.claims import Check
from vectorless_web.engine.answers.quotes import QuotePlace, Quotes, copy_quote, narrow_to_phrase
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import NotFound
from vectorless_web.engine.passages.sentences import find_row

REPORT = annual_report()
LINE = "The tenant’s notice must be “in  writing”—at least nine months before the end."
LEASE = compiled("Lease", section("2 Term", section("2.1 Notice", paragraph(LINE, page=1), page=1), page=0))
NOTICE = next(key for key in LEASE.tree.leaves())


def income_table() -> int:
    tree = REPORT.tree
    return next(key for key in tree.leaves() if tree.kind(key) is NodeKind.TABLE)


def row_of(label: str):
    node = REPORT.tree.node(income_table())
    row = next(row for row in node.table.rows if row.label == label)
    return node, row


def test_the_words_at_a_place_are_copied_with_their_page_and_glyphs():
    made = copy_quote(LEASE, QuotePlace("7", NOTICE, 0, 19))
    assert (made.quote, made.page_index, made.document, made.check) == (LINE[:19], 1, "7", Check.EXACT)
    (span,) = made.spans
    drawn = LEASE.page_text(span.page_index)[span.char_index : span.char_index + span.length]
    assert drawn == made.quote


def test_headings_above_say_where_a_sentence_stands():
    assert copy_quote(LEASE, QuotePlace("7", NOTICE, 0, 10)).where == "2 Term > 2.1 Notice"


def test_a_row_is_told_by_its_caption_and_a_cell_by_its_column_too():
    node, row = row_of("Net income")
    whole = QuotePlace("1", node.key, row.offset, row.offset + row.length)
    assert copy_quote(REPORT, whole).where == "Consolidated Statements of Income"
    cell = QuotePlace("1", node.key, row.cells[1].offset, row.cells[1].offset + row.cells[1].length, column=1)
    made = copy_quote(REPORT, cell)
    assert (made.quote, made.where) == ("405", "Consolidated Statements of Income, 2019")


def test_the_row_at_a_character_is_found_and_none_outside_of_tables():
    node, row = row_of("Net income")
    assert find_row(node, row.offset + 3) == row
    assert find_row(LEASE.tree.node(NOTICE), 3) is None


def test_one_place_has_one_marker_and_the_next_place_the_next():
    quotes = Quotes({"7": LEASE}.__getitem__)
    first, second = QuotePlace("7", NOTICE, 0, 10), QuotePlace("7", NOTICE, 11, 20)
    assert [quotes.cite(place).marker for place in (first, second, first)] == [1, 2, 1]


@pytest.mark.parametrize("key,start,end", [(99, 0, 4), (NOTICE, 4, 4), (NOTICE, 500, 600), (NOTICE, 3, 4)])
def test_a_place_without_words_is_not_found(key, start, end):
    with pytest.raises(NotFound):
        copy_quote(LEASE, QuotePlace("7", key, start, end))


@given(st.integers(-5, 120), st.integers(-5, 120))
def test_a_quote_is_always_a_part_of_its_node(start, end):
    place = QuotePlace("7", NOTICE, start, end)
    try:
        made = copy_quote(LEASE, place)
    except NotFound:
        return
    assert made.quote == LINE[made.start : made.end] == made.quote.strip()
    assert max(0, start) <= made.start < made.end <= min(end, len(LINE))


@pytest.mark.parametrize(
    "phrase,found",
    [
        ("in writing", "in  writing"),
        ('be "in writing"-at least', "be “in  writing”—at least"),
        ("tenant's notice", "tenant’s notice"),
    ],
)
def test_a_phrase_is_lit_where_it_stands_whatever_marks_a_page_prints(phrase, found):
    place = narrow_to_phrase(LEASE, QuotePlace("7", NOTICE, 0, len(LINE)), phrase)
    assert place is not None and LINE[place.start : place.end] == found


@pytest.mark.parametrize("phrase", ["in print", "ten months", "", "landlord", "before the end. It"])
def test_a_phrase_that_does_not_stand_there_is_none(phrase):
    assert narrow_to_phrase(LEASE, QuotePlace("7", NOTICE, 0, len(LINE)), phrase) is None


def test_a_phrase_outside_the_cited_line_does_not_count():
    assert narrow_to_phrase(LEASE, QuotePlace("7", NOTICE, 0, 12), "nine months") is None
