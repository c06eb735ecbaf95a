"""The same question asked of several documents: a short conversation with each, and one row for each.

The program checks each row: its ids, its quotes, its numbers. The second reader judges the answer that is made of the
rows, with the quotes that it cites, and not each row besides.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace

from vectorless_web.engine.agent.events import ReasoningEvent, StepResult
from vectorless_web.engine.agent.model.answer import AnswerDraft, DraftClaim
from vectorless_web.engine.agent.model.checking import AnswerChecker, CheckedAnswer, write_answer
from vectorless_web.engine.agent.model.dialogue import Briefing, open_dialogue
from vectorless_web.engine.agent.model.prompts import ScopeLine, Told, name_documents
from vectorless_web.engine.agent.model.toolbox import Toolbox, ToolOutcome
from vectorless_web.engine.agent.model.tools import TOOLS
from vectorless_web.engine.agent.model.view import DocumentView, LibraryView, count_tokens, shorten_text
from vectorless_web.engine.agent.state import CONVERSATION, RunState
from vectorless_web.engine.agent.wording import say_count
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.answers.outcome import Outcome
from vectorless_web.engine.errors import ModelBudgetSpent, ModelError

MOST_DOCUMENTS, ROW_TOKENS = 40, 70
"""Documents of one call, and tokens that a row with short quotes takes."""
QUOTE_CHARACTERS, LEAST_QUOTE = 200, 20
"""Characters shown of a quote, and those where the rows would take more than the results may."""
TURNS = 3
"""Turns of one document's conversation: the first passages, one look elsewhere, the answer."""
EACH_TOKENS, EACH_CALLS, LEAST_TOKENS = 24_000, 8, 5000
"""Tokens and calls that one document's conversation may take beside the run's, for TURNS and objections. Tokens that
must be left of `Limits.each_tokens` for one more document: one turn takes as many."""
NOT_ASKED = "{} This document was not asked."

_CHILD_TOOLS = ("search", "read", "find", "table", "calculate", "answer")


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One document's answer. `text` is "" when the document does not answer; `note` says why there is no answer.

    `drafts` are the claims that hold as the model gave them, `claims` the same with their quotes.
    """

    document: str
    text: str = ""
    value: str = ""
    claims: tuple[ClaimEvent, ...] = ()
    drafts: tuple[DraftClaim, ...] = ()
    note: str = ""


def ask_document(
    state: RunState, question: str, view: DocumentView, library: LibraryView, *, walk: int
) -> Generator[ReasoningEvent, None, CheckedAnswer]:
    """One document's conversation, its answer checked by the program. The ids are those of the whole library."""
    own = library.narrow_to(view)
    toolbox = Toolbox(state, own, [TOOLS[name] for name in _CHILD_TOOLS], walk=walk)
    line = ScopeLine(view, state.corpus.card(view.id))
    briefing = Briefing(question, state.understand(question), (line,), is_child=True)
    dialogue, event = open_dialogue(state, own, toolbox, briefing, turns=TURNS, walk=walk)
    yield event
    draft = yield from dialogue.hold()
    checked = yield from AnswerChecker(state, own, dialogue, has_verifier=False).check(draft)
    for claim in checked.claims:
        for citation in claim.citations:
            library.mark_shown(citation.document, [citation.key])
    return checked


def make_row(document: str, checked: CheckedAnswer) -> AnswerRow:
    """The row of a document's checked answer."""
    pairs = zip(checked.claims, checked.draft.claims, strict=True)
    standing = [(event, draft) for event, draft in pairs if event.support is not Support.UNSUPPORTED]
    text = write_answer(checked.claims)
    is_nothing = checked.conclusion.outcome is Outcome.NOT_FOUND
    note = checked.note or ("The document does not say it." if is_nothing else "")
    claims, drafts = tuple(event for event, _ in standing), tuple(draft for _, draft in standing)
    return AnswerRow(document, text, checked.draft.value if text else "", claims, drafts, note)


