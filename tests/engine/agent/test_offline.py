"""A run without a model: its steps, its passages, its worked figure, and that nothing is shown which no step opened."""

import sys

import pytest

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from tests.support.hash_seeds import tell_under_two_seeds
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.offline import OfflineRun, retrieve_passages
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.agent.routing import Routed, RoutedDocument
from vectorless_web.engine.agent.state import RunState, Settings
from vectorless_web.engine.answers.claims import ClaimEvent, Maker, Verdict, is_supported
from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.finding.navigation.search import RankedNode

CLAUSES = {
    "1 Parties": ["This lease is made between Harriet Coyle, the landlord, and Brightwater Dental, the tenant."],
    "2 Term and notice": [
        "The term is five years. It begins on 1 March 2021.",
        "The tenant may end this lease after three years. Notice must be given in writing, nine months before.",
    ],
    "3 Repairs": ["Urgent repairs must be carried out within two working days."],
}
LEASE = compiled(
    "Lease of 14 Mill Lane",
    *(
        section(title, *(paragraph(text, page=page) for text in texts), page=page)
        for page, (title, texts) in enumerate(CLAUSES.items())
    ),
)
QUESTION = "What notice must the tenant give?"


def run(question=QUESTION, shelf=None, *, limits=None, **options):
    corpus = shelf or Shelf({"1": LEASE})
    return list(Reasoner(**options).run(question, corpus, limits or Limits()))


def steps_of(events):
    return [event for event in events if isinstance(event, StepEvent)]


def test_a_question_in_words_is_answered_by_passages_with_the_best_sentence_lit():
    *_, end = run()
    assert (end.outcome, end.verdict, end.answer, end.grounded) == (Outcome.PASSAGES, None, "", False)
    best = end.passages[0]
    assert best.marker == 1 and best.passage is not None
    assert best.passage.text == LEASE.tree.node(best.key).text
    assert best.quote == best.passage.lit and "Notice must be given in writing" in best.quote
    assert (best.page_index, best.where) == (1, "2 Term and notice")
    assert best.spans and best.passage.holds


def test_the_steps_are_route_scan_navigate_retrieve_extract_and_finalize():
    steps = steps_of(run())
    kinds = [step.kind for step in steps]
    assert kinds == [StepKind(name) for name in ("route", "scan", "navigate", "retrieve", "extract", "finalize")]
    assert [(step.walk, step.index) for step in steps] == [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (0, 1)]
    assert all(step.documents == ("1",) for step in steps[:-1])
    assert all(step.say and step.engine == "offline" and step.tokens == 0 for step in steps)


def test_a_question_in_words_crosses_sixty_modules_at_most():
    crossed = set()
    shelf = Shelf({"1": LEASE, "2": annual_report()})
    sys.setprofile(lambda frame, event, _: crossed.add(frame.f_globals.get("__name__", "")))
    try:
        run(shelf=shelf)
    finally:
        sys.setprofile(None)
    assert 40 < sum(name.startswith("vectorless_web.engine") for name in crossed) <= 60


@pytest.mark.parametrize("question", [QUESTION, "What was net income in 2019?", "Which repairs are urgent?"])
def test_nothing_is_shown_that_no_step_opened(question):
    events = run(question, Shelf({"1": LEASE, "2": annual_report()}))
    opened = {(ref.document, ref.key) for step in steps_of(events) for ref in step.refs if ref.role == "read"}
    claims = [event for event in events if isinstance(event, ClaimEvent)]
    shown = [*events[-1].passages, *(citation for claim in claims for citation in claim.citations)]
    assert shown and {(evidence.document, evidence.key) for evidence in shown} <= opened


