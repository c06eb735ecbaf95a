"""Ratios of the lexicon as formulas over figures."""

import re

import pytest

from vectorless_web.engine.questions.formulas import AT_CLOSE, MAX_FIGURES, figures_of, formula_of
from vectorless_web.engine.questions.lexicon import default_lexicon
from vectorless_web.engine.questions.plan import Period
from vectorless_web.engine.questions.understand import understand

LEXICON = default_lexicon()


def needed(figures):
    return [(need.concept, need.period and need.period.year, need.offset) for need in figures if not need.optional]


def test_a_ratio_is_taken_apart_into_figures():
    plan = understand("What is the inventory turnover of Acme for 2021?")
    assert plan.formula.expression == "cost / ((inventory + earlier) / 2)"
    assert plan.formula.words == "cost of goods sold / average inventories"
    assert dict(plan.formula.operands) == {"cost": 0, "inventory": 1, "earlier": 2}
    assert needed(plan.figures) == [("cost of goods sold", 2021, 0), ("inventories", 2021, 0), ("inventories", 2020, 0)]
    assert plan.statements == ("income", "balance")


def test_without_a_period_the_year_before_is_an_offset():
    plan = understand("What is the asset turnover?")
    assert needed(plan.figures) == [("revenue", None, 0), ("total assets", None, 0), ("total assets", None, 1)]


def test_the_latest_period_comes_first_and_the_others_are_a_series():
    formula = understand("What was the gross margin in 2019 and 2020?").formula
    assert formula.percent
    assert [each.name for each in formula.series] == ["2019"]
    assert formula.series[0].operands != formula.operands


def test_other_ways_in_use_are_told_and_what_they_alone_need_is_optional():
    plan = understand("What was the cash ratio in 2020?")
    assert [other.name for other in plan.formula.others] == ["with short-term investments"]
    assert [need.concept for need in plan.figures if need.optional] == ["short-term investments"]
    turnover = understand("What was the inventory turnover?").formula
    assert [(other.name, other.expression) for other in turnover.others] == [(AT_CLOSE, "cost / inventory")]


def test_a_narrower_figure_takes_an_operands_place():
    concept = LEXICON.concept("net income attributable to parent")
    ratio = LEXICON.ratio("net profit margin")
    _, needs = formula_of(ratio, LEXICON, [], [concept])
    assert needs[0].concept == "net income attributable to parent"


@pytest.mark.parametrize("ratio", LEXICON.ratios, ids=lambda ratio: ratio.name)
def test_every_ratio_of_the_lexicon_has_a_figure_for_each_name_of_each_way(ratio):
    formula, needs = formula_of(ratio, LEXICON, [Period("year", 2020), Period("year", 2021)])
    for way in (formula, *formula.others, *formula.series):
        operands = dict(way.operands)
        assert set(re.findall(r"[a-z_]+", way.expression)) == set(operands)
        assert all(0 <= index < len(needs) for index in operands.values())
    assert not re.search(r"[*]|\bearlier\w*", formula.words)


def test_figures_are_limited():
    periods = [Period("year", year) for year in range(2000, 2030)]
    assert len(figures_of([LEXICON.concept("revenue")], periods)) == MAX_FIGURES
