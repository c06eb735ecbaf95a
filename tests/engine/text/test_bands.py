"""Bounds and bands of numbers: what a cell states and what a sentence allows."""

from decimal import Decimal

import pytest

from vectorless_web.engine.text.bands import band_of, bounds_in


@pytest.mark.parametrize(
    "text,inside,outside",
    [
        ("0 to 2", 2, 3),
        ("3-5", 4, 6),
        ("10 or more", 10, 9),
        ("65+", 65, 64),
        ("98.0% to below 99.0%", "98.9", 99),
        ("98.0% – 99.0%", 99, "99.1"),
        ("below 40%", 39, 40),
        ("more than 4", 5, 4),
        ("up to £2,500", 2500, 2501),
        ("£500 - £999", 700, 1000),
    ],
)
def test_a_cell_states_a_band(text, inside, outside):
    band = band_of(text)
    assert band.is_range and band.holds(Decimal(inside)) and not band.holds(Decimal(outside))


def test_the_ends_of_a_band_may_have_units_of_their_own():
    band = band_of("6 months to 2 years")
    assert (band.low, band.high, band.dimension) == (6, 24, "months")


def test_a_number_alone_is_a_band_without_a_range():
    assert not band_of("3 years").is_range


@pytest.mark.parametrize("text", ["Monday to Friday", "Full-time", "3 rooms and 2 halls in 4 wings", ""])
def test_words_and_lists_of_numbers_are_no_band(text):
    assert band_of(text) is None


@pytest.mark.parametrize(
    "text,low,high",
    [
        ("Carts go no more than 8 km/h.", None, 8000),
        ("A note is needed from day 4.", 4 * 86400, None),
        ("Shifts of more than 4 hours have a break.", 4 * 3600, None),
        ("Stay within 30 metres.", None, 30),
    ],
)
def test_a_sentence_bounds_an_amount(text, low, high):
    (bound,) = bounds_in(text)
    assert (bound.low, bound.high) == (low, high)


def test_an_amount_by_itself_bounds_nothing():
    assert bounds_in("The break lasts 30 minutes.") == []
