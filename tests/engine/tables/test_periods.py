"""What headers and units lines say: periods of columns, scales, currencies, amounts per share."""

import pytest

from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.questions.plan import Period
from vectorless_web.engine.tables.periods import OwnPeriod, agreement, own_period, read_header
from vectorless_web.engine.tables.units import is_per_share, units_currency, units_scale


@pytest.mark.parametrize(
    "header,year,quarter,months,change",
    [
        ("Year ended December 31, 2018", 2018, None, 12, False),
        ("Three months ended June 30, 2023", 2023, None, 3, False),
        ("Q2 2023", 2023, 2, 3, False),
        ("Second quarter 2021", 2021, 2, 3, False),
        ("FY19", 2019, None, 12, False),
        ("% change 2018 vs 2017", 2018, None, 0, True),
        ("Notes", None, None, 0, False),
        ("$1,997", None, None, 0, False),
    ],
)
def test_a_header_tells_its_period(header, year, quarter, months, change):
    found = read_header(header)
    assert (found.year, found.quarter, found.months, found.is_change) == (year, quarter, months, change)


def year(number):
    return Period("year", number, text=str(number))


@pytest.mark.parametrize(
    "header,wanted,least,most",
    [
        ("2018", year(2018), 1, 1),
        ("2017", year(2018), 0, 0),
        ("Three months ended June 30, 2018", year(2018), 0.1, 0.6),
        ("Three months ended June 30, 2018", Period("quarter", 2018, 2), 0.9, 1),
        ("Six months ended June 30, 2018", Period("quarter", 2018, 2), 0.1, 0.6),
        ("Q3 2018", Period("quarter", 2018, 2), 0, 0),
        ("Change 2018", year(2018), 0, 0),
    ],
)
def test_columns_agree_with_the_period_asked(header, wanted, least, most):
    assert least <= agreement(read_header(header), wanted) <= most


def test_a_reports_own_quarter_is_found_where_the_fiscal_year_is_not_the_calendars():
    own = own_period(TypedFields(years=(2024, 2023), quarters=("Q2",), dates=("2023-07-29",)))
    assert own == OwnPeriod(2024, 2, 2023, 7)
    wanted = Period("quarter", 2024, 2)
    headers = ["July 29, 2023", "January 28, 2023", "July 30, 2022"]
    assert [agreement(read_header(header), wanted, own) > 0.5 for header in headers] == [True, False, False]
    assert agreement(read_header("January 28, 2023"), year(2023), own) > agreement(
        read_header("July 29, 2023"), year(2023), own
    )


@pytest.mark.parametrize(
    "units,scale",
    [
        ("(Dollars in millions, except per share amounts)", 1_000_000),
        ("In thousands", 1000),
        ("Millions", 1_000_000),
        ("$ in billions", 1_000_000_000),
        ("(In thousands, except number of shares, which are reflected in millions)", 1000),
        ("£m", 1_000_000),
        ("", 1),
    ],
)
def test_the_units_line_gives_the_scale(units, scale):
    assert units_scale(units) == scale


def test_currencies_and_per_share_rows_are_told():
    assert [units_currency(text) for text in ("Dollars in millions", "€ million", "£m", "Millions")] == [
        "USD",
        "EUR",
        "GBP",
        "",
    ]
    assert is_per_share("Diluted earnings per share") and not is_per_share("Share-based payments")
