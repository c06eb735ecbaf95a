"""Dates in any usual spelling are one day."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.dates import Day, dates_in, month_number


@pytest.mark.parametrize(
    "text",
    [
        "28 February 2021",
        "Feb. 28, 2021",
        "February 28th, 2021",
        "2021-02-28",
        "28/02/2021",
        "28.02.2021",
        "02/28/21",
        "the 28th of February 2021",
        "the 28th day of February, 2021",
        "28. Februar 2021",
        "28 de febrero de 2021",
        "28 février 2021",
    ],
)
def test_a_day_is_read_in_any_spelling(text):
    assert [mention.readings for mention in dates_in(text)] == [(Day(2021, 2, 28),)]


def test_a_date_in_figures_may_have_two_readings():
    assert dates_in("03/04/2024")[0].readings == (Day(2024, 4, 3), Day(2024, 3, 4))


@pytest.mark.parametrize("text", ["31/31/2021", "30 February", "you may 3 times", "version 4.2.1", "12-13", "555-0102"])
def test_what_is_no_date_is_not_read(text):
    assert dates_in(text) == []


def test_months_are_known_by_their_names_in_several_languages():
    assert [month_number(name) for name in ("Sept.", "MÄRZ", "août", "dic", "Monday")] == [9, 3, 8, 12, 0]


@given(st.text(max_size=80))
def test_dates_stand_where_they_say_and_none_overlaps(text):
    end = 0
    for mention in dates_in(text):
        assert mention.start >= end
        assert text[mention.start :].startswith(mention.text)
        end = mention.end
