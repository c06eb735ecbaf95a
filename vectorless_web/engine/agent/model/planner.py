"""A planner that asks a chat model, and the walks it leads: it plans, guides the search and writes."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vectorless_web.engine.agent.context.vector_lane import SearchEmbedder
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.model.prompts import (
    STEP_TOKENS,
    NodeNames,
    messages,
    names_in,
    repair_prompt,
    step_prompt,
    synthesis_prompt,
)
from vectorless_web.engine.agent.model.replies import (
    ANSWER_SCHEMA,
    STEP_SCHEMA,
    draft_calculation,
    mend_answer,
    mend_step,
    quote_parts,
)
from vectorless_web.engine.agent.offline_planner import plan_opening
from vectorless_web.engine.agent.planner import PlannedStep, WalkContext
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.answers.claims import AnswerDraft, DraftClaim, DraftQuote, Objected, SynthesisContext
from vectorless_web.engine.errors import ModelBudgetSpent, ModelInvalidReply
from vectorless_web.engine.llm.budget import Keep, expected_tokens
from vectorless_web.engine.llm.calls import Caller, CheckedReply
from vectorless_web.engine.llm.model import Message, Usage
from vectorless_web.engine.navigation.pilots import LexicalPilot, ModelPilot, PilotBudget, PilotConfig
from vectorless_web.engine.navigation.pilots.pilot import MinimalPilot

_NEEDS = {
    StepKind.SCAN: ("node",),
    StepKind.RETRIEVE: ("node", "title", "query"),
    StepKind.NAVIGATE: ("node", "direction"),
    StepKind.EXTRACT: ("node",),
    StepKind.SYNTHESIZE: (),
}

READ_TOKENS = 2500
"""Most tokens that one RETRIEVE of a model packs, so that one large section does not fill the context."""


LEAST_PROMPT = 400
"""Tokens below which no prompt is cut: the rules alone take more."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Most tokens of a reply, with room for models that think before they write, and what a model reads at once."""

    step: int = 1500
    answer: int = 3000
    context: int = 0
    """The model's context in tokens; 0 when nobody stated it."""

    def reply(self, wanted: int) -> int:
        """Tokens a reply may have: a quarter of the context at most."""
        return min(wanted, self.context // 4) if self.context else wanted

    def prompt(self, wanted: int, reply: int) -> int:
        """Tokens a prompt may have beside its reply; counted on the safe side, as a third more than estimated."""
        left = self.context - self.reply(reply)
        return max(LEAST_PROMPT, min(wanted, int(left * 0.7))) if self.context else wanted


class ModelPlanner:
    """Plans with a model. Errors of the ModelError branch are the executor's to answer."""

    def __init__(self, caller: Caller, *, sizes: Sizes | None = None) -> None:
        self._caller = caller
        self._sizes = sizes or Sizes()
        self.name = caller.model.name

    def sum_spending(self) -> Usage:
        """What all calls of the run have cost, the pilots' among them."""
        return self._caller.sum_spending()

    def next_step(self, context: WalkContext) -> PlannedStep:
        """The step the model chooses; ModelInvalidReply when it lacks what its action needs.

        The first step of a walk asks nobody: the passages that the words find are copied
        from, so that the model has the best evidence before it when it first chooses.
        """
        first = plan_opening(context)
        if first is not None:
            return first
        if context.budget.calls < 1:
            raise ModelBudgetSpent("This walk has made the model calls that the run's tokens allow it.")
        size = self._sizes.prompt(STEP_TOKENS, self._sizes.step)
        asked = self._caller.ask(
            messages(step_prompt(context, context.steps, tokens=size)),
            schema=STEP_SCHEMA,
            purpose="step",
            max_tokens=self._sizes.reply(self._sizes.step),
            mend=mend_step,
            keep=self._for_the_answer(context),
        )
        kind = StepKind(asked.content["action"])
        return PlannedStep(
            kind=kind,
            thought=str(asked.content["thought"]),
            action=kind.value,
            arguments=_arguments(kind, asked.content, context),
            engine=self.name,
            tokens=asked.tokens,
            cost_usd=asked.cost_usd,
        )

    def synthesise(self, context: SynthesisContext, steps: Sequence[StepEvent]) -> AnswerDraft:
        """The model's draft; what it quotes is checked later, claim by claim."""
        context = self._fit_sizes(context)
        asked = self._caller.ask(
            messages(synthesis_prompt(context, steps)),
            schema=ANSWER_SCHEMA,
            purpose="answer",
            max_tokens=self._sizes.reply(self._sizes.answer),
            mend=mend_answer,
        )
        return self._draft_of(asked, context)

    def repair_draft(self, context: SynthesisContext, draft: AnswerDraft, objected: Sequence[Objected]) -> AnswerDraft:
        """The claims that were objected to once more: mended ones in their order, withdrawn ones left out.

        The objections follow the model's own reply in one message, so that a server that keeps
        what it has read needs to read only them.
        """
        message = Message("user", repair_prompt(objected))
        asked = self._caller.ask(
            [*self._shortened(context, draft, message), message],
            schema=ANSWER_SCHEMA,
            purpose="objections",
            max_tokens=self._sizes.reply(self._sizes.answer),
            mend=mend_answer,
        )
        return self._draft_of(asked, context)

    def _draft_of(self, asked: CheckedReply, context: SynthesisContext) -> AnswerDraft:
        return AnswerDraft(
            claims=tuple(_claim(row, names_in(context)) for row in asked.content["claims"]),
            value=str(asked.content.get("value") or ""),
            missing=tuple(str(gap) for gap in asked.content.get("missing") or ()),
            engine=self.name,
            tokens=asked.tokens,
            cost_usd=asked.cost_usd,
            conversation=asked.conversation,
        )

    def _shortened(self, context: SynthesisContext, draft: AnswerDraft, message: Message) -> Sequence[Message]:
        """The conversation so far, with fewer passages where the model's context does not hold that and a reply."""
        reply, room = self._sizes.reply(self._sizes.answer), self._sizes.context
        added = sum(expected_tokens(said.content) for said in (draft.conversation[-1], message))
        needed = sum(expected_tokens(said.content) for said in draft.conversation[:-1]) + added + reply
        if not room or needed <= room:
            return draft.conversation
        # Tokens of a prompt are estimated; a third more stays on the safe side.
        fewer = replace(context, tokens=max(LEAST_PROMPT, (room - reply - added) * 3 // 4))
        return [*messages(synthesis_prompt(fewer, ())), draft.conversation[-1]]

    def _fit_sizes(self, context: SynthesisContext) -> SynthesisContext:
        return replace(context, tokens=self._sizes.prompt(context.tokens, self._sizes.answer))

    def _for_the_answer(self, context: WalkContext) -> Keep:
        """What the answer's one call may cost at most: steps leave it in the budget."""
        prompt = self._sizes.prompt(context.budget.answer, self._sizes.answer)
        return Keep(calls=1, tokens=prompt * 4 // 3 + self._sizes.reply(self._sizes.answer))


def _arguments(kind: StepKind, content: Mapping[str, Any], context: WalkContext) -> dict[str, Any]:
    """The arguments the action takes, as the handlers call them."""
    given = {name: content[name] for name in _NEEDS[kind] if content.get(name) not in (None, "")}
    if kind is StepKind.RETRIEVE:
        if not given:
            raise ModelInvalidReply("The step retrieve needs a node, a title or a query.")
        wanted = {"key": given["node"]} if "node" in given else given
        return {**wanted, "tokens": READ_TOKENS}
    if kind is StepKind.SCAN:
        given.setdefault("node", context.position)
    missing = [name for name in _NEEDS[kind] if name not in given]
    if missing:
        raise ModelInvalidReply(f"The step {kind.value} needs {missing[0]}.")
    return given


def _claim(row: Mapping[str, Any], names: NodeNames) -> DraftClaim:
    """The claim with its quotes, those with an ellipsis in two, and its calculation on their indexes."""
    quotes: list[DraftQuote] = []
    places: dict[int, int] = {}
    for place, quote in enumerate(row["quotes"]):
        places[place] = len(quotes)
        document, key = names.read(quote["node"])
        quotes.extend(DraftQuote(document, key, part) for part in quote_parts(str(quote["quote"])))
    calculation = row.get("calculation")
    return DraftClaim(str(row["text"]), tuple(quotes), draft_calculation(calculation, places) if calculation else None)


GRACE_SECONDS = 60.0
"""The pilot's own patience ends after the caller's, which alone decides and keeps what it decided."""


PILOTS_LEAVE = Keep(calls=2, tokens=16_000)
"""What pilots leave in the run's budget: a step and the answer."""


class ModelPilots:
    """One ModelPilot per walk, kept as long as the walk, with its share of what the run's pilots may spend.

    Shared out beforehand: what one walk may ask must not depend on how fast another is,
    or no replay would fit. Walks of a second pass share what those before them left.
    """

    def __init__(self, caller: Caller, *, config: PilotConfig | None = None) -> None:
        self._config = config or PilotConfig()
        self._model = caller.as_model("pilot", keep=PILOTS_LEAVE, seconds=self._config.call_seconds)
        self._budgets: dict[int, PilotBudget] = {}
        self._pilots: dict[int, ModelPilot] = {}
        self._lock = threading.Lock()

    def __call__(self, walk: Walk) -> MinimalPilot:
        """The pilot of a walk."""
        with self._lock:
            if walk.number not in self._pilots:
                share = self._share(walk)
                self._budgets[walk.number] = PilotBudget.from_config(share)
                self._pilots[walk.number] = ModelPilot(
                    self._model,
                    budget=self._budgets[walk.number],
                    fallback=LexicalPilot(walk.finder.scorer),
                    config=share,
                    walk=walk.number,
                )
            return self._pilots[walk.number]

    def _share(self, walk: Walk) -> PilotConfig:
        """What the walk's pilot may spend: an even part of the calls left (the first walks one more), and tokens."""
        turn, walks = walk.turn
        before = [budget.spending for number, budget in self._budgets.items() if number < walk.number - turn]
        calls_left = max(0, self._config.calls_per_query - sum(spent.calls for spent in before))
        tokens_left = max(0, self._config.tokens_per_query - sum(spent.tokens for spent in before))
        calls = calls_left // walks + (turn < calls_left % walks)
        tokens = tokens_left * calls // max(1, calls_left)
        return replace(
            self._config,
            call_seconds=self._config.call_seconds + GRACE_SECONDS,
            calls_per_query=calls,
            tokens_per_query=tokens,
            tokens_per_call=min(tokens, self._config.tokens_per_call),
        )


def model_walking(
    caller: Caller,
    *,
    at_once: int = 4,
    config: PilotConfig | None = None,
    search_embedder: SearchEmbedder | None = None,
    sizes: Sizes | None = None,
) -> Walking:
    """Walks led by the caller's model, at most `at_once` side by side. One per run: it holds the run's budgets.

    `search_embedder` embeds what is searched for, under the same budget. `sizes` bounds prompts and replies.
    """
    pilots = ModelPilots(caller, config=config)
    return Walking(
        planner=ModelPlanner(caller, sizes=sizes), pilot_for=pilots, at_once=at_once, search_embedder=search_embedder
    )
