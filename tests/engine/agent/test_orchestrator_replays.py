"""Runs replay identically from what was stored of them, whatever the model said, how slowly, and what ran out."""

import random
import threading
import time

import pytest
from vectorless_web.engine.agent.model.planner import model_walking
from vectorless_web.engine.agent.orchestrator import Orchestrator

from tests.support.driven_runs import WALKING, answer, call, step, turn
from tests.support.engine_documents import Shelf, annual_report
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import CompleteEvent, StepEvent
from vectorless_web.engine.agent.limits import Deadline, Late, Limits, Place
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.errors import ModelRateLimited, ModelTimeout, ModelUnreachable
from vectorless_web.engine.finding.navigation import PilotConfig
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, NoModel, Recall

QUESTION = "What were net sales in 2019?"
NAMES = ("Norrvik", "Alpha", "Beta", "Gamma", "Delta")
ERRORS = (ModelRateLimited("Slow down."), ModelTimeout("Too slow."), ModelUnreachable("The line is dead."))


class Moody:
    """Says something else every time, after any pause, to the same prompt too; prose, nonsense and errors among it."""

    name = "moody"

    def __init__(self, seed: int, *, bad: float = 0.3, slowest: float = 0.004) -> None:
        self._random, self._lock = random.Random(seed), threading.Lock()
        self._bad, self._slowest = bad, slowest

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        with self._lock:
            pause, said = self._random.random() * self._slowest, self._said(messages[-1].content, schema)
        time.sleep(pause)
        if isinstance(said, Exception):
            raise said
        return ScriptedModel([said], name=self.name).complete(messages, schema=schema)

    def stream(self, messages, **options):
        yield ""

    def _said(self, prompt, schema):
        dice = self._random
        if dice.random() < self._bad:
            return dice.choice(
                [*ERRORS, "Let me think about it.", '{"thought": "brok', {"unknown": 1}, "[]", "\0\ud800"]
            )
        if "steps" in schema["properties"]:
            node = dice.randrange(12)
            return dice.choice(
                [
                    step("scan", node=node),
                    step("retrieve", query=f"net sales {dice.randrange(3)}"),
                    step("extract", node=node),
                    step("navigate", node=0, direction="search"),
                    step("navigate", node=node, direction=dice.choice(["next", "parent", "children"])),
                    turn(call("read", node=node), call("search", text="income"), call("calculate", text="1 / 3")),
                    turn(call("read", text="page 1"), call("note", node=node, text="A fact.")),
                    step("synthesize"),
                    turn(answer=answer()),
                ]
            )
        return answer() if "claims" in schema["properties"] else {"ranking": []}


def led(model, *, budget=None, recall=None, late=None, limits=None, shelf=None, config=None):
    """A run led by the model over five documents side by side: its events and the calls that were stored."""
    records, options = [], {} if recall is None else {"recall": recall}
    caller = Caller(model, budget=budget or ModelBudget(calls=40, tokens=60_000), on_call=records.append, **options)
    corpus = shelf or Shelf({name: annual_report(name) for name in NAMES})
    reasoner = Orchestrator(walking=model_walking(caller, at_once=4, config=config, sizes=WALKING), late=late)
    return list(reasoner.run(QUESTION, corpus, limits or Limits())), records


def replayed(events, records, **options):
    late = events[-1].late
    boundless = ModelBudget(calls=10**9, tokens=10**12)
    again, _ = led(NoModel("moody"), budget=boundless, recall=Recall(records), late=late, **options)
    return again


def told(events):
    """What must be the same: steps by their place, since walks side by side take turns as they like."""
    steps = {
        (e.walk, e.index, e.kind): (e.say, e.thought, e.arguments, e.observation, e.refs, e.rejected, e.confidence)
        for e in events
        if isinstance(e, StepEvent)
    }
    claims = [e for e in events if isinstance(e, ClaimEvent) and e.state == "checked"]
    ends = [(e.outcome, e.reason, e.answer, e.tokens, e.engine, e.late) for e in events if isinstance(e, CompleteEvent)]
    return steps, claims, ends


