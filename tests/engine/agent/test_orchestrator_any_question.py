"""Whatever is asked of whatever document, a run ends once, in a stated outcome, and answers only what was checked."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.engine_documents import Part, Shelf, annual_report, compiled, paragraph, section, table
from vectorless_web.engine.agent.events import CONCLUDED, CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import Check, ClaimEvent, Support
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.questions.followup import Previous
from vectorless_web.engine.questions.plan import QUESTION_MAX

REPORT = annual_report()
WORDS = st.sampled_from(
    """what was were the net sales revenue gross margin growth of Norrvik Aqualund in 2018 2019 FY2019 Q2 and or why
    how much many list all which highest lowest among average capex DPO ratio change yes no is does did has ? , . % ( )
    "pumps" it its percent millions legal proceedings between from to excluding document say about 1,577 §3 €""".split()  # noqa: SIM905
)
QUESTIONS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=14).map(" ".join))


def check(events):
    end = events[-1]
    assert isinstance(end, CompleteEvent)
    assert sum(isinstance(event, CompleteEvent) for event in events) == 1
    assert end.outcome in (*CONCLUDED, Outcome.FAILED)
    held = [e for e in events if isinstance(e, ClaimEvent) and e.support in (Support.SUPPORTED, Support.DERIVED)]
    assert bool(end.answer) == (end.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)) == bool(held)
    for claim in held:
        assert claim.citations
        for citation in claim.citations:
            assert citation.check is not Check.MISSING and citation.quote and citation.spans
    return end


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(QUESTIONS)
def test_any_question_ends_in_a_stated_outcome(question):
    check(list(Orchestrator().run(question, Shelf({"a": REPORT}), Limits())))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(QUESTIONS, QUESTIONS)
def test_any_follow_up_ends_in_a_stated_outcome(before, question):
    previous = Previous(before, {"a": (1, 2, 9999)})
    check(list(Orchestrator().run(question, Shelf({"a": REPORT}), Limits(), previous=previous)))


ODD = {
    "only a title": compiled("Nothing"),
    "only sections": compiled("Headings", section("One", section("Two", section("Three")))),
    "only running heads": compiled("Heads", Part(NodeKind.RUNNING, "", "Page 1 of 2 net sales")),
    "no section": compiled("Flat", paragraph("Net sales were $5 million in 2019.")),
    "an empty table": compiled("Table", section("Sales", table("Net sales", [["", "", ""]], columns=["", "", ""]))),
    "a table of dashes": compiled(
        "Dashes", section("S", table("T", [["Net sales", "—", "-"]], columns=["", "2019", "2018"]))
    ),
    "a ragged table": compiled(
        "Ragged", section("S", table("T", [["Net sales", "1", "2", "3", "4"]], columns=["", "2019"]))
    ),
    "right to left": compiled("تقرير", section("المبيعات", paragraph("بلغت المبيعات 5 ملايين دولار في 2019."))),
    "one endless word": compiled("Word", section("S", paragraph("x" * 20_000))),
    "one endless sentence": compiled("Sentence", section("S", paragraph("net sales and " * 3_000))),
    "digits": compiled("Digits", section("S", paragraph("1" * 5_000 + ",5 net sales 2019"))),
    "null bytes": compiled("Null", section("S", paragraph("net\x00 sales\x00 were 5 in 2019."))),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "question", ["What were net sales in 2019?", "Why did net sales grow?", "List all net sales", "المبيعات"]
)
def test_odd_documents_end_in_a_stated_outcome(name, question):
    check(list(Orchestrator().run(question, Shelf({"a": ODD[name]}), Limits())))


@pytest.mark.parametrize(
    "question",
    [
        "net sales " * (QUESTION_MAX // 10 - 1),
        "a" * QUESTION_MAX,
        "(" * (QUESTION_MAX - 1),
        "what is " + "1+" * 1500 + "1 defined as net sales / net sales",
        "among " + "a, " * 900 + "which is most",
        "2019 " * 700,
    ],
)
def test_a_long_question_takes_no_longer_than_a_few_seconds(question):
    started = time.monotonic()
    check(list(Orchestrator().run(question[:QUESTION_MAX], Shelf({"a": REPORT}), Limits())))
    assert time.monotonic() - started < 10
