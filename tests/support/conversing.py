"""Runs of the agent with a scripted model: replies as a model gives them, and what a run came to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from tests.support.scripted_model import Scripted, ScriptedModel
from vectorless_web.engine.agent.events import CompleteEvent, ReasoningEvent, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner, Settings
from vectorless_web.engine.agent.state import Conversation
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller

NET_SALES = "Net sales were $5,400 million in 2019."
MARGIN = "Gross margin declined because of higher steel prices and a strike."


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """One call of a tool."""
    return {"tool": tool, "arguments": arguments}


def turn(*calls: Mapping[str, Any], thought: str = "Look.") -> dict[str, Any]:
    """A reply with these calls."""
    return {"thought": thought, "calls": list(calls)}


def claim(text: str, *cites: str, **more: Any) -> dict[str, Any]:
    """A claim of an answer."""
    return {"text": text, "cites": list(cites), **more}


def answer(*claims: Mapping[str, Any], outcome: str = "answered", **more: Any) -> dict[str, Any]:
    """A reply that answers."""
    return turn(call("answer", outcome=outcome, claims=list(claims), **more), thought="It stands there.")


def verdict(*verdicts: str, missing: Sequence[str] = (), why: str = "So it stands there.") -> dict[str, Any]:
    """A reply of the verifier: a verdict for each claim, in order."""
    rows = [{"claim": number, "verdict": said, "why": why} for number, said in enumerate(verdicts, 1)]
    return {"claims": rows, "answers_all": not missing, "missing": list(missing)}


@dataclass(frozen=True)
class Run:
    """What a run came to."""

    events: tuple[ReasoningEvent, ...]
    model: ScriptedModel

    @property
    def end(self) -> CompleteEvent:
        end = self.events[-1]
        assert isinstance(end, CompleteEvent)
        return end

    @property
    def claims(self) -> list[ClaimEvent]:
        return [event for event in self.events if isinstance(event, ClaimEvent)]

    @property
    def steps(self) -> list[StepEvent]:
        return [event for event in self.events if isinstance(event, StepEvent)]

    @property
    def kinds(self) -> list[StepKind]:
        return [step.kind for step in self.steps]

    def heard(self, number: int) -> str:
        """The last message of a call, by the number of the call from 0."""
        return self.model.calls[number][-1].content


def shelf(**documents: CompiledDocument) -> Shelf:
    """A corpus; the annual report of Norrvik when none is given."""
    return Shelf(documents or {"1": annual_report()})


def converse(
    replies: Iterable[Scripted],
    question: str = "What were Norrvik's net sales in 2019?",
    *,
    corpus: Shelf | None = None,
    settings: Settings = Settings(),  # noqa: B008 - frozen
    limits: Limits = Limits(),  # noqa: B008 - frozen
    conversation: Conversation = Conversation(),  # noqa: B008 - frozen
) -> Run:
    """The events of a run led by a model that gives these replies, the verifier's among them, in order."""
    model = ScriptedModel(replies)
    caller = Caller(model, budget=ModelBudget(calls=limits.model_calls, tokens=limits.model_tokens))
    reasoner = Reasoner(caller=caller, settings=settings, clock=lambda: 0.0)
    events = reasoner.run(question, corpus or shelf(), limits, conversation=conversation)
    return Run(tuple(events), model)


def long_report(sections: int = 40) -> CompiledDocument:
    """A document too long to be shown whole; section 7 says the notice period."""
    filler = "The parties meet in the harbour office and look at the cranes, the quays and the sheds of the year. "
    parts = [section(f"Part {number}", paragraph(filler * 8, page=number), page=number) for number in range(sections)]
    parts[7] = section("Notice", paragraph("Either party may end the lease with ninety days' notice.", page=7), page=7)
    return compiled("Harbour lease", *parts)
