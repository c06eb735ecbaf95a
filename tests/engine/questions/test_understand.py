import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vectorless_web.engine.questions.focus import split_question
from vectorless_web.engine.questions.lexicon import Concept, default_lexicon
from vectorless_web.engine.questions.periods import periods_in
from vectorless_web.engine.questions.plan import Intent
from vectorless_web.engine.questions.understand import entities_in, forms_in, understand, unit_requested


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("FY2018 revenue", [(2018, None)]),
        ("fiscal 2019 and fiscal year 2020", [(2019, None), (2020, None)]),
        ("sales in FY'21", [(2021, None)]),
        ("Q2 2023", [(2023, 2)]),
        ("the second quarter of fiscal 2023", [(2023, 2)]),
        ("2021 Q1 against 3Q22", [(2021, 1), (2022, 3)]),
        ("as of December 31, 2021", [(2021, None)]),
        ("in 2022, 2021 and 2020", [(2022, None), (2021, None), (2020, None)]),
        ("three year average FY2016 to FY2018", [(2016, None), (2018, None), (2017, None)]),
        ("change from 2016 to 2018", [(2016, None), (2018, None)]),
        ("paid $2,018 and 2,020 dollars, or 12.2021", []),
    ],
)
def test_periods_are_read_as_people_write_them(text, periods):
    assert [(period.year, period.quarter) for period in periods_in(text)] == periods


@pytest.mark.parametrize(
    ("text", "scale", "currency", "percent", "decimals"),
    [
        ("Answer in USD millions.", 1e6, "USD", False, None),
        ("in billions of euros", 1e9, "EUR", False, None),
        ("as a % of sales, rounded to one decimal place", None, "", True, 1),
        ("Round to two decimal places", None, "", False, 2),
        ("to the nearest thousand", 1e3, "", False, None),
    ],
)
def test_the_unit_asked_for_is_read(text, scale, currency, percent, decimals):
    unit = unit_requested(text)
    assert (unit.scale, unit.currency, unit.percent, unit.decimals) == (scale, currency, percent, decimals)


def test_a_question_may_leave_its_unit_open():
    assert unit_requested("How much did it earn?") is None


def test_instructions_around_a_question_are_set_aside():
    parts = split_question(
        "You are a credit analyst. Using only the data in the balance sheet, what were the inventories of Acme"
        " in 2020? Round to one decimal place. If this does not apply, say so."
    )
    assert parts.focus == "what were the inventories of Acme in 2020?"
    assert len(parts.instructions) == 4


def test_an_order_without_a_question_is_the_question():
    assert split_question("Give the number of employees.").focus == "Give the number of employees."


def test_a_definition_is_kept_apart():
    parts = split_question("What is the cover for 2021? Cover is defined as: cash / debt.")
    assert parts.focus == "What is the cover for 2021?"
    assert parts.definitions == ("Cover is defined as: cash / debt.",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is Acme's revenue?", ("Acme",)),
        ("the Blue Widget Company's and AT&T's sales", ("Blue Widget Company", "AT&T")),
        ("Did Bank of Utopia or 9X grow in May 2020?", ("Bank of Utopia", "9X")),
        ("What was the CEO paid?", ()),
    ],
)
def test_names_are_found_as_written(text, names):
    assert entities_in(text) == names


def test_kinds_of_document_are_named():
    assert forms_in("according to the 10K and the earnings release") == ("10-k", "earnings release")


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How much were the inventories in 2020?", Intent.FIGURE),
        ("What is the current ratio for 2020?", Intent.CALCULATION),
        ("Did revenue grow in 2020?", Intent.YES_NO),
        ("Why did margins fall?", Intent.EXPLAIN),
        ("Which directors resigned?", Intent.LOOKUP),
        ("What are the main products?", Intent.LIST),
        ("Summarise the report.", Intent.SUMMARY),
    ],
)
def test_the_form_of_the_answer_is_recognised(question, intent):
    assert understand(question).intent is intent


def test_a_figure_is_needed_under_the_documents_own_wording():
    plan = understand("What was Acme's capex in FY2021, in USD millions?")
    need = plan.figures[0]
    assert need.concept == "capital expenditures"
    assert "purchases of property, plant and equipment" in need.phrases
    assert (need.period.year, need.statement) == (2021, "cash_flow")
    assert plan.entities == ("Acme",)
    assert plan.unit.scale == 1e6