@pytest.mark.parametrize("seed", range(10))
def test_five_walks_side_by_side_replay_identically_whatever_a_moody_model_does(seed):
    events, records = led(Moody(seed))

    assert told(replayed(events, records)) == told(events)


@pytest.mark.parametrize("budget", [(0, 60_000), (1, 60_000), (3, 60_000), (5, 60_000), (40, 5000), (40, 9000)])
def test_a_budget_that_runs_out_in_some_walk_runs_out_there_again(budget):
    calls, tokens = budget
    events, records = led(Moody(calls + tokens, bad=0.1), budget=ModelBudget(calls=calls, tokens=tokens))

    assert any(record.error_code == "budget_exceeded" for record in records)
    assert told(replayed(events, records)) == told(events)


def test_equal_documents_asked_the_same_get_each_its_own_reply_again():
    twins = {name: annual_report("Norrvik") for name in NAMES}
    events, records = led(Moody(4, bad=0.0), shelf=Shelf(twins))

    hashes = [record.request_hash for record in records]
    assert len(set(hashes)) < len(hashes), "the same prompt was asked for several walks"
    assert told(replayed(events, records, shelf=Shelf(twins))) == told(events)


def test_a_pilot_s_call_that_came_too_late_is_late_again():
    config = PilotConfig(call_seconds=0.02)
    events, records = led(Moody(1, bad=0.0, slowest=0.08), config=config)
    pilots = [record for record in records if record.purpose == "pilot"]

    assert "provider_timeout" in {record.error_code for record in pilots}
    assert told(replayed(events, records, config=config)) == told(events)


def test_the_run_s_steps_are_shared_out_so_that_no_walk_lives_on_another_s_slowness():
    limits = Limits(max_steps=30, max_run_steps=10)
    events, records = led(Moody(7, bad=0.0), limits=limits)

    walked = [event for event in events if isinstance(event, StepEvent) and event.walk]
    assert len(walked) <= 10 + len(NAMES)
    assert told(replayed(events, records, limits=limits)) == told(events)


def test_where_the_clock_ended_walks_and_searches_a_replay_ends_them_without_a_clock():
    events, records = led(Moody(2, bad=0.0, slowest=0.1), limits=Limits(wall_seconds=0.05))

    assert events[-1].late
    assert told(replayed(events, records, limits=Limits(wall_seconds=0.05))) == told(events)


class TestDeadline:
    def test_a_search_is_ended_at_the_same_reading_of_the_clock(self):
        ticks = iter(range(100))
        live = Deadline(lambda: float(next(ticks)), 1000.0)
        clock, seconds = live.search(Place(1, 2), 5.0)
        begun = clock()
        readings = 1 + next(n for n in range(1, 50) if clock() >= begun + seconds)

        again, same = Deadline(lambda: 0.0, 1000.0, told=live.late).search(Place(1, 2), 5.0)
        first = again()
        told_at = 1 + next(n for n in range(1, 50) if again() >= first + same)

        assert (told_at, same) == (readings, seconds)

    def test_another_search_of_the_same_run_is_not_ended(self):
        replayed = Deadline(lambda: 0.0, 300.0, told=(Late(Place(1, 2), 7, 5.0), Late(Place(2, 1))))
        clock, seconds = replayed.search(Place(1, 3), 5.0)

        assert all(clock() < seconds for _ in range(100))
        assert (replayed.is_up(Place(2, 1)), replayed.is_up(Place(2, 2))) == (True, False)
        assert replayed.late == (Late(Place(2, 1)),)

    def test_time_up_within_a_search_is_not_time_up_before_its_step(self):
        replayed = Deadline(lambda: 0.0, 300.0, told=(Late(Place(1, 2), 7, 5.0),))

        assert not replayed.is_up(Place(1, 2))
