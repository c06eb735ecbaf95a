"""Number formats: a stored value is read as the workbook shows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.parsing.sheets.numbers import BUILT_IN, show_number


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("1234.5", "General", "1234.5"),
        ("0.30000000000000004", "General", "0.3"),
        ("1E+20", "General", "1e+20"),
        ("1234567.891", "#,##0.00", "1,234,567.89"),
        ("2.5", "0", "3"),
        ("0.1234", "0.0%", "12.3%"),
        ("-1234.567", "#,##0.00;(#,##0.00)", "(1,234.57)"),
        ("-12.5", "0.0", "-12.5"),
        ("-0.001", "0.0", "0.0"),
        ("0", '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', "-"),
        ("1200", "[$€-407] #,##0", "€ 1,200"),
        ("1200", '#,##0 "kg"', "1,200 kg"),
        ("12345678", '0.0,, "m"', "12.3 m"),
        ("7", "000", "007"),
        ("3.25", "0.0#", "3.25"),
        ("3.5", "0.0#", "3.5"),
        ("0.75", "# ?/?", "0.75"),
        ("12", "0.00E+00", "1.20E+01"),
        ("7", '"Q"0', "Q7"),
    ],
)
def test_amounts(value, code, shown):
    assert show_number(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("45292", BUILT_IN[14], "2024-01-01"),
        ("45292", "d-mmm-yy", "1-Jan-24"),
        ("45292", "mmmm yyyy", "January 2024"),
        ("45292", "dddd, dd mmmm yyyy", "Monday, 01 January 2024"),
        ("45292.75", "yyyy-mm-dd h:mm", "2024-01-01 18:00"),
        ("0.5", "h:mm AM/PM", "12:00 PM"),
        ("1.75", "[h]:mm:ss", "42:00:00"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
    ],
)
def test_dates_and_times(value, code, shown):
    assert show_number(value, code) == shown


def test_dates_of_a_workbook_that_counts_from_1904():
    assert show_number("43830", "yyyy-mm-dd", since_1904=True) == "2024-01-01"


@pytest.mark.parametrize("value", ["", "12 kg", "nan", "Infinity"])
def test_what_is_no_number_is_shown_as_it_stands(value):
    assert show_number(value, "0.00") == value


@given(st.text(max_size=30), st.floats(allow_nan=False, allow_infinity=False))
def test_no_format_code_fails(code, number):
    assert isinstance(show_number(repr(number), code), str)
