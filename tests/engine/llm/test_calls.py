"""Asking a model for objects: checked, repaired once, budgeted, recorded, replayed."""

import threading

import pytest

from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.errors import ModelAuth, ModelBudgetSpent, ModelInvalidReply, ModelTimeout, ModelUnreachable
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, NoModel, Recall, request_hash
from vectorless_web.engine.llm.model import Message, Usage

SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "maxLength": 5}, "count": {"type": ["integer", "null"], "minimum": 0}},
    "required": ["word"],
    "additionalProperties": False,
}
ASK = [Message("user", "Say a word.")]


def caller(replies, **options):
    records = []
    model = ScriptedModel(replies)
    budget = options.get("budget") or ModelBudget(calls=10, tokens=100_000)
    return Caller(model, budget=budget, on_call=records.append), model, records


def test_a_fitting_reply_is_taken_as_it_is():
    replies = [{"word": "yes", "count": count} for count in (2, None)]
    ask, _, records = caller(replies)
    assert [ask.ask(ASK, schema=SCHEMA, purpose="step").content for _ in replies] == replies
    assert [record.purpose for record in records] == ["step", "step"]


@pytest.mark.parametrize(
    "bad",
    [
        "prose",
        "[1]",
        {"word": ["a", 1]},
        {"other": 1},
        {"word": "a", "count": -1},
        {"word": True},
        {"word": "a", "count": True},
    ],
)
def test_a_bad_reply_is_shown_once_with_what_is_wrong(bad):
    ask, model, records = caller([bad, {"word": "yes"}])
    assert ask.ask(ASK, schema=SCHEMA, purpose="step").content == {"word": "yes"}
    assert [record.purpose for record in records] == ["step", "step (repair)"]
    roles = [message.role for message in model.calls[1]]
    assert roles == ["user", "assistant", "user"]


def test_two_bad_replies_are_an_invalid_reply_and_both_are_paid_for():
    budget = ModelBudget(calls=10, tokens=100_000)
    ask, _, records = caller(["prose", "prose"], budget=budget)
    with pytest.raises(ModelInvalidReply):
        ask.ask(ASK, schema=SCHEMA, purpose="step")
    assert (budget.calls, len(records)) == (2, 2)
    assert budget.tokens == sum(record.tokens_in + record.tokens_out for record in records)


def test_a_failed_call_is_recorded_with_its_code_and_gives_its_reservation_back():
    budget = ModelBudget(calls=10, tokens=2000)
    ask, _, records = caller([ModelTimeout("No reply in time."), {"word": "yes"}], budget=budget)
    with pytest.raises(ModelTimeout):
        ask.ask(ASK, schema=SCHEMA, purpose="step")
    assert records[0].error_code == "provider_timeout"
    ask.ask(ASK, schema=SCHEMA, purpose="step")


@pytest.mark.parametrize(
    "budget",
    [
        ModelBudget(calls=0, tokens=9999),
        ModelBudget(calls=9, tokens=100),
        ModelBudget(calls=9, tokens=9999, money_usd=0.0),
        ModelBudget(calls=9, tokens=9999, money_usd=0.001, usd_per_token=0.01),
    ],
)
def test_a_spent_budget_forbids_the_call_before_it_is_made(budget):
    ask, model, records = caller([{"word": "yes"}], budget=budget)
    with pytest.raises(ModelBudgetSpent):
        ask.ask(ASK, schema=SCHEMA, purpose="step")
    assert model.calls == []
    assert [record.error_code for record in records] == ["budget_exceeded"]


def test_parallel_reservations_never_overdraw():
    budget = ModelBudget(calls=100, tokens=1000)
    taken = []

    def reserve():
        for _ in range(50):
            try:
                taken.append(budget.reserve(10))
            except ModelBudgetSpent:
                return

    threads = [threading.Thread(target=reserve) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 100
    for reservation in taken:
        budget.settle(reservation, Usage(5, 0))
    assert budget.tokens == 500


def test_equal_requests_have_equal_hashes_and_others_not():
    requests = [("m", ASK, SCHEMA, 10), ("n", ASK, SCHEMA, 10), ("m", ASK, None, 10), ("m", ASK, SCHEMA, 11)]
    assert len({request_hash(*request) for request in requests}) == 4
    assert request_hash("m", list(ASK), dict(SCHEMA), 10) == request_hash(*requests[0])


def test_stored_calls_answer_again_without_the_model():
    ask, _, records = caller(["prose", {"word": "yes"}])
    first = ask.ask(ASK, schema=SCHEMA, purpose="step")
    budget = ModelBudget(calls=10, tokens=100_000)
    replay = Caller(NoModel("scripted"), budget=budget, recall=Recall(records))
    assert replay.ask(ASK, schema=SCHEMA, purpose="step") == first


def test_a_stored_error_is_raised_again_and_an_unknown_request_is_unreachable():
    ask, _, records = caller([ModelAuth("The key was refused.")])
    with pytest.raises(ModelAuth):
        ask.ask(ASK, schema=SCHEMA, purpose="step")
    recall = Recall(records)
    replay = Caller(NoModel("scripted"), budget=ModelBudget(calls=10, tokens=100_000), recall=recall)
    with pytest.raises(ModelAuth):
        replay.ask(ASK, schema=SCHEMA, purpose="step")
    with pytest.raises(ModelUnreachable):
        replay.ask(ASK, schema=SCHEMA, purpose="step")
    assert recall.missed == 1