def test_a_figure_that_is_exact_carries_the_only_tick_and_stands_above_the_passages():
    events = run("What was net income in 2019?", Shelf({"1": annual_report()}))
    (claim,) = [event for event in events if isinstance(event, ClaimEvent)]
    end = events[-1]
    assert (end.outcome, end.verdict, end.grounded) == (Outcome.ANSWERED, Verdict.EXACT, True)
    assert "405" in end.value and end.value in claim.text and "[1]" in end.answer
    assert is_supported(claim) and claim.maker is Maker.LOOKUP and claim.citations[0].quote.startswith("Net income")
    assert end.passages and {e.marker for e in end.passages}.isdisjoint(c.marker for c in claim.citations)


def test_a_question_of_which_no_word_stands_anywhere_finds_nothing():
    *_, end = run("Xylophones and zithers?")
    assert (end.outcome, end.passages, set(end.unknown_words)) == (Outcome.NOT_FOUND, (), {"Xylophones", "zithers"})


def test_documents_that_hold_no_word_are_scanned_and_not_searched():
    events = run(QUESTION, Shelf({"1": LEASE, "2": compiled("Pumps", section("Oil", paragraph("Blue steel.")))}))
    searched = [step.documents for step in steps_of(events) if step.kind is StepKind.NAVIGATE]
    assert searched == [("1",)]


def test_passages_come_first_that_stand_in_a_section_which_the_search_entered():
    parts = [section(name, paragraph(f"Notice is given {how}.")) for name, how in (("A", "by hand"), ("B", "by post"))]
    state = RunState("How is notice given?", Shelf({"1": compiled("Rules", *parts)}), Limits())
    routed = Routed((RoutedDocument(state.corpus.entries()[0], 1.0, ""),))
    for entered, first in ((1, "hand"), (3, "post")):
        searched = OfflineRun(state, state.understand(state.question), routed)
        searched.holding, searched.reached = ["1"], {"1": (RankedNode(entered, 1.0),)}
        retrieve_passages(searched)
        assert first in searched.passages[0].text


def test_the_steps_that_a_person_allows_bound_the_trees_that_are_searched():
    shelf = Shelf({str(number): LEASE for number in range(5)})
    for allowed, searched in ((1, 0), (4, 1), (6, 3), (20, 5)):
        kinds = [step.kind.value for step in steps_of(run(shelf=shelf, limits=Limits(max_steps=allowed)))]
        assert kinds == ["route", "scan", *["navigate"] * searched, "retrieve", "extract", "finalize"]


@pytest.mark.parametrize("strategy", ["beam", "greedy", "mcts"])
@pytest.mark.parametrize("pilot", ["balanced", "algorithm_only"])
def test_every_strategy_and_preset_searches_the_tree(strategy, pilot):
    events = run(settings=Settings(strategy=strategy, pilot=pilot))
    (search,) = [step for step in steps_of(events) if step.kind is StepKind.NAVIGATE]
    assert (search.observation["strategy"], search.observation["pilot"]) == (strategy, pilot)
    assert search.observation["ranked"]
    assert all(rejected.reason for rejected in search.rejected)


def retrieved(events):
    step = next(event for event in steps_of(events) if event.kind is StepKind.RETRIEVE)
    return step.observation["retrieval"][0]


def test_filters_and_expansions_act_on_what_is_shown():
    usual = retrieved(run())
    assert usual["candidates_seen"] == usual["packed"] + sum(usual["dropped"].values()) and not usual["warnings"]
    *_, first = run(settings=Settings(where={"page": 1}))
    assert {passage.page_index for passage in first.passages} == {0}
    whole = run(settings=Settings(community=True, graph_expand="decay"))
    keys = [passage.key for passage in whole[-1].passages]
    assert LEASE.tree.node(keys[0]).text.startswith("The tenant may end") and retrieved(whole)["candidates_seen"] >= 2
    few = run(limits=Limits(token_budget=0))
    assert retrieved(few)["dropped"]["budget"] and few[-1].outcome is Outcome.NOT_FOUND


