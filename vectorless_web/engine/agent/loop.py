"""A run with a model: one conversation over everything in scope, its answer checked, and the end of the run."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from vectorless_web.engine.agent.events import NodeRef, Outcome, ReasoningEvent, Rejected, StepKind, StepResult
from vectorless_web.engine.agent.model.checking import AnswerChecker, CheckedAnswer, write_answer
from vectorless_web.engine.agent.model.dialogue import Briefing, open_dialogue
from vectorless_web.engine.agent.model.foreach import DocumentAsker
from vectorless_web.engine.agent.model.prompts import ScopeLine, name_documents
from vectorless_web.engine.agent.model.toolbox import Toolbox
from vectorless_web.engine.agent.model.tools import list_tools
from vectorless_web.engine.agent.model.view import LibraryView
from vectorless_web.engine.agent.offline import run_offline
from vectorless_web.engine.agent.routing import Routed
from vectorless_web.engine.agent.search import rank_documents
from vectorless_web.engine.agent.state import OUTSIDE_WALK, RunState
from vectorless_web.engine.agent.wording import say_count
from vectorless_web.engine.answers.claims import Evidence, Support
from vectorless_web.engine.answers.quotes import Quotes
from vectorless_web.engine.errors import ModelError
from vectorless_web.engine.passages.find import list_absent
from vectorless_web.engine.questions.plan import QueryPlan, merge_plans

MOST_PASSAGES, MOST_CHECKED = 10, 8
"""Passages shown where no claim holds, and sections named that were looked at."""
LISTED, NAME_CHARACTERS = 40, 60
"""Documents of a workspace that are all named to the model, so that it knows when it has asked each; characters of the
name of one that is not open."""


def converse(state: RunState, plan: QueryPlan, routed: Routed) -> Iterator[ReasoningEvent]:
    """The steps after ROUTE and the end of a run that a model leads.

    When the model fails, the run goes on without it and shows passages, with a note that says why; what it said is then
    dropped. Cancelled passes.
    """
    library = LibraryView()
    for document in routed.documents:
        library.open(document.entry, state.corpus)
    if not library.documents:
        yield from run_offline(state, plan, routed)
        return
    try:
        checked, looked = yield from _answer(state, plan, routed, library)
    except ModelError as error:
        yield from run_offline(state, plan, routed, note=f"{error.message} The passages were found without it.")
        return
    yield from finish_run(state, plan, routed, library, checked, looked)


def _answer(
    state: RunState, plan: QueryPlan, routed: Routed, library: LibraryView
) -> Generator[ReasoningEvent, None, tuple[CheckedAnswer, Sequence[NodeRef]]]:
    asker = DocumentAsker(state, library)
    more = routed.considered > len(routed.documents)
    tools = list_tools(documents=routed.considered, more_documents=more, pictures=state.settings.pictures > 0)
    toolbox = Toolbox(state, library, tools, ask_each=asker)
    # What was spoken of is as likely as the likeliest: a follow-up need not name it again.
    best, spoken_of = max((row.score for row in routed.documents), default=0.0), state.conversation.documents
    lines = []
    for document in routed.documents:
        score = best if document.id in spoken_of else document.score
        lines.append(ScopeLine(library[document.id], state.corpus.card(document.id), score))
    others = [document.entry for document in routed.others]
    if routed.considered <= LISTED:
        ranked = {document.id for document in (*routed.documents, *routed.others, *routed.left_out)}
        others += [entry for entry in state.corpus.entries() if entry.id not in ranked]
    named = [(entry, state.corpus.card(entry.id)) for entry in (*others, *(row.entry for row in routed.documents))]
    names = zip(others, name_documents(named, NAME_CHARACTERS), strict=False)
    unopened = tuple(f"{library.announce(entry)} {name}" for entry, name in names)
    unlisted = routed.considered - len(routed.documents) - len(others) - len(routed.left_out)
    asked = [state.understand(e.question, expand=False) for e in state.conversation.exchanges]
    briefing = Briefing(state.question, merge_plans(plan, asked), tuple(lines), unopened, unlisted)
    dialogue, event = open_dialogue(state, library, toolbox, briefing, turns=state.limits.max_steps)
    yield event
    note = ""
    try:
        draft = yield from dialogue.hold()
    except ModelError as error:
        joined = asker.join_rows()
        if joined is None:
            raise
        draft, note = joined, f"{error.message} What each document says by itself is shown."
    checked = yield from AnswerChecker(state, library, dialogue).check(draft)
    return replace(checked, note=" ".join(filter(None, (note, checked.note)))), toolbox.looked


def finish_run(
    state: RunState,
    plan: QueryPlan,
    routed: Routed,
    library: LibraryView,
    checked: CheckedAnswer,
    looked: Sequence[NodeRef],
) -> Iterator[ReasoningEvent]:
    """The claims, FINALIZE, and the end: the answer, or where nothing stands the passages that come closest."""
    outcome = checked.conclusion.outcome
    yield from checked.claims
    passages: tuple[Evidence, ...] = ()
    if outcome in (Outcome.PASSAGES, Outcome.NOT_FOUND):
        first = 1 + max((c.marker for claim in checked.claims for c in claim.citations), default=0)
        quotes = Quotes(state.corpus.open, first=first)
        ranked = rank_documents(state, plan, library.compiled, most=MOST_PASSAGES)
        passages = tuple(quotes.cite_passage(passage) for passage in ranked)
    asked = state.understand(state.question, expand=False)
    reason = _give_reason(checked, outcome)
    result = StepResult(reason, {"outcome": outcome.value, "missing": list(checked.missing), "passages": len(passages)})
    yield state.make_step(StepKind.FINALIZE, result, walk=OUTSIDE_WALK)
    answer = write_answer(checked.claims)
    yield state.make_end(
        outcome,
        reason,
        answer=answer,
        value=checked.draft.value if answer and checked.claims[0].support is not Support.UNSUPPORTED else "",
        verdict=checked.conclusion.verdict,
        grounded=checked.conclusion.grounded,
        missing=checked.missing,
        checked=_list_checked(looked) if outcome is Outcome.NOT_FOUND else (),
        passages=passages,
        unknown_words=routed.keep_unknown(list_absent([asked], library.compiled)),
        note=checked.note,
    )


def _give_reason(checked: CheckedAnswer, outcome: Outcome) -> str:
    count = say_count(len(checked.claims), "sentence")
    if outcome is Outcome.ANSWERED:
        return f"Answered in {count}"
    if outcome is Outcome.PARTIAL:
        gaps = "; ".join(checked.missing)
        return f"Answered in part; missing: {gaps}" if gaps else "Answered in part"
    if outcome is Outcome.PASSAGES:
        return "No sentence of the answer is supported by the documents; these passages come closest"
    return "The documents that were searched do not answer the question"


def _list_checked(looked: Sequence[NodeRef]) -> tuple[Rejected, ...]:
    found = {(ref.document, ref.title): ref for ref in looked if ref.title}
    return tuple(Rejected(ref.title, "looked at, and not found there", ref) for ref in [*found.values()][:MOST_CHECKED])