@dataclass
class DocumentAsker:
    """The tool `for_each` of one run; walks of later calls are numbered on."""

    state: RunState
    library: LibraryView
    next_walk: int = CONVERSATION + 1
    rows: list[AnswerRow] = field(default_factory=list)
    """The rows of all calls so far."""

    def __call__(
        self, question: str, views: Sequence[DocumentView], room: int
    ) -> Generator[ReasoningEvent, None, ToolOutcome]:
        """Ask as many documents as `room` (tokens) has rows for, and tell the rows with the ids that they cite."""
        rows: list[AnswerRow] = []
        most = max(1, min(MOST_DOCUMENTS, room // ROW_TOKENS))
        named = list(dict.fromkeys(views))
        for view in named[:most]:
            rows.append((yield from self._ask(question, view)))
        self.rows += rows
        asked, left = f"{say_count(len(rows), 'document')}", len(named) - len(rows)
        words = f"{asked} asked." + (f" {left} more were not: the results have room for {most}." if left else "")
        table = [[row.document, row.value or row.text or row.note] for row in rows]
        result = StepResult(
            f"Asked {asked} one by one: {shorten_text(question, 90)}",
            {"question": question, "rows": table},
            documents=tuple(row.document for row in rows),
        )
        texts = ["\n".join(self._write_rows(rows, characters)) for characters in (QUOTE_CHARACTERS, LEAST_QUOTE)]
        return ToolOutcome(Told(words, texts[count_tokens(texts[0]) > room]), result)

    def _ask(self, question: str, view: DocumentView) -> Generator[ReasoningEvent, None, AnswerRow]:
        """The row of one document; where its conversation fails the row says so. Cancelled passes."""
        state, walk = self.state, self.next_walk
        state.stop_if_asked()
        left = state.limits.each_tokens - state.lent_tokens
        if left < LEAST_TOKENS or not state.may_step(walk):
            spent = "tokens for single documents are" if left < LEAST_TOKENS else "time is"
            return AnswerRow(view.id, note=NOT_ASKED.format(f"The run's {spent} used up."))
        self.next_walk += 1
        try:
            with state.lend(EACH_CALLS, min(EACH_TOKENS, left)):
                checked = yield from ask_document(state, question, view, self.library, walk=walk)
        except ModelBudgetSpent as error:
            return AnswerRow(view.id, note=NOT_ASKED.format(error.message))
        except ModelError as error:
            return AnswerRow(view.id, note=error.message)
        return make_row(view.id, checked)

    def _name_rows(self, rows: Sequence[AnswerRow]) -> list[str]:
        named = [(self.library[row.document].entry, self.state.corpus.card(row.document)) for row in rows]
        return name_documents(named, 60)

    def join_rows(self) -> AnswerDraft | None:
        """The rows as the answer, for a conversation that could not answer; None when no row holds."""
        claims: list[DraftClaim] = []
        missing: list[str] = []
        for row, name in zip(self.rows, self._name_rows(self.rows), strict=True):
            claims += [replace(draft, text=f"{name}: {draft.text}") for draft in row.drafts]
            missing += [] if row.drafts else [f"{name}: {row.note}" if row.note else name]
        return AnswerDraft("partial", tuple(claims), missing=tuple(missing)) if claims else None

    def _write_rows(self, rows: Sequence[AnswerRow], characters: int) -> Iterator[str]:
        """The rows as the model is told them, with the ids that they cite and so many characters of each quote."""
        for row, title in zip(rows, self._name_rows(rows), strict=True):
            view = self.library[row.document]
            name = f"[{view.name}] {title}" + ("" if view.entry.name in title else f" | {view.entry.name}")
            said = " ".join(claim.text for claim in row.claims)
            marks = [mark for claim in row.claims for mark in claim.marks]
            yield f"{name}: {said or row.note}" + (f" ({'; '.join(marks)})" if marks else "")
            cited = [e for claim in row.claims for e in claim.citations if e.key > 0]
            # Tabs part the cells of a row.
            quotes = {self.library.write_id(e.document, e.key, e.start): e.quote.replace("\t", " | ") for e in cited}
            yield from (f"  [{at}] {shorten_text(quote, characters)}" for at, quote in quotes.items())