CLEANING = compiled(
    "Hotel rules",
    section(
        "1 Rooms",
        paragraph(
            "Rooms are cleaned daily before noon, as note 2 says. " + "Keys are left at the desk in the hall. " * 30
        ),
        paragraph("Ask for pillows."),
    ),
    section("Note 2", paragraph("Lifts stand still on Sundays."), label="Note 2"),
    *(section(f"Floor {number}", paragraph(f"Floor {number} has rooms that are cleaned.")) for number in range(12)),
    references=[(2, "note 2", 4)],
)


@pytest.mark.parametrize(
    ("added", "words"),
    [
        ({"community": True}, "Ask for pillows."),
        ({"graph_expand": "decay"}, "Lifts stand"),
        ({"graph_expand": "ppr"}, "Lifts stand"),
    ],
)
def test_what_a_setting_adds_stands_among_the_ten_that_are_shown(added, words):
    def shown(**settings):
        events = run("When are rooms cleaned daily?", Shelf({"1": CLEANING}), settings=Settings(**settings))
        return [passage.passage.text[: len(words)] for passage in events[-1].passages]

    usual, more = shown(), shown(**added)
    assert (len(usual), words in usual) == (10, False)
    assert (len(more), more.index(words), more[:5]) == (10, 5, usual[:5])


def test_a_passage_has_no_more_characters_than_the_settings_say():
    *_, end = run("When are rooms cleaned daily?", Shelf({"1": CLEANING}), settings=Settings(summary_cap=400))
    first = end.passages[0]
    assert first.quote.startswith("Rooms are cleaned daily") and first.quote in first.passage.text
    assert len(first.passage.text) <= 400 < len(CLEANING.tree.node(first.key).text)


def test_a_part_of_a_document_is_searched_by_the_name_that_it_has_there():
    events = run("When do lifts stand still?", Shelf({"1": CLEANING}), settings=Settings(where={"label": "Note 2"}))
    assert [passage.passage.text for passage in events[-1].passages] == ["Lifts stand still on Sundays."]


def test_filters_that_let_nothing_through_say_so_with_a_remedy():
    events = run(settings=Settings(label="footnote"))
    assert (events[-1].outcome, "filters" in events[-1].reason) == (Outcome.NOT_FOUND, True)
    assert [(row["code"], row["knob"]) for row in retrieved(events)["warnings"]] == [("lane_empty", "lanes")]
    dated = compiled("Lease", section("1", paragraph("Notice is given.")), fields=TypedFields(dates=("2021-03-01",)))
    late = run(shelf=Shelf({"1": dated}), settings=Settings(created_after="2022-01-01"))
    assert "filters" in late[-1].reason, "no document is of those days"


def test_limits_of_steps_and_time_end_the_run_with_what_was_found():
    events = run(limits=Limits(max_run_steps=3))
    assert [step.kind.value for step in steps_of(events)] == ["route", "scan", "navigate", "finalize"]
    ticks = iter(range(0, 10_000, 100))
    late = run(clock=lambda: float(next(ticks)), limits=Limits(wall_seconds=250.0))
    assert isinstance(late[-1], CompleteEvent) and late[-1].late
    again = run(clock=lambda: 0.0, late=late[-1].late, limits=Limits(wall_seconds=250.0))
    assert [(s.kind, s.observation) for s in steps_of(again)] == [(s.kind, s.observation) for s in steps_of(late)]


SCRIPT = """
import sys
from tests.engine.agent.test_offline import LEASE, annual_report, run
from tests.support.engine_documents import Shelf
shelf = Shelf({"1": LEASE, "2": annual_report(), "3": annual_report("Alster")})
for question in ("What notice must the tenant give?", "What was net income in 2019?", "Who had a strike?"):
    for event in run(question, shelf, clock=lambda: 0.0):
        sys.stdout.write(repr(event) + chr(10))
"""


def test_two_processes_tell_the_same_events_byte_for_byte():
    first, second = tell_under_two_seeds(SCRIPT)
    assert first == second and first.count(b"\n") > 12
