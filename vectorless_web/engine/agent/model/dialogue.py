"""A conversation with a model, append-only: the first message, turns of tool calls, and the turn that answers."""

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vectorless_web.engine.agent.events import NodeRef, PlannedStep, ReasoningEvent, StepEvent, StepKind, StepResult
from vectorless_web.engine.agent.model.answer import AnswerDraft, name_documents
from vectorless_web.engine.agent.model.excerpts import (
    Excerpts,
    Shown,
    join_excerpts,
    merge_excerpts,
    stems_of,
    write_excerpts,
    write_nodes,
    write_outline,
)
from vectorless_web.engine.agent.model.prompts import (
    LOOK_FIRST,
    MOST_CALLS,
    ScopeLine,
    Told,
    write_budget,
    write_conversation,
    write_results,
    write_scope,
    write_system,
    write_unknown,
)
from vectorless_web.engine.agent.model.toolbox import Toolbox
from vectorless_web.engine.agent.model.tools import (
    LOOKING,
    TOOLS,
    TURN_SCHEMA,
    find_answer,
    mend_turn,
    read_answer,
    write_tools,
)
from vectorless_web.engine.agent.model.view import DocumentView, LibraryView, count_tokens
from vectorless_web.engine.agent.search import rank_documents, take_turns
from vectorless_web.engine.agent.state import CONVERSATION, RunState
from vectorless_web.engine.agent.wording import say_count
from vectorless_web.engine.errors import ModelInvalidReply, ModelRefusedPictures
from vectorless_web.engine.llm.budget import expected_message_tokens
from vectorless_web.engine.llm.calls import CheckedReply, fence_text
from vectorless_web.engine.llm.model import Message, serve_place
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.llm.replies import without_thoughts
from vectorless_web.engine.passages.find import Passage, list_absent, words_of
from vectorless_web.engine.questions.plan import QueryPlan

FIRST_TOKENS, LIBRARY_TOKENS, CHILD_TOKENS = 2350, 2200, 2130
"""Tokens of the first message on one document, on several, and on one document of `for_each`, with the rules, which
take 850. All gold passages stand in it for 71 of 88 questions on one document (68 with 2,200), and for 15 of 35 over a
library of 22, as with 2,400 and an outline. Of 62 questions as children 46 have theirs, with 600 more 51."""
WHOLE_TOKENS, WHOLE_BESIDE, WHOLE_DOCUMENTS = 3000, 2000, 3
"""Tokens of all documents that are shown whole, of those shown whole beside others, and the most documents in scope."""
OUTLINE_SHARE = 0.16
"""Share of the room that the outline of one document takes. Over a library passages say more in its place."""
RANKED, BEST, BEST_TOKENS, OTHER_TOKENS = 24, 3, 600, 160
"""Passages offered to the first message; those shown at length, the tokens of each of them and of each other."""
STANDS_OUT = 1.5
"""How much better than the second the router must find a short document that is shown whole."""
FAR, TURNS_EACH = 0.5, 2
"""Share of the best passage's worth below which none is shown, and passages of each document that go ahead in turns.
Over 22 questions 0.5 spares an eighth of the tokens and no gold passage; 0.6 loses one."""
REPLY_TOKENS, LONGEST_REPLY = 2000, 12_000
"""Tokens of a reply, with room for models that think first; characters of it that stay in the conversation."""
SHORT_REPLY = 300
"""Tokens of a reply that calls tools, with its thought."""
LEAST_RESULTS = 750
"""Tokens that each turn before the answer must be able to bring, the first of them twice as many; 25 turns of a live
reader brought 1,070 on average. With half as much a run on a long document has a turn more, and its first reading is
cut at half; with twice as much it has one look before the answer."""
COUNTED = 0.9
"""Tokens that a server counts, for one that is expected: over 20 first prompts and replies a BPE tokenizer counted .74
to .91. With 1 the first turns are promised half of what they may bring; with .5 a promised turn may be lost."""
VERIFY_TOKENS = 1800
"""Tokens kept for the verification of the answer."""
CONTEXT_SHARE = 0.45
"""Share of a small context that the first message may take; what the tools bring gets the rest."""
LEFT_OUT = "(These results are left out now to save room; read the node again when you need it.)"
SEARCH_FIRST = "Before you say not_found, search once in other words: synonyms, the language of the documents."
NO_PICTURES = "The model's server takes no pictures, so they could not be shown. Go by the words alone."
PUT_OFF = (
    f"Not carried out: a turn carries out {MOST_CALLS} calls, and none once its results are long enough. Call it again "
    "if you still need it."
)


