"""What is read of a cell from its row, its header, its table and the lines above."""

import pytest

from tests.engine.parsing.test_tables import cells, figures, laid, read, table_page, views
from tests.support.paper import Text, pdf, prose
from vectorless_web.engine.tables.cells import read_cell


def test_words_before_a_cell_name_it_where_the_label_is_empty(compiled):
    rows = cells("Country", "Depot", "Area") + cells("Norway", "Bergen", "140") + cells("", "Oslo", "90")
    [view] = views(compiled(table_page(rows + cells("Chile", "Arica", "75")), "depots.html"))
    assert read_cell(view, view.table.body[1], 2).row_path == ("Oslo",)


def test_halves_of_a_table_have_labels_of_their_own_without_a_header_over_them(compiled):
    rows = cells("", "Boats", "", "Boats") + cells("Aalen", "11", "Narvik", "5") + cells("Bergen", "2", "Oslo", "9")
    [view] = views(compiled(table_page(rows + cells("Chur", "22", "Pula", "6")), "halves.html"))
    assert [read_cell(view, view.table.body[1], place).row_path for place in (1, 3)] == [("Bergen",), ("Oslo",)]


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
        ("2nd Quarter 2021", "Q2 2021"),
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
    cell = read_cell(view, view.table.body[0], 2)
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


def test_a_row_that_is_counted_is_named_by_its_first_words(compiled):
    rows = cells("No.", "Action", "Owner", "State") + cells("38", "Move the account", "Dana", "Done")
    [view] = views(compiled(table_page(rows + cells("39", "Mend the crane", "Idris", "Open")), "actions.html"))
    assert read_cell(view, view.table.body[0], 3).row_path == ("38 Move the account",)


def test_a_ratio_has_no_unit_of_its_column(compiled):
    rows = cells("", "2019 EUR million") + cells("Hedged", "2,139") + cells("Hedge ratio", "1:1") + cells("Gain", "18")
    [view] = views(compiled(table_page(rows), "ratio.html"))
    assert [read(view, label, 1).unit for label in ("Hedged", "Hedge ratio")] == ["EUR", ""]


def test_the_heading_of_all_notes_says_the_units_of_their_tables(compiled):
    rows = cells("", "2023", "2022") + cells("Mooring", "$ 1,100", "$ 1,050") + cells("Storage", "320", "300")
    page = table_page(rows, "The table sums up what was paid.", "NOTE 16 - Pay")
    page = page.replace("<body>", "<body><h2>NOTES TO FINANCIAL STATEMENTS (in thousands, except for shares)</h2>")
    [view] = views(compiled(page, "notes.html"))
    assert read(view, "Storage", 1).scale == 1000


def test_a_title_over_the_first_rows_is_no_header(compiled):
    rows = cells("", "Year ended May 31,", "") + cells("", "2019", "2018") + cells("", "Operations:", "")
    [view] = views(compiled(table_page(rows + cells("Fees", "11", "9") + cells("Dues", "4", "3")), "title.html"))
    assert [column.path[-1] for column in view.table.columns[1:]] == ["2019", "2018"]
    assert read_cell(view, view.table.body[-1], 1).row_path == ("Operations:", "Dues")


def test_units_of_money_and_shares_together_scale_both(compiled):
    rows = cells("", "Total equity") + cells("Balance", "4,378") + cells("Net earnings", "1,228")
    [view] = views(compiled(table_page(rows, "$ and shares in millions, except per share amounts"), "equity.html"))
    assert read(view, "Net earnings", 1).scale == 1_000_000


def test_a_sign_of_its_own_goes_before_a_currency_its_label_ends_with(compiled):
    rows = cells("(in millions)", "2019", "2018") + cells("Buy USD, sell GBP", "$ 25", "$ 1")
    [view] = views(compiled(table_page(rows + cells("Buy EUR, sell GBP", "$ 12", "$ 4")), "forwards.html"))
    assert read(view, "Buy USD, sell GBP", 2).unit == "USD"


