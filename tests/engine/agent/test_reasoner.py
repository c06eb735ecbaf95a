"""The entry to the agent: what it refuses, how it ends, and follow-up questions.

Documents that cannot be read are tested in tests/runs/test_damaged_documents.py.
"""

from itertools import count

import pytest

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.agent.state import CitedPassage, Conversation, Exchange

QUESTION = "What was the net income of Norrvik?"


def ask(question, shelf, **options):
    limits = options.pop("limits", Limits())
    return list(Reasoner().run(question, shelf, limits, **options))


def reports(*names):
    return {str(number): annual_report(name) for number, name in enumerate(names, start=1)}


@pytest.mark.parametrize(
    "question,documents,code",
    [("  ", {"1": annual_report()}, "question_empty"), ("x" * 5000, {"1": annual_report()}, "question_too_long"),
     (QUESTION, {}, "no_documents")],
)  # fmt: skip
def test_what_cannot_be_asked_fails_with_a_code_and_a_sentence(question, documents, code):
    (end,) = ask(question, Shelf(documents))
    assert (end.outcome, end.error_code, end.steps) == (Outcome.FAILED, code, 0)
    assert end.reason.endswith(".")


def test_a_run_that_is_asked_to_stop_ends_as_cancelled_before_its_next_step():
    told = iter([False, False, True])
    events = ask(QUESTION, Shelf(reports("Norrvik")), cancelling=lambda: next(told, True))
    assert [type(event) for event in events[:-1]] and events[-1].outcome is Outcome.CANCELLED


def test_what_a_stopped_run_had_found_is_told_and_the_times_of_its_steps_add_up():
    clock, found = count(), []
    reasoner = Reasoner(clock=lambda: float(next(clock)))
    for event in reasoner.run(
        "What was the revenue of Norrvik?", Shelf(reports("Norrvik")), Limits(),
        cancelling=lambda: any(step.kind is StepKind.RETRIEVE for step in found),
    ):  # fmt: skip
        found.append(event)
    *steps, end = found
    assert end.outcome is Outcome.CANCELLED and end.passages
    assert [passage.marker for passage in end.passages] == list(range(1, len(end.passages) + 1))
    assert sum(step.latency_ms for step in steps) / 1000 == pytest.approx(end.seconds, abs=2)


def test_an_error_of_the_code_is_raised():
    class Buggy(Shelf):
        def open(self, document):
            raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        ask(QUESTION, Buggy(reports("Norrvik")))


def test_the_last_event_is_the_end_with_the_totals():
    events = ask(QUESTION, Shelf(reports("Norrvik", "Alster")))
    *before, end = events
    assert isinstance(end, CompleteEvent) and not any(isinstance(event, CompleteEvent) for event in before)
    assert end.steps == len([event for event in before if isinstance(event, StepEvent)])
    assert (end.tokens, end.cost_usd, end.engine) == (0, 0.0, "offline")


def test_a_follow_up_opens_what_the_conversation_cited():
    shelf = Shelf({str(number): diary(number) for number in range(1, 9)})
    earlier = Exchange("What happened at the harbour?", "A crane fell.", (CitedPassage("7", 2, 0, "A crane fell."),))
    events = ask("And in winter?", shelf, conversation=Conversation((earlier,)), limits=Limits(max_walks=2))
    (route,) = [event for event in events if isinstance(event, StepEvent) and event.kind is StepKind.ROUTE]
    assert "7" in route.documents and len(route.documents) == 2


def diary(number: int):
    text = "A crane fell at the harbour. In winter the harbour froze." if number == 7 else "In winter snow fell."
    return compiled(f"Diary {number}", section("Winter", paragraph(text)))


def test_a_conversation_names_its_documents_the_latest_first():
    passages = [CitedPassage(name, 1, 0, "x") for name in ("1", "2", "1")]
    conversation = Conversation((Exchange("a", "b", (passages[0],)), Exchange("c", "d", tuple(passages[1:]))))
    assert conversation.documents == ("2", "1")
