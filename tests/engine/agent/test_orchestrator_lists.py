"""List questions sweep every page; questions for documents name each that answers."""

import pytest

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from vectorless_web.engine.agent.events import Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.questions.understand import asks_for_all, understand


@pytest.mark.parametrize(
    "question,everything",
    [
        ("List all acquisitions", True),
        ("Name every plant of the company", True),
        ("Which of these documents mention arbitration?", True),
        ("Which contracts contain a termination clause?", True),
        ("What are the main risks?", False),
        ("Which segment had the lowest sales?", False),
        ("What was revenue in the annual report for 2019?", False),
    ],
)
def test_what_wants_everything(question, everything):
    assert asks_for_all(understand(question)) is everything


def plants():
    parts = [
        section(f"Region {n}", paragraph(f"The plant in Town{n} was acquired in an acquisition in 20{10 + n}.", page=n))
        for n in range(6)
    ]
    return compiled("Plants", *parts, section("Canteen", paragraph("Lunch is served at noon.", page=6)))


def run(question, corpus):
    return list(Orchestrator().run(question, corpus, Limits()))


def test_every_mention_is_listed_with_a_counter_of_pages():
    events = run("List all acquisitions of plants", Shelf({"a": plants()}))
    swept = next(e for e in events if isinstance(e, StepEvent) and e.action == "sweep")
    assert swept.say.startswith("Looked at 7 of 7 pages of Plants; 6 passages speak")
    assert len(events[-1].answer.splitlines()) == 6


@pytest.mark.parametrize(
    "question,strength",
    [("List all acquisitions of plants", "moderate"), ("List all mentions of plants acquired", "strong")],
)
def test_what_speaks_of_a_thing_is_no_strong_list_of_its_members(question, strength):
    assert run(question, Shelf({"a": plants()}))[-1].confidence.strength == strength


def test_a_question_for_documents_walks_them_all_and_names_those_that_answer():
    lease = compiled("Lease", section("Disputes", paragraph("Any dispute goes to arbitration in Oslo.")))
    corpus = Shelf({f"{n}": annual_report(f"Firm{n}") for n in range(7)} | {"x": lease})
    events = run("Which of these documents mention arbitration?", corpus)
    assert len(set(corpus.opened)) == 8
    assert events[-1].answer == "Lease: Any dispute goes to arbitration in Oslo. [1]"


def test_nothing_to_list_is_not_found():
    assert run("List all volcanoes in the annex", Shelf({"a": plants()}))[-1].outcome is Outcome.NOT_FOUND


def test_nothing_found_says_how_often_the_words_stand_in_the_text():
    end = run("Who feeds the zookeeper of the canteen?", Shelf({"a": plants()}))[-1]
    assert end.outcome is Outcome.NOT_FOUND
    assert "in the text: “feeds” 0 times, “zookeeper” 0 times, “canteen” 1 time" in end.reason
