"""From the answer that a model calls to claims: ids become quotes, expressions are worked out, numbers are traced."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from vectorless_web.engine.agent.model.calculation import WorkedOut, evaluate_ids
from vectorless_web.engine.agent.model.excerpts import stems_of
from vectorless_web.engine.agent.model.view import DocumentView, LibraryView, Pointer, clean_text, shorten_text
from vectorless_web.engine.agent.search import rank_documents
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.agent.wording import say_pages
from vectorless_web.engine.answers.claims import Calculation, Check, ClaimEvent, Evidence, Maker
from vectorless_web.engine.answers.numbers import CitedText, list_untraced
from vectorless_web.engine.answers.quotes import QuotePlace, Quotes, narrow_to_closest, narrow_to_phrase
from vectorless_web.engine.errors import InvalidInput, NotFound
from vectorless_web.engine.passages.sentences import find_lead_in

_MARK = re.compile(r"\s*[\[(]\s*d\d{1,4}\.[\w.\-]+(?:\s*[,;]\s*d\d{1,4}\.[\w.\-]+)*\s*[\])]", re.IGNORECASE)
"""Ids that a claim's own text carries; the program numbers citations itself."""

MOST_NEAREST = 4
"""Places by which a claim of absence is checked."""

LONGEST_QUOTE = 2400
"""Characters of a quote: of a longer place the phrase is quoted, else the sentences that say most of the claim."""


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A claim as the model gave it."""

    text: str
    cites: tuple[str, ...]
    phrase: str = ""
    calculation: str = ""
    insists: str = ""
    searched: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    """Of a claim of absence the documents, and the terms that do not stand there as it is meant."""

    @property
    def content(self) -> tuple[object, ...]:
        """What makes it the same claim when it is given again."""
        return self.text, self.cites, self.calculation, self.searched, self.absent


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """An answer as the model gave it: `outcome` is answered, partial or not_found."""

    outcome: str
    claims: tuple[DraftClaim, ...] = ()
    value: str = ""
    missing: tuple[str, ...] = ()


def read_draft(arguments: Mapping[str, Any]) -> AnswerDraft:
    """The draft in the arguments of `answer`, which fit the tool's schema."""

    def read_texts(said: Sequence[str] | None) -> tuple[str, ...]:
        return tuple(filter(None, map(clean_text, said or ())))

    claims = []
    for row in arguments.get("claims") or ():
        cites = (part for said in row["cites"] for part in re.split(r"[,;\s]+", said) if part)
        absent = row.get("absent") or {}
        claims.append(
            DraftClaim(
                clean_text(_MARK.sub("", row["text"])),
                tuple(dict.fromkeys(cites)),
                clean_text(row.get("phrase") or ""),
                (row.get("calculation") or "").strip(),
                clean_text(row.get("insists") or ""),
                read_texts(absent.get("documents")),
                read_texts(absent.get("terms")),
            )
        )
    value, missing = clean_text(arguments.get("value") or ""), read_texts(arguments.get("missing"))
    return AnswerDraft(arguments["outcome"], tuple(claim for claim in claims if claim.text), value, missing)


def name_documents(draft: AnswerDraft, library: LibraryView, question: str) -> AnswerDraft:
    """The draft with titles where it says the ids of documents; words of the question and of what is cited are none."""
    pointers = filter(None, (library.resolve(said) for claim in draft.claims for said in claim.cites))
    known = " ".join([question, *(library[p.document].tree.node(p.key).text for p in pointers if p.key >= 0)])
    claims = tuple(replace(claim, text=library.name_documents(claim.text, known)) for claim in draft.claims)
    missing = tuple(library.name_documents(part, known) for part in draft.missing)
    return replace(draft, claims=claims, value=library.name_documents(draft.value, known), missing=missing)


@dataclass(frozen=True, slots=True)
class Cited:
    """A place that a claim cites: a line, a page's picture, or a table row with the `columns` (from 0) pointed at."""

    pointer: Pointer
    columns: tuple[int, ...] = ()

    @property
    def place(self) -> QuotePlace:
        """The words that are quoted for it, with the column named where it is one cell."""
        column = self.columns[0] if len(self.columns) == 1 else -1
        return QuotePlace(self.pointer.document, self.pointer.key, self.pointer.start, self.pointer.end, column)

    def covers(self, pointer: Pointer) -> bool:
        """Whether a line or a cell is the place, or one of the cells pointed at in it."""
        own = self.pointer
        is_row = (own.document, own.key, own.row) == (pointer.document, pointer.key, pointer.row)
        return own == pointer or (is_row and pointer.column in self.columns)