def test_a_number_of_months_in_brackets_is_a_unit(compiled):
    rows = cells("", "Balance (millions)", "Extension (# of months)") + cells("Loans", "$ 13", "16")
    [view] = views(compiled(table_page(rows + cells("Cards", "$ 21", "17")), "terms.html"))
    assert (read(view, "Loans", 2).unit, read(view, "Loans", 2).scale) == ("months", 1)


def test_earnings_before_interest_and_taxes_are_no_bits(compiled):
    rows = cells("", "2019 $'000", "2018 $'000") + cells("EBIT", "(1,040)", "1,405") + cells("Tax", "(20)", "40")
    [view] = views(compiled(table_page(rows), "ebit.html"))
    assert (read(view, "EBIT", 1).unit, read(view, "EBIT", 1).scale) == ("USD", 1000)


def test_a_running_line_hides_no_units_and_no_date_above(compiled):
    foot = [Text(72, 60, "Harbour of Bergen", 9)]
    page = [
        *foot,
        Text(72, 112, "Pay of the crew as on March 31, 2003 (in Rs.)", 9),
        *(Text(x, top, words, 9) for x, top, words in ((290, 140, "Wages"), (370, 140, "Extras"))),
        *(Text(x, top, words, 9) for x, top, words in ((72, 154, "Mate"), (280, 154, "6,000"), (370, 154, "1,200"))),
        *(Text(x, top, words, 9) for x, top, words in ((72, 166, "Cook"), (280, 166, "5,000"), (370, 166, "1,100"))),
    ]
    document = compiled(pdf([[*foot, *prose(72, 90, 6)], [*foot, *prose(72, 90, 6)], page]))
    [view] = views(document)
    assert read(view, "Cook", 1).unit == "INR"


def test_a_title_that_ends_with_a_date_dates_its_table(compiled):
    rows = cells("", "Berths", "Boats") + cells("Town", "4", "18") + cells("Others", "7", "9")
    [view] = views(compiled(table_page(rows, "Holders of berths as on March 31, 2003"), "held.html"))
    assert read(view, "Town", 2).period.words == "as of 31 March 2003"


def test_a_year_heads_no_column_of_changes_beside_it(compiled):
    rows = cells("", "F19", "F18", "", "") + cells("$ MILLION", "53 WEEKS", "52 WEEKS", "CHANGE", "CHANGE NORMALISED")
    rows += cells("Fares", "1,671", "1,612", "3.7%", "1.8%") + cells("Dues", "372", "361", "3.5%", "2.5%")
    [view] = views(compiled(table_page(rows), "year.html"))
    assert read(view, "Fares", 3).column_path == ("CHANGE",)
    assert read(view, "Fares", 2).period.year == 2018


def test_a_currency_that_is_counted_is_no_unit(compiled):
    rows = cells("Currency", "Weight (%)", "Rate") + cells("USD", "53.6", "70.07") + cells("EUR", "10.1", "80.82")
    [view] = views(compiled(table_page(rows), "rates.html"))
    assert [read(view, "EUR", place).unit for place in (1, 2)] == ["%", ""]


def test_a_code_before_a_name_is_no_name_of_a_row(compiled):
    rows = cells("Table", "Measure", "2019", "2018") + cells("4.4 A", "Minutes to answer calls", "6.6", "8.6")
    [view] = views(compiled(table_page(rows + cells("4.4 B", "Days to close a case", "55.7", "58.6")), "codes.html"))
    assert read_cell(view, view.table.body[1], 2).row_path == ("4.4 B Days to close a case",)


def test_a_header_among_the_rows_names_the_columns_below_it(compiled):
    rows = cells("Port", "Share (%)", "FY 2019 $", "FY 2018 $") + cells("Bergen", "53.6", "70", "64")
    rows += cells("Parts of growth", "FY 2019 (%)", "FY 2018 (%)", "") + cells("More calls", "11.4", "6.7", "")
    [view] = views(compiled(table_page(rows), "later.html"))
    more, port = read(view, "More calls", 1), read(view, "Bergen", 1)
    assert (more.column_path, more.period.year, more.unit) == (("FY 2019 (%)",), 2019, "%")
    assert (port.column_path, port.period.year) == (("Share (%)",), None)


