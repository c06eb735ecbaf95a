"""Plans without the terms that chose a document, and plans of follow-ups."""

from vectorless_web.engine.questions.plan import EARLIER, drop_terms, merge_plans, strip_steering
from vectorless_web.engine.questions.understand import understand


def test_terms_that_chose_the_document_are_not_looked_for_in_it():
    plain = understand("What was the revenue of Acme?")
    stripped = strip_steering(understand("What was the revenue of Acme in the latest 10-K?"))
    assert stripped.terms == plain.terms
    assert stripped.phrases == plain.phrases
    assert [token.role for token in stripped.tokens if token.term] == [
        token.role for token in plain.tokens if token.term
    ]


def test_a_plan_without_steering_terms_stays_as_it_is():
    plan = understand("What is the rent?")
    assert strip_steering(plan) is plan


def test_a_name_that_is_the_documents_subject_can_be_dropped():
    plan = drop_terms(understand("What did Acme Stores pay Beta in 2020?"), ["acm", "store"])
    assert plan.entities == ("Beta",)
    assert {"acm", "store"}.isdisjoint(term.term for term in plan.terms)
    assert "Acme" not in [token.text for token in plan.tokens]


def test_a_follow_up_is_routed_by_the_earlier_question_too():
    merged = merge_plans(understand("And its inventories?"), [understand("What was the revenue of Acme in 2020?")])
    weights = {term.term: term.weight for term in merged.terms}
    assert weights["inventori"] == 1.0
    assert weights["revenu"] == weights["acm"] == EARLIER
    assert merged.entities == ("Acme",)
    assert [period.year for period in merged.periods] == [2020]


def test_names_and_periods_of_a_follow_up_replace_the_earlier_ones():
    earlier = understand("What was the revenue of Acme in 2020?")
    merged = merge_plans(understand("What was it for Beta Corp in 2021?"), [earlier])
    assert merged.entities == ("Beta Corp",)
    assert [period.year for period in merged.periods] == [2021]
    assert {"acm", "2020"}.isdisjoint(term.term for term in merged.terms)
    assert "revenu" in {term.term for term in merged.terms}


def test_the_newest_question_comes_before_older_ones():
    first, second = understand("What was the revenue of Acme?"), understand("And the revenue of Beta Corp?")
    assert merge_plans(understand("And its inventories?"), [first, second]).entities == ("Beta Corp",)


def test_without_earlier_questions_nothing_is_added():
    plan = understand("What is the rent?")
    assert merge_plans(plan, []) == plan
