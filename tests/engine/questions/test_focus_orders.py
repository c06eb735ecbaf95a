"""Orders about the answer are told from the question, whatever they are worded like."""

import pytest

from vectorless_web.engine.questions.focus import split_question
from vectorless_web.engine.questions.plan import Intent
from vectorless_web.engine.questions.understand import understand


@pytest.mark.parametrize(
    ("question", "focus"),
    [
        ("What is the quick ratio; if it is not useful, explain why", "What is the quick ratio?"),
        ("How much is the deposit, and if there is none, say so.", "How much is the deposit?"),
        ("Is the tenant liable for repairs? Explain your reasoning briefly.", "Is the tenant liable for repairs?"),
        ("What is the net margin for 2020; explain how you got it.", "What is the net margin for 2020?"),
        ("What is the daily allowance? Show your work.", "What is the daily allowance?"),
        ("Is it covered? If not, tell me why.", "Is it covered?"),
        (
            "What was the gross margin in 2020? If it is negative, explain the reason.",
            "What was the gross margin in 2020?",
        ),
        ("How do I reset the pump - please give all the steps", "How do I reset the pump?"),
    ],
)
def test_an_order_at_the_end_is_set_aside(question, focus):
    parts = split_question(question)
    assert parts.focus == focus
    assert len(parts.instructions) == 1


@pytest.mark.parametrize(
    "question",
    [
        "What happens if I pay late, and if I never pay, what then?",
        "If I lose my badge, who do I tell?",
        "How much is the deposit - and if it is refundable, tell me when",
        "Describe how the pump is primed, explain why it fails",
        "Did sales grow? Explain why they fell in 2020.",
        "According to the employee handbook, what is the notice period?",
        "In the report on fire safety, who is responsible?",
        "In case of fire, what should I do?",
        "If you need my details for a survey, will you share them?",
    ],
)
def test_what_is_part_of_the_question_stays(question):
    assert split_question(question).focus == question


@pytest.mark.parametrize(
    "question",
    [
        "In the table on page 4, which model is heaviest?",
        "Going by the details given in the document, which model is heaviest?",
        "From the figures listed in the accounts, which model is heaviest?",
    ],
)
def test_a_lead_that_only_says_where_to_look_is_set_aside(question):
    assert split_question(question).focus == "which model is heaviest?"


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("What is the quick ratio for 2021; if it is not meaningful, explain why", Intent.CALCULATION),
        (
            "What is the current ratio for 2021? If it does not apply here, please say so and explain why.",
            Intent.CALCULATION,
        ),
        ("Is the deposit refundable; explain your answer", Intent.YES_NO),
        ("How many days of leave are there, and if none are given, state that and explain why.", Intent.FIGURE),
        ("Who approves overtime? Explain briefly.", Intent.LOOKUP),
    ],
)
def test_an_order_at_the_end_does_not_change_the_intent(question, intent):
    assert understand(question).intent is intent
