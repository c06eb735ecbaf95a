"""A number that nothing explains is always objected to, and what explains one is no coincidence."""

from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.engine_documents import compiled, paragraph, section, table
from vectorless_web.engine.answers.claims import DraftCalculation, DraftClaim, DraftOperand, DraftQuote, Support
from vectorless_web.engine.answers.grounding import Grounder

ROWS = [["Rent", "18,400", "17,950"], ["Cleaning", "2,310", "2,275"], ["Electricity", "6,120", "5,480"]]
FIGURES = [Decimal(cell.replace(",", "")) for row in ROWS for cell in row[1:]]
DOCUMENT = compiled(
    "Costs of the Bergen office",
    section(
        "Running costs",
        table("Costs a year", ROWS, columns=["", "2023", "2022"], units="(in euros)"),
        paragraph("The office has 46 desks. Visitors sign in at the front desk between 8:30 and 17:00."),
        paragraph("The lease was signed on 12 April 2019. The landlord is Fjord Eiendom AS."),
    ),
)
TABLE, PROSE, LEASE = 2, 3, 4


def check(text, *quotes, question="What does the office cost?", calculation=None, read=(TABLE, PROSE, LEASE)):
    grounder = Grounder(documents={"a": DOCUMENT}, periods=(question,), read=[("a", key) for key in read])
    drafted = tuple(DraftQuote("a", key, words) for key, words in quotes)
    return grounder.check(1, DraftClaim(text, drafted, calculation)), grounder.notes


QUOTED = [(TABLE, "\t".join(row)) for row in ROWS]


def simple_results(figures):
    """Every sum, difference, share and growth of two figures, the total, and the figures themselves."""
    yield from figures
    for first, second in permutations(figures, 2):
        yield from (first + second, abs(first - second), first / second * 100, abs(first / second - 1) * 100)
    for column in (figures[0::2], figures[1::2], figures):
        yield from (sum(column), sum(column) / len(column))


@given(
    st.integers(100, 99_999),
    st.sampled_from(
        [
            "The office pays {} euros.",
            "Costs rose by {} euros in total.",
            "Together they come to {:,}.",
            "On average each costs €{:,}.",
            "The gap between both years is {}.",
        ]
    ),
)
def test_an_amount_that_is_no_simple_result_is_objected_to(amount, sentence):
    assume(all(abs(amount - result) > 1 for result in simple_results(FIGURES)))
    assume(not 1500 <= amount < 2100)
    claim, _ = check(sentence.format(amount), *QUOTED)
    assert claim.support is Support.UNSUPPORTED


@given(st.decimals("0.1", "99.9", places=1), st.sampled_from(["grew by {}%", "make up {}% of all costs", "fell {} %"]))
def test_a_percentage_that_is_no_simple_result_is_objected_to(share, sentence):
    assume(all(abs(share - result) > 1 for result in simple_results(FIGURES)))
    claim, _ = check(f"Costs {sentence.format(share)}.", *QUOTED)
    assert claim.support is Support.UNSUPPORTED


@given(st.dates())
def test_a_date_that_nothing_gives_is_objected_to(day):
    assume((day.year, day.month, day.day) != (2019, 4, 12))
    claim, _ = check(
        f"The lease was signed on {day.day} {day:%B} {day.year:04d}.", (LEASE, "The lease was signed on 12 April 2019.")
    )
    assert claim.support is (Support.UNSUPPORTED if day.year >= 1500 else claim.support)


def test_a_number_of_another_passage_is_cited_and_told():
    claim, notes = check("Rent is €18,400; electricity costs 6,120 euros.", QUOTED[0])
    assert claim.support is Support.SUPPORTED
    assert [citation.quote for citation in claim.citations] == ["Rent\t18,400\t17,950", "Electricity\t6,120\t5,480"]
    assert notes == ["“Electricity 6,120 5,480” was added to a sentence's quotes; it stands in node 2, p. 1."]


@pytest.mark.parametrize(
    "text",
    [
        "Rent is €18,400; water costs 6,120 euros.",
        "Rent is €18,400 for 6,120 employees.",
        "Rent is €18,400 and the landlord has 46 houses.",
    ],
)
def test_a_number_of_another_subject_or_unit_is_not_borrowed(text):
    claim, notes = check(text, QUOTED[0])
    assert (claim.support, notes) == (Support.UNSUPPORTED, [])


def test_nothing_is_borrowed_from_what_was_not_shown():
    claim, _ = check("The office has 46 desks and the rent is 18,400.", QUOTED[0], read=())
    assert claim.support is Support.UNSUPPORTED


def test_a_sum_that_the_program_finds_is_shown():
    claim, _ = check("Rent rose by €450, from €17,950 to €18,400.", QUOTED[0])
    calculation = claim.calculation
    assert (claim.support, calculation.expression, calculation.result) == (
        Support.DERIVED,
        "figure_1 - figure_2",
        "€450",
    )
    assert [(operand.value, operand.marker) for operand in calculation.operands] == [("18,400", 1), ("17,950", 1)]


def test_figures_of_different_rows_and_columns_are_no_pair():
    claim, _ = check("Costs rose by 12,920 euros.", *QUOTED)
    assert claim.support is Support.UNSUPPORTED, "18,400 of 2023 less 5,480 of 2022 is no rise"


def test_several_calculations_are_checked_and_shown_in_order():
    rise = DraftCalculation(
        "a - b", (DraftOperand("a", "18,400", quote=0), DraftOperand("b", "17,950", quote=0)), "450"
    )
    monthly = DraftCalculation("rise / 12", (DraftOperand("rise", "450", quote=0),), "37.5")
    both = DraftCalculation(rise.expression, rise.operands, rise.result, more=(monthly,))
    claim, _ = check("Rent rose by 450 euros, 37.5 a month.", QUOTED[0], calculation=both)
    assert [shown.result for shown in (claim.calculation, *claim.calculation.more)] == ["450", "37.5"]
    wrong = DraftCalculation(
        rise.expression, rise.operands, rise.result, more=(DraftCalculation("rise / 10", monthly.operands, "37.5"),)
    )
    claim, _ = check("Rent rose by 450 euros, 37.5 a month.", QUOTED[0], calculation=wrong)
    assert claim.because == "Recomputed, the result is 45, not 37.5."


def test_a_calculation_that_is_no_arithmetic_is_refused():
    words = DraftCalculation("__import__('os').getcwd()", (), "19,400")
    claim, _ = check("Rent is 19,400.", QUOTED[0], calculation=words)
    assert claim.because.startswith("The calculation")


def test_a_sentence_whose_numbers_stand_needs_no_arithmetic():
    by_dates = DraftCalculation("signed + 30 days", (DraftOperand("signed", "12 April 2019", quote=0),), "12 May 2019")
    text = "Thirty days after 12 April 2019 is 12 May 2019."
    quote, question = (LEASE, "The lease was signed on 12 April 2019."), "Which day is 30 days after the signing?"
    claim, _ = check(text, quote, question=question, calculation=by_dates)
    assert (claim.support, claim.calculation) == (Support.SUPPORTED, None)
    claim, _ = check(text.replace("12 May", "13 May"), quote, question=question, calculation=by_dates)
    assert claim.support is Support.UNSUPPORTED
