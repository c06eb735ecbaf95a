from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.numbers import numbers_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$ (1,577)", ["-1577"]),
        ("$(34)", ["-34"]),
        ("(12.5%)", ["-12.5"]),
        ("-3.2 million", ["-3200000"]),
        ("$8.70 billion", ["8700000000"]),
        ("2018-2019", ["2018", "2019"]),
        ("(2018)", ["2018"]),
        ("10-K of 7M for Q2 and FY2018", []),
        ("1,234\t5,678\t—\t56%", ["1234", "5678", "56"]),
        ("see 12)", ["12"]),
        (".5 and 5.2x", ["0.5", "5.2"]),
        ("4-for-1 split", ["1"]),
        ("", []),
    ],
)
def test_values_carry_sign_and_scale(text, values):
    assert [number.value for number in numbers_in(text)] == [Decimal(value) for value in values]


def test_currency_percent_scale_and_place_are_read():
    number = numbers_in("about US$ 3bn in sales")[0]
    assert (number.currency, number.scale, number.text) == ("USD", Decimal(10**9), "US$ 3bn")
    assert numbers_in("EUR 200")[0].currency == "EUR"
    assert numbers_in("(5.3)%")[0].percent


@given(st.text(alphabet="0123456789,.()$€%-– \tkmbnilKQ", max_size=60))
def test_numbers_stand_where_they_say(text):
    for number in numbers_in(text):
        assert text[number.start : number.end] == number.text
        assert any(character.isdigit() for character in number.text)


@given(st.integers(min_value=0, max_value=10**12))
def test_a_number_with_separators_is_read_back(value):
    assert numbers_in(f"a total of {value:,} was paid")[0].value == value