def test_a_date_over_later_rows_dates_them_and_leaves_the_names(compiled):
    rows = cells("", "As of December 31, 2019", "") + cells("", "Cost", "Value") + cells("Quays", "129", "126")
    rows += cells("", "As of December 31, 2018", "") + cells("Locks", "119", "116")
    [view] = views(compiled(table_page(rows), "later.html"))
    assert read(view, "Locks", 1).period.words == "as of 31 December 2018"
    assert read(view, "Locks", 1).column_path[-1] == "Cost"
    assert read(view, "Quays", 1).period.words == "as of 31 December 2019"


def test_a_title_over_the_first_rows_is_no_level_of_the_marked_header(compiled):
    head = "<tr><th></th><th>2019</th><th>2018</th></tr><tr><th></th><th>What was earned:</th><th></th></tr>"
    rows = cells("Fares", "39", "38") + cells("", "What was owned:", "") + cells("Boats", "27", "57")
    [view] = views(compiled(table_page(f"<thead>{head}</thead>{rows}"), "titles.html"))
    assert read(view, "Boats", 2).column_path == ("2018",)


def test_a_day_among_amounts_has_no_unit(compiled):
    rows = cells("", "2019 RMB million", "2018 RMB million") + cells("Owed", "494", "1,663")
    [view] = views(compiled(table_page(rows + cells("Due", "30/7/2021", "28/6/2019")), "day.html"))
    assert (read(view, "Due", 1).unit, read(view, "Owed", 1).unit) == ("", "CNY")


def test_a_date_with_dots_is_a_period(compiled):
    rows = cells("", "For the year ended 31.3.2003", "For the year ended 31.3.2002")
    rows += cells("Fares", "1,016", "888") + cells("Dues", "88", "71")
    [view] = views(compiled(table_page(rows, "Rupees in lacs"), "dots.html"))
    fares = read(view, "Fares", 2)
    assert fares.period.words == "year ended 31 March 2002"
    assert (fares.unit, fares.scale) == ("INR", 100_000)


def test_a_count_with_its_share_beside_it_is_no_share(compiled):
    rows = cells("", "Interviews", "Share") + cells("High", "90 (20%)", "30%") + cells("Low", "60 (13%)", "41%")
    [view] = views(compiled(table_page(rows), "strata.html"))
    assert (read(view, "High", 1).unit, read(view, "High", 2).unit) == ("", "%")


def test_a_sentence_that_mentions_percent_or_money_has_no_unit(compiled):
    said = "Wait until the tide has risen by 40% of its range, then pay the keeper of the lock $ 12 and sail on."
    rows = cells("Question", "When may a boat of this size leave the inner basin?") + cells("Answer", said)
    [view] = views(compiled(table_page(rows + cells("Power", "160 hp")), "words.html"))
    assert (read(view, "Answer", 1).unit, read(view, "Power", 1).unit) == ("", "hp")


def test_names_that_repeat_side_by_side_are_a_header(compiled):
    rows = cells("Sign", "Meaning", "Sign", "Meaning") + cells("A", "Diver down", "K", "Wishes to speak")
    [view] = views(compiled(table_page(rows + cells("B", "Carries oil", "O", "Man overboard")), "flags.html"))
    assert read_cell(view, view.table.body[1], 3).column_path == ("Meaning",)
    assert read_cell(view, view.table.body[1], 3).row_path == ("O",)


def test_a_rate_above_amounts_makes_no_percent_of_a_column_that_says_its_unit(compiled):
    rows = cells("", "Current $'000", "Past due $'000") + cells("Rate of loss", "1%", "5%")
    rows += cells("Owed", "23,762", "2,068") + cells("Lost", "238", "103")
    [view] = views(compiled(table_page(rows), "owed.html"))
    assert (read(view, "Owed", 2).unit, read(view, "Rate of loss", 2).unit) == ("USD", "%")


