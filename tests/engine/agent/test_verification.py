"""What becomes of a model's claims: sent back once with every objection, then mended, withdrawn or struck; and told."""

import pytest

from tests.support.driven_runs import Driven, answer, claim, step
from tests.support.engine_documents import Shelf, annual_report
from vectorless_web.engine.agent.conclusion import match_claims
from vectorless_web.engine.agent.events import Outcome, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import Check, DraftClaim, Support
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import ModelTimeout
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import NoModel, Recall

ROW = "Net sales\t$ 5,400\t$ 5,000"
HELD = "Net sales were $5,400 million in 2019."


@pytest.fixture
def shelf():
    return Shelf({"a": annual_report()})


@pytest.fixture
def income(shelf):
    tree = shelf.documents["a"].tree
    return next(key for key in tree.leaves() if tree.kind(key) is NodeKind.TABLE)


@pytest.fixture
def held(income):
    return claim(HELD, income, ROW)


@pytest.fixture
def invented(income):
    return claim("Net sales doubled to $9,999 million.", income, "Net sales doubled in the year under review.")


@pytest.fixture
def ask(shelf):
    def ask(*replies, **options):
        return Driven([step("synthesize"), *replies], shelf, **options)

    return ask


def verified(run):
    return next(event for event in run.steps if event.kind is StepKind.VERIFY)


def test_a_draft_that_holds_is_not_sent_back(ask, held):
    run = ask(answer(held))
    assert [record.purpose for record in run.records] == ["step", "answer"]
    assert "sent_back" not in verified(run).observation


def test_every_objection_to_every_claim_goes_back_in_one_message_behind_the_models_own_reply(ask, held, invented):
    other = {**invented, "text": "Sales grew by 77%.", "quotes": []}
    run = ask(answer(invented, held, other), answer(held))
    first, again = run.model.calls[-2:]
    assert again[: len(first)] == first
    assert [message.role for message in again[len(first) :]] == ["assistant", "user"]
    assert again[-2].content == run.records[1].reply
    asked = again[-1].content
    assert "1. Net sales doubled to $9,999 million.\n   - The quoted words do not stand in the document." in asked
    assert "   - The number $9,999 million stands in none of its quotes" in asked
    assert "2. Sales grew by 77%.\n   - The sentence has no quote." in asked
    assert HELD not in asked
    assert [record.purpose for record in run.records] == ["step", "answer", "objections"]


def test_a_mended_claim_stands_in_the_place_of_the_first(ask, held, invented, income):
    run = ask(
        answer(invented, held), answer(claim("Net sales rose to $5,400 million.", income, ROW), value="$5,400 million")
    )
    assert [(c.order, c.text, c.support) for c in run.claims] == [
        (1, "Net sales rose to $5,400 million.", Support.SUPPORTED),
        (2, HELD, Support.SUPPORTED),
    ]
    assert (run.end.outcome, run.end.grounded, run.end.value) == (Outcome.ANSWERED, True, "$5,400 million")
    assert verified(run).observation["note"] == "1 sentence was sent back to scripted: 1 was mended."
    assert verified(run).observation["sent_back"][0]["became"] == ["Net sales rose to $5,400 million."]


def test_a_calculation_may_be_added(ask, income):
    operands = [{"name": "a", "value": "5,400", "quote": 0}, {"name": "b", "value": "5,000", "quote": 0}]
    grown = {"expression": "(a - b) / b", "operands": operands, "result": "8.0%"}
    run = ask(
        answer(claim("Sales grew by 8.0%.", income, ROW)), answer(claim("Sales grew by 8.0%.", income, ROW, grown))
    )
    assert [c.support for c in run.claims] == [Support.DERIVED]


def test_a_claim_that_still_does_not_hold_is_struck_with_its_reason_and_the_answer_is_partial(ask, held, invented):
    run = ask(answer(invented, held), answer({**invented, "text": "Net sales tripled to $9,999 million."}))
    assert [(c.text, c.support) for c in run.claims] == [
        ("Net sales doubled to $9,999 million.", Support.UNSUPPORTED),
        (HELD, Support.SUPPORTED),
    ]
    assert run.claims[0].because == "The quoted words do not stand in the document."
    assert (run.end.outcome, run.end.grounded) == (Outcome.PARTIAL, False)
    assert run.end.reason == "Answered in part; 1 of 2 sentences hold"
    assert verified(run).observation["note"] == (
        "1 sentence was sent back to scripted: 1 is struck. The quoted words do not stand in the document."
    )


def test_a_claim_that_is_withdrawn_is_struck_and_says_so_and_the_rest_is_the_answer(ask, held, invented):
    run = ask(answer(invented, held), {"not_found": True, "claims": []})
    assert run.claims[0].support is Support.UNSUPPORTED
    assert run.claims[0].because.endswith("Asked again, scripted withdrew it.")
    assert run.end.outcome is Outcome.ANSWERED
    assert verified(run).observation["note"] == "1 sentence was sent back to scripted: 1 was withdrawn."


