"""SYNTHESIZE, VERIFY and FINALIZE for the whole run: the answer drafted, every claim checked, the outcome stated."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from vectorless_web.engine.agent.context.outline import join_names, say_count, shorten_title
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, ReasoningEvent, StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking, walk_all
from vectorless_web.engine.agent.model.prompts import format_cells, passage_tokens, passages_room
from vectorless_web.engine.agent.model.turns import were_pictures_refused
from vectorless_web.engine.agent.offline_planner import OFFLINE
from vectorless_web.engine.agent.steps.closest import find_closest_passages
from vectorless_web.engine.agent.steps.follow import Following
from vectorless_web.engine.agent.steps.packing import gather_evidence
from vectorless_web.engine.agent.walk import Lead, RunState, Walk
from vectorless_web.engine.answers.agreement import find_unaccounted_numbers, list_stated_numbers
from vectorless_web.engine.answers.claims import (
    READS_ENTRY,
    AnswerDraft,
    Check,
    ClaimEvent,
    Confidence,
    DraftClaim,
    Evidence,
    Objected,
    Strength,
    Support,
    SynthesisContext,
    is_supported,
    write_table,
)
from vectorless_web.engine.answers.confidence import (
    ModelChecks,
    cap_partial,
    confidence_of,
    fuzzy_share,
    parts_spoken_of,
    pictured_share,
    says_part,
    strength_of,
    weigh_checks,
)
from vectorless_web.engine.answers.draft import compose, find_versions
from vectorless_web.engine.answers.grounding import Grounder
from vectorless_web.engine.errors import EngineError, ModelError
from vectorless_web.engine.figures.periods import years_in
from vectorless_web.engine.passages.checks import holds_several
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, requirements_of
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.analyser import words as words_in


def answer_events(run: RunState, plan: QueryPlan, walking: Walking, following: Following) -> Iterator[ReasoningEvent]:
    """Drafted claims as they are, then the VERIFY step, then each claim checked.

    What the check leaves unmet takes the question on: by what a document says of another one, bounded in
    number, steps and tokens. The answer from there is drafted and checked likewise.
    """
    attempt = Attempt(run, plan, walking)
    by_model = attempt.checker.by_model
    may_follow = following.is_possible(run, by_model=by_model)
    shows_late = may_follow or not by_model
    if not shows_late:
        # An offline answer that is too weak to stand is never shown, not as a draft either.
        yield from attempt.list_drafts()
        run.stop_if_asked()
    attempt.check()
    best, told = attempt, False
    while may_follow and best.is_wanting:
        further = following.find(run, plan, unmet=best.unmet, cited=best.list_leaning(), by_model=by_model)
        if further is None:
            break
        yield from attempt.list_steps()
        yield run.count_step(further.step)
        yield from walk_all(run, further.plan, following.corpus, further.chosen, walking)
        run.stop_if_asked()
        attempt = Attempt(run, plan if by_model else further.plan, walking, further.lead)
        attempt.check()
        best, told = (attempt, False) if attempt.is_better(best) else (best, True)
        may_follow = following.is_possible(run, by_model=by_model)
    best.restore()
    if best.only_points():
        best.take_back()
    if shows_late:
        yield from best.list_drafts()
        run.stop_if_asked()
    yield from () if told else best.list_steps()
    yield from run.claims


class Attempt:
    """An answer drafted from what was read, with what its check came to.

    Offline it is made of the walks of one plan: after a `lead`, of those it led to, with the sentences that lead there.
    """

    def __init__(self, run: RunState, plan: QueryPlan, walking: Walking, lead: Lead | None = None) -> None:
        self._run = run
        context, self._packed = _context(run, run.each or plan, walking)
        is_each = run.each is not None and find_versions(context) is None
        self._each = answer_each(run, run.each, context) if run.each is not None and is_each else None
        run.draft, self._notes = (
            (self._each.draft, []) if self._each is not None else _draft_answer(run, context, walking)
        )
        self._make_checker = partial(Checker, run, run.each or plan, context, walking)
        self.checker = self._make_checker()
        self._lead = None if self.checker.by_model else lead
        may_part = not self.checker.by_model and self._each is None and self._lead is None
        self._parted = answer_parts(run, self.checker.walks, context) if may_part else None
        if self._lead is not None and run.draft.claims:
            run.draft = replace(run.draft, claims=(*run.draft.claims, *_lead_claims(self._lead)))
        self._state: tuple[Any, ...] = ()
        self._latency_ms = 0.0

    def check(self) -> None:
        """Check the draft, and keep what came of it."""
        run, started = self._run, self._run.clock()
        self.checker.check(len(self._lead.chain) if self._lead else 0, self._each)
        if self._parted is not None:
            self._choose_parted(self._parted)
        self._latency_ms = (run.clock() - started) * 1000
        self._state = (run.draft, run.claims, run.confidence, run.passages, run.struck, run.unwritten, run.taken_over)

    def _choose_parted(self, parted: "PartsAnswered") -> None:
        """Answer part by part where the answer to the whole leaves a part out, or is told with less.

        What answers only some parts, and not strongly, is no better than what answers the whole.
        """
        run, claims, answered = self._run, self._run.claims, parted.answered
        confidence = run.confidence if any(is_supported(claim) for claim in claims) else None
        # What was compared or counted is the answer to all that is asked of it.
        is_worked = any(signal.name in _WHOLE for claim in run.draft.claims[:1] for signal in claim.signals)
        unmet = parted.list_unmet(claims) if confidence is not None and not is_worked else ()
        is_whole = confidence is not None and not unmet and not run.draft.missing
        may_stand = answered.confidence is not None and (not answered.draft.missing or parted.is_firm)
        if may_stand and confidence is not None and len(unmet) <= len(answered.draft.missing):
            # An answer to some parts stands for no more than what tells as many of them, and is shown.
            may_stand = not answered.draft.missing or not unmet or confidence.strength is Strength.WEAK
        if may_stand and not (is_whole and _stands_before(run, answered)):
            run.draft, self.checker = answered.draft, self._make_checker()
            self.checker.check(each=answered)
        elif confidence is not None and unmet:
            run.draft = replace(run.draft, missing=tuple(dict.fromkeys((*run.draft.missing, *unmet))))
            run.confidence = cap_partial(confidence)

    def restore(self) -> None:
        """Make this the run's answer again; where nothing holds, the closest passages are those of all walks."""
        run = self._run
        (run.draft, run.claims, run.confidence, run.passages, run.struck, run.unwritten, run.taken_over) = self._state
        if run.leads and not self.is_held:
            run.passages = self.checker.find_closest()

    @property
    def is_held(self) -> bool:
        """Whether a claim holds and is certain enough to be shown."""
        return any(is_supported(claim) for claim in self._state[1])

    @property
    def unmet(self) -> tuple[str, ...]:
        """What the draft itself says is missing."""
        draft: AnswerDraft = self._state[0]
        return draft.missing

    @property
    def is_wanting(self) -> bool:
        """Whether more is to be read: nothing holds, something is missing, or the answer is not certain."""
        confidence: Confidence | None = self._state[2]
        by_model = self.checker.by_model
        return not self.is_held or bool(self.unmet) or not (by_model or _is_strong(confidence))

    def list_leaning(self) -> frozenset[tuple[str, int]]:
        """The nodes cited by an answer that misses nothing: only what these say may still lead on; else none."""
        if not self.is_held or self.unmet:
            return frozenset()
        return frozenset((cited.document, cited.key) for claim in self._state[1] for cited in claim.citations)

    def is_better(self, other: "Attempt") -> bool:
        """Whether this answer is to be shown in place of an earlier one."""
        if not self.is_held or len(self.unmet) > len(other.unmet):
            return False
        if not other.is_held or len(self.unmet) < len(other.unmet):
            return True
        return not self.checker.by_model and self._state[2].value > other._state[2].value

    def only_points(self) -> bool:
        """Whether an offline answer is no more than a sentence that points to another document, which has no answer."""
        pointing = {(lead.quote.document, lead.quote.key) for lead in self._run.leads if lead.is_place}
        cited = self.list_leaning() if not self.checker.by_model and self._lead is None else frozenset()
        return bool(cited) and cited <= pointing

    def take_back(self) -> None:
        """Show the closest passages in place of the answer."""
        run = self._run
        run.draft, run.claims, run.confidence = replace(run.draft, claims=(), value=""), [], None
        run.passages = self.checker.find_closest()
        self._state = (run.draft, run.claims, None, run.passages, *self._state[4:])

    def list_drafts(self) -> Iterator[ClaimEvent]:
        """The claims as drafted."""
        for order, claim in enumerate(self._state[0].claims if self._state else self._run.draft.claims, 1):
            yield ClaimEvent(order, claim.text, "draft", table=claim.table)

    def list_steps(self) -> Iterator[StepEvent]:
        """The VERIFY step; none where there was nothing to check."""
        if self._run.draft.claims or self._notes or self._packed or self.checker.withheld:
            found = {
                **self.checker.observation(self._notes),
                **({"context": self._packed} if self._packed else {}),
            }
            yield self._run.count_step(_verify_step(self._run, found, self._latency_ms))


