"""What a term means and when a thing counts as something: the criterion answers, a use of the term does not."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.passages.checks import is_met
from vectorless_web.engine.questions.requirements import Wanted, requirements_of
from vectorless_web.engine.questions.understand import understand

POLICY = compiled(
    "Travel policy of the housing trust",
    section(
        "Trips",
        paragraph("In 2025 staff made 214 long trips, and 31 of the long trips were counted by the auditors."),
        paragraph("A trip counts as long if the traveller is away for more than ten hours or comes home after 22:00."),
        paragraph("The form for a home visit is deemed complete when both the tenant and the warden have signed it."),
        paragraph("Quiet hours were kept in all houses last summer."),
    ),
    section(
        "Measures",
        paragraph(
            "The share of homes that are warm (a room temperature of at least 19 degrees in January) and dry (no mould"
            " found by the inspector on two visits) is told in the yearly report."
        ),
    ),
    section(
        "2 Interests",
        paragraph("Nora Finch declared an interest in item 5, because her sister owns the garage. She left the room."),
    ),
    section("5 Lease of the Elm Road garage", paragraph("It was agreed to renew the lease for three years.")),
)


def ask(question: str) -> CompleteEvent:
    return list(Orchestrator().run(question, Shelf({"a": POLICY}), Limits()))[-1]


@pytest.mark.parametrize(
    "question,criterion",
    [
        ("When does a trip count as long?", "more than ten hours"),
        ("When is the form for a home visit deemed complete?", "have signed it"),
        ("When are homes counted as warm and dry?", "19 degrees"),
    ],
)
def test_asked_when_a_thing_counts_as_something_the_criterion_is_told(question, criterion):
    end = ask(question)
    assert end.outcome is Outcome.ANSWERED and criterion in end.answer, end.answer


@pytest.mark.parametrize("question", ["What does quiet hours mean?", "When are houses counted as quiet?"])
def test_a_use_of_the_term_is_no_answer(question):
    assert ask(question).outcome is Outcome.PASSAGES


def test_a_question_for_when_a_thing_is_done_asks_for_a_date():
    assert [each.wanted for each in requirements_of(understand("When are claims considered by the board?"))] == [
        Wanted.DATE
    ]


@pytest.mark.parametrize(
    "text,is_defined",
    [
        ("The firm defines net yield as rent less cost.", True),
        ("Net yield is regarded as rent less cost.", True),
        ("Net yield fell in May.", False),
    ],
)
def test_words_that_define(text, is_defined):
    (requirement,) = requirements_of(understand("What is meant by net yield?"))
    assert is_met(requirement, text) is is_defined


def test_what_is_said_of_a_numbered_item_is_said_of_what_its_heading_names():
    answer = ask("Did anybody declare an interest in the lease of the Elm Road garage?").answer
    assert answer.startswith("Yes: Nora Finch declared")


def test_a_use_of_a_term_is_not_drafted_for_what_it_means():
    assert ask("What is a warden?").answer == ""
