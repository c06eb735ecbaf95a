"""Dates in any usual spelling are one day, and counts between them are right."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.dates import Day, dates_in, months_between, shift_day, times_in


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
    ],
)
def test_a_day_is_read_in_any_spelling(text):
    assert [mention.readings for mention in dates_in(text)] == [(Day(2021, 2, 28),)]


def test_a_date_in_figures_may_have_two_readings():
    assert dates_in("03/04/2024")[0].readings == (Day(2024, 4, 3), Day(2024, 3, 4))


@pytest.mark.parametrize("text", ["31/31/2021", "30 February", "you may 3 times", "version 4.2.1", "12-13", "555-0102"])
def test_what_is_no_date_is_not_read(text):
    assert dates_in(text) == []


def test_parts_that_are_not_told_agree_with_any():
    assert Day(2021, 2, 0).is_told_by(Day(2021, 2, 28))
    assert not Day(2021, 3, 0).is_told_by(Day(2021, 2, 28))


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("16:30", [990]), ("4.30 pm", [990]), ("8 a.m.", [480]), ("12 am", [0]), ("9 o'clock", [540]), ("4.30", [])],
)
def test_times_of_day_are_read(text, minutes):
    assert [time.minutes for time in times_in(text)] == minutes


@pytest.mark.parametrize(
    ("start", "count", "unit", "end"),
    [
        (Day(2024, 3, 1), 30, "day", Day(2024, 3, 31)),
        (Day(2026, 2, 28), -9, "month", Day(2025, 5, 28)),
        (Day(2024, 1, 31), 1, "month", Day(2024, 2, 29)),
        (Day(2024, 5, 31), 1, "working day", Day(2024, 6, 3)),
        (Day(2021, 3, 0), 18, "month", Day(2022, 9, 0)),
        (Day(2021, 0, 0), 12, "month", Day(2022, 0, 0)),
        (Day(2021, 0, 0), 5, "month", None),
        (Day(0, 3, 1), 5, "day", Day(0, 3, 6)),
        (Day(0, 2, 27), 5, "day", None),
        (Day(9999, 12, 31), 5, "day", None),
    ],
)
def test_a_date_is_moved_by_a_length_of_time(start, count, unit, end):
    assert shift_day(start, count, unit) == end


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(0, 4000))
def test_days_moved_forward_and_back_are_the_same(start, days):
    there = shift_day(Day(start.year, start.month, start.day), days, "day")
    assert there.date == start + timedelta(days=days)
    assert shift_day(there, -days, "day").date == start


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_months_between_leave_less_than_a_month(first, second):
    months, left = months_between(first, second)
    assert months >= 0 and 0 <= left <= 31


@given(st.text(alphabet="0123456789/-. ,:JanFebMarychstof", max_size=40))
def test_any_text_can_be_read(text):
    for found in (*dates_in(text), *times_in(text)):
        assert text[found.start : found.end] == found.text


@given(st.dates(date(1990, 1, 1), date(2060, 1, 1)), st.integers(-60, 60))
def test_working_days_reached_by_weeks_are_those_counted_one_by_one(start, count):
    counted, left = start, abs(count)
    while left:
        counted += timedelta(days=1 if count > 0 else -1)
        left -= counted.weekday() < 5
    reached = shift_day(Day(start.year, start.month, start.day), count, "working day")
    assert reached == Day(counted.year, counted.month, counted.day)
