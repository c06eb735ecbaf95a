"""Follow-ups take item, subject and period from the question before."""

import pytest

from tests.support.engine_documents import Shelf, annual_report
from vectorless_web.engine.agent.events import Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.questions.followup import Previous, complete_question
from vectorless_web.engine.questions.understand import understand

PAIRS = [
    ("What was Norrvik's revenue in 2018?", "And in 2019?", "What was Norrvik's revenue in 2019?"),
    ("What was Norrvik's revenue in FY2018?", "what about FY2019", "What was Norrvik's revenue in FY2019?"),
    ("What was Norrvik's revenue in 2018?", "2019?", "What was Norrvik's revenue in 2019?"),
    ("What was Norrvik's revenue in 2018?", "How about 2017 and 2019?", "What was Norrvik's revenue in 2017 and 2019?"),
    ("What was Norrvik's revenue?", "And in 2019?", "What was Norrvik's revenue in 2019?"),
    (
        "What was the gross margin of Norrvik in Q1 2019?",
        "and Q2 2019?",
        "What was the gross margin of Norrvik in Q2 2019?",
    ),
    ("What was Norrvik's revenue in 2018?", "And Aqualund?", "What was Aqualund's revenue in 2018?"),
    ("What was Norrvik's revenue in 2018?", "What about Aqualund in 2019?", "What was Aqualund's revenue in 2019?"),
    ("What was revenue in 2018?", "And for Aqualund?", "What was revenue in 2018 for Aqualund?"),
    ("What was Norrvik's revenue in 2018?", "And its net income?", "What was Norrvik's net income in 2018?"),
    ("What was Norrvik's revenue in 2018?", "and net income?", "What was net income of Norrvik in 2018?"),
    (
        "What was Norrvik's revenue in 2018?",
        "What was its operating income in 2019?",
        "What was Norrvik's operating income in 2019?",
    ),
    (
        "What was Norrvik's revenue in 2018?",
        "How many people do they employ?",
        "How many people do Norrvik employ in 2018?",
    ),
    (
        "What was Norrvik's revenue in 2018?",
        "Who are their main customers?",
        "Who are Norrvik's main customers in 2018?",
    ),
    ("What was Norrvik's revenue in 2018?", "Why?", "Why did the revenue of Norrvik change in 2018?"),
    ("What was Norrvik's gross margin in 2019?", "Why is that?", "Why did the gross margin of Norrvik change in 2019?"),
    ("What was Norrvik's revenue in 2018?", "What drove it?", "Why did the revenue of Norrvik change in 2018?"),
    ("How did turnout change from 2019 to 2021?", "Why did it fall?", "Why did the turnout fall in 2021?"),
    ("What was Norrvik's revenue in 2018?", "Why did it rise?", "Why did the revenue of Norrvik rise in 2018?"),
    ("How long is the lease?", "Who signed it?", "Who signed the lease?"),
    ("What is the notice period?", "Does it bind the tenant?", "Does the notice period bind the tenant?"),
    ("Does the warranty cover rust?", "How long does it last?", "How long does the warranty last?"),
    ("How many kayaks are in Hull?", "And in Leeds?", "How many kayaks are in Leeds?"),
    (
        "What was Norrvik's revenue in 2018?",
        "And capital expenditure?",
        "What was capital expenditure of Norrvik in 2018?",
    ),
    (
        "What was Norrvik's revenue in 2018?",
        "What was Aqualund's revenue in 2018?",
        "What was Aqualund's revenue in 2018?",
    ),
    (
        "What was Norrvik's revenue in 2018?",
        "Which documents in this workspace speak of pumps made in Gothenburg before the merger?",
        "Which documents in this workspace speak of pumps made in Gothenburg before the merger?",
    ),
]


@pytest.mark.parametrize("before,question,whole", PAIRS)
def test_a_follow_up_is_completed(before, question, whole):
    assert complete_question(question, understand(question), understand(before), understand=understand) == whole


def run(question, **options):
    return list(Orchestrator().run(question, Shelf({"a": annual_report()}), Limits(), **options))


def test_a_follow_up_run_answers_the_completed_question_and_says_so():
    events = run("And in 2019?", previous=Previous("What were Norrvik's net sales in 2018?"))
    assert events[-1].value == "$5,400 million"
    route = events[0]
    assert isinstance(route, StepEvent)
    assert route.observation["question"]["read_as"] == "What were Norrvik's net sales in 2019?"
    assert "Read as" in route.thought


def test_what_was_read_before_is_reused_and_said():
    first = run("What were Norrvik's net sales in 2018?")
    read = tuple(ref.key for event in first if isinstance(event, StepEvent) for ref in event.refs if ref.role == "read")
    events = run("And in 2019?", previous=Previous("What were Norrvik's net sales in 2018?", {"a": read}))
    steps = [event for event in events if isinstance(event, StepEvent) and event.walk]
    assert "reused" in steps[0].say.lower()
    assert not [step for step in steps if "gathered" in step.say.lower()], "nothing is looked for again"
    assert len(steps) <= len([e for e in first if isinstance(e, StepEvent) and e.walk])
    assert events[-1].outcome is Outcome.ANSWERED


def test_what_was_read_before_but_does_not_help_is_no_obstacle():
    events = run(
        "And how many people do they employ?", previous=Previous("What were Norrvik's net sales?", {"a": (999, 1)})
    )
    assert "1,204" in events[-1].answer