def test_one_sentence_may_become_two_and_what_stands_already_is_not_said_twice(ask, held, invented, income):
    two = [
        claim("Net sales came to $5,400 million.", income, ROW),
        claim("In 2018 they were $5,000 million.", income, ROW),
    ]
    run = ask(answer(held, invented), answer(held, *two))
    assert [c.text for c in run.claims] == [
        HELD,
        "Net sales came to $5,400 million.",
        "In 2018 they were $5,000 million.",
    ]
    assert {c.support for c in run.claims} == {Support.SUPPORTED}


def test_nothing_that_holds_leaves_the_closest_passages_and_no_offline_answer(ask, invented):
    run = ask(answer(invented, value="$9,999 million"), answer(invented))
    assert (run.end.outcome, run.end.engine) == (Outcome.PASSAGES, "scripted")
    assert (run.end.answer, run.end.value, run.end.confidence, run.end.grounded) == ("", "", None, False)
    assert [c.support for c in run.claims] == [Support.UNSUPPORTED]
    assert run.end.reason.startswith("No sentence of scripted holds; the ")
    assert run.end.passages
    assert all(passage.check is not Check.MISSING and passage.spans for passage in run.end.passages)
    assert "5,400" in run.end.passages[0].quote
    assert min(p.marker for p in run.end.passages) > max(q.marker for c in run.claims for q in c.citations)


def test_an_honest_not_found_stays_however_sure_the_offline_reasoner_is(ask, shelf):
    *_, offline = Orchestrator().run("What were Norrvik's net sales in 2019?", shelf, Limits())
    assert offline.outcome is Outcome.ANSWERED
    run = ask(answer(missing=["net sales"]))
    assert (run.end.outcome, run.claims, run.end.answer) == (Outcome.PASSAGES, [], "")
    assert run.end.reason.startswith("scripted found no answer; the ")


def test_without_a_passage_that_comes_near_it_is_not_found(ask):
    run = ask(answer(), question="Which turbine did the harbour of Bergen commission?")
    assert (run.end.outcome, run.end.passages) == (Outcome.NOT_FOUND, ())


@pytest.mark.parametrize(
    "again,why",
    [
        (ModelTimeout("No reply in time."), "could not be asked again: No reply in time."),
        ("I stand by it.", "could not be asked again: "),
    ],
)
def test_a_model_that_fails_when_it_is_asked_again_has_its_claims_struck_and_told(ask, held, invented, again, why):
    run = ask(answer(invented, held), again, again)
    assert [c.support for c in run.claims] == [Support.UNSUPPORTED, Support.SUPPORTED]
    assert run.end.outcome is Outcome.PARTIAL
    assert why in verified(run).observation["note"]
    assert verified(run).observation["sent_back"][0]["became"] == "struck"


def test_a_spent_budget_leaves_the_repair_out_and_says_so(ask, held, invented):
    run = ask(answer(invented, held), budget=ModelBudget(calls=2, tokens=60_000))
    assert [record.error_code for record in run.records] == ["", "", "budget_exceeded"]
    assert len(run.model.calls) == 2
    assert verified(run).observation["note"] == (
        "1 sentence does not hold, and scripted could not be asked again: The run has used all its model calls."
    )


def test_the_repair_is_counted_and_replays_from_the_stored_calls(ask, held, invented, shelf):
    first = ask(answer(invented, held), answer(held))
    assert first.end.tokens == sum(record.tokens_in + record.tokens_out for record in first.records)
    again = Driven(NoModel("scripted"), Shelf({"a": annual_report()}), recall=Recall(first.records))
    assert again.claims == first.claims
    assert again.end.tokens == first.end.tokens
    assert [s.observation for s in again.steps] == [s.observation for s in first.steps]


def test_a_right_and_fully_checked_answer_shows_a_high_figure_and_a_mended_one_a_lower(ask, held, invented):
    right, mended = ask(answer(held)), ask(answer(invented), answer(held))
    assert right.end.confidence.value == pytest.approx(0.97)
    assert 0.7 < mended.end.confidence.value < right.end.confidence.value


def test_claims_come_back_in_turn_or_are_told_by_their_words():
    sales, income = DraftClaim("Net sales were 5,400 million."), DraftClaim("Net income was 405 million.")
    only = DraftClaim("The net income was 450 million.")
    assert match_claims([sales, income], [only, sales]) == [[only], [sales]]
    assert match_claims([sales, income], [only]) == [[], [only]]
    assert match_claims([sales, income], []) == [[], []]
