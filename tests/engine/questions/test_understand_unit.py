"""The unit, scale and rounding that a question wants."""

import pytest

from vectorless_web.engine.questions.understand import find_asked_unit


@pytest.mark.parametrize(
    ("text", "scale", "currency", "percent", "decimals"),
    [
        ("Answer in USD millions.", 1e6, "USD", False, None),
        ("in billions of euros", 1e9, "EUR", False, None),
        ("in Canadian dollars", None, "CAD", False, None),
        ("as a % of sales, rounded to one decimal place", None, "", True, 1),
        ("Round to two decimal places", None, "", False, 2),
        ("with 3 decimals", None, "", False, 3),
        ("to the nearest thousand", 1e3, "", False, None),
        ("the rent (in thousands)", 1e3, "", False, None),
        ("as a whole number", None, "", False, 0),
        ("in Millionen Euro", 1e6, "EUR", False, None),
        ("What percentage is that?", None, "", True, None),
    ],
)
def test_the_unit_asked_for_is_read(text, scale, currency, percent, decimals):
    unit, _ = find_asked_unit(text)
    assert (unit.scale, unit.currency, unit.percent, unit.decimals) == (scale, currency, percent, decimals)


@pytest.mark.parametrize("text", ["How much did it earn?", "Did it pay 5% or $3 million?", "How strong is the dollar?"])
def test_a_question_may_leave_its_unit_open(text):
    assert find_asked_unit(text)[0] is None
