"""Walks led by a model: side by side in a fixed order, prompts within their tokens, pilots recorded."""

import random
import re
import threading
import time

import pytest

from tests.support.driven_runs import WALKING, Driven, answer, step
from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import Outcome, StepEvent, StepKind
from vectorless_web.engine.agent.executor import interleave_streams
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.planner import Sizes, model_walking
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.llm.budget import ModelBudget, expected_tokens
from vectorless_web.engine.llm.calls import Caller
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
        if "steps" not in schema["properties"]:
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
    assert run.end.outcome is Outcome.PASSAGES


class Scrambled:
    """Walks each document by two reads; the replies take their time in an order drawn from `seed`."""

    name = "scripted"

    def __init__(self, seed):
        self.random, self.lock, self.running, self.most = random.Random(seed), threading.Lock(), 0, 0

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        prompt = messages[-1].content
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            pause = self.random.random() / 50
        time.sleep(pause)
        with self.lock:
            self.running -= 1
        if "steps" not in schema["properties"]:
            shown = r"^\[(\w+)\] page[^\n]*\n(?:[^\n\[][^\n]*\n)*?(Net sales [^\n]*)"
            letters = re.findall(shown, prompt, re.MULTILINE)
            said = [
                {"text": quote.split(" | ")[1], "quotes": [{"node": node, "quote": quote}]} for node, quote in letters
            ]
            return ScriptedModel([answer(*said)]).complete(messages, schema=schema)
        said = step("retrieve", query="net sales") if len(messages) == 2 else step("synthesize")
        return ScriptedModel([said]).complete(messages, schema=schema)

    def stream(self, messages, **options):
        yield ""


def untimed(run):
    steps = sorted((s.walk, s.index, s.kind, s.say, str(s.arguments), str(s.observation), s.engine) for s in run.steps)
    return steps, run.claims, (run.end.outcome, run.end.answer, run.end.value, run.end.confidence, run.end.tokens)


def test_replies_in_scrambled_timing_give_the_same_steps_and_answer():
    models = [Scrambled(seed) for seed in range(5)]
    runs = [
        Driven(
            model,
            Shelf({name: annual_report(name) for name in ("Alpha", "Beta", "Gamma")}),
            question="What were net sales in 2019?",
            at_once=4,
        )
        for model in models
    ]
    assert [untimed(run) for run in runs[1:]] == [untimed(runs[0])] * 4
    assert len(runs[0].claims) == 3 and runs[0].end.outcome is Outcome.ANSWERED
    assert max(model.most for model in models) > 1


def stream_of(walk, count, error=None):
    for index in range(count):
        time.sleep(0.002 * (walk % 3))
        yield StepEvent(walk, index, StepKind.SCAN, "Looked")
    if error:
        raise error


def test_the_error_of_the_first_stream_is_raised_whatever_ended_first():
    for slow, quick in ((3, 1), (1, 3)):
        streams = [stream_of(1, slow, ValueError("first")), stream_of(2, 2), stream_of(3, quick, KeyError("third"))]
        seen = []
        with pytest.raises(ValueError, match="first"):
            for event in interleave_streams(streams, at_once=3):
                seen.append(event)
        assert [event.index for event in seen if event.walk == 2] == [0, 1]


def test_streams_stop_when_nobody_takes_their_steps():
    taken = []

    def endless(walk):
        while True:
            taken.append(walk)
            time.sleep(0.001)
            yield StepEvent(walk, len(taken), StepKind.SCAN, "Looked")

    steps = interleave_streams([endless(1), endless(2)], at_once=2)
    next(steps)
    steps.close()
    count = len(taken)
    time.sleep(0.02)
    assert len(taken) == count


def test_streams_beyond_those_at_once_wait_their_turn():
    events = list(interleave_streams([stream_of(walk, 2) for walk in range(1, 8)], at_once=2))
    assert sorted((event.walk, event.index) for event in events) == [(w, i) for w in range(1, 8) for i in range(2)]


def test_a_prompt_keeps_to_its_tokens_and_says_what_it_cut():
    long = [section(f"Section {n} on the matter of words", paragraph(f"Word {n} " * 400)) for n in range(120)]
    corpus = Shelf({"a": compiled("Long", *long)})
    run = Driven([step("retrieve", query="Word 7"), step("synthesize"), answer()], corpus, question="What is word 7?")
    for messages in run.model.calls[:1]:
        assert HeuristicEstimator().estimate("".join(m.content for m in messages)) <= 4700
    assert "more sections are not listed" in run.model.calls[0][-1].content


class Pointing:
    """Plans a search and a synthesis; as a pilot it points at the section it is told to."""

    name = "scripted"

    def __init__(self):
        self.purposes = []
        self.planned = [step("navigate", node=0, direction="search"), step("synthesize"), answer()]

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        is_plan = {"steps", "claims"} & schema["properties"].keys()
        reply = self.planned.pop(0) if is_plan else "I do not care for forms."
        return ScriptedModel([reply]).complete(messages, schema=schema)

    def stream(self, messages, **options):
        yield ""


def test_a_models_pilot_is_recorded_and_budgeted_with_the_rest_and_its_nonsense_is_noted(shelf):
    records = []
    budget = ModelBudget(calls=40, tokens=60_000)
    walking = model_walking(Caller(Pointing(), budget=budget, on_call=records.append), at_once=1, sizes=WALKING)
    events = list(Orchestrator(walking=walking).run("How did Norrvik's business go?", shelf, Limits()))
    searched = next(e for e in events if isinstance(e, StepEvent) and e.kind is StepKind.NAVIGATE)
    piloted = [record for record in records if record.purpose == "pilot"]
    assert budget.calls == len(records)
    assert events[-1].tokens == budget.tokens
    assert bool(piloted) == bool(searched.observation["notes"])


@pytest.mark.parametrize("context", [2048, 4096, 8192])
def test_a_model_with_a_small_context_is_asked_no_more_than_fits(context):
    long = [
        section(f"Section {n} on net sales", paragraph(f"Net sales of part {n} were {n}. " * 90)) for n in range(60)
    ]
    model = ScriptedModel([step("retrieve", query="net sales"), step("synthesize"), answer()])
    asked = []
    budget = ModelBudget(calls=40, tokens=60_000)
    caller = Caller(model, budget=budget, on_call=asked.append)
    walking = model_walking(caller, at_once=1, sizes=Sizes(context=context))
    list(Orchestrator(walking=walking).run("What were net sales?", Shelf({"a": compiled("Long", *long)}), Limits()))
    replies = Sizes(context=context).reply(3000)
    # Where a walk does not fit, the nearest passages are answered from at once.
    assert asked[0].purpose == ("step" if context > 4096 else "answer")
    assert all(sum(expected_tokens(m.content) for m in call.messages) + replies <= context * 1.05 for call in asked)
