"""Expressions over ids: exact values, units kept apart, and refusals that say what to do."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.agent.model.test_view import library_of
from tests.support.engine_documents import annual_report, compiled, paragraph, table
from vectorless_web.engine.agent.model.calculation import evaluate_ids, format_decimal
from vectorless_web.engine.agent.model.view import LibraryView
from vectorless_web.engine.errors import InvalidInput

LIBRARY = library_of(annual_report())


def reading(rows: list[list[str]], *columns: str, **more: Any) -> LibraryView:
    """What reads a document with one table, D1.1; `columns` are the heads of its figures."""
    return library_of(compiled("R", table("T", rows, columns=["", *columns], **more)))


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("(D1.7.r1c1 - D1.7.r1c2) / D1.7.r1c2 * 100", "8"),
        ("[D1.8.r2c1] / [D1.8.r6c1]", "1.5"),
        ("D1.8.r1c1 + D1.8.r3c1", "2,150 million USD"),
        ("average(D1.8.r1c1, D1.8.r1c2)", "800 million USD"),
        ("D1.9.r2c1 × 2", "-420 million USD"),
        ("D1.8.r1c1 / 1000", "0.9 billion USD"),
        ("D1.8.r1c1 * 1,000,000", "900,000,000 USD"),
        ("D1.8.r1c1 / 3", "300 million USD"),
    ],
)
def test_an_expression_is_worked_out_exactly(expression: str, result: str) -> None:
    assert evaluate_ids(expression, LIBRARY).result == result


def test_different_units_are_not_added() -> None:
    rows = [["Revenue", "$ 500"], ["Margin", "12%"]]
    library = reading(rows, "2020")
    with pytest.raises(InvalidInput, match="The units differ"):
        evaluate_ids("D1.1.r1c1 + D1.1.r2c1", library)


def test_a_count_in_a_table_that_also_states_money_has_no_currency() -> None:
    rows = [["Members:", ""], ["At the end", "62,832"], ["Revenues:", ""], ["Fees", "$ 5,089"]]
    library = reading(rows, "2020")
    assert evaluate_ids("D1.1.r2c1 * 2", library).result == "125,664"
    assert evaluate_ids("D1.1.r4c1 * 2", library).result == "10,178 USD"


def test_cells_and_lines_are_read_with_the_decimal_mark_of_their_numbers() -> None:
    rent = [["Nettomiete", "1.674,00"], ["Parkplatz", "1.210"], ["Nebenkosten", "210,50"]]
    weights = [["Before", "13,9 kg"], ["After", "11,4 kg"]]
    open_rows = [["North", "1,234"], ["South", "0,5"], ["East", "0.5"]]
    tables = [table("T", rows, columns=["", "Amount"]) for rows in (rent, weights)]
    library = library_of(compiled("Vertrag", *tables, paragraph("Die Kaution beträgt 5.022 Franken.")))
    assert evaluate_ids("D1.1.r1c1 + D1.1.r2c1 + D1.1.r3c1", library).value == Decimal("3094.50")
    assert evaluate_ids("D1.2.r1c1 - D1.2.r2c1", library).value == Decimal("2.5")
    assert evaluate_ids("D1.3 / 3", library).value == 1674
    with pytest.raises(InvalidInput, match="can be read in two ways"):
        evaluate_ids("D1.1.r1c1 * 2", reading(open_rows, "Amount"))


def test_an_amount_without_a_currency_keeps_the_scale_of_its_table() -> None:
    rows = [["Members at the end", "117,582"], ["Members at the beginning", "93,796"]]
    library = reading(rows, "2017", units="(in thousands)")
    assert evaluate_ids("D1.1.r1c1 - D1.1.r2c1", library).result == "23,786 thousand"
    assert evaluate_ids("D1.1.r1c1 / D1.1.r2c1 * 100", library).result == "125.36"
    assert [amount.write() for amount in evaluate_ids("D1.1.r1c1 * 2", library).amounts] == ["117,582 thousand"]


def test_a_quotient_of_an_amount_without_a_currency_has_no_unit() -> None:
    rows = [["Earnings:", ""], ["EBIT", "$ 400"], ["Costs:", ""], ["Interest", "200"]]
    library = reading(rows, "2022", units="(in thousands)")
    assert evaluate_ids("D1.1.r2c1 / D1.1.r4c1", library).result == "2"


def test_a_row_of_a_statement_is_money_though_it_prints_no_sign() -> None:
    rows = [["Sales:", ""], ["Boats", "$ 900"], ["Costs:", ""], ["Paint", "200"]]
    library = reading(rows, "2022", units="(in thousands)", statement="income")
    assert evaluate_ids("D1.1.r4c1 * 1", library).amounts[0].write() == "200 thousand USD"


def test_a_row_of_the_outer_level_is_not_named_under_the_group_before_it() -> None:
    rows = [["Current assets", ""], ["Cash", "$ 2"], ["Plant, net", "$ 9"]]
    amounts = evaluate_ids("D1.1.r2c1 + D1.1.r3c1", reading(rows, "2019", paths={2: ("Current assets",)})).amounts
    assert [amount.words for amount in amounts] == ["Current assets > Cash | 2019", "Plant, net | 2019"]


def test_different_scales_are_brought_to_one() -> None:
    first = table("A", [["Sales", "$ 2"]], columns=["", "2020"], units="(in millions)")
    second = table("B", [["Costs", "$ 500"]], columns=["", "2020"], units="(in thousands)")
    library = library_of(compiled("R", first, second))
    assert evaluate_ids("D1.1.r1c1 - D1.2.r1c1", library).value == Decimal(1_500_000)


@pytest.mark.parametrize("expression", ["D1.7.r1", "1 + D1.11.2", "D9.1.r1c1", "D1.7.r1c0", "1 /", "__import__('os')"])
def test_what_names_no_single_number_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        evaluate_ids(expression, LIBRARY)


def test_a_line_with_one_number_is_worked_with_at_its_scale() -> None:
    library = library_of(compiled("R", paragraph("The claim was settled for €3 million.")))
    assert evaluate_ids("D1.1 * 2", library).result == "6 million EUR"


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=3, allow_nan=False))
def test_a_formatted_number_is_near_the_number(value: Decimal) -> None:
    told = Decimal(format_decimal(value).replace(",", ""))
    assert abs(told - value) <= max(Decimal("0.005"), abs(value) / 1000)


def test_a_reader_is_shown_figures_and_names_in_the_place_of_ids() -> None:
    rows = [["Current assets:", ""], ["Cash", "$ 2"], ["Overdraft", "(3)"]]
    library = reading(rows, "June 30, / 2020")
    shown = evaluate_ids("D1.1.r2c1 - D1.1.r3c1", library).as_calculation({})
    assert (shown.expression, shown.result) == ("2 - (-3)", "5")
    assert [operand.name for operand in shown.operands] == ["Cash, June 30, 2020", "Overdraft, June 30, 2020"]