WORKED = frozenset({"reads_rank", "reads_compute", "reads_count", "reads_filter", "reads_members", "reads_periods"})
"""Signals of an answer that was worked out over rows."""
_WHOLE = WORKED | {READS_ENTRY}
"""Signals of an answer that was chosen by every part of the question."""


def _stands_before(run: RunState, parted: "EachAnswered") -> bool:
    """Whether the run's answer, which answers every part, is as strong as that of the parts and no longer.

    One entry that answers all parts stands before what was put together; lines of a form, each chosen by its part,
    stand before a passage that is less certain.
    """
    if run.confidence is None or parted.confidence is None or parted.draft.missing:
        return True
    if run.draft.claims and _is_chosen(run.draft.claims[0]):
        return True
    is_surer = _is_strong(parted.confidence) or parted.confidence.value > run.confidence.value
    if all(map(_is_chosen, parted.draft.claims)) and is_surer:
        return False
    is_longer = len(run.draft.claims) > len(parted.draft.claims)
    is_weaker = _is_strong(parted.confidence) and not _is_strong(run.confidence)
    return not is_longer and not is_weaker


def _is_chosen(claim: DraftClaim) -> bool:
    """Whether a claim tells cells of a row, or a line of a form, chosen by what a part asks for."""
    return any(signal.name == READS_ENTRY for signal in claim.signals)


@dataclass(frozen=True, slots=True)
class EachAnswered:
    """The answers of several documents to one question, a sentence each, and how certain the least of them is."""

    draft: AnswerDraft
    confidence: Confidence | None


def answer_each(run: RunState, plan: QueryPlan, context: SynthesisContext) -> EachAnswered:
    """Ask each document that was walked by itself; one whose answer is missing or too weak is named as missing."""
    claims, confidences, missing = list[DraftClaim](), list[Confidence](), list[str]()
    for walk in run.walks:
        title = walk.entry.title or walk.entry.name
        found = _answer_one(walk, plan, replace(context, facts=tuple(walk.facts)))
        if found is None:
            missing.append(title)
        else:
            claims.append(_put_title(title, found[0]))
            confidences.append(found[1])
    if not claims:
        return EachAnswered(AnswerDraft(), None)
    least = min(confidences, key=lambda confidence: confidence.value)
    # Wherever there is no answer, part of what is asked is not covered.
    whole = replace(least, parts_covered=len(claims) / (len(claims) + len(missing) + len(run.unread)))
    return EachAnswered(AnswerDraft(tuple(claims), missing=(*missing, *run.unread)), whole)


