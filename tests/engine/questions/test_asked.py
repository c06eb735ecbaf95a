"""Which words of a question have to stand where its figure does."""

import pytest

from vectorless_web.engine.questions.asked import asked_tokens, asks_figure, defined_terms, narrow_plan
from vectorless_web.engine.questions.understand import understand


def named(question):
    return [token.term for token in asked_tokens(understand(question))]


@pytest.mark.parametrize(
    "question,terms",
    [
        ("What were the harbour fees in 2019?", ["harbour", "fee"]),
        ("How many cooks sailed from Bergen in 2018?", ["cook", "sail", "bergen"]),
        ("What was the percentage change in berths from 2018 to 2019?", ["berth"]),
        ("What is the total reported?", ["total"]),
        ("Use the table below. What is the crew of Oslo in 2019? Round your answer.", ["crew", "oslo"]),
    ],
)
def test_names_count_and_words_that_only_ask_do_not(question, terms):
    assert named(question) == terms


@pytest.mark.parametrize(
    "question",
    ["Why did harbour fees rise in 2019?", "Who paid what in 2019?", "Which ports grew?", "Did fees rise?", "", "2019"],
)
def test_questions_for_anything_but_a_figure_name_none(question):
    plan = understand(question)
    assert (asks_figure(plan), asked_tokens(plan)) == (False, ())


def test_what_other_sentences_name_is_no_part_of_what_is_asked():
    plan = understand("What is the current ratio in 2019? Take the average of 2016 and 2017 as the base.")
    narrowed = narrow_plan(plan)
    assert ([period.year for period in narrowed.periods], narrowed.operation) == ([2019], "")


def test_a_definition_of_the_questions_own_is_seen_by_its_signs():
    own = "What is the current ratio in 2019? It is defined as: current assets / (current liabilities + inventories)."
    assert "inventori" in defined_terms(understand(own))
    assert defined_terms(understand("What is the current ratio in 2019? Use the balance sheet.")) == frozenset()
