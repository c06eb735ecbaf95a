"""A formula that a question writes itself is worked out as it is written."""

import pytest

from vectorless_web.engine.questions.understand import understand

ASKED = "What is the FY2018 days payable outstanding for Norrvik? DPO is defined as: {}. Round to one decimal place."


def test_parts_are_concepts_with_their_periods_and_operations():
    told = (
        "365 * (average accounts payable between FY2017 and FY2018) / "
        "(FY2018 COGS + change in inventory between FY2017 and FY2018)"
    )
    plan = understand(ASKED.format(told))
    assert plan.formula.expression == (
        "365 * (((accounts_payable_2017 + accounts_payable_2018) / 2)) / "
        "(cost_of_goods_sold_2018 + (inventories_2018 - inventories_2017))"
    )
    assert [(need.concept, need.period.year) for need in plan.figures] == [
        ("accounts payable", 2017),
        ("accounts payable", 2018),
        ("cost of goods sold", 2018),
        ("inventories", 2017),
        ("inventories", 2018),
    ]


@pytest.mark.parametrize(
    "told", ["365 * harbour fees / COGS", "365 * payables of Oslo / COGS", "payables per day of cost"]
)
def test_the_lexicons_formula_is_taken_where_a_part_is_not_understood(told):
    assert not understand(ASKED.format(told)).formula.is_written
