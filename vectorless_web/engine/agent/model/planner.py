"""A planner that asks a chat model, and the walks it leads: it plans, guides the search and writes."""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vectorless_web.engine.agent.context.vector_lane import SearchEmbedder
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.model.prompts import (
    RULES_TOKENS,
    NodeNames,
    messages,
    names_in,
    objections_prompt,
    synthesis_prompt,
    whole_tokens,
)
from vectorless_web.engine.agent.model.replies import (
    ANSWER_SCHEMA,
    TURN_SCHEMA,
    WAYS,
    draft_calculation,
    joined_calculations,
    mend_answer,
    mended_turn,
    quote_parts,
)
from vectorless_web.engine.agent.model.turns import (
    CONVERSATION_TOKENS,
    FIRST_TOKENS,
    MORE_TOKENS,
    TURN_TOKENS,
    attach_pictures,
    find_page_asked,
    find_picture_cited,
    first_messages,
    fitted_messages,
    is_last_turn,
    is_whole_read,
    leave_pictures_out,
    next_message,
    were_pictures_refused,
)
from vectorless_web.engine.agent.offline_planner import plan_opening
from vectorless_web.engine.agent.planner import PlannedStep, WalkContext
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.answers.claims import AnswerDraft, DraftClaim, DraftQuote, Objected, SynthesisContext
from vectorless_web.engine.errors import ModelBudgetSpent, ModelInvalidReply, ModelRefusedPictures
from vectorless_web.engine.llm.budget import Keep, expected_message_tokens
from vectorless_web.engine.llm.calls import Caller, CheckedReply
from vectorless_web.engine.llm.model import Message, Usage
from vectorless_web.engine.llm.replies import without_thoughts
from vectorless_web.engine.navigation.pilots import LexicalPilot, ModelPilot, PilotBudget, PilotConfig
from vectorless_web.engine.navigation.pilots.pilot import MinimalPilot

WHOLE_TOKENS = 5000
"""Tokens of a document that is shown whole, so that the model answers at once; two turns over it would take more."""

MOST_CALLS = 4
"""Calls of one turn that are taken."""

FIRST_SHARE = 0.66
"""Share of a small context's prompt that the first message may have; what the tools bring gets the rest."""

LEAST_CONVERSATION = 2200
"""Tokens of prompts below which nobody walks: the passages that come nearest are answered from at once."""