def _answer_one(walk: Walk, plan: QueryPlan, context: SynthesisContext) -> tuple[DraftClaim, Confidence] | None:
    """The answer of one document as one claim, with its confidence; None when it is too weak to be shown."""
    drafted = compose(context).claims
    grounder = Grounder(
        documents={walk.entry.id: walk.document},
        periods=(plan.question, *_periods(plan), *context.names.values()),
        read=[(fact.document, fact.key) for fact in walk.facts],
        question=plan.question,
    )
    claims = [grounder.check(order, claim) for order, claim in enumerate(drafted, 1)]
    if not claims or not is_supported(claims[0]):
        return None
    confidence = confidence_of(plan, drafted, claims, {walk.entry.id: walk.finder})
    return None if confidence.strength is Strength.WEAK else (drafted[0], confidence)


@dataclass(frozen=True, slots=True)
class PartsAnswered:
    """The answer of each thing that a question asks, and the finders that tell whether another answer holds it."""

    answered: EachAnswered
    finders: Mapping[str, Mapping[str, Finder]]
    is_firm: bool = False
    """Whether all that is answered is answered strongly: a weaker answer to some of it is none to the question."""

    def list_unmet(self, claims: Sequence[ClaimEvent]) -> tuple[str, ...]:
        """The parts that claims do not answer: their words say too little of it, or hold nothing of its kind."""
        held = [claim for claim in claims if is_supported(claim)]
        kinds = [_kinds_of(finders) for finders in self.finders.values()]
        return tuple(
            name_part(part)
            for (part, finders), kind in zip(self.finders.items(), kinds, strict=True)
            if not says_part(part, held, finders, by_itself=kinds.count(kind) > 1)
        )


def _kinds_of(finders: Mapping[str, Finder]) -> set[Wanted]:
    """The kinds of thing that a part asks for."""
    return {requirement.wanted for requirement in requirements_of(next(iter(finders.values())).plan)}


def answer_parts(run: RunState, walks: Sequence[Walk], context: SynthesisContext) -> PartsAnswered | None:
    """Answer each thing that the question asks by itself; one whose answer is missing or too weak is named as missing.

    None of a question that asks one thing.
    """
    words = walks[0].parts.keys() if walks else ()
    if not words:
        return None
    finders = {part: {walk.entry.id: walk.parts[part].finder for walk in walks} for part in words}
    found = {part: _answer_part([walk.parts[part] for walk in walks], context) for part in words}
    _drop_repeated(found)
    told = [answer for answer in found.values() if answer is not None]
    for part in words:
        found[part] = found[part] or _find_told(part, told, finders[part])
    claims = list[DraftClaim]()
    for answer in told:
        for claim in answer.drafted:
            if any(_is_within(claim, other) for other in claims):
                continue
            if claims and (joined := _join_values(claims[-1], claim)) is not None:
                claims[-1] = joined
            else:
                claims.append(claim)
    answered = [answer for answer in found.values() if answer is not None]
    missing = tuple(name_part(part) for part in words if found[part] is None)
    if not answered:
        return PartsAnswered(EachAnswered(AnswerDraft(), None), finders)
    least = min((answer.confidence for answer in answered), key=lambda confidence: confidence.value)
    is_firm = all(answer.confidence.strength is Strength.STRONG for answer in answered)
    if missing:
        least = cap_partial(replace(least, parts_covered=len(answered) / len(words)))
    return PartsAnswered(EachAnswered(AnswerDraft(tuple(claims), missing=missing), least), finders, is_firm)


@dataclass(frozen=True, slots=True)
class PartAnswered:
    """The answer of one thing asked, as drafted and as checked, with its confidence."""

    plan: QueryPlan
    drafted: tuple[DraftClaim, ...]
    claims: tuple[ClaimEvent, ...]
    confidence: Confidence


def _answer_part(parts: Sequence[Walk], context: SynthesisContext) -> PartAnswered | None:
    """The claims that answer one thing asked, read for it alone; None when that is too weak."""
    plan = parts[0].plan
    draft = compose(replace(context, plan=plan, facts=tuple(fact for part in parts for fact in part.facts)))
    drafted = draft.claims if draft.claims and draft.claims[0].text.endswith(":") else draft.claims[:1]
    grounder = Grounder(
        documents={part.entry.id: part.document for part in parts},
        periods=(plan.question, *_periods(plan), *context.names.values()),
        read=[(fact.document, fact.key) for part in parts for fact in part.facts],
        question=context.plan.question,
    )
    claims = tuple(grounder.check(order, claim) for order, claim in enumerate(drafted, 1))
    if draft.missing or not claims or not all(is_supported(claim) for claim in claims):
        return None
    finders = {part.entry.id: part.finder for part in parts}
    # A line of a form was chosen by what the part asks for; its name may be none of the part's words.
    if not _is_chosen(drafted[0]) and not says_part(plan.focus, claims, finders, by_itself=True):
        return None
    confidence = confidence_of(plan, drafted, claims, finders)
    return None if confidence.strength is Strength.WEAK else PartAnswered(plan, drafted, claims, confidence)


def _drop_repeated(found: dict[str, PartAnswered | None]) -> None:
    """Take back the answer of a part that quotes the one number, date or time that another part of its kind quotes."""
    seen: list[PartAnswered] = []
    for part, answer in found.items():
        if answer is None:
            continue
        if any(_is_repeated(answer, other) for other in seen):
            found[part] = None
        else:
            seen.append(answer)


