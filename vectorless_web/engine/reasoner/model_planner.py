"""A planner that asks a chat model: one schema-checked call a step, one for the answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.model import Usage
from vectorless_web.engine.reasoner.events import StepEvent, StepKind
from vectorless_web.engine.reasoner.planner import (
    AnswerDraft,
    DraftCalculation,
    DraftClaim,
    DraftOperand,
    DraftQuote,
    PlannedStep,
    SynthesisContext,
    WalkContext,
)
from vectorless_web.engine.reasoner.prompts import messages, requote_prompt, step_prompt, synthesis_prompt
from vectorless_web.engine.reasoner.schemas import ANSWER_SCHEMA, STEP_SCHEMA
from vectorless_web.engine.retriever import parse_node_id

ANSWER_TOKENS = 1500
STEP_REPLY_TOKENS = 300

_NEEDS = {
    StepKind.SCAN: ("node",),
    StepKind.RETRIEVE: ("node", "title", "query"),
    StepKind.NAVIGATE: ("node", "direction"),
    StepKind.EXTRACT: ("node",),
    StepKind.SYNTHESIZE: (),
}


class ModelPlanner:
    """Plans with a model. Errors of the ModelError branch are the executor's to answer."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.name = caller.model.name

    def spent(self) -> Usage:
        """What all calls of the run have cost, the pilots' among them."""
        return self._caller.spent()

    def next_step(self, context: WalkContext) -> PlannedStep:
        """The step the model chooses; ModelInvalidReply when it lacks what its action needs."""
        asked = self._caller.ask(
            messages(step_prompt(context, context.steps)),
            schema=STEP_SCHEMA,
            purpose="step",
            max_tokens=STEP_REPLY_TOKENS,
        )
        kind = StepKind(asked.content["action"])
        return PlannedStep(
            kind=kind,
            thought=str(asked.content["thought"]),
            action=kind.value,
            arguments=_arguments(kind, asked.content),
            engine=self.name,
            tokens=asked.tokens,
            cost_usd=asked.cost_usd,
        )

    def synthesise(self, context: SynthesisContext, steps: Sequence[StepEvent]) -> AnswerDraft:
        """The model's draft; what it quotes is checked later, claim by claim."""
        asked = self._caller.ask(
            messages(synthesis_prompt(context, steps)),
            schema=ANSWER_SCHEMA,
            purpose="answer",
            max_tokens=ANSWER_TOKENS,
        )
        return AnswerDraft(
            claims=tuple(_claim(row) for row in asked.content["claims"]),
            value=str(asked.content.get("value") or ""),
            missing=tuple(str(gap) for gap in asked.content.get("missing") or ()),
            engine=self.name,
            tokens=asked.tokens,
            cost_usd=asked.cost_usd,
        )

    def requote(self, context: SynthesisContext, claim: DraftClaim, because: str) -> AnswerDraft:
        """The claim once more, after its quotes were not found; a draft of one claim or none."""
        asked = self._caller.ask(
            messages(requote_prompt(claim, because, context.passages, context.tokens)),
            schema=ANSWER_SCHEMA,
            purpose="quote repair",
            max_tokens=ANSWER_TOKENS,
        )
        claims = tuple(_claim(row) for row in asked.content["claims"][:1])
        return AnswerDraft(claims, engine=self.name, tokens=asked.tokens, cost_usd=asked.cost_usd)


def _arguments(kind: StepKind, content: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments the action takes, as the handlers call them."""
    given = {name: content[name] for name in _NEEDS[kind] if content.get(name) not in (None, "")}
    if kind is StepKind.RETRIEVE:
        if not given:
            raise ModelInvalidReply("The step retrieve needs a node, a title or a query.")
        return {"key": given["node"]} if "node" in given else given
    missing = [name for name in _NEEDS[kind] if name not in given]
    if missing:
        raise ModelInvalidReply(f"The step {kind.value} needs {missing[0]}.")
    return given


def _claim(row: Mapping[str, Any]) -> DraftClaim:
    quotes = tuple(_quote(quote) for quote in row.get("quotes") or ())
    calculation = row.get("calculation")
    return DraftClaim(str(row["text"]), quotes, _calculation(calculation) if calculation else None)


def _quote(row: Mapping[str, Any]) -> DraftQuote:
    document, key = parse_node_id(str(row["node"])) or ("", -1)
    return DraftQuote(document, key, _as_printed(str(row["quote"])))


def _as_printed(quote: str) -> str:
    """Cell and line marks as they were shown to the model become the white space they stand for."""
    return quote.replace("\\t", "\t").replace("\\n", "\n").replace(" | ", "\t")


def _calculation(row: Mapping[str, Any]) -> DraftCalculation:
    operands = tuple(
        DraftOperand(str(operand["name"]), str(operand["value"]), quote=int(operand["quote"]))
        for operand in row["operands"]
    )
    return DraftCalculation(str(row["expression"]), operands, str(row["result"]))
