"""Expressions over ids: exact values, units kept apart, and refusals that say what to do."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.agent.model.test_view import library_of
from tests.support.engine_documents import annual_report, compiled, table
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


def test_a_row_of_the_outer_level_is_not_named_under_the_group_before_it() -> None:
    rows = [["Current assets", ""], ["Cash", "$ 2"], ["Plant, net", "$ 9"]]
    amounts = evaluate_ids("D1.1.r2c1 + D1.1.r3c1", reading(rows, "2019", paths={2: ("Current assets",)})).amounts
    assert [amount.words for amount in amounts] == ["Current assets > Cash | 2019", "Plant, net | 2019"]


@pytest.mark.parametrize("expression", ["D1.7.r1", "1 + D1.11.2", "D9.1.r1c1", "D1.7.r1c0", "1 /", "__import__('os')"])
def test_what_names_no_single_number_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        evaluate_ids(expression, LIBRARY)


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
