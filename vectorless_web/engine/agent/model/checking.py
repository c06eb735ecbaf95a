"""The check of an answer: quotes and numbers by the program, support by the verifier, objections sent back once."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.agent.events import ReasoningEvent, StepKind, StepResult
from vectorless_web.engine.agent.model.answer import AnswerDraft, ClaimMaker, MadeClaim
from vectorless_web.engine.agent.model.dialogue import Dialogue
from vectorless_web.engine.agent.model.prompts import PROGRAM, SECOND_READER, write_conversation, write_objections
from vectorless_web.engine.agent.model.verifier import Opinion, Sources, Verification, verify_claims
from vectorless_web.engine.agent.model.view import LibraryView
from vectorless_web.engine.agent.state import CONVERSATION, OUTSIDE_WALK, RunState
from vectorless_web.engine.agent.wording import say_count
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.answers.outcome import Conclusion, Judgement, conclude_answer, decide_support
from vectorless_web.engine.errors import ModelError
from vectorless_web.engine.llm.model import OUTSIDE, serve_place

UNVERIFIED = "The second reader could not be asked ({}), so the sentences are quoted and not verified."
UNMENDED = (
    "The objections to this answer could not be put to the model ({}). It stands as it was written before; what was "
    "objected to is marked."
)
TAKEN_BACK = (
    "Asked about the objections, the model said that the documents hold no answer. What the second reader had "
    "confirmed before is kept."
)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer with its claims checked. `note` is one sentence on what went otherwise than asked, or ""."""

    draft: AnswerDraft
    claims: tuple[ClaimEvent, ...]
    conclusion: Conclusion
    missing: tuple[str, ...] = ()
    note: str = ""


@dataclass
class AnswerChecker:
    """Checks the answer of one conversation; without `has_verifier` by the program alone."""

    state: RunState
    library: LibraryView
    dialogue: Dialogue
    has_verifier: bool = True
    _note: str = ""
    _open_parts: tuple[str, ...] = ()

    def check(self, draft: AnswerDraft) -> Generator[ReasoningEvent, None, CheckedAnswer]:
        """Check the draft, put the objections to the model once, and check again what it changed."""
        maker = ClaimMaker(self.state, self.library, self.dialogue.question)
        self._open_parts = draft.missing
        made = maker.make_claims(draft.claims)
        verification = yield from self._verify(made, ())
        gaps = verification.missing if verification and draft.outcome == "answered" else ()
        mended = (yield from self._send_back(made, verification, gaps)) if made else None
        known = _list_held(made, verification)
        if mended is not None and not mended.claims and known:
            self._note, mended = TAKEN_BACK, None
        if mended is not None:
            draft, self._open_parts = mended, mended.missing
            made = maker.make_claims(draft.claims)
            verification = yield from self._verify_again(made, known, verification)
        claims = [_finish_claim(claim, verification) for claim in made]
        missing = draft.missing or (verification.missing if verification else ())
        complete = draft.outcome == "answered" and (verification.answers_all if verification else True)
        conclusion = conclude_answer(claims, complete=complete, missing=missing, not_found=draft.outcome == "not_found")
        return CheckedAnswer(draft, tuple(renumber_citations(claims)), conclusion, missing, self._note)

    def _verify(
        self, made: Sequence[MadeClaim], others: Sequence[str]
    ) -> Generator[ReasoningEvent, None, Verification | None]:
        """What the verifier says of the claims that cite anything; None when it is not asked or does not answer."""
        caller = self.state.verifier if self.state.settings.verify and self.has_verifier else None
        cited = [claim for claim in made if claim.cited or claim.event.is_absence]
        if caller is None or not cited:
            return None
        self.state.stop_if_asked()
        # A question put to single documents is understood by itself.
        is_of_run = self.dialogue.walk == CONVERSATION
        walk = OUTSIDE_WALK if is_of_run else self.dialogue.walk
        earlier = write_conversation(self.state.conversation, LibraryView()) if is_of_run else ""
        card_of, pictures = self.state.corpus.card, self.dialogue.pictures
        sources = Sources(self.library, card_of, pictures, earlier, self._open_parts)
        try:
            with serve_place(*OUTSIDE):
                found = verify_claims(caller, self.dialogue.question, cited, sources, others=others)
        except ModelError as error:
            self._note = UNVERIFIED.format(error.message.rstrip("."))
            yield self.state.make_step(StepKind.VERIFY, StepResult(self._note, {"error": error.message}), walk=walk)
            return None
        documents = tuple(dict.fromkeys(c.pointer.document for claim in cited for c in claim.cited))
        result = StepResult(_describe(found), _observe(cited, found), documents=documents)
        yield self.state.make_step(StepKind.VERIFY, result, walk=walk, planned=found.planned)
        return found

    def _send_back(
        self, made: Sequence[MadeClaim], verification: Verification | None, gaps: Sequence[str]
    ) -> Generator[ReasoningEvent, None, AnswerDraft | None]:
        """The answer that the model gives after the objections; None when there are none, or it gives none."""
        refused = {o: f"{said.judgement}: {said.why}" for o, said in _list_opinions(verification, held=False).items()}
        rows: list[tuple[int, str, Sequence[str]]] = []
        for number, claim in enumerate(made, 1):
            said = [*claim.objections, *filter(None, [refused.get(claim.event.order)])]
            rows += [(number, claim.draft.text, said)] if said else []
        if not (rows or gaps):
            return None
        self.state.stop_if_asked()
        objecting = [PROGRAM] if any(claim.objections for claim in made) else []
        objecting += [SECOND_READER] if gaps or refused else []
        told = {"objections": [[text, list(said)] for _, text, said in rows], "gaps": list(gaps)}
        try:
            return (yield from self.dialogue.hold_again(write_objections(rows, gaps, objecting), told))
        except ModelError as error:
            self._note = UNMENDED.format(error.message.rstrip("."))
            return None

    def _verify_again(
        self, made: Sequence[MadeClaim], known: Mapping[object, Opinion], before: Verification | None
    ) -> Generator[ReasoningEvent, None, Verification | None]:
        """The verifier's word on the claims that are new, mended or insisted on; the others keep theirs."""
        held = {claim.event.order: known[claim.draft.content] for claim in made if claim.draft.content in known}
        changed = [claim for claim in made if claim.event.order not in held]
        others = [claim.draft.text for claim in made if claim.event.order in held]
        found = yield from self._verify(changed, others)
        if found is not None:
            return replace(found, opinions={**held, **found.opinions})
        return replace(before, opinions=held) if before and not changed else Verification(held) if held else None