def _is_repeated(answer: PartAnswered, other: PartAnswered) -> bool:
    """Whether two answers to things of a kind are one and the same, and it holds only one such thing."""
    alike, kinds = set(requirements_of(answer.plan)), {each.wanted for each in requirements_of(other.plan)}
    is_same = all(any(_is_within(claim, one) for one in other.drafted) for claim in answer.drafted)
    text = " ".join(quote.quote for claim in answer.drafted for quote in claim.quotes)
    return is_same and any(each.wanted in kinds and not holds_several(each, text, 2) for each in alike)


def _find_told(part: str, told: Sequence[PartAnswered], finders: Mapping[str, Finder]) -> PartAnswered | None:
    """The answer of another part that says this one too; None where none does for certain enough."""
    plan = next(iter(finders.values())).plan
    for answer in told:
        is_alike = {requirement.wanted for requirement in requirements_of(answer.plan)} == _kinds_of(finders)
        if says_part(part, answer.claims, finders, by_itself=is_alike) and not _is_repeated(
            replace(answer, plan=plan), answer
        ):
            confidence = confidence_of(plan, answer.drafted, answer.claims, finders)
            if confidence.strength is not Strength.WEAK:
                return replace(answer, confidence=confidence)
    return None


def _is_within(claim: DraftClaim, other: DraftClaim) -> bool:
    """Whether another claim quotes all that a claim quotes, and says it too."""
    told = _without_tense(claim.text)
    says = told in _without_tense(other.text) or any(told in _without_tense(quote.quote) for quote in other.quotes)
    return says and all(
        any((q.document, q.key) == (o.document, o.key) and q.quote in o.quote for o in other.quotes)
        for q in claim.quotes
    )


_VALUE = re.compile(r"(?P<name>The [^.]+?) (?P<verb>is|are|was|were) (?P<value>.+)\.")


def _join_values(first: DraftClaim, second: DraftClaim) -> DraftClaim | None:
    """Two values of one line as one sentence: "The depth was 3 m (at low tide) and 7 m (at high tide)."."""
    one, other = _VALUE.fullmatch(first.text), _VALUE.fullmatch(second.text)
    if one is None or other is None or one["name"] != other["name"] or first.quotes != second.quotes:
        return None
    return replace(first, text=f"{first.text.removesuffix('.')} and {other['value']}.")


def _without_tense(text: str) -> str:
    return " ".join(re.sub(r"\b(?:is|are|was|were)\b", " ", text).split())


def name_part(part: str) -> str:
    """How a part that nothing answers is named: in its own words, as a quotation."""
    return f"“{part}”"


def _put_title(title: str, claim: DraftClaim) -> DraftClaim:
    """The claim under the title of its document, unless it names that itself."""
    return claim if title in claim.source else replace(claim, text=f"{title}: {claim.text}")


def _is_strong(confidence: Confidence | None) -> bool:
    return confidence is not None and confidence.strength is Strength.STRONG


def _lead_claims(lead: Lead) -> list[DraftClaim]:
    """The sentences that led to where the answer stands, each its own quote."""
    return [DraftClaim(" ".join(quote.quote.split()), (quote,)) for quote in lead.chain]


LED = 0.9
"""What an answer keeps of its confidence for each sentence that led to it: the sentence may name another one than is
meant. Chosen by hand; the calibration was fitted on answers of one document."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A claim that was sent back with its objections, and the claims that came of it: none when it is struck."""

    objected: Objected
    mended: tuple[DraftClaim, ...] = ()
    withdrawn: bool = False


