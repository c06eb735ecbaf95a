"""Numbers of claims are traced to what is cited, asked, counted or calculated, in any language; others are told.

A case of traced.txt is a sentence, what is cited (behind a slash the headings over it) and perhaps the question, and
behind => claims, each with the numbers that are not traced; ~ is none.
"""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case_files import each_line
from vectorless_web.engine.answers.claims import Calculation, Operand
from vectorless_web.engine.answers.numbers import CitedText, list_untraced

SALES = CitedText("Net sales\t$ 1,577\t$ 1,373", "Statements of Income (in millions) 2018 2017")


@pytest.mark.parametrize(("lines", "claim"), each_line(Path(__file__).with_name("traced.txt")))
def test_a_number_is_traced_or_told(lines, claim):
    asked = [line.removeprefix("question: ") for line in lines if line.startswith("question: ")]
    cited = [CitedText(*line.replace(r"\t", "\t").split(" / ")) for line in lines if not line.startswith("question: ")]
    text, _, told = claim.replace(r"\n", "\n").rpartition(" => ")
    untraced = tuple(f"not traced: {number}" for number in told.split("; ") if number != "~")
    assert list_untraced(text, cited, question=asked[0] if asked else "") == untraced


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
