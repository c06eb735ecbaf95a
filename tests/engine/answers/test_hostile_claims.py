"""Claims and documents made to keep the checks busy: the work stays bounded, and what a bound leaves out is said."""

import sys

import pytest

from tests.support.engine_documents import compiled, paragraph, section, table
from vectorless_web.engine.answers.claims import Check, DraftClaim, DraftQuote
from vectorless_web.engine.answers.grounding import NOT_AMONG_SEARCHED, TOO_LONG, Grounder
from vectorless_web.engine.answers.quotes import LONGEST_SEARCHED, locate_quote
from vectorless_web.engine.text.quantities import quantities_in

MOST_CALLS = 1_500_000
"""Calls of functions that checking one claim may take: under a second on the machine of the benchmarks."""


def calls_of(work):
    """How many functions are called, and what came of it."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        found = work()
    finally:
        sys.setprofile(None)
    return calls, found


def objections(document, text, quotes, *, key=2, read=()):
    grounder = Grounder(documents={"a": document}, periods=("What?",), question="What?", read=read)
    return grounder.objections(DraftClaim(text, tuple(DraftQuote("a", key, quote) for quote in quotes)))


def shop(number):
    letters = "".join(chr(65 + number // 26**place % 26) for place in range(3))
    return [f"Sales of shoes in shop {letters}", str(7 * number + 3), str(5 * number + 1)]


@pytest.fixture(scope="module")
def shops():
    rows = [shop(number) for number in range(5000)]
    return compiled("Shops", section("Sales", table("Sales", rows, columns=["Shop", "2023", "2022"])))


@pytest.fixture(scope="module")
def long_passage():
    sentences = (f"In the garden {number} people met to talk of trees and houses." for number in range(20_000))
    return compiled("Gardens", section("Gardens", paragraph(" ".join(sentences))))


def test_forty_rows_of_five_thousand_alike_ones_are_checked_at_once(shops):
    rows = [shop(number) for number in range(40)]
    text = f"In 2023 {', '.join(f'{label} sold {sold}' for label, sold, _ in rows)}."
    calls, found = calls_of(lambda: objections(shops, text, ["\t".join(row) for row in rows]))
    assert (found, calls < MOST_CALLS) == ((), True)


def test_a_wrong_row_among_five_thousand_alike_ones_is_still_found(shops):
    wrong = f"In 2023 {shop(17)[0]} sold {shop(18)[1]} pairs."
    assert "stands in the row" in objections(shops, wrong, ["\t".join(shop(18))])[0]


def test_a_quote_that_is_missing_from_a_very_long_passage_is_given_up_and_said(long_passage):
    calls, found = calls_of(
        lambda: objections(
            long_passage, "77 owls met.", ["In the garden owls met 77 stones to talk of houses at night"]
        )
    )
    assert (found[0], calls < MOST_CALLS) == (NOT_AMONG_SEARCHED, True)


def test_a_quote_that_stands_in_a_very_long_passage_in_another_form_is_found(long_passage):
    text = long_passage.tree.node(2).text
    assert len(text) > LONGEST_SEARCHED
    found = locate_quote(text, "In  the garden 19876 people  met to talk of trees")
    assert (found.check, text[found.start : found.end]) == (
        Check.NORMALISED,
        "In the garden 19876 people met to talk of trees",
    )


def test_a_quote_is_not_sought_in_more_than_the_nearest_of_many_passages():
    many = compiled("Notes", section("Notes", *[paragraph(f"Note {n} on trees and gardens.") for n in range(3000)]))
    read = [("a", key) for key in many.tree.leaves()]
    quote = "Notes of owls that nobody wrote about gardens"
    calls, found = calls_of(lambda: objections(many, "Owls wrote 77 notes.", [quote], read=read))
    assert (found[0], calls < MOST_CALLS) == (NOT_AMONG_SEARCHED, True)


@pytest.mark.parametrize(
    ("text", "length"),
    [("Many owls met.", 200_000), ("Many owls met. " * 2000, 50), (" and ".join(f"{n} owls" for n in range(3000)), 50)],
    ids=["a quote of a whole book", "a sentence of pages", "a sentence of thousands of numbers"],
)
def test_what_is_too_long_to_be_checked_is_sent_back(long_passage, text, length):
    calls, found = calls_of(lambda: objections(long_passage, text, [long_passage.tree.node(2).text[:length]]))
    assert (found, calls < 20_000) == ((TOO_LONG,), True)


def test_the_longest_claim_over_the_longest_quote_is_checked_at_once(long_passage):
    quote = long_passage.tree.node(2).text[:9_500].rsplit(" ", 1)[0]
    text = " and ".join(f"{number} people" for number in range(75))
    calls, found = calls_of(lambda: objections(long_passage, text, [quote]))
    assert (found, calls < MOST_CALLS) == ((), True)


@pytest.mark.parametrize("unit", ["twenty-five people paid one half of 12 kg; ", "in 2023 about 1,234 of 45% ", "3 "])
def test_reading_the_numbers_of_a_text_twice_as_long_takes_about_twice_the_work(unit):
    short, _ = calls_of(lambda: quantities_in(unit * 1000))
    long, _ = calls_of(lambda: quantities_in(unit * 2000))
    assert long < 2.2 * short