class Checker:
    """Checks the draft of a run. A model's claims that do not hold are sent back to it once, all in one message."""

    def __init__(self, run: RunState, plan: QueryPlan, context: SynthesisContext, walking: Walking) -> None:
        self._run, self._plan, self._context, self._walking = run, plan, context, walking
        documents = {walk.entry.id: walk.document for walk in run.walks}
        self.walks = _walks_of(run, plan, walking)
        self._grounder = Grounder(
            documents=documents,
            periods=(plan.question, *_periods(plan), *context.names.values()),
            read=[
                *((fact.document, fact.key) for walk in run.walks for fact in walk.facts),
                *((p.document, p.key) for p in context.passages),
            ],
            question=plan.question,
            pictures=_list_pages_shown(run),
            is_whole=lambda table: _was_shown_whole(run, documents[table[0]].tree.node(table[1]).text),
        )
        self._sent: list[Sent] = []
        self.notes: list[str] = []
        self.withheld: dict[str, Any] = {}
        """An offline answer that was not certain enough, as JSON values; empty for none."""

    def check(self, led: int = 0, each: "EachAnswered | None" = None) -> None:
        """Set the run's claims, its draft to what was checked in the end, its confidence and the closest passages.

        The last `led` claims of an offline draft only tell what led to the others: all of them must hold. The
        answers of `each` document were judged one by one.
        """
        run = self._run
        if self.by_model:
            self._put_objections()
        run.claims = [self._grounder.check(order, claim) for order, claim in enumerate(run.draft.claims, 1)]
        self._tell_withdrawn()
        self.notes += self._grounder.notes
        run.struck = sum(not sent.mended and not sent.withdrawn for sent in self._sent)
        is_held = any(is_supported(claim) for claim in run.claims)
        if self.by_model:
            run.confidence = self._model_confidence() if is_held else None
        elif each is not None:
            run.confidence = each.confidence if is_held else None
        elif run.claims:
            run.confidence = self._measure_confidence(led)
            is_held = is_held and not self._withhold(run.confidence)
        run.passages = () if is_held else self.find_closest()

    def _measure_confidence(self, led: int) -> Confidence:
        """The confidence of an offline answer; less when sentences led to it, none when one of these does not hold."""
        answer = len(self._run.claims) - led
        found = confidence_of(self._plan, self._run.draft.claims[:answer], self._run.claims[:answer], self._finders)
        if not led:
            return found
        holds = all(is_supported(claim) for claim in self._run.claims[answer:])
        value = found.value * LED**led if holds else 0.0
        return replace(found, value=value, strength=strength_of(found.signals, value))

    def observation(self, failed: Sequence[str]) -> dict[str, Any]:
        """What was sent back and what became of it, as JSON values; `note` is the sentence for the step's card.

        `failed` says why the model wrote no answer, or what was left out for it to write one.
        """
        rows = [
            {
                "text": sent.objected.claim.text,
                "objections": list(sent.objected.objections),
                "became": [claim.text for claim in sent.mended] or ("withdrawn" if sent.withdrawn else "struck"),
            }
            for sent in self._sent
        ]
        looked_up = self._look_up()
        passages = say_count(
            len(looked_up), "passage that no step had brought was", "passages that no step brought were"
        )
        looked = [f"{passages} looked up to check a quote."] if looked_up else []
        notes = [*failed, *self.notes, *looked]
        note = " ".join([*failed, *self.notes[: bool(self._sent)], *looked])
        parts: dict[str, Any] = {"unwritten": self._run.unwritten, "sent_back": rows, "note": note, "notes": notes}
        parts |= {"withheld": self.withheld, "looked_up": looked_up}
        return {name: part for name, part in parts.items() if part}

    def _look_up(self) -> list[dict[str, Any]]:
        """Nodes of quotes that no step of a walk had brought: this one looked them up, as JSON values.

        A model may quote what its outline says of a section.
        """
        opened = {(walk.entry.id, key) for walk in self._run.walks for key in walk.opened}
        cited = [evidence for claim in self._run.claims for evidence in claim.citations]
        found = [one for one in cited if one.check not in (Check.MISSING, Check.PICTURE)]
        pages = {(one.document, one.key): one.page_index + 1 for one in found}
        return [{"document": at[0], "key": at[1], "page": page} for at, page in pages.items() if at not in opened]

    @property
    def by_model(self) -> bool:
        """Whether the model wrote the draft, and not the offline reasoner."""
        return self._walking.planner is not self._walking.fallback and not self._run.taken_over

    def _withhold(self, confidence: Confidence) -> bool:
        """Take a weak answer back, in a model's place as without one; its quotes are among the closest."""
        if confidence.strength is not Strength.WEAK:
            return False
        held = [claim for claim in self._run.claims if is_supported(claim)]
        self.withheld = {
            "answer": "\n".join(_append_markers(claim) for claim in held),
            "value": self._run.draft.value,
            "citations": [
                {"document": cited.document, "page": cited.page_index + 1, "quote": cited.quote}
                for claim in held
                for cited in claim.citations
            ],
            "confidence": confidence.value,
            "signals": {signal.name: signal.share for signal in confidence.signals},
        }
        self._run.draft = replace(self._run.draft, claims=(), value="", missing=())
        self._run.claims, self._run.confidence = [], None
        return True

    @property
    def _finders(self) -> dict[str, Finder]:
        return {walk.entry.id: walk.finder for walk in self.walks}

    def _put_objections(self) -> None:
        """Put everything that speaks against the draft to the model, and take what it mends."""
        draft = self._run.draft
        found = [Objected(claim, self._grounder.objections(claim)) for claim in draft.claims]
        objected = [row for row in found if row.objections]
        if not objected:
            return
        try:
            again = self._walking.planner.redraft(self._context, draft, objected)
        except ModelError as error:
            self._sent = [Sent(row) for row in objected]
            sentences = say_count(len(objected), "sentence does", "sentences do")
            self.notes.append(f"{sentences} not hold, and {draft.engine} could not be asked again: {error.message}")
            return
        standing = [row.claim.text for row in found if not row.objections]
        self.notes += [again.note] if again.note else []
        self._sent = self._take(objected, _without_repeats(again.claims, standing))
        became = {sent.objected.claim: sent.mended for sent in self._sent if sent.mended}
        claims = [claim for row in found for claim in became.get(row.claim, (row.claim,))]
        value, missing = again.value or draft.value, again.missing or draft.missing
        self._run.draft = replace(draft, claims=tuple(claims), value=value, missing=missing)
        self.notes.append(_describe_sent(draft.engine, self._sent))

    def _take(self, objected: Sequence[Objected], returned: Sequence[DraftClaim]) -> list[Sent]:
        """What became of each claim: those that came for it and hold now, else it is withdrawn or stays struck."""
        came = match_claims([row.claim for row in objected], returned)
        return [
            Sent(row, tuple(c for c in claims if not self._grounder.objections(c)), withdrawn=not claims)
            for row, claims in zip(objected, came, strict=True)
        ]

    def _tell_withdrawn(self) -> None:
        """Say of each sentence that was withdrawn that it was, beside what spoke against it."""
        withdrawn = {sent.objected.claim for sent in self._sent if sent.withdrawn}
        self._run.claims = [
            replace(claim, because=f"{claim.because} Asked again, {self._run.draft.engine} withdrew it.")
            if draft in withdrawn
            else claim
            for draft, claim in zip(self._run.draft.claims, self._run.claims, strict=True)
        ]

    def _model_confidence(self) -> Confidence:
        claims = self._run.claims
        held = [claim for claim in claims if is_supported(claim)]
        mended = sum(len(sent.mended) for sent in self._sent)
        return weigh_checks(
            ModelChecks(
                held=len(held) / (len(held) + self._run.struck),
                mended=mended / len(held),
                fuzzy=fuzzy_share(claims),
                parts=parts_spoken_of(self._plan, claims, self._finders),
                says_missing=bool(self._run.draft.missing),
                agrees=self._agrees(held),
                pictured=pictured_share(claims),
                is_judged=self._is_judged(),
            )
        )

    def _is_judged(self) -> bool:
        """Whether the first sentence that holds, which says what was asked, is worked out again by no check."""
        pairs = zip(self._run.draft.claims, self._run.claims, strict=True)
        first = next((draft for draft, claim in pairs if is_supported(claim)), None)
        return first is not None and self._grounder.is_left_to_the_reader(first)

    def _agrees(self, held: Sequence[ClaimEvent]) -> bool:
        """Whether the figure that the offline reasoner comes to is stated by a claim that holds."""
        value = self._walking.fallback.synthesise(self._context, ()).value
        stated = [figure for claim in held for figure in list_stated_numbers(claim.text)]
        return bool(value) and not find_unaccounted_numbers(value, stated)

    def find_closest(self) -> tuple[Evidence, ...]:
        """The passages of all walks that come nearest to the question."""
        cited = (self._grounder.cite(quote) for quote in find_closest_passages(self._run.walks))
        return tuple(evidence for evidence in cited if evidence.check is not Check.MISSING)