def test_days_below_a_row_head_nothing(compiled):
    rows = cells("", "2019", "2018") + cells("Owed", "494", "1,663") + cells("", "11/4/2024", "8/12/2023")
    [view] = views(compiled(table_page(rows + cells("Boats", "4", "5")), "days.html"))
    assert read(view, "Boats", 2).column_path == ("2018",)


def test_things_that_the_units_line_leaves_out_are_counted(compiled):
    rows = cells("(Millions, except moorings)", "Moorings as of May 31, 2021", "Spending 2021") + cells(
        "Oslo", "418", "94"
    )
    [view] = views(compiled(table_page(rows + cells("Bergen", "1,204", "83")), "moorings.html"))
    moorings, spending = read(view, "Oslo", 1), read(view, "Oslo", 2)
    assert (moorings.unit, moorings.scale, spending.scale) == ("", 1, 1_000_000)


def test_quarters_are_those_of_the_year_that_heads_them(compiled):
    rows = cells("", "2021 Quarters", "") + cells("", "First", "Second") + cells("Dues", "14", "15")
    [view] = views(compiled(table_page(rows + cells("Rents", "7", "9")), "quarters.html"))
    assert [read(view, "Dues", place).period.words for place in (1, 2)] == ["Q1 2021", "Q2 2021"]
    assert read(view, "Dues", 2).unit == ""


def test_a_row_of_a_quarter_is_of_the_year_of_its_column(compiled):
    rows = cells("", "2021", "2020") + cells("First quarter", "14", "15") + cells("Second quarter", "7", "9")
    [view] = views(compiled(table_page(rows + cells("Year", "21", "24")), "rows.html"))
    assert [read(view, "Second quarter", place).period.words for place in (1, 2)] == ["Q2 2021", "Q2 2020"]
    assert read(view, "Year", 1).period.words == "2021"


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("Outstanding on June 1, 2017", "1 June 2017"),
        ("Fees owed at May 31, 2017, net of tax", "as of 31 May 2017"),
        ("Bonds due on August 21, 2027", ""),
    ],
)
def test_only_what_stands_on_a_day_is_of_that_day(compiled, label, words):
    rows = cells("", "Boats", "Price") + cells(label, "6", "$ 12.10") + cells("Sold", "2", "$ 9.00")
    [view] = views(compiled(table_page(rows), "rows.html"))
    assert read(view, label, 1).period.words == words


def test_a_sentence_above_says_the_fiscal_year_of_a_table(compiled):
    rows = cells("Weather", "(1.3)%") + cells("Fewer boats", "(0.7)%") + cells("Total decrease", "(2.0)%")
    page = table_page(rows, "The components of the 2.0% decrease of dues in fiscal 2016 were as follows:")
    [view] = views(compiled(page, "components.html"))
    assert read(view, "Weather", 1).period.year == 2016


def test_dollars_are_those_that_the_header_names(compiled):
    rows = cells("", "Dividend per share (NT dollars)", "Dividend per ADS (US dollars)") + cells(
        "2021", "$0.75", "$0.02"
    )
    [view] = views(compiled(table_page(rows + cells("2020", "$0.58", "$0.02")), "dividends.html"))
    assert [read(view, "2021", place).currency for place in (1, 2)] == ["TWD", "USD"]


def test_shares_named_over_the_labels_are_the_unit_of_the_rows(compiled):
    rows = cells("Number of shares (1,000)", "2021", "2020") + cells("Granted during the period", "1,001.1", "907.3")
    [view] = views(compiled(table_page(rows + cells("Expired during the period", "-785.3", "-764.0")), "shares.html"))
    found = read(view, "Granted during the period", 1)
    assert (found.unit, found.scale) == ("shares", 1000)


def test_what_makes_one_number_of_shares_another_is_shares(compiled):
    rows = (
        cells("(in millions)", "2021", "2020") + cells("Net income", "$ 1,887", "$ 1,236")
        + cells("Basic weighted average shares outstanding", "442", "439") + cells("Dilutive securities", "3", "4")
        + cells("Diluted weighted average shares outstanding", "445", "443")
    )  # fmt: skip
    [view] = views(compiled(table_page(rows), "shares.html"))
    assert [read(view, label, 1).unit for label in ("Net income", "Dilutive securities")] == ["USD", "shares"]


