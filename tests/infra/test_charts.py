"""Bars of charts: on one scale that holds 0, below it as well as above."""

from decimal import Decimal

from vectorless_web.infra.web.charts import draw_bars


def test_bars_stand_on_a_scale_that_holds_nothing_and_what_is_below_it():
    bars = draw_bars([("a", "3", Decimal(3)), ("b", "-1", Decimal(-1)), ("c", "0", Decimal(0))])

    assert [(bar.at, bar.start, bar.length, bar.top) for bar in bars] == [
        (0, 25, 75, 0),
        (10, 0, 25, 75),
        (20, 25, 0, 75),
    ]

    assert draw_bars([("a", "8/10", Decimal("0.8"))], most=Decimal(1))[0].length == 80
    assert draw_bars([("a", "0", Decimal(0))])[0].length == 0
    assert draw_bars([]) == []