def match_claims(sent: Sequence[DraftClaim], returned: Sequence[DraftClaim]) -> list[list[DraftClaim]]:
    """For each claim that was sent back the claims that came for it: in turn when none is lacking, else by words."""
    if len(sent) == len(returned):
        return [[claim] for claim in returned]
    came: list[list[DraftClaim]] = [[] for _ in sent]
    for claim in returned:
        likeness = [_likeness(claim.text, other.text) for other in sent]
        best = max(range(len(sent)), key=lambda place: (likeness[place], not came[place], -place))
        came[best].append(claim)
    return came


def _likeness(one: str, other: str) -> float:
    """Share of their words that two sentences have in common."""
    first, second = set(one.casefold().split()), set(other.casefold().split())
    return len(first & second) / max(1, len(first | second))


def _without_repeats(claims: Sequence[DraftClaim], standing: Sequence[str]) -> list[DraftClaim]:
    """The claims without those that say again what stands already, or twice the same."""
    seen = {_plain(text) for text in standing}
    kept = []
    for claim in claims:
        if _plain(claim.text) not in seen:
            seen.add(_plain(claim.text))
            kept.append(claim)
    return kept


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _describe_sent(engine: str, sent: Sequence[Sent]) -> str:
    """ "2 sentences were sent back to qwen3:8b: 1 was mended, 1 is struck (The number 9 stands in none ...)." """
    mended = sum(bool(row.mended) for row in sent)
    withdrawn = sum(row.withdrawn for row in sent)
    struck = [row for row in sent if not row.mended and not row.withdrawn]
    parts = [say_count(mended, "was mended", "were mended")] if mended else []
    parts += [say_count(withdrawn, "was withdrawn", "were withdrawn")] if withdrawn else []
    parts += [say_count(len(struck), "is struck", "are struck")] if struck else []
    why = " ".join(dict.fromkeys(row.objected.objections[0] for row in struck))
    sentences = say_count(len(sent), "sentence was", "sentences were")
    return f"{sentences} sent back to {engine}: {join_names(parts)}." + (f" {why}" if why else "")


def _context(run: RunState, plan: QueryPlan, walking: Walking) -> tuple[SynthesisContext, dict[str, Any]]:
    """What a draft is written from, and the account of what was packed for a model; offline the facts suffice."""
    walks = _walks_of(run, plan, walking)
    context = SynthesisContext(
        plan=plan,
        facts=tuple(fact for walk in walks for fact in walk.facts),
        passages=(),
        names={walk.entry.id: walk.entry.title or walk.entry.name for walk in run.walks},
        tokens=run.limits.token_budget,
        drafts=tuple(walk.draft for walk in run.walks if walk.draft is not None),
    )
    if walking.planner is walking.fallback:
        return context, {}
    looked = [walk for walk in run.walks if not were_pictures_refused(walk.dialogue)]
    context = replace(context, pictures=tuple(picture for walk in looked for picture in walk.seen))
    room = passages_room(context, _steps(run))
    gathered = gather_evidence(run.walks, names=context.names, tokens=room, size_of=passage_tokens)
    context = replace(context, passages=gathered.passages, left_out=gathered.left_out)
    return context, gathered.observation


def _walks_of(run: RunState, plan: QueryPlan, walking: Walking) -> list[Walk]:
    """The walks whose findings answer a plan: facts are read for one. A model is shown what all walks brought."""
    if walking.planner is not walking.fallback and not run.taken_over:
        return run.walks
    return [walk for walk in run.walks if walk.plan is plan]


def _steps(run: RunState) -> list[StepEvent]:
    return [step for walk in run.walks for step in walk.steps]


def _draft_answer(run: RunState, context: SynthesisContext, walking: Walking) -> tuple[AnswerDraft, list[str]]:
    """The planner's draft, with notes on it; the offline one when no call of the model brought anything in the run."""
    steps = _steps(run)
    if walking.planner is walking.fallback:
        return walking.fallback.synthesise(context, steps), []
    try:
        draft = walking.planner.synthesise(context, steps)
        return draft, [draft.note] if draft.note else []
    except ModelError as error:
        note = f"{run.engine} could not write the answer: {error.message}"
        run.unwritten = error.message
        run.taken_over = all(step.engine == walking.fallback.name for step in steps)
        if run.taken_over:
            return walking.fallback.synthesise(context, steps), [note]
        return AnswerDraft(engine=run.engine), [note]


def _periods(plan: QueryPlan) -> list[str]:
    years = {period.year for period in plan.periods}
    return [str(year) for year in sorted(years | {year - 1 for year in years} | set(years_in(plan.question)))]


