"""What is read of a cell from its row, its header, its table and the lines above."""

import pytest

from tests.engine.parsing.test_tables import cells, figures, laid, read, table_page, views


def test_words_before_a_cell_name_it_where_the_label_is_empty(compiled):
    rows = cells("Country", "Depot", "Area") + cells("Norway", "Bergen", "140") + cells("", "Oslo", "90")
    [view] = views(compiled(table_page(rows + cells("Chile", "Arica", "75")), "depots.html"))
    assert view.read_cell(view.table.body[1], 2).row_path == ("Oslo",)


def test_halves_of_a_table_have_labels_of_their_own_without_a_header_over_them(compiled):
    rows = cells("", "Boats", "", "Boats") + cells("Aalen", "11", "Narvik", "5") + cells("Bergen", "2", "Oslo", "9")
    [view] = views(compiled(table_page(rows + cells("Chur", "22", "Pula", "6")), "halves.html"))
    assert [view.read_cell(view.table.body[1], place).row_path for place in (1, 3)] == [("Bergen",), ("Oslo",)]


def test_what_customers_owe_is_money_where_its_sign_says_so(compiled):
    rows = cells("In Millions", "2020", "2019") + cells("Customers", "$ 1,648.3", "$ 1,708.5")
    [view] = views(compiled(table_page(rows + cells("Crew members", "38", "35")), "owed.html"))
    customers, crew = read(view, "Customers", 1), read(view, "Crew members", 1)
    assert (customers.unit, customers.scale, crew.unit, crew.scale) == ("USD", 1_000_000, "", 1)


def test_bounds_are_no_minutes_and_a_column_of_units_says_the_unit(compiled):
    rows = (
        cells("Parameter", "Min", "Max", "Unit") + cells("Supply", "20.5", "21.5", "V") + cells("Width", "4", "6", "ms")
    )
    [view] = views(compiled(table_page(rows), "parameters.html"))
    assert [read(view, label, 1).unit for label in ("Supply", "Width")] == ["V", "ms"]


def test_basis_points_printed_once_hold_for_the_column(compiled):
    rows = cells("", "2023") + cells("Margin as reported", "112 bps") + cells("Fuel", "28") + cells("Crew", "(4)")
    [view] = views(compiled(table_page(rows + cells("Margin, adjusted", "136 bps")), "margin.html"))
    assert read(view, "Fuel", 1).unit == "bps"


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("October 1-31, 2022", "month ended 31 October 2022"),
        ("March 12–18, 2022", "18 March 2022"),
        ("Moored as of May 31, 2023", "as of 31 May 2023"),
        ("Outstanding at December 28, 2019", "as of 28 December 2019"),
    ],
)
def test_labels_of_rows_say_days_and_months(compiled, label, words):
    rows = cells("", "Boats", "Price") + cells(label, "6", "$ 12.10") + cells("Sold", "2", "$ 9.00")
    [view] = views(compiled(table_page(rows), "rows.html"))
    assert read(view, label, 1).period.words == words


def test_months_that_bound_a_class_are_no_period(compiled):
    rows = [
        (200, [(250, "Less than 12 Months"), (350, "12 Months or Greater")]),
        (211, [(72, "June 30, 2015")]),
        figures(225, "Bonds", "11", "18", edges=(310, 420)),
        figures(237, "Funds", "8", "9", edges=(310, 420)),
    ]
    [view] = views(compiled(laid(rows)))
    assert [read(view, "Bonds", place).period.words for place in (1, 2)] == ["30 June 2015", "30 June 2015"]


def test_a_sentence_before_a_table_says_its_date(compiled):
    rows = cells("", "Level 1", "Level 2") + cells("Bonds", "4", "18") + cells("Funds", "7", "9")
    lead = "Prices were read twice. The table below shows what the fund held as of December 31, 2021:"
    [view] = views(compiled(table_page(rows, lead), "held.html"))
    assert read(view, "Funds", 2).period.words == "as of 31 December 2021"


@pytest.mark.parametrize(
    "lead",
    [
        "The following table shows what was held as of December 31, 2021 and December 31, 2020:",
        "In 2021 the fund was moved. Holdings are listed here:",
    ],
)
def test_a_sentence_of_two_dates_or_another_matter_dates_no_table(compiled, lead):
    rows = cells("", "Level 1", "Level 2") + cells("Bonds", "4", "18") + cells("Funds", "7", "9")
    [view] = views(compiled(table_page(rows, lead), "held.html"))
    assert read(view, "Funds", 2).period.words == ""


def test_cells_that_are_dates_take_no_period_from_above(compiled):
    page = cells("", "Soft launch", "Full launch") + cells("Invited", "Feb. 1, 2021", "Feb. 2, 2021")
    page += cells("Reminded", "Feb. 4, 2021", "Feb. 4, 2021")
    [view] = views(compiled(table_page(page, "As of Feb. 1, 2021 to Feb. 7, 2021"), "dates.html"))
    assert read(view, "Reminded", 2).period.words == ""


def test_a_scale_in_one_header_scales_that_column_alone(compiled):
    rows = [
        (200, [(270, "Number of"), (350, "Average"), (432, "Total value")]),
        (211, [(275, "Options"), (355, "Price"), (432, "(in millions)")]),
        figures(225, "Held in May", "18,259,965", "$ 44.64", "$ 51", edges=(310, 390, 480)),
        figures(237, "Given", "1,880,648", "25.41", "12", edges=(310, 390, 480)),
        figures(249, "Lost", "1,771,653", "66.89", "42", edges=(310, 390, 480)),
    ]
    [view] = views(compiled(laid(rows)))
    assert [read(view, "Given", place).scale for place in (1, 2, 3)] == [1, 1, 1_000_000]


def test_a_number_before_a_name_is_no_name_of_a_row(compiled):
    rows = (
        cells("No.", "Builder", "Paid (Rs. in lacs)") + cells("1", "Ravi & Sons", "8.65") + cells("2", "Asha", "1.20")
    )
    [view] = views(compiled(table_page(rows), "builders.html"))
    cell = view.read_cell(view.table.body[0], 2)
    assert (cell.row_path, cell.unit, cell.scale) == (("1 Ravi & Sons",), "INR", 100_000)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Fiscal years ended May 31, 2022 and May 29, 2021", "year 2022"),
        ("Twelve weeks ended", "three months 2022"),
        ("The weeks that ended the season", "2022"),
    ],
)
def test_a_line_above_says_how_long_the_periods_are(compiled, line, words):
    rows = cells("", "2022", "2021") + cells("Mooring", "1,100", "1,050") + cells("Storage", "320", "300")
    [view] = views(compiled(table_page(rows, line), "weeks.html"))
    assert view.periods[1].words == words
