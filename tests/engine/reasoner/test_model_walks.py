"""Walks led by a model: side by side in a fixed order, prompts within their tokens, pilots recorded."""

import threading

import pytest

from tests.engine.reasoner.documents import Shelf, annual_report, compiled, paragraph, section
from tests.engine.reasoner.driven import Driven, answer, step
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.scripted import ScriptedModel
from vectorless_web.engine.reasoner.events import Outcome, StepEvent, StepKind
from vectorless_web.engine.reasoner.guided import model_walking
from vectorless_web.engine.reasoner.limits import Limits
from vectorless_web.engine.reasoner.orchestrator import Orchestrator
from vectorless_web.engine.text.tokens import HeuristicEstimator


@pytest.fixture
def shelf():
    return Shelf({"a": annual_report()})


class ByDocument:
    """Answers each walk by what its prompt says, the first document the slowest."""

    name = "scripted"

    def __init__(self, slow):
        self.slow, self.barrier = slow, threading.Event()

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        prompt = messages[-1].content
        if "Choose the next step" not in prompt:
            return ScriptedModel([answer()]).complete(messages, schema=schema)
        if self.slow in prompt:
            self.barrier.wait(2)
        else:
            self.barrier.set()
        return ScriptedModel([step("synthesize")]).complete(messages, schema=schema)

    def stream(self, messages, **options):
        yield ""


@pytest.mark.parametrize("slow", ["Alpha", "Beta", "Gamma"])
def test_walks_side_by_side_merge_in_a_fixed_order_whatever_the_timing(slow):
    corpus = Shelf({name: annual_report(name) for name in ("Alpha", "Beta", "Gamma")})
    run = Driven(ByDocument(slow), corpus, question="What were net sales in 2019?", at_once=4)
    route = run.steps[0].observation["shortlist"]
    by_walk = {s.walk: s.say for s in run.walked}
    assert [row["title"].split()[0] in by_walk[n] for n, row in enumerate(route, 1)] == [True] * 3
    assert run.end.outcome in (Outcome.ANSWERED, Outcome.NOT_FOUND)


def test_a_prompt_keeps_to_its_tokens_and_says_what_it_cut():
    long = [section(f"Section {n} on the matter of words", paragraph(f"Word {n} " * 400)) for n in range(120)]
    corpus = Shelf({"a": compiled("Long", *long)})
    run = Driven([step("retrieve", query="Word 7"), step("synthesize"), answer()], corpus, question="What is word 7?")
    for messages in run.model.calls[:2]:
        assert HeuristicEstimator().estimate("".join(m.content for m in messages)) <= 4000
    assert "more sections are not listed" in run.model.calls[0][-1].content


class Pointing:
    """Plans a search and a synthesis; as a pilot it points at the section it is told to."""

    name = "scripted"

    def __init__(self):
        self.purposes = []
        self.planned = [step("navigate", node=0, direction="search"), step("synthesize"), answer()]

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        is_plan = any("Choose the next step" in m.content or "Write the answer" in m.content for m in messages)
        reply = self.planned.pop(0) if is_plan else "I do not care for forms."
        return ScriptedModel([reply]).complete(messages, schema=schema)

    def stream(self, messages, **options):
        yield ""


def test_a_models_pilot_is_recorded_and_budgeted_with_the_rest_and_its_nonsense_is_noted(shelf):
    records = []
    budget = ModelBudget(calls=40, tokens=60_000)
    walking = model_walking(Caller(Pointing(), budget=budget, on_call=records.append), at_once=1)
    events = list(Orchestrator(walking=walking).run("How did Norrvik's business go?", shelf, Limits()))
    searched = next(e for e in events if isinstance(e, StepEvent) and e.kind is StepKind.NAVIGATE)
    piloted = [record for record in records if record.purpose == "pilot"]
    assert budget.calls == len(records)
    assert events[-1].tokens == budget.tokens
    assert bool(piloted) == bool(searched.observation["notes"])