def _verify_step(run: RunState, found: Mapping[str, Any], latency_ms: float) -> StepEvent:
    """The step's event; `found` is what its observation holds beside claims and checks."""
    citations = [citation for claim in run.claims for citation in claim.citations]
    struck = [claim for claim in run.claims if claim.support is Support.UNSUPPORTED]
    return StepEvent(
        walk=0,
        index=0,
        kind=StepKind.VERIFY,
        say=_describe_withheld(found["withheld"])
        if "withheld" in found
        else _describe_checks(citations, struck, sum(claim.calculation is not None for claim in run.claims)),
        thought="Find every quote in its place, account for every number, work every sum out again.",
        action="verify",
        observation={
            "claims": [
                {"order": claim.order, "support": str(claim.support), "because": claim.because} for claim in run.claims
            ],
            "checks": _count_checks(citations),
            **found,
        },
        confidence=run.confidence.claims_held if run.confidence else None,
        latency_ms=latency_ms,
        engine=run.draft.engine,
    )


def _describe_withheld(withheld: Mapping[str, Any]) -> str:
    share = round(100 * withheld["confidence"])
    return f"Held the best answer back: of answers like it, {share} in 100 were right"


def _count_checks(citations: Sequence[Evidence]) -> dict[str, int]:
    """How many citations were found in which way; pictures only where there are some."""
    counts = {check: sum(citation.check is check for citation in citations) for check in Check}
    return {check.value: count for check, count in counts.items() if count or check is not Check.PICTURE}


def _describe_checks(citations: Sequence[Evidence], struck: Sequence[ClaimEvent], sums: int) -> str:
    pages = {citation.marker for citation in citations if citation.check is Check.PICTURE}
    told = _describe_quotes([one for one in citations if one.marker not in pages], struck, sums, bool(pages))
    looked = say_count(len(pages), "page was", "pages were")
    return f"{told}; {looked} read as a picture, which nothing is compared with" if pages else told


def _describe_quotes(citations: Sequence[Evidence], struck: Sequence[ClaimEvent], sums: int, pictures: bool) -> str:
    distinct = {citation.marker: citation for citation in citations}
    missing = sum(citation.check is Check.MISSING for citation in distinct.values())
    if not distinct and not struck and not sums:
        return "Had no quote to check" if pictures else "Had nothing to check: no sentence was written"
    parts = [say_count(len(distinct), "quote")] if distinct or not sums else []
    parts += [say_count(sums, "calculation")] if sums else []
    if not struck:
        verb = "holds" if len(distinct) + sums == 1 else "all hold"
        return f"Checked {join_names(parts)}: {verb}"
    words = say_count(missing, "quote is not in the document", "quotes are not in the document")
    struck_words = say_count(len(struck), "sentence is struck out", "sentences are struck out")
    return f"Checked {join_names(parts)}: " + (f"{words}; " if missing else "") + struck_words


SHOWN_GAPS = 3


def conclude(run: RunState, plan: QueryPlan) -> Iterator[ReasoningEvent]:
    """The FINALIZE step and the CompleteEvent: answered, partial, passages or not_found."""
    outcome, reason = _outcome(run)
    reason += _describe_left_out(run)
    yield run.count_step(
        StepEvent(
            walk=0,
            index=0,
            kind=StepKind.FINALIZE,
            say=reason,
            action="finalize",
            observation={"outcome": outcome.value, "missing": list(run.draft.missing)},
            confidence=run.confidence.value if run.confidence else None,
            latency_ms=0.0,
            engine=run.draft.engine,
        )
    )
    yield _complete(run, outcome, reason)


def conclude_cancelled(run: RunState) -> CompleteEvent:
    """The end of a run that somebody stopped; steps and spend are kept."""
    return _complete(run, Outcome.CANCELLED, f"Stopped after {say_count(run.steps + run.outside, 'step')}.")


def conclude_failed(run: RunState, error: EngineError) -> CompleteEvent:
    """The end of a run that could not go on."""
    return CompleteEvent(
        outcome=Outcome.FAILED,
        reason=error.message,
        steps=run.steps + run.outside,
        tokens=run.spent().tokens_in,
        cost_usd=run.spent().cost_usd,
        seconds=run.seconds(),
        late=run.deadline.late,
        engine=run.engine,
        error_code=error.code,
        retryable=error.retryable,
    )


def _outcome(run: RunState) -> tuple[Outcome, str]:
    held, written = _select_supported_claims(run), len(run.claims)
    if not held:
        return (Outcome.PASSAGES, _closest(run)) if run.passages else (Outcome.NOT_FOUND, _not_found(run))
    if run.draft.missing or run.struck:
        told = f"Answered in part; {_open_parts(run, len(held))}"
        return Outcome.PARTIAL, f"{told}{_describe_pictured(held)}{_describe_scanned(run)}"
    told = say_count(written, "sentence holds", "sentences hold")
    told = told if len(held) == written else f"{len(held)} of {written} sentences hold"
    return Outcome.ANSWERED, f"Answered; {told}{_describe_pictured(held)}{_describe_scanned(run)}"


def _open_parts(run: RunState, held: int) -> str:
    """What a partial answer lacks: parts nobody found, sentences that were struck."""
    gaps = join_names([shorten_title(gap) for gap in run.draft.missing[:SHOWN_GAPS]])
    struck = f"{held} of {len(run.claims)} sentences hold" if run.struck else ""
    return "; ".join(part for part in (f"nothing was found for {gaps}" if gaps else "", struck) if part)


def _closest(run: RunState) -> str:
    """Why passages are shown in place of an answer."""
    number = len(run.passages)
    shown = "closest passage is" if number == 1 else f"{number} closest passages are"
    if run.unwritten:
        why = _unwritten(run)
    elif run.claims:
        who = "the built-in reasoner" if run.engine == OFFLINE else run.engine
        why = f"No sentence of {who} holds"
    elif run.engine == OFFLINE or run.taken_over:
        why = f"Nothing in {_say_documents(run)} answers this for certain"
    else:
        why = f"{run.engine} found no answer"
    return f"{why}; the {shown} shown{_describe_scanned(run)}"


