"""A model is asked at all five points in the course of real searches, and can say "found" and "back" at each."""

import dataclasses

import pytest

from tests.support.pilot_models import BAD_MODELS, ExplodingModel, FakeModel, prefer
from tests.support.trees import SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.errors import Cancelled
from vectorless_web.engine.finding.navigation import (
    EventKind,
    LexicalPilot,
    ModelPilot,
    PilotBudget,
    PilotConfig,
    SearchLimits,
    beam,
    greedy,
)
from vectorless_web.engine.finding.navigation.model import SCHEMAS

TREE = tree_of(
    [
        ("Chapter", [(f"Section {number}", [f"capital matter {number}"]) for number in range(24)]),
        (
            "Statements",
            [("Balance", ["capital"]), ("Flows", ["capital expenditures 1,577"]), ("Equity", ["capital stock"])],
        ),
        ("Annex", [("List", ["capital list"])]),
    ]
)
CONFIG = PilotConfig(prune_above=10, call_seconds=0.05)


def run(algorithm, model, **limits):
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    budget = PilotBudget(tokens=50_000, tokens_per_call=1000, calls=40, calls_per_level=20)
    config = dataclasses.replace(CONFIG, tokens_per_call=1000)
    pilot = ModelPilot(model, budget=budget, fallback=LexicalPilot(scorer), config=config)
    return list(algorithm(TREE, plan(), scorer, pilot, SearchLimits(**{"turns": 200, "results": 8, **limits})))


def points_asked(model):
    asked = [next(point for point, known in SCHEMAS.items() if known == schema) for _, schema, _ in model.calls]
    instructions = {messages[0].content for messages, _, _ in model.calls}
    return set(asked), instructions


@pytest.mark.parametrize("algorithm", [greedy, beam])
def test_every_point_is_reached_and_has_its_own_instructions(algorithm):
    model = FakeModel(prefer("Statements"))
    run(algorithm, model, width=1)
    _, instructions = points_asked(model)
    words = ("at its start", "at a fork", "led nowhere", "Judge the section", "many children")
    assert all(any(word in text for text in instructions) for word in words)


@pytest.mark.parametrize("algorithm", [greedy, beam])
@pytest.mark.parametrize("kind", BAD_MODELS)
@pytest.mark.parametrize("good", range(6))
def test_a_model_that_turns_bad_at_any_call_leaves_a_ranked_result_and_a_note(algorithm, kind, good):
    bad, fine = BAD_MODELS[kind](), FakeModel(prefer("Statements"))

    class Turning(FakeModel):
        def complete(self, messages, **options):
            self.calls.append(messages)
            return (fine if len(self.calls) <= good else bad).complete(messages, **options)

    events = run(algorithm, Turning(), width=1)
    assert events[-1].ranked
    assert "Flows" in {TREE.node(node.key).title for node in events[-1].ranked}
    assert any(event.kind is EventKind.NOTE and "sections keep their order" in event.say for event in events)


def test_a_model_that_finds_the_answer_ends_the_search_there():
    def answer(data, schema):
        first = data.get("candidates", [{"title": ""}])[0]["title"]
        reply = prefer(first)(data, schema)
        return (
            {**reply, "relevance": 0.9, "is_answer": "1,577" in data.get("excerpt", "")}
            if "relevance" in reply
            else reply
        )

    events = run(beam, FakeModel(answer))
    assert TREE.node(events[-1].ranked[0].key).title == "Flows"
    last_entered = [event.key for event in events if event.kind is EventKind.ENTERING][-1]
    assert TREE.node(last_entered).title == "Flows"


def test_the_trace_names_the_model_that_decided_and_what_it_cost():
    events = run(beam, FakeModel(prefer("Statements")))
    guided = [event for event in events if event.engine == "fake"]
    assert guided
    assert all(event.point is not None and event.confidence is not None for event in guided)
    assert sum(event.tokens for event in guided) > 0
    assert events[-1].stats.cost_usd > 0


def test_being_asked_to_stop_is_no_failure_of_the_model():
    with pytest.raises(Cancelled):
        run(beam, ExplodingModel(Cancelled("Stopped.")))
