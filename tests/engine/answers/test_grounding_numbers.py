"""Numbers of a sentence are in its quotes, with scale, or they are not."""

from decimal import Decimal

import pytest

from vectorless_web.engine.answers.agreement import find_unaccounted_numbers, list_stated_numbers

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