def _unwritten(run: RunState) -> str:
    return f"{run.engine} wrote no answer ({run.unwritten.rstrip('.')})"


def _describe_left_out(run: RunState) -> str:
    """What the answer could not take into account."""
    titles = join_names([shorten_title(title) for title in run.left_out.values()])
    return f"; {titles} {'was' if len(run.left_out) == 1 else 'were'} left out, being read again" if titles else ""


def _select_supported_claims(run: RunState) -> list[ClaimEvent]:
    return [claim for claim in run.claims if is_supported(claim)]


def _not_found(run: RunState) -> str:
    if run.unwritten and not run.taken_over:
        return f"{_unwritten(run)}{_describe_scanned(run)}"
    documents = _say_documents(run)
    looked = say_count(len(run.list_checked()), "section that came near was", "sections that came near were")
    return (
        f"Nothing in {documents} answers this; {looked} read{_describe_word_counts(run)}{_describe_scanned(run)}"
        if documents
        else "No document was read"
    )


SHOWN_WORDS = 4


def _describe_word_counts(run: RunState) -> str:
    """ "; in the text: “lodger” 0 times, “attic” 3 times": how often the documents say the question's words."""
    finders = [walk.finder for walk in run.walks]
    asked = {term.term for term in finders[0].plan.terms if term.source == "question"} if finders else set()
    words = (
        [word.text for word in words_in(finders[0].plan.focus) if asked & set(analyse(word.text))] if finders else []
    )
    counts = {word: sum(finder.count_occurrences(word) for finder in finders) for word in dict.fromkeys(words)}
    rarest = sorted(counts, key=lambda word: counts[word])[:SHOWN_WORDS]
    told = [f"“{word}” {counts[word]} time{'' if counts[word] == 1 else 's'}" for word in words if word in rarest]
    return f"; in the text: {', '.join(dict.fromkeys(told))}" if told else ""


def _say_documents(run: RunState) -> str:
    titles = [shorten_title(walk.entry.title or walk.entry.name) for walk in run.walks]
    return join_names([*titles[:2], f"{len(titles) - 2} more"] if len(titles) > 2 else titles)


def _describe_scanned(run: RunState) -> str:
    """The documents whose pages are scanned: how much of what stands there was not looked at, and how much was."""
    unseen = _count_scanned(run, looked_at=False)
    seen = _count_scanned(run, looked_at=True)
    verb, number = ("has", "was") if sum(number for number, _ in unseen) == 1 else ("have", "were")
    could = f"{number} not looked at" if any(walk.pictures for walk in run.walks) else "could not be read"
    parts = [f"{join_names([told for _, told in unseen])} {verb} no text and {could}"] if unseen else []
    looked = ("was", "a picture") if sum(number for number, _ in seen) == 1 else ("were", "pictures")
    told = join_names([told for _, told in seen])
    parts += [f"{told} without text {looked[0]} looked at as {looked[1]}"] if seen else []
    return "".join(f"; {part}" for part in parts)


def _count_scanned(run: RunState, *, looked_at: bool) -> list[tuple[int, str]]:
    """Of each document the number of its scanned pages that were, or were not, looked at, and the same in words."""
    found, shown = [], _list_pages_shown(run)
    for walk in run.walks:
        report, title = walk.document.report, shorten_title(walk.entry.title or walk.entry.name)
        pages = sum(((walk.entry.id, page) in shown) is looked_at for page in report.unread_pages)
        if pages:
            found.append((pages, f"{pages} of {say_count(report.pages, 'page')} of {title}"))
    return found


def _list_pages_shown(run: RunState) -> set[tuple[str, int]]:
    """Pages that the model replied to as pictures, as (document, page index): a server may have refused others."""
    written_from = {picture.place for message in run.draft.conversation for picture in message.pictures}
    return written_from.union(*(walk.shown for walk in run.walks))


def _was_shown_whole(run: RunState, text: str) -> bool:
    """Whether every row of a table stood in a message to the model, one after the other."""
    rows = format_cells(text)
    return any(rows in message.content for message in run.draft.conversation if message.role == "user")


def _describe_pictured(held: Sequence[ClaimEvent]) -> str:
    """How many of the sentences that hold were read from pictures."""
    pictured = sum(claim.support is Support.PICTURED for claim in held)
    if not pictured:
        return ""
    return ", read from a picture" if pictured == len(held) == 1 else f", {pictured} of them read from a picture"


def _complete(run: RunState, outcome: Outcome, reason: str) -> CompleteEvent:
    held = _select_supported_claims(run)
    answered = outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    return CompleteEvent(
        outcome=outcome,
        reason=reason,
        answer="\n".join(_append_markers(claim) for claim in held) if answered else "",
        value=_value(run, held) if answered else "",
        confidence=run.confidence,
        grounded=answered and len(held) == len(run.claims) and not pictured_share(held),
        missing=run.draft.missing,
        checked=run.list_checked(),
        passages=run.passages if outcome is Outcome.PASSAGES else (),
        steps=run.steps + run.outside,
        tokens=run.spent().tokens_in,
        cost_usd=run.spent().cost_usd,
        seconds=run.seconds(),
        late=run.deadline.late,
        engine=run.draft.engine if run.draft.claims else run.engine,
    )


def _value(run: RunState, held: Sequence[ClaimEvent]) -> str:
    """The one number of the draft, if a claim that holds states it."""
    stated = [figure for claim in held for figure in list_stated_numbers(claim.text)]
    return "" if find_unaccounted_numbers(run.draft.value, stated) else run.draft.value


def _append_markers(claim: ClaimEvent) -> str:
    markers = "".join(f"[{marker}]" for marker in dict.fromkeys(citation.marker for citation in claim.citations))
    table = f"\n\n{write_table(claim.table)}\n" if claim.table else ""
    return f"{claim.text} {markers}".strip() + table
