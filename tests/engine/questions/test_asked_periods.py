"""Periods in the spellings of questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.questions.asked import find_periods, periods_in, years_between


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("FY2018 revenue", [(2018, None)]),
        ("fiscal 2019 and fiscal year 2020", [(2019, None), (2020, None)]),
        ("sales in FY'21", [(2021, None)]),
        ("Q2 2023", [(2023, 2)]),
        ("Q2 of FY2023", [(2023, 2)]),
        ("the second quarter of fiscal 2023", [(2023, 2)]),
        ("the 3rd quarter 2023", [(2023, 3)]),
        ("2021 Q1 against 3Q22", [(2021, 1), (2022, 3)]),
        ("as of December 31, 2021", [(2021, None)]),
        ("zum 31. Dezember 2021", [(2021, None)]),
        ("Geschäftsjahr 2020", [(2020, None)]),
        ("in 2022, 2021 and 2020", [(2022, None), (2021, None), (2020, None)]),
        ("change from 2016 to 2018", [(2016, None), (2018, None)]),
        ("paid $2,018 and 2,020 dollars, or 12.2021", []),
    ],
)
def test_periods_are_read_as_people_write_them(text, periods):
    assert [(period.year, period.quarter) for period in periods_in(text)] == periods


def test_a_date_is_kept_as_written():
    assert [(p.kind, p.text) for p in periods_in("on 3 May 2021")] == [("date", "3 May 2021")]


@pytest.mark.parametrize(
    ("text", "years"),
    [("FY2016 to FY2019", [2017, 2018, 2019]), ("2016-2018", [2017, 2018]), ("2016 and 2018", []), ("1950-2020", [])],
)
def test_a_range_holds_the_years_after_its_first(text, years):
    assert [period.year for period in years_between(text)] == years


@given(st.text(alphabet="FYQ0123456789 -/'’,.ofandMayquarter", max_size=60))
def test_periods_stand_where_they_say_and_none_overlaps(text):
    end = 0
    for mention in find_periods(text):
        assert mention.start >= end
        assert text[mention.start : mention.end].strip() == mention.period.text
        end = mention.end