def test_a_ratio_is_taken_apart_into_figures():
    plan = understand("What is the inventory turnover of Acme for 2021?")
    assert plan.formula.expression == ("cost_of_goods_sold_2021 / ((inventories_2021 + inventories_2020) / 2)")
    assert [(need.concept, need.period.year) for need in plan.figures if not need.optional] == [
        ("cost of goods sold", 2021),
        ("inventories", 2021),
        ("inventories", 2020),
    ]
    assert plan.statements == ("income", "balance")


def test_the_questions_own_definition_comes_before_the_lexicons():
    plan = understand(
        "What is the 2021 turnover of stock? Turnover of stock is defined as: 2021 COGS / (average inventory between"
        " 2020 and 2021)."
    )
    assert plan.formula.expression == ("cost_of_goods_sold_2021 / ((inventories_2020 + inventories_2021) / 2)")


def test_growth_is_a_rate_and_a_change_is_a_difference():
    growth = understand("What was the growth rate of revenue from 2019 to 2020?")
    change = understand("By how much did total assets change between 2019 and 2020?")
    assert growth.formula.expression == "100 * (revenue_2020 - revenue_2019) / revenue_2019"
    assert change.formula.expression == "total_assets_2020 - total_assets_2019"


def test_an_average_over_years_takes_each_of_them():
    plan = understand("What is the average net profit margin from FY2018 to FY2020?")
    assert plan.formula.expression.count("net_income") == 3
    assert len(plan.figures) == 6


def test_a_share_is_a_percentage():
    plan = understand("What was capex as a % of revenue in 2020?")
    assert plan.formula.expression == "100 * capital_expenditures_2020 / revenue_2020"


def test_without_a_period_the_year_before_is_an_offset():
    plan = understand("What is the asset turnover?")
    assert [(need.concept, need.period, need.offset) for need in plan.figures if not need.optional] == [
        ("revenue", None, 0),
        ("total assets", None, 0),
        ("total assets", None, 1),
    ]


def test_the_users_own_words_come_first_and_expansion_can_be_switched_off():
    expanded, plain = understand("How high was capex?"), understand("How high was capex?", expand=False)
    own = {term.term: term.weight for term in expanded.terms if term.source == "question"}
    added = [term for term in expanded.terms if term.source.startswith("lexicon:")]
    assert own["capex"] == 1.0
    assert added and all(term.weight < 1.0 for term in added)
    assert not [term for term in plain.terms if term.source.startswith("lexicon:")]


def test_names_and_periods_are_marked_among_the_terms():
    sources = {term.term: term.source for term in understand("Acme's revenue in FY2020").terms}
    assert (sources["acm"], sources["2020"], sources["revenu"]) == ("entity", "period", "question")


def test_a_workspace_adds_its_own_terms():
    own = Concept("green ledger", ("sustainability accounts",), ("green ledger", "GL"))
    plan = understand("Where is the green ledger?", lexicon=default_lexicon().with_concepts([own]))
    assert "sustainability accounts" in [phrase.text for phrase in plan.phrases]


def test_two_questions_are_told_apart():
    plan = understand("What were net sales in 2020 and why did they fall?")
    assert len(plan.sub_questions) == 2


@given(st.text(max_size=120))
@settings(deadline=None, max_examples=60)
def test_any_text_gives_the_same_plan_every_time(text):
    assert understand(text) == understand(text)


def test_what_a_question_sets_aside_is_not_looked_for():
    plan = understand("Excluding restructuring charges, what was operating income in 2020?")
    assert [need.concept for need in plan.figures] == ["operating income"]
    assert "restructuring charges" not in plan.concepts


def test_a_list_of_kinds_names_each_of_them():
    plan = understand("Which of operating, investing and financing activities used the most cash flow in 2020?")
    needed = {need.concept for need in plan.figures}
    assert needed == {"operating cash flow", "investing cash flow", "financing cash flow"}


def test_names_and_facts_need_no_figures():
    assert understand("Which debt securities are listed?").figures == ()
    assert understand("Which segment had the highest revenue?").figures != ()
    assert understand("What were net sales in 2019?").intent is Intent.FIGURE


def test_a_less_inside_a_caption_is_no_subtraction():
    plan = understand("What is property and equipment, less accumulated depreciation, in 2020?")
    assert plan.formula is None
    assert [need.concept for need in plan.figures] == ["property, plant and equipment"]