def test_points_of_volume_beside_percentages_are_percent(compiled):
    rows = cells("", "Reported change", "Volume", "Price") + cells("Ferries", "15 %", "—", "16 %")
    [view] = views(compiled(table_page(rows + cells("Barges", "9 %", "(5)", "15 %")), "volume.html"))
    assert read(view, "Barges", 2).unit == "%"


def test_a_comparison_heads_the_amount_and_the_percentage_behind_it(compiled):
    rows = cells("", "", "Years Ended", "", "Change", "", "", "") + cells(
        "(in thousands)", "2021", "2020", "2019", "2021 over 2020", "", "2020 over 2019", ""
    )
    rows += cells("Dues", "$ 16", "$ 10", "$ 8", "$ 6", "60%", "$ 2", "25%")
    [view] = views(compiled(table_page(rows + cells("Rents", "9", "8", "7", "1", "13%", "1", "14%")), "changes.html"))
    paths = [column.path for column in view.table.columns[1:]]
    assert paths[2] == ("Years Ended", "2019")
    assert paths[3:] == [("Change", "2021 over 2020")] * 2 + [("Change", "2020 over 2019")] * 2


def test_a_header_of_changes_holds_all_columns_behind_the_years(compiled):
    rows = cells("", "", "Fiscal year", "", "% Change") + cells("(in millions)", "2021", "2020", "Actual", "Comparable")
    rows += cells("Orders", "19,975", "18,451", "8 %", "7 %") + cells("Dues", "17,663", "18,125", "(3) %", "(4) %")
    [view] = views(compiled(table_page(rows), "changes.html"))
    assert [column.path for column in view.table.columns[3:]] == [("% Change", "Actual"), ("% Change", "Comparable")]


def test_the_one_date_above_names_is_that_of_all_columns(compiled):
    rows = cells("", "", "Mooring fees 2021") + cells("", "Low", "High") + cells("First month", "$ 5.99", "$ 8.40")
    [view] = views(compiled(table_page(rows + cells("Second month", "$ 4.79", "$ 6.48")), "fees.html"))
    assert [read(view, "First month", place).period.year for place in (1, 2)] == [2021, 2021]


def test_the_day_of_a_header_that_is_printed_again_is_no_header(compiled):
    rows = cells("", "", "Years Ended May 31,", "31,").replace("td>", "th>") + cells("", "2021", "2020", "2019")
    rows += cells("Dues", "$ 4", "3", "2")
    [view] = views(compiled(table_page(rows + cells("Rents", "5", "4", "3")), "days.html"))
    assert [column.path for column in view.table.columns[1:]] == [
        ("Years Ended May 31,", year) for year in ("2021", "2020", "2019")
    ]


def test_a_day_behind_a_dash_is_that_of_the_row(compiled):
    rows = cells("", "North", "South") + cells("Moorings - May 31, 2021", "6", "7") + cells("Built", "2", "1")
    [view] = views(compiled(table_page(rows), "moorings.html"))
    assert read(view, "Moorings - May 31, 2021", 1).period.words == "31 May 2021"


def test_a_quarter_over_the_labels_is_that_of_the_years(compiled):
    rows = cells("Q4 ($ in millions)", "2021", "2020") + cells("Dues", "14", "15") + cells("Rents", "7", "9")
    [view] = views(compiled(table_page(rows), "quarter.html"))
    assert read(view, "Dues", 1).period.words == "Q4 2021"


def test_rows_under_thousands_of_things_are_counts(compiled):
    rows = cells("(dollars in millions)", "2021", "2020") + cells("Dues", "$ 14", "$ 15")
    rows += cells("Moorings (‘000):", "", "") + cells("Ferries", "373", "356") + cells("Barges", "28", "27")
    [view] = views(compiled(table_page(rows), "moorings.html"))
    found = read(view, "Ferries", 1)
    assert (found.unit, found.currency, found.scale) == ("", "", 1000)