@dataclass
class Dialogue:
    """A conversation under way. `turns` counts those left, the answering one among them."""

    state: RunState
    toolbox: Toolbox
    question: str
    messages: list[Message]
    turns: int
    walk: int = CONVERSATION
    is_whole: bool = False
    """Whether everything in scope is before the model, so that there is nothing to search for."""
    _told: str = ""
    _room: int = 0
    _counted: float = COUNTED
    """Tokens that the server counts for one that is expected, in (0, 1]: after a reply nearer to those of that."""
    _objected: Mapping[str, Any] = field(default_factory=dict)
    _has_looked: bool = False
    _was_sent_back: bool = False

    def hold(self) -> Generator[ReasoningEvent, None, AnswerDraft]:
        """Turns until the model answers; yields their steps and returns the draft.

        ModelInvalidReply when even the last turn brings no answer; other errors of the ModelError branch as they come.
        """
        while True:
            is_last = not self._plan_turn()
            self._tell_budget()
            try:
                asked = self._ask(closing=is_last)
            except ModelRefusedPictures:
                if not self.pictures:
                    raise
                self._leave_pictures_out()
                continue
            except ModelInvalidReply:
                if is_last:
                    raise
                self.turns = 1
                continue
            expected = sum(map(expected_message_tokens, asked.conversation))
            counted = min(1.0, asked.tokens / expected) or 1.0
            # What the tools bring next may be of other text.
            self._counted = max(counted, (counted + COUNTED) / 2)
            self.turns -= 1
            draft = yield from self._take_turn(asked, is_last=is_last)
            if draft is not None:
                return draft
            if is_last:
                raise ModelInvalidReply("The model did not answer in its last turn.")

    @property
    def pictures(self) -> list[Picture]:
        """The pictures that the model has seen."""
        return [picture for message in self.messages for picture in message.pictures]

    def _leave_pictures_out(self) -> None:
        for place, message in enumerate(self.messages):
            if message.pictures:
                said = f"{message.content.removesuffix(self._told)}\n\n{NO_PICTURES}"
                self.messages[place] = Message(message.role, said)
        self.toolbox.tools.pop("page_image", None)

    def hold_again(self, objections: str, told: Mapping[str, Any]) -> Generator[ReasoningEvent, None, AnswerDraft]:
        """The answer once more, after objections, with one look before it where there is room; errors as of `hold`.

        `told` are the objections as the step of the answer keeps them.
        """
        self.messages.append(Message("user", objections))
        self.turns, self._objected = 2, told
        return (yield from self.hold())

    def _plan_turn(self) -> bool:
        """Settle how many replies are left and what the next one's tools may bring; whether it need not answer.

        They may bring what can be paid for in each call to come, less the least of each later turn, so that a reply
        always costs one turn and no more. The answering call is held in full, others cost what the server counts.
        """
        left = self.state.tokens_left() - self._reply_tokens() - (VERIFY_TOKENS if self.state.settings.verify else 0)
        sent = sum(map(expected_message_tokens, self.messages)) + SHORT_REPLY
        while self.turns > 1 and self.state.may_step(self.walk):
            before = self.turns - 1
            room = (left - sent * (1 + self._counted * before)) / (1 + self._counted * (before - 1))
            # A server may count a third more than is estimated.
            room *= 3 / 4
            # A turn that was promised stays, though a result or a thought was longer than it should be.
            if room >= (before * LEAST_RESULTS // 4 if self._room else (before + 1) * LEAST_RESULTS):
                self._room = max(LEAST_RESULTS // 4, int(room) - (before - 1) * LEAST_RESULTS)
                return True
            self.turns -= 1
        self.turns, self._room = 1, 0
        return False

    def _tell_budget(self) -> None:
        """End the last message with what is left, in the place of what it told before."""
        last, before = self.messages[-1], self._told
        look = f" {LOOK_FIRST}" if self._objected and self.turns > 1 else ""
        self._told = f"\n\n{write_budget(self.turns, self._room)}{look}"
        self.messages[-1] = replace(last, content=f"{last.content.removesuffix(before)}{self._told}")

    def _ask(self, *, closing: bool) -> CheckedReply:
        assert self.state.caller is not None, "a conversation is held with a model"
        schema: dict[str, Any] = dict(TURN_SCHEMA)
        if self.state.settings.native_tools:
            offered = [TOOLS["answer"]] if closing else list(self.toolbox.tools.values())
            schema["tools"] = [tool.as_function() for tool in offered]
        messages = fit_context(self.messages, self.state.settings.context)
        if messages != self.messages:
            self.toolbox.library.whole.clear()
        with serve_place(self.walk, self.state.steps_in(self.walk)):
            return self.state.caller.ask(
                messages,
                schema=schema,
                purpose="answer" if closing else "turn",
                max_tokens=self._reply_tokens(),
                mend=mend_turn,
            )

    def _reply_tokens(self) -> int:
        context = self.state.settings.context
        return min(REPLY_TOKENS, context // 4) if context else REPLY_TOKENS

    def _take_turn(self, asked: CheckedReply, *, is_last: bool) -> Generator[ReasoningEvent, None, AnswerDraft | None]:
        planned = PlannedStep(
            thought=asked.content["thought"], tokens=asked.tokens, cost_usd=asked.cost_usd, engine=self.state.engine
        )
        said = without_thoughts(asked.conversation[-1].content).strip() or "{}"
        self.messages.append(Message("assistant", said[:LONGEST_REPLY]))
        answer = find_answer(asked.content["calls"])
        problem = ""
        if answer is not None:
            draft, problem = read_answer(answer)
            is_early = not (self.is_whole or self._has_looked or self._was_sent_back or is_last)
            if draft is not None and not (draft.outcome == "not_found" and is_early):
                yield self._make_answer_step(draft, planned)
                return name_documents(draft, self.toolbox.library, self.question)
            problem = problem or SEARCH_FIRST
            self._was_sent_back = True
        if is_last:
            return None
        told, pictures = [Told(problem)], list[Picture]()
        if not problem:
            told, pictures = yield from self._carry_out(asked.content["calls"], planned)
        self.messages.append(Message("user", write_results(told), tuple(pictures)))
        return None

    def _carry_out(
        self, rows: Sequence[Mapping[str, Any]], planned: PlannedStep
    ) -> Generator[ReasoningEvent, None, tuple[list[Told], list[Picture]]]:
        results, pictures = list[Told](), list[Picture]()
        for number, row in enumerate(rows):
            self.toolbox.room = self._room - sum(count_tokens(told.write()) for told in results)
            is_full = number and (self.toolbox.room < LEAST_RESULTS // 6 or not self.state.may_step(self.walk))
            if number >= MOST_CALLS or is_full:
                results.append(Told(PUT_OFF))
                continue
            self._has_looked = self._has_looked or row["tool"] in LOOKING
            outcome = yield from self.toolbox.carry_out(row["tool"], row["arguments"], planned)
            # Only the first step of a turn carries what the turn has cost.
            planned = PlannedStep(engine=self.state.engine)
            results.append(outcome.told)
            pictures += outcome.pictures
        return results, pictures

    def _make_answer_step(self, draft: AnswerDraft, planned: PlannedStep) -> StepEvent:
        cites = sum(len(claim.cites) for claim in draft.claims)
        said = f"Wrote {say_count(len(draft.claims), 'sentence')} with {say_count(cites, 'citation')}"
        say = said if draft.claims else "Said that the documents do not answer it"
        if self._objected:
            say = f"Answered {say_count(sum(map(len, self._objected.values())), 'objection')}. {say}"
        row = {"outcome": draft.outcome, "value": draft.value, "missing": list(draft.missing), **self._objected}
        planned = replace(planned, action="answer")
        return self.state.make_step(StepKind.SYNTHESIZE, StepResult(say, row), walk=self.walk, planned=planned)


def fit_context(messages: Sequence[Message], context: int) -> list[Message]:
    """The messages as they are; where a context is stated and too small, the oldest results are left out of them."""
    fitted = list(messages)
    for place in range(2, len(fitted) - 1):
        if not context or sum(map(expected_message_tokens, fitted)) + context // 4 <= context:
            break
        if fitted[place].role == "user":
            fitted[place] = Message("user", LEFT_OUT)
    return fitted


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a conversation begins with: its question, its documents as lines, and titles not opened.

    `plan` ranks the first passages: of a follow-up it has the words of the earlier questions, too.
    """

    question: str
    plan: QueryPlan
    lines: tuple[ScopeLine, ...]
    unopened: tuple[str, ...] = ()
    more: int = 0
    """Documents of the workspace that are neither open nor named."""
    is_child: bool = False
    """Whether one document is asked by itself: without the conversation before, and with passages alone."""


def open_dialogue(
    state: RunState, library: LibraryView, toolbox: Toolbox, briefing: Briefing, *, turns: int, walk: int = CONVERSATION
) -> tuple[Dialogue, StepEvent]:
    """The conversation with its first message, and the step of what was packed into it."""
    views = [line.view for line in briefing.lines]

    def write_rules() -> str:
        return write_system(write_tools(toolbox.tools.values()), native=state.settings.native_tools)

    system, earlier = write_rules(), ""
    if not briefing.is_child:
        earlier = write_conversation(state.conversation, library)
        for passage in (cited for exchange in state.conversation.exchanges for cited in exchange.cited):
            library.mark_shown(passage.document, [passage.key])
    understood = state.understand(briefing.question, expand=False)
    absent = list_absent([understood], {view.id: view.document for view in views})
    scope = write_scope(briefing.lines, briefing.unopened, briefing.more)
    first = FIRST_TOKENS if len(views) == 1 else LIBRARY_TOKENS
    room = min(CHILD_TOKENS if briefing.is_child else first, state.limits.token_budget)
    room = min(room, int(state.settings.context * CONTEXT_SHARE)) if state.settings.context else room
    room -= sum(map(count_tokens, (system, earlier, scope, briefing.question))) + 120
    shown, step, is_whole = _show_documents(state, library, briefing, max(300, room))
    is_all = is_whole and not briefing.unopened and not briefing.more
    dialogue = Dialogue(state, toolbox, briefing.question, [], turns, walk, is_whole=is_all)
    if is_all:
        for name in (*LOOKING, "outline"):
            toolbox.tools.pop(name, None)
        system = write_rules()
    # For its other words a model finds others by itself; of a question in another language most are missing.
    is_alike = len(absent) * 2 <= len(understood.drop_function_words(words_of(understood)))
    names = [word for word in absent if is_alike and any(word in name for name in understood.entities)]
    told = [scope, earlier, *shown, "" if is_whole else write_unknown(names), f"Question: {briefing.question}"]
    dialogue.messages = [Message("system", system), Message("user", "\n\n".join(filter(None, told)))]
    kind, action = (StepKind.EXTRACT, "read") if is_whole else (StepKind.RETRIEVE, "passages")
    step = replace(step, action=action, observation={**step.observation, "unknown_words": list(absent)})
    return dialogue, state.make_step(kind, step, walk=walk)


def _show_documents(
    state: RunState, library: LibraryView, briefing: Briefing, room: int
) -> tuple[list[str], StepResult, bool]:
    """The documents as far as there is room, the step that tells of it, and whether all of them are shown whole."""
    views = [line.view for line in briefing.lines]
    whole = choose_whole(briefing.lines, room)
    parts, refs, least = list[str](), list[NodeRef](), room // 2
    for view in whole:
        shown = write_nodes(view, view.list_readable(0), tokens=10**9)
        parts.append(f"{view.name}, the whole document:\n{fence_text(shown.text)}")
        library.mark_shown(view.id, shown.keys, shown.whole)
        refs += state.refer(view.id, shown.keys[:40], "read")
        room -= count_tokens(shown.text)
    rest = [view for view in views if view not in whole]
    if not rest:
        say = f"Read {say_count(len(whole), 'short document')} in full"
        return parts, StepResult(say, {"whole": [v.id for v in whole]}, tuple(refs)), True
    # Documents shown whole leave the others half of the room.
    room = max(room, least)
    outlined = rest[0] if len(views) == 1 and not briefing.is_child else None
    outline = write_outline(outlined, tokens=int(room * OUTLINE_SHARE)) if outlined else Shown("")
    # Of few sections passages say as much.
    size = count_tokens(outline.text) if len(outline.keys) > 2 else 0
    text, kept = choose_passages(state, library, briefing, rest, room - size)
    if outlined and size:
        outline = write_outline(outlined, tokens=size, found=[passage.key for passage in kept])
        parts.append(f"Outline ([id] title | pages | tokens):\n{fence_text(outline.text)}")
    state.found = kept
    near = f"Passages that come nearest, the best first:\n{fence_text(text)}"
    parts.append(near if text else "No passage shares a word with the question.")
    refs += [ref for passage in kept for ref in state.refer(passage.document, [passage.key], "read")]
    told = {"passages": [{"document": p.document, "key": p.key, "score": round(p.score, 4)} for p in kept]}
    say = f"Gathered {say_count(len(kept), 'passage')} of {say_count(len({p.document for p in kept}), 'document')}"
    return parts, StepResult(say, told, tuple(refs)), False


def choose_whole(lines: Sequence[ScopeLine], room: int) -> list[DocumentView]:
    """Documents that are shown whole: when few are in scope, all that are short together, or some beside long ones.

    Of many, the likeliest is when it is short and the router puts it well before all others.
    """
    if len(lines) > WHOLE_DOCUMENTS:
        first = lines[0]
        stands_out = first.score >= STANDS_OUT * lines[1].score
        # Ids and headings take about a quarter more than the text.
        return [first.view] if stands_out and first.view.tokens * 5 // 4 <= room else []
    chosen, views = list[DocumentView](), [line.view for line in lines]
    left = WHOLE_TOKENS if sum(view.tokens for view in views) <= WHOLE_TOKENS else WHOLE_BESIDE
    for view in views:
        if view.tokens <= left:
            chosen.append(view)
            left -= view.tokens
    return chosen


def choose_passages(
    state: RunState, library: LibraryView, briefing: Briefing, views: Sequence[DocumentView], room: int
) -> tuple[str, list[Passage]]:
    """The best passages as excerpts, over all documents by their worth, as far as there is room."""
    scores = {line.view.id: line.score for line in briefing.lines}
    by_id, documents = {view.id: view for view in views}, {view.id: view.document for view in views}
    wanted = stems_of(briefing.plan.question)
    kept, shown = Excerpts(), list[Passage]()
    ranked = rank_documents(state, briefing.plan, documents, most=RANKED)
    for passage in order_by_worth([p for p in ranked if by_id[p.document].list_pieces(p.key)], scores):
        tokens = BEST_TOKENS if len(shown) < BEST else OTHER_TOKENS
        view = by_id[passage.document]
        excerpts = write_excerpts(view, passage.key, wanted=wanted, tokens=tokens, lit=passage.start)
        before = count_tokens(join_excerpts(list(kept.values())))
        # Where there is no room for what belongs to a passage it is shown alone.
        for chosen in (excerpts, excerpts[:1]):
            more = merge_excerpts(kept, view.id, chosen)
            cost = count_tokens(join_excerpts(list(more.values()))) - before
            if cost <= room:
                kept, room = more, room - cost
                shown.append(passage)
                break
    for (document, key), excerpt in kept.items():
        library.mark_shown(document, [key], whole=[key] if excerpt.is_whole else ())
    return join_excerpts(list(kept.values())), shown


def order_by_worth(passages: Sequence[Passage], scores: Mapping[str, float]) -> list[Passage]:
    """The passages by their own scores times the roots of those of their documents, which lie much further apart.

    The best ones of each likely document go ahead, in turns; what is worth little beside the best is left out.
    """
    worth = {(p.document, p.key): p.score * math.sqrt(scores.get(p.document, 1.0)) for p in passages}
    ordered = sorted(passages, key=lambda p: (-round(worth[p.document, p.key], 9), p.document, p.key))
    most = worth[ordered[0].document, ordered[0].key] if ordered else 0.0
    near = [passage for passage in ordered if worth[passage.document, passage.key] >= FAR * most]
    turns: dict[str, list[Passage]] = {}
    for passage in near:
        turns.setdefault(passage.document, []).append(passage)
    ahead = take_turns([found[:TURNS_EACH] for found in turns.values()])
    return [*ahead, *(passage for passage in near if passage not in ahead)]
