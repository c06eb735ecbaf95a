"""Units as documents and questions write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.numbers import (
    CURRENCIES,
    MEASURE_NAMES,
    MEASURES,
    SCALES,
    Unit,
    number_word,
    read_unit,
    units_in,
)


@pytest.mark.parametrize(
    ("text", "scale", "currency", "measure"),
    [
        ("(Dollars in millions, except per share data)", 10**6, "USD", "share"),
        ("$ thousands", 1000, "USD", ""),
        ("EUR '000", 1000, "EUR", ""),
        ("$m", 10**6, "USD", ""),
        ("CHF k", 1000, "CHF", ""),
        ("in Canadian dollars", 1, "CAD", ""),
        ("HK$ bn", 10**9, "HKD", ""),
        ("Rs. in crores", 10**7, "INR", ""),
        ("Weight (kg)", 1, "", "kilogram"),
        ("Change in %", 1, "", "percent"),
        ("basis points", 1, "", "basis point"),
        ("Mitarbeiter", 1, "", ""),
        ("86,000 employees", 1, "", "employee"),
        ("CHF 86'000", 1, "CHF", ""),
        ("plan b for m. and k.", 1, "", ""),
    ],
)
def test_the_unit_of_a_line_or_label_is_read(text, scale, currency, measure):
    assert read_unit(text) == Unit(Decimal(scale), currency, measure)


def test_every_word_belongs_to_one_kind_of_unit():
    assert not set(SCALES) & set(CURRENCIES)
    assert not set(SCALES) & set(MEASURE_NAMES)
    assert not set(CURRENCIES) & set(MEASURE_NAMES)
    assert set(MEASURE_NAMES.values()) == set(MEASURES)


def test_number_words_of_several_languages_are_known():
    assert [number_word(word) for word in ("two", "Second", "drei", "17", "2nd", "rent")] == [2, 2, 3, 17, 2, None]


@given(st.text(max_size=60))
def test_units_stand_where_they_say_and_none_overlaps(text):
    end = 0
    for mention in units_in(text):
        assert mention.start >= end
        assert text[mention.start : mention.end] == mention.text
        end = mention.end
