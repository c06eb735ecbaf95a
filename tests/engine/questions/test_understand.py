"""A question becomes a plan: terms, concepts, figures, tokens with roles, an operation, what steers to a document."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vectorless_web.engine.questions.lexicon import Concept, default_lexicon
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse, words

ROLES = {"content", "stop", "period", "entity", "unit", "lexicon", "operation", "steering", "asking", "statement"}


def roles(question):
    return {token.text: token.role for token in understand(question).tokens}


def test_a_figure_is_needed_under_the_documents_own_wording():
    plan = understand("What was Acme's capex in FY2021, in USD millions?")
    need = plan.figures[0]
    assert need.concept == "capital expenditures"
    assert "purchases of property, plant and equipment" in need.phrases
    assert (need.period.year, need.statement) == (2021, "cash_flow")
    assert plan.entities == ("Acme",)
    assert plan.unit.scale == 1e6


def test_a_figure_is_needed_at_each_period_named():
    plan = understand("What were net sales in 2019 and 2020?")
    assert [(need.concept, need.period.year) for need in plan.figures] == [("revenue", 2019), ("revenue", 2020)]


def test_every_word_has_the_role_it_plays():
    found = roles("By what percentage did net sales of Acme Stores change in 2020, as told in the latest 10-K?")
    assert found == {
        "By": "stop", "what": "stop", "percentage": "unit", "did": "stop", "net": "lexicon", "sales": "lexicon",
        "of": "stop", "Acme": "entity", "Stores": "entity", "change": "operation", "in": "stop", "2020": "period",
        "as": "stop", "told": "content", "the": "stop", "latest": "steering", "10-K": "steering",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("What was the percentage change in net sales from 2019 to 2020?", "percent_change"),
        ("By what percentage did net sales increase in 2020?", "percent_change"),
        ("By how much did total assets change between 2019 and 2020?", "change"),
        ("What is the average number of stores over the years?", "average"),
        ("What is the sum of rent and wages?", "sum"),
        ("What is the difference between rent and wages?", "difference"),
        ("What percentage of sales came from the north?", "share"),
        ("Wie hoch war die prozentuale Veränderung?", "percent_change"),
        ("What were total assets in 2020?", ""),
        ("What was the net change in cash?", ""),
        ("What was the percentage change in cash and cash equivalents?", "percent_change"),
        ("What is the weighted average of the difference?", ""),
    ],
)
def test_an_operation_of_arithmetic_is_named_by_its_own_terms(question, operation):
    assert understand(question).operation == operation


def test_words_of_an_operation_that_is_not_chosen_stay_content():
    found = roles("What is the average difference of rents?")
    assert (found["average"], found["difference"]) == ("content", "content")


def test_an_average_over_a_range_takes_every_year_of_it():
    average = understand("What is the average net profit margin from FY2018 to FY2020?")
    single = understand("What were net sales from FY2018 to FY2020?")
    assert sorted(period.year for period in average.periods) == [2018, 2019, 2020]
    assert sorted(period.year for period in single.periods) == [2018, 2020]


def test_a_document_that_is_asked_for_steers_and_its_year_gives_way_to_another():
    plan = understand("What was 2021 revenue according to the 2022 annual report?")
    assert plan.steering == {"2022", "annual", "report"}
    assert [period.year for period in plan.periods] == [2021]
    assert [need.period.year for need in plan.figures] == [2021]
    assert plan.forms == ("10-k",)


def test_a_term_that_is_also_asked_for_does_not_steer():
    assert "annual" not in understand("What is the annual rent told in the annual report?").steering


def test_the_questions_own_words_come_first_and_expansion_can_be_switched_off():
    expanded, plain = understand("How high was capex?"), understand("How high was capex?", expand=False)
    own = {term.term: term.weight for term in expanded.terms if term.source == "question"}
    added = [term for term in expanded.terms if term.source.startswith("lexicon:")]
    assert own["capex"] == 1.0
    assert added and all(term.weight < 1.0 for term in added)
    assert not [term for term in plain.terms if term.source.startswith("lexicon:")]


def test_names_and_periods_are_marked_among_the_terms():
    sources = {term.term: term.source for term in understand("Acme's revenue in the FY2020 10-K").terms}
    assert (sources["acm"], sources["2020"], sources["revenu"]) == ("entity", "period", "question")


def test_words_that_only_ask_and_units_weigh_less():
    weights = {term.term: term.weight for term in understand("Please give the rent in USD millions.").terms}
    assert weights["rent"] == 1.0
    assert weights["give"] == weights["usd"] == weights["million"] < 1.0


def test_words_beside_the_sentence_that_asks_weigh_less():
    weights = {term.term: term.weight for term in understand("Use the ledger. How high is the rent? Explain.").terms}
    assert weights["rent"] == 1.0
    assert weights["ledger"] == weights["explain"] == 0.5
    assert understand("Use the ledger.").terms[-1].weight == 1.0


def test_a_word_that_only_asks_is_no_concept():
    assert understand("What is the value of the thing?").concepts == ()
    assert "mission" in understand("What are the values of the club?").concepts


def test_a_workspace_adds_its_own_terms():
    own = Concept("green ledger", ("sustainability accounts",), ("green ledger", "GL"), pack="workspace")
    lexicon = default_lexicon().with_concepts([own])
    assert "sustainability accounts" in [
        p.text for p in understand("Where is the green ledger?", lexicon=lexicon).phrases
    ]
    assert "green ledger" in understand("Where is the GL of Acme?", lexicon=lexicon).concepts


def test_a_concept_inside_a_name_is_no_concept():
    plan = understand("Where is Blue Customers Ltd based?")
    assert plan.entities == ("Blue Customers Ltd",)
    assert "customers" not in plan.concepts


WORDS = """
what is the Acme Corp's net sales change in FY2020 2019 to % latest 10-K average long-term COVID-19 USD millions (in
thousands) two decimal places Q3 2021, of R&D 資産 § 3.2 ? .
""".split()  # noqa: SIM905
QUESTIONS = st.one_of(st.text(max_size=120), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))


@given(QUESTIONS)
@settings(deadline=None, max_examples=150)
def test_any_text_gives_the_same_plan_every_time_and_its_tokens_cover_the_question(text):
    plan = understand(text)
    assert plan == understand(text)
    starts = [token.start for token in plan.tokens]
    assert starts == sorted(starts)
    assert set(starts) == {word.start for word in words(text)}
    assert all(text[token.start :].startswith(token.text) for token in plan.tokens)
    assert {token.role for token in plan.tokens} <= ROLES
    assert all((token.role == "stop") <= (token.term == "") for token in plan.tokens)
    assert {token.term for token in plan.tokens} - {""} <= set(analyse(text)) <= {term.term for term in plan.terms}
    assert plan.steering <= {token.term for token in plan.tokens}
