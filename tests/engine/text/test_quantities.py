"""Amounts are read with their units, however they are written."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.quantities import quantities_in


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("within two working days", [("2", "working day")]),
        ("thirty (30) days' notice", [("30", "day"), ("-30", "day")]),
        ("a 30-day period", [("30", "day")]),
        ("twenty-five percent", [("25", "percent")]),
        ("8 per cent a year", [("8", "percent")]),
        ("3 percentage points", [("3", "percent")]),
        ("one hundred and five dollars", [("105", "money")]),
        ("two million users", [("2000000", "")]),
        ("half a dozen eggs", [("6", "")]),
        ("half a million plugs", [("500000", "")]),
        ("two and a half years", [("2.5", "year")]),
        ("1½ hours", [("1.5", "hour")]),
        ("3/4 of it", [("0.75", "")]),
        ("67 cents a mile", [("67", "cent")]),
        ("stored as 10kg", [("10", "kilogram")]),
        ("the 3rd time", [("3", "")]),
        ("on 28 February 2021 at 16:30", []),
        ("the second half", [("2", "")]),
        ("", []),
    ],
)
def test_value_and_unit_are_read(text, read):
    assert [(f"{number.value.normalize():f}", number.unit) for number in quantities_in(text)] == read


def test_what_is_counted_has_no_unit_of_how_often_or_how_long():
    texts = ("200 a month", "200 per month", "64 kayaks over four months", "9 visits after two years", "12 a day")
    assert [quantities_in(text)[0].unit for text in texts] == ["", "", "", "", ""]


def test_a_fraction_without_end_is_a_part():
    number = quantities_in("two-thirds of the premium")[0]
    assert number.is_part and abs(number.value - Decimal(2) / 3) < Decimal("1e-9")


def test_roundings_in_words_are_told():
    hedges = [quantities_in(text)[0].hedge for text in ("about 30", "just over $600", "nearly 25%", "exactly 7 days")]
    assert hedges == ["about", "over", "under", ""]


def test_words_that_may_be_no_number_are_not_certain():
    for text in ("a third party", "the first quarter", "paid twice", "a week later", "one of them"):
        assert not any(number.certain for number in quantities_in(text))


def test_digits_of_a_code_are_marked():
    assert [number.is_code for number in quantities_in("COVID-19 or B-12")] == [True, True]


@given(st.text(alphabet="0123456789,./()$€%-– \tadhilfknmotwrsy½", max_size=60))
def test_amounts_stand_where_they_say_and_never_overlap(text):
    end = 0
    for number in quantities_in(text):
        assert text[number.start : number.end] == number.text
        assert number.start >= end
        end = number.end
