"""Reading tables: columns to periods, labels to items, cells to figures with their units."""

from decimal import Decimal

import pytest

from tests.support.engine_documents import Part, annual_report, compiled, paragraph, section, table
from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.documents.node import Cell, NodeKind
from vectorless_web.engine.figures.figure import amount_words
from vectorless_web.engine.figures.lookup import Source, find_figures, fits_to, read_cell_number
from vectorless_web.engine.figures.periods import OwnPeriod, agreement, own_period, read_header
from vectorless_web.engine.figures.tables import tables_of
from vectorless_web.engine.figures.units import is_per_share, units_currency, units_scale
from vectorless_web.engine.questions.plan import FigureNeed, Period


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
    "label,phrases,better_than",
    [
        ("Net sales", ["net sales"], "Net sales of pumps"),
        ("Total inventories", ["inventories", "total inventories"], "Inventories"),
        (
            "Property, plant and equipment, net",
            ["property, plant and equipment", "property, plant and equipment, net"],
            "Property, plant and equipment",
        ),
        ("Net income attributable to Norrvik shareholders", ["net income"], "Net income from discontinued operations"),
        ("Net income", ["net income"], "Net income attributable to noncontrolling interests"),
        ("Operating income (Note 3)", ["operating income"], "Operating income margin of segments"),
    ],
)
def test_the_label_that_is_the_item_beats_its_relatives(label, phrases, better_than):
    assert fits_to(phrases)(label, ()) > fits_to(phrases)(better_than, ())


def test_a_bare_total_is_read_with_the_label_above_it():
    assert fits_to(["total current assets"])("Total", ("Current assets",)) > 0.9
    assert fits_to(["total revenues", "revenue"])("", ("Revenues",)) > 0.9
    assert fits_to(["total current assets"])("Total", ()) == 0


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


@pytest.mark.parametrize(
    "value,scale,text",
    [
        ("1577000000", 1_000_000, "$1,577 million"),
        ("1577000000", 1_000_000_000, "$1.577 billion"),
        ("-473000000", 1_000_000, "-$473 million"),
        ("4.05", 1, "$4.05"),
        ("0", 1_000_000, "$0 million"),
    ],
)
def test_amounts_are_written_as_people_write_them(value, scale, text):
    assert amount_words(Decimal(value), scale=Decimal(scale), currency="USD") == text


def find(document, *needs):
    tree = document.tree
    return find_figures(Source("a", list(tables_of(tree, tree.leaves())), {}), needs)


def test_two_periods_of_an_item_come_from_one_row():
    need = [FigureNeed("revenue", ("net sales", "revenue"), year(y), "income") for y in (2019, 2018)]
    figures = find(annual_report(), *need)
    assert [(f.need, f.amount, f.start) for f in figures] == [(0, 5400, figures[0].start), (1, 5000, figures[0].start)]


def test_a_period_that_no_column_has_gives_no_figure():
    assert find(annual_report(), FigureNeed("revenue", ("net sales",), year(2011), "income")) == []


def test_per_share_rows_are_not_scaled_by_a_table_in_millions():
    figure = find(annual_report(), FigureNeed("eps", ("earnings per share",), year(2019), "income"))[0]
    assert (figure.value, figure.per_share) == (Decimal("4.05"), True)


def test_a_dash_is_nothing_and_a_note_number_is_no_figure():
    rows = [["Borrowings", "—", "12"], ["Leases (Note 4)", "30", "31"]]
    document = compiled("R", section("Debt", table("Debt", rows, columns=["", "2019", "2018"])))
    assert find(document, FigureNeed("debt", ("borrowings",), year(2019)))[0].amount == 0
    assert find(document, FigureNeed("leases", ("leases",), year(2019)))[0].amount == 30


def test_the_statement_beats_a_table_that_repeats_its_labels():
    other = table("Segment data", [["Net sales", "77", "66"]], columns=["", "2019", "2018"])
    income = table("Income", [["Net sales", "100", "90"]], columns=["", "2019", "2018"], statement="income")
    document = compiled("R", section("Segments", other), section("Statements", income))
    assert find(document, FigureNeed("revenue", ("net sales",), year(2019), "income"))[0].amount == 100


def test_headers_without_years_take_them_from_the_line_of_dates_above():
    rows = [["Net sales", "100", "90"], ["Cost of sales", "60", "50"]]
    dates = Part(NodeKind.RUNNING, "", "December 28, 2019 December 29, 2018")
    document = compiled("R", section("Statements of Income", dates, table("", rows, columns=["", "", ""])))
    figure = find(document, FigureNeed("revenue", ("net sales",), year(2018), "income"))[0]
    assert (figure.amount, figure.period) == (90, "2018")


def test_units_and_statement_are_read_from_what_stands_around_a_table():
    body = table("", [["Net sales", "100", "90"]], columns=["(In millions)", "2019", "2018"])
    tree = compiled("R", section("Consolidated Statements of Operations", paragraph("See notes."), body)).tree
    view = next(tables_of(tree, tree.leaves()))
    assert (view.units, view.statement, view.name) == (
        "(In millions)",
        "income",
        "Consolidated Statements of Operations",
    )


def test_a_row_in_a_group_is_no_other_item_by_the_groups_name():
    operating = fits_to(("operating cash flow", "net cash provided by operations"))
    total = operating("Cash provided (used) by operations", ("Changes in working capital:",))
    assert operating("Net income", ("Cash provided (used) by operations:",)) < total
    assert fits_to(("basic earnings per share",))("Basic", ("Earnings per share:",)) > 0.9


def test_amounts_per_share_are_not_the_item_itself():
    assert fits_to(("net income", "net earnings"))("Net earnings", ("Per Share Data",)) == 0.0
    assert fits_to(("net earnings per share",))("Net earnings", ("Per Share Data",)) > 0.0


@pytest.mark.parametrize("text", ["0400 55 12", "(0161) 496 0000", "+44 20 7946 0000", "00 47 22 86 44 00"])
def test_a_number_that_is_dialled_is_no_figure(text):
    assert read_cell_number(Cell(text, 0, len(text))) is None


@pytest.mark.parametrize("text,value", [("0.4", "0.4"), ("0", "0")])
def test_a_number_that_only_begins_with_a_nought_stays_one(text, value):
    number = read_cell_number(Cell(text, 0, len(text)))
    assert number is not None and str(number.value) == value
