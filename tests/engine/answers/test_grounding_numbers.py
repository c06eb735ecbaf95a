"""Numbers of a sentence are in its quotes, with scale, or they are not."""

from decimal import Decimal

import pytest

from tests.support.engine_documents import compiled, section, table
from vectorless_web.engine.answers.agreement import find_unaccounted_numbers, list_stated_numbers
from vectorless_web.engine.answers.claims import DraftClaim, DraftQuote, Support
from vectorless_web.engine.answers.grounding import Grounder

MILLION = Decimal(1_000_000)
ROW = "Purchases of property, plant and equipment (PP&E)\t(1,577)\t(1,373)"


@pytest.mark.parametrize(
    "sentence",
    [
        "It was 1,577.",
        "It was $1,577 million.",
        "It was $1.577 billion.",
        "It was $1.58 billion.",
        "It was about 1.6 billion dollars.",
        "In 2018 it was $1,577 million, in 2017 $1,373 million.",
    ],
)
def test_a_figure_agrees_in_any_scale_to_the_digits_shown(sentence):
    assert find_unaccounted_numbers(sentence, list_stated_numbers(ROW, MILLION), ["2018", "FY2017"]) == []


@pytest.mark.parametrize(
    "sentence", ["It was 1,578.", "It was $1,577 thousand.", "It was 157.7 million.", "It fell by 9%."]
)
def test_another_number_is_named(sentence):
    assert len(find_unaccounted_numbers(sentence, list_stated_numbers(ROW, MILLION))) == 1


def test_a_year_that_nobody_spoke_of_needs_a_quote():
    assert [
        number.text
        for number in find_unaccounted_numbers("In 2031 it was 1,577.", list_stated_numbers(ROW, MILLION), ["2018"])
    ] == ["2031"]


def test_percentages_are_not_scaled_by_a_table_in_millions():
    assert find_unaccounted_numbers("It was 1577000000%.", list_stated_numbers(ROW, MILLION))


BERTHS = [
    [f"Berth {letter}", depth, use] for letter, depth, use in zip("ABCDEFG", "5678901", ["open"] * 7, strict=True)
]
REGISTER = compiled(
    "Harbour rules",
    section(
        "Berths", table("Register of berths", [*BERTHS, ["Total", "36", ""]], columns=["Berth", "Depth (m)", "Use"])
    ),
)


def count_berths(text, *, whole=True):
    grounder = Grounder(documents={"a": REGISTER}, is_whole=lambda _table: whole)
    return grounder.check(1, DraftClaim(text, (DraftQuote("a", 2, "Berth A\t5\topen"),)))


@pytest.mark.parametrize(
    "text",
    [
        "The register of berths has 7 rows.",
        "The register of berths has seven rows, not counting the total.",
        "The table lists 7 berths.",
        "There are 7 berths in the register.",
        "7 berths are listed in the register of berths.",
        "The table has a total of 8 rows below the header row.",
        "The table contains 7 entries and a total row.",
    ],
)
def test_the_rows_of_a_table_that_was_shown_whole_may_be_counted(text):
    assert count_berths(text).because == ""
    assert count_berths(text, whole=False).support is Support.UNSUPPORTED, "nobody saw all rows"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The register of berths has 9 rows.", 9),
        ("The register of berths has 5 rows.", 5),
        ("The table lists six berths.", 6),
        ("There are 12 berths in the register.", 12),
        ("The table has 70 rows.", 70),
    ],
)
def test_a_wrong_count_of_a_whole_table_is_an_objection_with_the_right_one(text, said):
    assert count_berths(text).because == f"The table has 7 rows, not {said}."


@pytest.mark.parametrize(
    "text",
    [
        "The register lists 7 berths that are closed.",
        "The table lists 7 closed berths.",
        "The table has 7 rows with a depth above 6.",
        "7 berths are closed on Sundays.",
    ],
)
def test_a_count_of_some_rows_is_not_that_of_the_whole_table(text):
    assert count_berths(text).support is Support.UNSUPPORTED


@pytest.mark.parametrize(
    "claim,support", [("87 of 100 own one.", Support.SUPPORTED), ("31 own one.", Support.UNSUPPORTED)]
)
def test_a_figure_with_the_letters_of_its_footnotes_states_the_figure(claim, support):
    survey = compiled(
        "Survey", section("Owners", table("Owners", [["Graduates (100)", "87ab"]], columns=["", "Phone"]))
    )
    told = Grounder(documents={"a": survey}).check(1, DraftClaim(claim, (DraftQuote("a", 2, "Graduates (100)\t87ab"),)))
    assert told.support is support