def _list_opinions(verification: Verification | None, *, held: bool) -> dict[int, Opinion]:
    """The opinions by the orders of their claims: those that support a claim, or those that do not."""
    opinions = verification.opinions if verification else {}
    return {order: said for order, said in opinions.items() if held == (said.judgement is Judgement.SUPPORTED)}


def _list_held(made: Sequence[MadeClaim], verification: Verification | None) -> dict[object, Opinion]:
    """Opinions on claims to which nobody objected, by what the claims say."""
    held = _list_opinions(verification, held=True)
    return {c.draft.content: held[c.event.order] for c in made if c.event.order in held and not c.objections}


def _finish_claim(claim: MadeClaim, verification: Verification | None) -> ClaimEvent:
    opinion = verification.opinions.get(claim.event.order) if verification else None
    support = decide_support(claim.event, opinion.judgement if opinion else None)
    finished = replace(claim.event, state="checked", support=support)
    if support not in (Support.UNSUPPORTED, Support.PARTLY):
        return finished
    said = opinion.why if opinion and opinion.judgement is not Judgement.SUPPORTED else ""
    return replace(finished, because=said or " ".join(claim.objections) or finished.because)


def renumber_citations(claims: Sequence[ClaimEvent]) -> Iterator[ClaimEvent]:
    """The claims with their citations numbered from 1 in the order in which they are read."""
    numbers: dict[int, int] = {}
    for claim in claims:
        for citation in claim.citations:
            numbers.setdefault(citation.marker, len(numbers) + 1)
    for claim in claims:
        yield number_citations(claim, numbers)


def number_citations(claim: ClaimEvent, numbers: Mapping[int, int]) -> ClaimEvent:
    """The claim with other numbers for its citations, also where its calculation names them."""
    cited = tuple(replace(c, marker=numbers[c.marker]) for c in claim.citations)
    account = claim.calculation
    if account is not None:
        operands = tuple(replace(o, marker=numbers.get(o.marker, 0)) for o in account.operands)
        account = replace(account, operands=operands)
    return replace(claim, citations=cited, calculation=account)


SAID = {Judgement.SUPPORTED: "supported", Judgement.PARTLY: "partly supported", Judgement.NO: "not supported"}


def _describe(found: Verification) -> str:
    judged = [opinion.judgement for opinion in found.opinions.values()]
    told = ", ".join(f"{judged.count(kind)} {words}" for kind, words in SAID.items() if kind in judged)
    gaps = f"; missing: {'; '.join(found.missing)}" if found.missing else ""
    return f"A second reader compared {say_count(len(judged), 'sentence')} with the quotes: {told}{gaps}"


def _observe(made: Sequence[MadeClaim], found: Verification) -> dict[str, object]:
    pairs = [(claim, found.opinions[claim.event.order]) for claim in made]
    rows = [
        {"claim": c.draft.text, "verdict": o.judgement.value, "why": o.why, "marks": list(c.event.marks)}
        for c, o in pairs
    ]
    return {"claims": rows, "answers_all": found.answers_all, "missing": list(found.missing)}


def write_answer(claims: Sequence[ClaimEvent]) -> str:
    """The standing claims as one text, each with the markers of its citations; struck ones are left out."""
    standing = [claim for claim in claims if claim.support is not Support.UNSUPPORTED]
    return " ".join(f"{c.text} {''.join(f'[{e.marker}]' for e in c.citations)}".strip() for c in standing)