LEAST_PROMPT = 400
"""Tokens below which no prompt is cut: the rules alone take more."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Most tokens of a reply, with room for models that think before they write, and what a model reads at once."""

    step: int = 1500
    answer: int = 3000
    context: int = 0
    """The model's context in tokens; 0 when nobody stated it."""
    whole: int = WHOLE_TOKENS
    """Tokens of a document that is shown whole; 0 for none."""
    pictures: int = 0
    """Pages of a document that the model may look at as pictures; 0 when it reads no images."""

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
        self.pictures = self._sizes.pictures

    def sum_spending(self) -> Usage:
        """What all calls of the run have cost, the pilots' among them."""
        return self._caller.sum_spending()

    def next_step(self, context: WalkContext) -> PlannedStep:
        """The first of the steps that the model chooses, with the others; or the end of the walk with its answer.

        The first step of a walk asks nobody: the passages nearest to the question are looked for, so
        that they are before the model when it first chooses. A short document is read whole and
        answered from at once. ModelInvalidReply when a reply is neither a step nor an answer.
        """
        first = plan_opening(context) or self._without_asking(context)
        if first is not None:
            return first
        if context.budget.calls < 1:
            raise ModelBudgetSpent("This walk has made the model calls that the run's tokens allow it.")
        asked, note = self._ask(
            self._conversation(context),
            schema=TURN_SCHEMA,
            purpose="step",
            max_tokens=self._sizes.reply(self._sizes.answer),
            mend=mended_turn,
            keep=self._for_the_answer(context),
        )
        step = self._plan_turn(context, asked)
        return replace(step, note=" ".join(filter(None, (note, step.note))))

    def _ask(self, messages: Sequence[Message], **wanted: Any) -> tuple[CheckedReply, str]:
        """The reply; and what to tell where the server refused pictures and was asked once more without them."""
        try:
            return self._caller.ask(messages, **wanted), ""
        except ModelRefusedPictures as error:
            asked = self._caller.ask(leave_pictures_out(messages), **wanted)
            return asked, f"{error.message} {self.name} was asked again without them."

    def _without_asking(self, context: WalkContext) -> PlannedStep | None:
        """What needs no model: to read a short document whole, and to answer when all that fits was read."""
        if context.dialogue:
            return None
        if is_whole_read(context):
            if context.pictures is not None:
                # It may have to look at a page before it answers.
                return None
            thought = "The whole document is before the model, so it answers."
            return PlannedStep(StepKind.SYNTHESIZE, thought, "synthesize")
        if self._fits_whole(context):
            return PlannedStep(StepKind.RETRIEVE, "The document is short: read all of it.", "whole", {"whole": True})
        if self._room() < LEAST_CONVERSATION:
            thought = "The model's context holds no more than the nearest passages, so it answers from them."
            return PlannedStep(StepKind.SYNTHESIZE, thought, "synthesize")
        return None

    def _fits_whole(self, context: WalkContext) -> bool:
        if not self._sizes.whole or context.reader is None:
            return False
        room = self._sizes.prompt(context.budget.answer, self._sizes.answer) - RULES_TOKENS
        most = min(self._sizes.whole, room) // context.walks
        return context.reader.tokens <= most and whole_tokens(context.reader.whole()) <= most

    def _room(self) -> int:
        """Tokens of a conversation."""
        return self._sizes.prompt(CONVERSATION_TOKENS, self._sizes.answer)

    def _conversation(self, context: WalkContext) -> Sequence[Message]:
        """What was said so far and what comes now; earlier messages stay as they are."""
        room = self._room()
        if not context.dialogue:
            wanted = FIRST_TOKENS + self._sizes.whole if is_whole_read(context) else FIRST_TOKENS
            return first_messages(context, tokens=min(wanted, int(room * FIRST_SHARE)))
        left = int(room * (1 - FIRST_SHARE))
        wanted = TURN_TOKENS + MORE_TOKENS * max(0, len(context.results) - 1)
        return fitted_messages([*context.dialogue, next_message(context, tokens=min(wanted, left))], room)

    def _plan_turn(self, context: WalkContext, asked: CheckedReply) -> PlannedStep:
        """What a turn plans, with the conversation up to it and what it cost."""
        step = self._choose_step(context, asked)
        return replace(
            step,
            thought=str(asked.content["thought"]),
            engine=self.name,
            tokens=asked.tokens,
            cost_usd=asked.cost_usd,
            dialogue=_bound_conversation(asked.conversation),
        )

    def _choose_step(self, context: WalkContext, asked: CheckedReply) -> PlannedStep:
        """The answer; or the steps of the turn as one that is taken now and others after it."""
        answer, steps = asked.content["answer"], asked.content["steps"]
        if answer is not None:
            # The turn's tokens are counted with its step.
            draft = replace(self._draft(asked, answer, NodeNames([context.document.id])), tokens=0, cost_usd=0.0)
            told = {"sentences": len(draft.claims), "quotes": sum(len(claim.quotes) for claim in draft.claims)}
            return PlannedStep(StepKind.SYNTHESIZE, "", "answer", told, draft=draft)
        walked = [step for step in steps if step["action"] != "answer"]
        if not walked:
            return PlannedStep(StepKind.SYNTHESIZE, "", "synthesize")
        room = max(1, min(MOST_CALLS, context.budget.steps - 1))
        heard = replace(context, dialogue=asked.conversation)
        planned = [_step(row, heard, engine=self.name) for row in walked[:room]]
        if all("problem" in step.arguments for step in planned):
            raise ModelInvalidReply(str(planned[0].arguments["problem"]))
        untaken = f"Only the first {room} of {len(walked)} steps are taken." if len(walked) > room else ""
        return replace(planned[0], note=untaken, also=tuple(planned[1:]))

    def synthesise(self, context: SynthesisContext, steps: Sequence[StepEvent]) -> AnswerDraft:
        """The model's draft; what it quotes is checked later, claim by claim."""
        if len(context.drafts) == 1 and len(context.names) == 1:
            return context.drafts[0]
        context = self._fit_sizes(context)
        asked, note = self._ask(
            _ask_for_answer(context, steps),
            schema=ANSWER_SCHEMA,
            purpose="answer",
            max_tokens=self._sizes.reply(self._sizes.answer),
            mend=mend_answer,
        )
        return replace(self._draft(asked, asked.content, names_in(context)), note=note)

    def redraft(self, context: SynthesisContext, draft: AnswerDraft, objected: Sequence[Objected]) -> AnswerDraft:
        """The claims that were objected to once more: mended ones in their order, withdrawn ones left out.

        The objections follow the model's own reply in one message, so that a server that keeps
        what it has read needs to read only them.
        """
        message = Message("user", objections_prompt(objected))
        asked, note = self._ask(
            [*self._fit_conversation(context, draft, message), message],
            schema=ANSWER_SCHEMA,
            purpose="objections",
            max_tokens=self._sizes.reply(self._sizes.answer),
            mend=mend_answer,
        )
        return replace(self._draft(asked, asked.content, names_in(context)), note=note)

    def _draft(self, asked: CheckedReply, answer: Mapping[str, Any], names: NodeNames) -> AnswerDraft:
        return AnswerDraft(
            claims=tuple(_claim(row, names, pictures=bool(self._sizes.pictures)) for row in answer["claims"]),
            value=str(answer.get("value") or ""),
            missing=tuple(str(gap) for gap in answer.get("missing") or ()),
            engine=self.name,
            tokens=asked.tokens,
            cost_usd=asked.cost_usd,
            conversation=asked.conversation,
        )

    def _fit_conversation(self, context: SynthesisContext, draft: AnswerDraft, message: Message) -> Sequence[Message]:
        """The conversation so far, with fewer passages where the model's context does not hold that and a reply."""
        reply, room = self._sizes.reply(self._sizes.answer), self._sizes.context
        added = sum(map(expected_message_tokens, (draft.conversation[-1], message)))
        needed = sum(map(expected_message_tokens, draft.conversation[:-1])) + added + reply
        if not room or needed <= room:
            return draft.conversation
        # Tokens of a prompt are estimated; a third more stays on the safe side.
        fewer = replace(context, tokens=max(LEAST_PROMPT, (room - reply - added) * 3 // 4))
        return [*_ask_for_answer(fewer, ()), draft.conversation[-1]]

    def _fit_sizes(self, context: SynthesisContext) -> SynthesisContext:
        return replace(context, tokens=self._sizes.prompt(context.tokens, self._sizes.answer))

    def _for_the_answer(self, context: WalkContext) -> Keep:
        """What turns leave in the budget for the call that writes the answer of several walks; one ends with it."""
        if context.walks == 1:
            return Keep() if is_last_turn(context) else Keep(calls=1)
        prompt = self._sizes.prompt(context.budget.answer, self._sizes.answer)
        return Keep(calls=1, tokens=prompt * 4 // 3 + self._sizes.reply(self._sizes.answer))


def _ask_for_answer(context: SynthesisContext, steps: Sequence[StepEvent]) -> list[Message]:
    """The prompt of the answer, with the pictures that the walks looked at."""
    rules, prompt = messages(synthesis_prompt(context, steps))
    return [rules, attach_pictures(prompt.content, context.pictures, names_in(context))]


def _step(row: Mapping[str, Any], context: WalkContext, *, engine: str) -> PlannedStep:
    """A call of a tool as a step; one that lacks what it needs says so when it is taken."""
    action = str(row["action"])
    kind, arguments = _TOOLS[action](row, context)
    return PlannedStep(kind, "", action, arguments, engine=engine)


_PAGES = re.compile(r"^\W*(?:pp?\.?|pages?|seiten?)\W*(\d{1,5})(?:\s*(?:-|–|to|bis|and|,)\s*(\d{1,5}))?\W*$", re.I)
_PAGE_RANGE = re.compile(r"^\W*(\d{1,5})\s*(?:-|–|to)\s*(\d{1,5})\W*$")
_FROM = re.compile(r"\b(?:from|rows?|lines?|sentences?)\b[^\d]{0,16}(\d{1,6})", re.I)
_AROUND = re.compile(r"\b(?:around|neighbou?rs?|before|after|next|previous|context)\b", re.I)

Arguments = dict[str, Any]


def _search(row: Mapping[str, Any], context: WalkContext) -> tuple[StepKind, Arguments]:
    words = str(row["text"] or "").strip()
    return StepKind.RETRIEVE, {"look_up": words} if words else {"problem": "A search needs words in its text."}


def _read(row: Mapping[str, Any], context: WalkContext) -> tuple[StepKind, Arguments]:
    text, node = str(row["text"] or "").strip(), row["node"]
    page = find_page_asked(text) if context.pictures is not None else None
    if page is not None:
        # A server that refused pictures is given what words the page has.
        refused = were_pictures_refused(context.dialogue)
        return StepKind.RETRIEVE, {"pages": [page, page]} if refused else {"picture": page}
    pages = _PAGES.match(text) or _PAGE_RANGE.match(text)
    if node is not None:
        start = _FROM.search(text)
        more: Arguments = {"start": int(start.group(1))} if start else {}
        return StepKind.RETRIEVE, {"read": node, **more, **({"around": True} if _AROUND.search(text) else {})}
    if pages:
        first = int(pages.group(1))
        return StepKind.RETRIEVE, {"pages": [first, int(pages.group(2) or first)]}
    return StepKind.RETRIEVE, {"heading": text} if text else {"problem": "To read, name a node, pages or a heading."}


def _list(row: Mapping[str, Any], context: WalkContext) -> tuple[StepKind, Arguments]:
    return StepKind.SCAN, {"node": context.position if row["node"] is None else row["node"]}


def _calculate(row: Mapping[str, Any], context: WalkContext) -> tuple[StepKind, Arguments]:
    text = str(row["text"] or "").strip()
    if not text:
        return StepKind.RETRIEVE, {"problem": "A calculation needs an expression in its text."}
    return StepKind.EXTRACT, {"expression": text}


def _note(row: Mapping[str, Any], context: WalkContext) -> tuple[StepKind, Arguments]:
    text = str(row["text"] or "").strip()
    if not text:
        return StepKind.RETRIEVE, {"problem": "A note needs a fact in its text."}
    return StepKind.EXTRACT, {"note": text, **({"node": row["node"]} if row["node"] is not None else {})}


def _navigate(row: Mapping[str, Any], context: WalkContext) -> tuple[StepKind, Arguments]:
    """Not offered, for the tools do the same in fewer calls; a model that knows the word is understood."""
    way = WAYS.get(str(row["text"] or "").strip().lower())
    if way is None:
        return _read(row, context)
    return StepKind.NAVIGATE, {"node": context.position if row["node"] is None else row["node"], "direction": way}


_TOOLS: Mapping[str, Callable[[Mapping[str, Any], WalkContext], tuple[StepKind, Arguments]]] = {
    "search": _search,
    "read": _read,
    "list": _list,
    "calculate": _calculate,
    "note": _note,
    "navigate": _navigate,
}


LONGEST_REPLY = 6000
"""Characters of a model's reply that stay in the conversation; a longer one is thought aloud."""


def _bound_conversation(conversation: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation, its last reply without thoughts and cut when it is very long."""
    *before, last = conversation
    said = without_thoughts(last.content).strip() or "{}"
    return (*before, Message(last.role, said[:LONGEST_REPLY]))


def _claim(row: Mapping[str, Any], names: NodeNames, *, pictures: bool) -> DraftClaim:
    """The claim with its quotes, those with an ellipsis in two, and its calculation on their indexes.

    With `pictures` a quote may name the picture of a page instead of a node.
    """
    quotes: list[DraftQuote] = []
    places: dict[int, int] = {}
    for place, quote in enumerate(row["quotes"]):
        places[place] = len(quotes)
        pictured = find_picture_cited(quote["node"], names) if pictures else None
        if pictured is not None:
            quotes.append(DraftQuote(pictured[0], -1, str(quote["quote"]), page=pictured[1]))
            continue
        document, key = names.read(quote["node"])
        quotes.extend(DraftQuote(document, key, part) for part in quote_parts(str(quote["quote"])))
    calculation = joined_calculations(row["calculations"])
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
        planner=ModelPlanner(caller, sizes=sizes),
        pilot_for=pilots,
        at_once=at_once,
        search_embedder=search_embedder,
    )
