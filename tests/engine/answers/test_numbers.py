"""Numbers of claims are traced to what is cited, asked, counted or calculated, in any language; others are told."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.answers.claims import Calculation, Operand
from vectorless_web.engine.answers.numbers import CitedText, list_untraced

SALES = CitedText("Net sales\t$ 1,577\t$ 1,373", "Statements of Income (in millions) 2018 2017")


@pytest.mark.parametrize(
    "text",
    [
        "Net sales were $1,577 million in 2018.",
        "Net sales were 1.577 billion dollars.",
        "Net sales came to about 1.6 billion.",
        "Net sales were 1577.",
        "Der Umsatz betrug 2018 1.577 Millionen Dollar.",
        "Le chiffre d'affaires était de 1 577 millions en 2018.",
        "Il fatturato era di 1.577,0 milioni.",
    ],
)
def test_a_number_is_traced_at_the_scale_and_in_the_notation_of_either_side(text):
    assert list_untraced(text, [SALES]) == ()


@pytest.mark.parametrize("told", ["1,587", "15.77", "2 billion", "1,373.5", "41%", "3 million"])
def test_another_number_is_told(told):
    assert list_untraced(f"It was {told}.", [SALES]) == (f"not traced: {told}",)


def test_what_is_rounded_to_decimals_is_traced_however_small():
    cited = [CitedText("a ratio of 0.0256", "")]
    assert list_untraced("It is about 0.03.", cited) == ()
    assert list_untraced("It is about 0.02.", cited) == ("not traced: 0.02",)


def test_a_number_is_told_once_and_in_reading_order():
    assert list_untraced("From 9.9 to 4.1 and back to 9.9.", [SALES]) == ("not traced: 9.9", "not traced: 4.1")


def test_percentages_are_traced_to_shares_and_losses_to_figures_in_parentheses():
    assert list_untraced("The margin was 12.5%.", [CitedText("a margin of 0.125")]) == ()
    assert list_untraced("The loss was 34 million.", [CitedText("Net income\t(34)", "in millions")]) == ()
    assert list_untraced("The loss was £34 thousand.", [CitedText("Net income\t(34)", "Accounts, £000")]) == ()


def test_the_question_and_the_headings_count_as_sources():
    assert (
        list_untraced("Within 30 days of 2021.", [CitedText("no number", "Rules of 2021")], question="30 days?") == ()
    )


def test_a_claim_may_count_what_it_cites():
    cited = [CitedText("first"), CitedText("second"), CitedText("third")]
    assert list_untraced("There are 3 conditions.", cited) == ()
    assert list_untraced("There are 4 conditions.", cited) == ("not traced: 4",)


@pytest.mark.parametrize(
    "text", ["It ended on 14 March 2019.", "Due 2019-03-14.", "1. First\n2. Second", "(3) Third", "Model AT-401 flew."]
)
def test_parts_of_dates_and_numbers_of_list_items_are_no_findings(text):
    assert list_untraced(text, [CitedText("nothing")]) == ()


def growth(marker: int) -> Calculation:
    operands = (Operand("now", "1,577", marker=1), Operand("before", "1,373", marker=marker))
    return Calculation("(now - before) / before", operands, "14.86", "%")


def test_a_calculation_over_cited_operands_gives_its_result_and_one_over_a_number_of_its_own_does_not():
    text = "Net sales grew by 14.9%."
    assert list_untraced(text, [SALES], calculation=growth(1)) == ()
    invented = Calculation("a / b", (Operand("a", "1,577", marker=1), Operand("b", "77.7")), "20.3")
    assert list_untraced("It is 20.3.", [SALES], calculation=invented) == ("not traced: 20.3",)


def test_a_step_of_a_calculation_and_a_number_tied_to_a_word_are_traced():
    charge = Calculation("(150 - 131) * 310", (), "5,890", "EUR")
    text = "For the 19 tonnes that were not bought it is 5,890."
    assert list_untraced(text, [SALES], calculation=charge, steps=(Decimal(5890), Decimal(19))) == ()
    assert list_untraced(text, [SALES], calculation=charge) == ("not traced: 19",)
    assert list_untraced("At 20 she is too old.", [SALES], question="Is a 20-year-old taken?") == ()


amounts = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("999999"), places=2)


@given(amounts, st.sampled_from(["", " million", "%"]))
def test_what_stands_in_the_quote_word_for_word_is_always_traced(amount, unit):
    assert list_untraced(f"It was {amount:,}{unit}.", [CitedText(f"a figure of {amount:,}{unit} there")]) == ()


@given(amounts)
def test_a_number_rounded_to_three_digits_is_traced(amount):
    rounded = f"{float(amount):.3g}"
    if "e" not in rounded:
        assert list_untraced(f"It was {rounded}.", [CitedText(f"{amount}")]) == ()


@given(st.integers(1000, 9999))
def test_a_number_three_times_as_large_is_always_told(number):
    assert list_untraced(f"It was {3 * number:,}.", [CitedText(f"{number:,}")]) != ()


@given(st.text(), st.text(), st.text())
def test_any_texts_can_be_compared(claim, quote, question):
    assert isinstance(list_untraced(claim, [CitedText(quote)], question=question), tuple)
