"""The worked figure: exact or not shown."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.tables.asking import CREW, INCOME, ask, source_of, worked
from tests.support.engine_documents import paragraph, table
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period, UnitRequest
from vectorless_web.engine.tables.arithmetic import evaluate
from vectorless_web.engine.tables.worked import amount_words, find_worked_figure


def test_a_cell_is_found_by_row_and_period_and_told_with_its_unit():
    found = worked(ask("net sales", 2019), INCOME)
    assert (found.maker, found.sentence, found.value) == ("lookup", "Net sales, 2019: $5,400 million", "$5,400 million")
    assert [(cell.cell, cell.row_path, cell.column_path) for cell in found.cells] == [
        ("r1c1", ("Net sales",), ("2019",))
    ]
    assert found.amount == 5_400_000_000


def test_the_quote_is_the_row_as_it_stands_in_the_text():
    source = source_of(INCOME)
    [quote] = find_worked_figure(ask("gross profit", 2018), [source]).quotes
    text = source.tables[0].node.text
    assert text[quote.start : quote.end] == "Gross profit\t2,100\t2,000\t1,500"


@pytest.mark.parametrize(
    "names,years",
    [
        ("net sales of pumps", (2019,)),
        ("net sales", (2011,)),
        ("interest", (2019,)),
    ],
)
def test_nothing_is_shown_for_a_word_or_period_that_stands_nowhere_or_a_row_that_could_be_two(names, years):
    assert worked(ask(names, *years), INCOME) is None


def test_without_a_period_the_newest_of_a_statement_is_meant_and_said():
    found = worked(ask("net sales"), INCOME)
    assert found.sentence == (
        "Net sales, 2019: $5,400 million (the newest period of the statement; the question names none)"
    )
    rows = [["Net sales", "", "5,000"], ["Gross profit", "2,100", "2,000"]]
    for statement, last in (("", "5,400"), ("income", "")):
        rows[0][1] = last
        plain = table("Sales", rows, columns=["", "2019", "2018"], statement=statement)
        assert worked(ask("net sales"), plain) is None


@pytest.mark.parametrize("asks", ["Why is", "Who is", "In which year was", "Did", "When was"])
def test_questions_that_ask_no_figure_get_none(asks):
    assert worked(ask("net sales", 2019, asks=asks), INCOME) is None


@pytest.mark.parametrize(
    "names,value",
    [("sailors in Bergen", "120"), ("Bergen cooks", "30"), ("cooks", "80"), ("Norrvik sailors in Oslo", "80")],
)
def test_columns_that_names_tell_apart_and_totals_are_found(names, value):
    assert worked(ask(names), CREW).value == value


def test_a_row_that_sums_its_group_is_known_by_the_group():
    rows = [["Current assets:", "", ""], ["Cash", "10", "9"], ["Total", "30", "28"], ["Ships", "70", "60"]]
    found = worked(ask("current assets", 2019), table("Balance", rows, columns=["", "2019", "2018"]))
    assert found.value == "30"


def test_the_lexicons_other_name_of_a_figure_finds_its_row():
    need = FigureNeed("revenue", ("revenue", "net sales"), Period("year", 2019), "income")
    assert worked(ask("revenue", 2019, figures=(need,)), INCOME).sentence == "Net sales, 2019: $5,400 million"


def test_several_periods_of_a_row_are_told_in_the_order_asked():
    found = worked(ask("cost of sales", 2018, 2019), INCOME)
    assert found.sentence == "Cost of sales, 2018: $3,000 million; 2019: $3,300 million"


@pytest.mark.parametrize(
    "operation,operator,names,years,value,expression",
    [
        ("change", "change", "net sales", (2018, 2019), "$400 million", "b - a"),
        ("percent_change", "percentage change", "net sales", (2019, 2018), "8%", "100 * (b - a) / a"),
        ("change", "change", "gross margin", (2018, 2019), "-1.1%", "b - a"),
        ("average", "average", "net sales", (2017, 2018, 2019), "$4,800 million", "(a + b + c) / 3"),
        ("sum", "sum", "gross profit", (2018, 2019), "$4,100 million", "a + b"),
        ("difference", "difference", "net sales cost of sales", (2019,), "$2,100 million", "b - a"),
        ("ratio", "ratio", "net sales cost of sales", (2018,), "1.67", "a / b"),
        ("share", "share", "gross profit net sales", (2018,), "40%", "100 * a / b"),
        ("sum", "sum", "cost of sales gross profit", (2018,), "$5,000 million", "a + b"),
    ],
)
def test_operations_run_over_periods_of_a_row_or_over_rows(operation, operator, names, years, value, expression):
    found = worked(ask(names, *years, operation=operation, operator=operator), INCOME)
    assert (found.maker, found.value, found.calculation.expression) == ("operation", value, expression)


def test_an_operation_over_units_that_differ_is_refused():
    assert worked(ask("net sales gross margin", 2019, operation="sum", operator="sum"), INCOME) is None
    assert worked(ask("shares issued", 2017, 2018, operation="percent_change", operator="growth"), INCOME) is None


def test_a_dash_in_a_column_of_amounts_is_nought():
    found = worked(ask("shares issued", 2017, 2018, operation="change", operator="change"), INCOME)
    assert found.sentence == "Shares issued, 2017: $0 million; 2018: $15 million; change: $15 million"


def test_a_dash_among_percentages_is_no_rate_of_nought():
    shifts = table("", [["Late shift", "15%", "12%"], ["Night shift", "30%", "–"]], columns=["", "Leven", "Thornaby"])
    assert worked(ask("late shift thornaby"), shifts).value == "12%"
    assert worked(ask("night shift thornaby"), shifts) is None


def test_a_share_of_something_is_no_total_of_it():
    weights = table("", [["Price", "50%", "55%"], ["Total", "100%", "100%"]], columns=["", "Lot 1", "Lot 2"])
    assert worked(ask("price lot 1"), weights).value == "50%"
    assert worked(ask("total price lot 1"), weights) is None


def test_the_total_of_several_years_is_told_with_the_figure_of_each():
    found = worked(ask("total gross profit", 2018, 2019), INCOME)
    assert found.sentence == "Gross profit, 2018: $2,000 million; 2019: $2,100 million; sum: $4,100 million"
    assert found.calculation.told == "Gross profit 2018 + Gross profit 2019"


def test_an_average_without_a_year_is_that_of_the_years_printed_and_names_them():
    found = worked(ask("net sales", operation="average", operator="average"), INCOME)
    assert found.sentence == (
        "Net sales, 2017: $4,000 million; 2018: $5,000 million; 2019: $5,400 million; average: $4,800 million"
    )


@pytest.mark.parametrize("operation,value", [("change", "-10 kg"), ("percent_change", "-5%")])
def test_a_change_without_a_year_is_that_between_the_only_two_years_printed(operation, value):
    two = table("Waste", [["Paper (kg)", "190", "200"]], columns=["", "2019", "2018"])
    three = table("Waste", [["Paper (kg)", "190", "200", "180"]], columns=["", "2019", "2018", "2017"])
    plan = ask("paper", operation=operation, operator="change")
    assert worked(plan, two).value == value
    assert worked(plan, three) is None


def test_a_percentage_change_is_worked_out_down_to_a_loss_but_not_up_from_one():
    rows = [["Result", "-50", "100"], ["Margin", "100", "-50"]]
    results = table("Results", rows, columns=["", "2019", "2018"])
    change = {"operation": "percent_change", "operator": "growth"}
    assert worked(ask("result", 2018, 2019, **change), results).value == "-150%"
    assert worked(ask("margin", 2018, 2019, **change), results) is None


def test_what_a_cash_flow_statement_prints_in_brackets_is_asked_for_as_an_amount():
    rows = [["Capital expenditures", "(90)", "(80)"], ["Purchases of ships", "(30)", "(20)"]]
    flows = table("Cash flows", rows, columns=["", "2019", "2018"], statement="cash_flow")
    need = FigureNeed("capital expenditures", ("capital expenditures",), Period("year", 2019), "cash_flow")
    change = {"operation": "change", "operator": "change"}
    assert worked(ask("capital expenditures", 2019, figures=(need,)), flows).value == "90"
    assert worked(ask("capital expenditures", 2018, 2019, figures=(need,), **change), flows).value == "10"
    assert worked(ask("purchases of ships", 2019), flows).value == "-30"


def test_words_in_brackets_tell_less_against_a_label_than_others():
    rows = [["Bank deposits (long, unsecured)", "90"], ["Bank loans long, unsecured", "70"]]
    assets = table("Assets", rows, columns=["", "2019"])
    assert worked(ask("bank deposits", 2019), assets).value == "90"
    assert worked(ask("bank loans", 2019), assets) is None


def test_a_column_of_the_same_year_is_no_rival_where_its_row_is_empty():
    columns = ["", "Grants, 2019", "Fees, 2019"]
    rows = [["Harbour fund", "90", ""], ["Crew fund", "70", "60"]]
    funds = table("Funds", rows, columns=columns)
    assert worked(ask("harbour fund", 2019), funds).value == "90"
    assert worked(ask("crew fund", 2019), funds) is None


def test_no_part_of_a_calculation_is_named_by_the_text_before_the_table_alone():
    loans = table("Loans", [["Oslo", "10"], ["Kiel", "30"]], columns=["", "Sum"])
    source = source_of(paragraph("Of the whole debt."), loans)
    share = {"operation": "share", "operator": "share of"}
    assert find_worked_figure(ask("Oslo Kiel", **share), [source]).value == "33.33%"
    assert find_worked_figure(ask("Oslo Kiel debt", **share), [source]) is None


def test_an_average_over_two_years_with_one_between_them_is_not_guessed():
    assert worked(ask("net sales", 2017, 2019, operation="average", operator="average"), INCOME) is None


def test_a_row_that_has_the_operations_words_in_its_name_is_looked_up():
    rows = [["Average price", "12", "11"], ["Change in stock", "5", "-4"], ["Stock", "90", "85"]]
    prices = table("Prices", rows, columns=["", "2019", "2018"])
    assert (
        worked(ask("price", 2019, operation="average", operator="average"), prices).sentence
        == "Average price, 2019: 12"
    )
    assert (
        worked(ask("stock", 2019, operation="change", operator="change in"), prices).sentence
        == "Change in stock, 2019: 5"
    )


def test_a_ratio_of_the_lexicon_is_worked_out_over_its_concepts():
    needs = (
        FigureNeed("cost of goods sold", ("cost of goods sold", "cost of sales"), Period("year", 2018), "income"),
        FigureNeed("revenue", ("revenue", "net sales"), Period("year", 2018), "income"),
    )
    formula = Formula("cost ratio", "100 * cost / revenue", (("cost", 0), ("revenue", 1)), percent=True)
    found = worked(ask("cost ratio", 2018, figures=needs, formula=formula), INCOME)
    assert (found.maker, found.value, found.sentence) == ("formula", "60%", "cost ratio, 2018: 60%")
    assert [(one.name, one.value) for one in found.calculation.operands] == [
        ("cost", Decimal(3_000_000_000)),
        ("revenue", Decimal(5_000_000_000)),
    ]
    missing = (needs[0], FigureNeed("tax", ("income taxes",), Period("year", 2018)))
    assert worked(ask("cost ratio", 2018, figures=missing, formula=formula), INCOME) is None


def test_a_ratio_takes_no_figures_of_different_years_when_none_is_asked():
    needs = (FigureNeed("lease cost", ("lease cost",)), FigureNeed("revenue", ("net sales",)))
    formula = Formula("lease ratio", "100 * cost / revenue", (("cost", 0), ("revenue", 1)), percent=True)
    millions = "(Dollars in millions)"
    leases = table("Leases", [["Lease cost", "54", "50"]], columns=[millions, "2024", "2023"])
    same = table("Leases", [["Lease cost", "54", "50"]], columns=[millions, "2019", "2018"])
    assert worked(ask("lease ratio", figures=needs, formula=formula), INCOME, same).maker == "formula"
    assert worked(ask("lease ratio", figures=needs, formula=formula), INCOME, leases) is None


@pytest.mark.parametrize(
    "unit,value",
    [
        (UnitRequest(scale=1e9, currency="USD"), "$5.4 billion"),
        (UnitRequest(scale=1e9, decimals=0), "$5 billion"),
        (UnitRequest(scale=1e3), "$5,400,000 thousand"),
    ],
)
def test_the_scale_and_decimals_asked_for_are_kept(unit, value):
    assert worked(ask("net sales", 2019, unit=unit), INCOME).value == value


def test_a_figure_that_two_documents_state_differently_is_not_shown():
    other = table("Statement of income", [["Net sales", "77", "66"]], columns=["", "2019", "2018"])
    sources = [source_of(INCOME), source_of(other)]
    assert find_worked_figure(ask("net sales", 2019), sources[:1]) is not None
    assert find_worked_figure(ask("net sales", 2019), [sources[0], sources[0]]) is not None
    same = table("Sales", [["Net sales", "77", "66"]], columns=["", "2019", "2018"], statement="income")
    assert find_worked_figure(ask("net sales", 2019), [sources[0], source_of(same)]) is None


@pytest.mark.parametrize(
    "value,measure,scale,text",
    [
        ("1577000000", "USD", 1_000_000, "$1,577 million"),
        ("1577000000", "USD", 1_000_000_000, "$1.58 billion"),
        ("-473000000", "USD", 1_000_000, "-$473 million"),
        ("4.05", "USD", 1, "$4.05"),
        ("0", "EUR", 1_000_000, "€0 million"),
        ("12.5", "%", 1, "12.5%"),
        ("400", "mg", 1, "400 mg"),
        ("0.12345", "", 1, "0.1235"),
    ],
)
def test_amounts_are_written_as_people_write_them(value, measure, scale, text):
    assert amount_words(Decimal(value), measure, Decimal(scale)) == text


CELLS = st.integers(-9_999, 9_999)


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=5),
    st.sampled_from(["change", "sum", "average", "percent_change"]),
)
def test_every_number_shown_recomputes_from_its_cells(rows, operation):
    names = ["Herring", "Salmon", "Trout", "Perch", "Pike"]
    body = [[name, str(new), str(old)] for name, (new, old) in zip(names, rows, strict=False)]
    found = worked(
        ask("salmon", 2018, 2019, operation=operation, operator=operation.split("_")[0]),
        table("Catch", body, columns=["", "2019", "2018"]),
    )
    if found is not None:
        operands = {operand.name: operand.value for operand in found.calculation.operands}
        assert operands == {"a": Decimal(rows[1][1]), "b": Decimal(rows[1][0])}
        assert evaluate(found.calculation.expression, operands) == found.amount
    else:
        assert operation == "percent_change" and (not rows[1][1] or rows[1][0] * rows[1][1] < 0)