def merge_cells(pointers: Sequence[Pointer], library: LibraryView) -> list[Cited]:
    """The places in their order; cells of one row, and the row itself, are one place."""
    rows = {(p.document, p.key, p.row): p for p in pointers if p.row >= 0 and p.column < 0}
    merged: dict[Pointer, dict[int, None]] = {}
    for pointer in pointers:
        row = (pointer.document, pointer.key, pointer.row)
        if pointer.column >= 0:
            rows.setdefault(row, library[pointer.document].widen_to_row(pointer))
        merged.setdefault(rows.get(row, pointer), {}).update({pointer.column: None} if pointer.column >= 0 else {})
    return [Cited(pointer, tuple(columns)) for pointer, columns in merged.items()]


@dataclass(frozen=True, slots=True)
class MadeClaim:
    """A claim with what the program made of it. `objections` are what it has against it, in words for the model."""

    draft: DraftClaim
    event: ClaimEvent
    cited: tuple[Cited, ...] = ()
    worked: WorkedOut | None = None
    objections: tuple[str, ...] = ()
    nearest: tuple[Cited, ...] = ()
    """Of a claim of absence the places in the documents searched that come closest to its terms."""


class ClaimMaker:
    """Makes the claims of one answer; citations are numbered through the whole of it."""

    def __init__(self, state: RunState, library: LibraryView, question: str) -> None:
        self.state, self.library, self.question = state, library, question
        self._quotes = Quotes(state.corpus.open)

    def make_claims(self, drafts: Sequence[DraftClaim]) -> list[MadeClaim]:
        """The drafts as claims in the state "draft"."""
        return [self._make_claim(order, draft) for order, draft in enumerate(drafts)]

    def _make_claim(self, order: int, draft: DraftClaim) -> MadeClaim:
        objections: list[str] = []
        pointers = self._resolve_cites(draft.cites, objections)
        worked = self._work_out(draft.calculation, objections)
        operands = [amount.pointer for amount in worked.amounts] if worked else []
        places = merge_cells((*pointers, *operands), self.library)
        made = {cited: found for cited in places if (found := self._cite(cited, draft, objections)) is not None}
        is_absence = bool(draft.searched and draft.absent)
        views = self._find_searched(draft, objections) if is_absence else []
        if not made and not objections and not is_absence:
            objections.append("It cites nothing.")
        markers = {p: evidence.marker for cited, evidence in made.items() for p in operands if cited.covers(p)}
        calculation = worked.as_calculation(markers) if worked else None
        marks = self._trace(draft.text, made, calculation, worked.steps if worked else ()) if made else ()
        told = "cite where it stands or each row that it counts, or give its calculation."
        objections += [f"A number is {mark}: {told}" for mark in marks]
        nearest = self._find_nearest(draft, views) if views else ()
        event = ClaimEvent(
            order,
            draft.text,
            "draft",
            citations=tuple({evidence.marker: evidence for evidence in made.values()}.values()),
            calculation=calculation,
            marks=marks,
            maker=Maker.MODEL,
            because=_say_searched(views, draft.absent, nearest) if views else "",
            is_absence=bool(views),
        )
        return MadeClaim(draft, event, tuple(made), worked, tuple(objections), nearest)

    def _resolve_cites(self, cites: Iterable[str], objections: list[str]) -> list[Pointer]:
        found = []
        for said in cites:
            pointer = self.library.resolve(said)
            if pointer is None:
                objections.append(f"There is no {shorten_text(said, 40)}.")
            elif not self._was_shown(pointer):
                objections.append(f"{shorten_text(said, 40)} was not shown to you; read it first.")
            else:
                found.append(pointer)
        return found

    def _was_shown(self, pointer: Pointer) -> bool:
        if pointer.key < 0:
            return self.library.was_shown(pointer.document, -1 - pointer.page_index)
        # Headings stand above what is shown of their sections.
        is_heading = not self.library[pointer.document].tree.is_leaf(pointer.key)
        return is_heading or self.library.was_shown(pointer.document, pointer.key)

    def _work_out(self, expression: str, objections: list[str]) -> WorkedOut | None:
        try:
            return evaluate_ids(expression, self.library) if expression else None
        except InvalidInput as error:
            objections.append(f"Its calculation cannot be worked out: {error.message}")
            return None

    def _cite(self, cited: Cited, draft: DraftClaim, objections: list[str]) -> Evidence | None:
        pointer = cited.pointer
        if pointer.key < 0:
            # No word of a page that was looked at is compared.
            key = next(iter(self.state.corpus.open(pointer.document).on_page(pointer.page_index)), 0)
            place = QuotePlace(pointer.document, -1, pointer.page_index, pointer.page_index)
            seen = Evidence(0, pointer.document, key, pointer.page_index, "", Check.PICTURE)
            return self._quotes.number(place, seen)
        view = self.library[pointer.document]
        place = cited.place
        if place.end - place.start > LONGEST_QUOTE:
            narrowed = narrow_to_phrase(view.document, place, draft.phrase) if draft.phrase else None
            place = narrowed or narrow_to_closest(view.document, place, draft.text, most=LONGEST_QUOTE)
        try:
            return self._quotes.cite(place)
        except NotFound:
            named = self.library.write_id(pointer.document, pointer.key, pointer.start)
            objections.append(f"{named} holds no words.")
            return None

    def _find_searched(self, draft: DraftClaim, objections: list[str]) -> list[DocumentView]:
        views = {said: self.library.find(said) for said in draft.searched}
        objections += [f"There is no document {shorten_text(said, 40)}." for said, view in views.items() if not view]
        return [view for view in views.values() if view]

    def _find_nearest(self, draft: DraftClaim, views: Sequence[DocumentView]) -> tuple[Cited, ...]:
        """Where the documents come closest to what is said not to stand in them: what the claim is checked by.

        A place holds at least half of the stems of one of the terms; others only mislead who checks.
        """
        plan = self.state.understand(" ".join((*draft.absent, draft.text)), expand=True)
        asked = [stems for term in draft.absent if (stems := stems_of(term))]
        documents = {view.id: view.document for view in views}
        found = []
        for passage in rank_documents(self.state, plan, documents, most=5 * MOST_NEAREST):
            pointer = self.library.resolve(self.library.write_id(passage.document, passage.key, passage.start))
            assert pointer is not None, "a passage is of a document that is open"
            held = stems_of(documents[passage.document].tree.node(pointer.key).text)
            if any(2 * len(stems & held) >= len(stems) for stems in asked):
                found.append(Cited(pointer))
        return tuple(found[:MOST_NEAREST])

    def _trace(
        self, text: str, made: Mapping[Cited, Evidence], calculation: Calculation | None, steps: Sequence[Decimal]
    ) -> tuple[str, ...]:
        if any(evidence.check is Check.PICTURE for evidence in made.values()):
            return ()
        views = {cited: self.library[cited.pointer.document] for cited in made}
        texts = [CitedText(each.quote, _write_surroundings(views[c], c.pointer.key)) for c, each in made.items()]
        return list_untraced(text, texts, question=self.question, calculation=calculation, steps=steps)


def _say_searched(views: Sequence[DocumentView], terms: Sequence[str], nearest: Sequence[Cited]) -> str:
    """What was searched, for what, where each term stands by its letters, and whether anything comes close."""
    told = []
    for term in terms:
        places = ((view, key) for view in views for key, _ in view.find_literally(term, whole=True))
        at = [f"{view.entry.name} p. {view.tree.node(key).page_start + 1}" for view, key in places]
        told.append(f"“{term}” at {', '.join(list(dict.fromkeys(at))[:MOST_NEAREST])}" if at else f"“{term}” nowhere")
    names = ", ".join(view.entry.name for view in views)
    close = "" if nearest else " No passage comes near."
    return f"Searched {names}: {'; '.join(told)}.{close}"


def _write_surroundings(view: DocumentView, key: int) -> str:
    """What is said above a node: headings, of a table its caption, units and columns, of a list what announces it."""
    node = view.tree.node(key)
    parts = [view.write_path(key), view.entry.title, say_pages(node.page_start, node.page_end)]
    if node.table is not None:
        parts += [node.title, view.write_units(key), " | ".join(view.name_columns(key))]
    parts.append(clean_text(find_lead_in(view.tree, key)))
    return "\n".join(filter(None, parts))
