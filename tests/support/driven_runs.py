"""A run driven by a scripted model, and everything it left behind."""

from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.model.planner import ModelPlanner, Sizes
from vectorless_web.engine.agent.orchestrator import Orchestrator

from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, find_no_record

QUESTION = "What were Norrvik's net sales in 2019?"


def step(action, **arguments):
    empty = {"node": None, "title": None, "query": None, "direction": None}
    return {"thought": "Because.", "action": action, **empty, **arguments}


def turn(*steps, thought="Because.", answer=None):
    """One reply with several steps, or with the answer."""
    return {"thought": thought, "steps": list(steps), "answer": answer}


def call(action, *, node=None, text=None):
    """A step of a turn."""
    return {"action": action, "node": node, "text": text}


def answer(*claims, value=None, missing=()):
    return {"claims": list(claims), "value": value, "missing": list(missing)}


def claim(text, node, quote, calculation=None):
    return {"text": text, "quotes": [{"node": f"a:{node}", "quote": quote}], "calculation": calculation}


WALKING = Sizes(whole=0)
"""The documents of most tests are short: shown whole they would need no walk."""


class Driven:
    """A run with a scripted model, and everything it left behind."""

    def __init__(
        self,
        replies,
        corpus,
        *,
        question=QUESTION,
        limits=None,
        budget=None,
        recall=find_no_record,
        at_once=1,
        sizes=WALKING,
    ):
        self.model = replies if hasattr(replies, "complete") else ScriptedModel(replies)
        self.records = []
        self.budget = budget or ModelBudget(calls=40, tokens=60_000)
        caller = Caller(self.model, budget=self.budget, on_call=self.records.append, recall=recall)
        walking = Walking(planner=ModelPlanner(caller, sizes=sizes), at_once=at_once)
        self.events = list(Orchestrator(walking=walking).run(question, corpus, limits or Limits()))
        self.end = self.events[-1]
        self.steps = [event for event in self.events if isinstance(event, StepEvent)]
        self.opened = [event for event in self.steps if event.action == "opening"]
        self.walked = [event for event in self.steps if event.walk and event.action != "opening"]
        self.claims = [e for e in self.events if isinstance(e, ClaimEvent) and e.state == "checked"]
