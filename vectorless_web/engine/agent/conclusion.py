"""SYNTHESIZE, VERIFY and FINALIZE for the whole run: the answer drafted, every claim checked, the outcome stated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.context.outline import join_names, say_count, shorten_title
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, ReasoningEvent, StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.model.prompts import passage_tokens, passages_room
from vectorless_web.engine.agent.run import RunState
from vectorless_web.engine.agent.steps.packing import gather_evidence
from vectorless_web.engine.answers.agreement import find_unaccounted_numbers, list_stated_numbers
from vectorless_web.engine.answers.claims import (
    AnswerDraft,
    Check,
    ClaimEvent,
    Confidence,
    DraftClaim,
    Evidence,
    Support,
    SynthesisContext,
)
from vectorless_web.engine.answers.grounding import (
    Grounder,
    confidence_of,
    is_supported,
)
from vectorless_web.engine.errors import EngineError, ModelError
from vectorless_web.engine.figures.periods import years_in
from vectorless_web.engine.questions.plan import QueryPlan

LEAST_CONFIDENCE = 0.8
"""Confidence at which the offline reasoner's answer stands although the model found none."""


def answer_events(run: RunState, plan: QueryPlan, walking: Walking) -> Iterator[ReasoningEvent]:
    """Drafted claims as they are, then the VERIFY step, then each claim checked."""
    context, packed = _context(run, plan, walking)
    run.draft, notes = _draft_answer(run, context, walking)
    checker = Checker(run, plan, context, walking)
    notes += checker.replace_empty_answer()
    if not run.draft.claims:
        if notes or packed:
            yield run.count_step(_verify_step(run, notes, 0.0, packed))
        return
    for order, claim in enumerate(run.draft.claims, 1):
        yield ClaimEvent(order, claim.text, "draft")
    run.stop_if_asked()
    started = run.clock()
    checker.check()
    run.confidence = checker.confidence(run.draft.claims, run.claims)
    yield run.count_step(_verify_step(run, [*notes, *checker.notes], (run.clock() - started) * 1000, packed))
    yield from run.claims


class Checker:
    """Checks the draft of a run: one repair try for each quote that is missing, the offline draft if nothing holds."""

    def __init__(self, run: RunState, plan: QueryPlan, context: SynthesisContext, walking: Walking) -> None:
        self._run, self._plan, self._context, self._walking = run, plan, context, walking
        documents = {walk.entry.id: walk.document for walk in run.walks}
        self._grounder = Grounder(
            documents=documents,
            periods=(plan.question, *_periods(plan), *context.names.values()),
            read=[
                *((fact.document, fact.key) for fact in context.facts),
                *((p.document, p.key) for p in context.passages),
            ],
        )
        self.notes: list[str] = []

    def check(self) -> None:
        """Set the run's claims, and its draft to what was checked in the end."""
        drafts = [self._repair_draft(claim) for claim in self._run.draft.claims]
        self._run.claims = [self._grounder.check(order, claim) for order, claim in enumerate(drafts, 1)]
        self._run.draft = replace(self._run.draft, claims=tuple(drafts))
        self.notes += self._grounder.notes
        if not any(is_supported(claim) for claim in self._run.claims) and self._by_model:
            self._fall_back()

    def confidence(self, drafts: Sequence[DraftClaim], claims: Sequence[ClaimEvent]) -> Confidence:
        """How far checked claims can be trusted."""
        return confidence_of(self._plan, drafts, claims, {walk.entry.id: walk.finder for walk in self._run.walks})

    def replace_empty_answer(self) -> list[str]:
        """When a model finds no answer but the offline reasoner is sure of its own: that one, and a note of it."""
        if self._run.draft.claims or not self._by_model:
            return []
        offline = self._walking.fallback.synthesise(self._context, ())
        checked = [self._grounder.check(order, claim) for order, claim in enumerate(offline.claims, 1)]
        if not checked or self.confidence(offline.claims, checked).value < LEAST_CONFIDENCE:
            return ["The model found no answer in what was read."]
        self._run.draft = replace(offline, tokens=self._run.draft.tokens, cost_usd=self._run.draft.cost_usd)
        return ["The model found no answer in what was read; the offline reasoner is sure of its own."]

    @property
    def _by_model(self) -> bool:
        return self._run.draft.engine != self._walking.fallback.name

    def _repair_draft(self, claim: DraftClaim) -> DraftClaim:
        """The claim, or its repaired form when a quote was missing and is not any more."""
        if not self._by_model or all(place is not Check.MISSING for place in self._grounder.places(claim)):
            return claim
        try:
            again = self._walking.planner.requote(self._context, claim, "A quote does not stand in the document.")
        except ModelError as error:
            self.notes.append(f"A missing quote could not be asked for again: {error.message}")
            return claim
        found = again.claims and all(place is not Check.MISSING for place in self._grounder.places(again.claims[0]))
        self.notes.append("A missing quote was asked for once more and " + ("found." if found else "still not found."))
        return again.claims[0] if found else claim

    def _fall_back(self) -> None:
        """No claim of the model holds: the offline draft is checked behind them."""
        offline = self._walking.fallback.synthesise(self._context, ())
        self.notes.append("No sentence of the model could be checked; the offline reasoner answered.")
        first = len(self._run.claims) + 1
        checked = [self._grounder.check(order, claim) for order, claim in enumerate(offline.claims, first)]
        self._run.claims += checked
        self._run.draft = replace(
            offline,
            claims=(*self._run.draft.claims, *offline.claims),
            tokens=self._run.draft.tokens,
            cost_usd=self._run.draft.cost_usd,
        )


def _context(run: RunState, plan: QueryPlan, walking: Walking) -> tuple[SynthesisContext, dict[str, Any]]:
    """What a draft is written from, and the account of what was packed for a model; offline the facts suffice."""
    context = SynthesisContext(
        plan=plan,
        facts=tuple(fact for walk in run.walks for fact in walk.facts),
        passages=(),
        names={walk.entry.id: walk.entry.title or walk.entry.name for walk in run.walks},
        tokens=run.limits.token_budget,
    )
    if walking.planner is walking.fallback:
        return context, {}
    room = passages_room(context, _steps(run))
    gathered = gather_evidence(run.walks, names=context.names, tokens=room, size_of=passage_tokens)
    context = replace(context, passages=gathered.passages, left_out=gathered.left_out)
    return context, gathered.observation


def _steps(run: RunState) -> list[StepEvent]:
    return [step for walk in run.walks for step in walk.steps]


def _draft_answer(run: RunState, context: SynthesisContext, walking: Walking) -> tuple[AnswerDraft, list[str]]:
    """The planner's draft; when the model cannot write one, the offline draft and why."""
    steps = _steps(run)
    if walking.planner is walking.fallback:
        return walking.fallback.synthesise(context, steps), []
    try:
        return walking.planner.synthesise(context, steps), []
    except ModelError as error:
        note = f"The model could not write the answer: {error.message}"
        return walking.fallback.synthesise(context, steps), [note]


def _periods(plan: QueryPlan) -> list[str]:
    years = {period.year for period in plan.periods}
    return [str(year) for year in sorted(years | {year - 1 for year in years} | set(years_in(plan.question)))]


def _verify_step(run: RunState, notes: Sequence[str], latency_ms: float, packed: Mapping[str, Any]) -> StepEvent:
    citations = [citation for claim in run.claims for citation in claim.citations]
    struck = [claim for claim in run.claims if claim.support is Support.UNSUPPORTED]
    return StepEvent(
        walk=0,
        index=0,
        kind=StepKind.VERIFY,
        say=_describe_checks(citations, struck, sum(claim.calculation is not None for claim in run.claims)),
        thought="Find every quote in its place, account for every number, work every sum out again.",
        action="verify",
        observation={
            "claims": [
                {"order": claim.order, "support": str(claim.support), "because": claim.because} for claim in run.claims
            ],
            "checks": {check.value: sum(citation.check is check for citation in citations) for check in Check},
            **({"notes": list(notes)} if notes else {}),
            **({"context": dict(packed)} if packed else {}),
        },
        confidence=run.confidence.claims_held if run.confidence else None,
        latency_ms=latency_ms,
        engine=run.draft.engine,
    )


def _describe_checks(citations: Sequence[Evidence], struck: Sequence[ClaimEvent], sums: int) -> str:
    distinct = {citation.marker: citation for citation in citations}
    missing = sum(citation.check is Check.MISSING for citation in distinct.values())
    if not distinct and not struck:
        return "Had nothing to check: no sentence was written"
    parts = [say_count(len(distinct), "quote")] + ([say_count(sums, "calculation")] if sums else [])
    if not struck:
        verb = "holds" if len(distinct) == 1 and not sums else "all hold"
        return f"Checked {join_names(parts)}: {verb}"
    words = say_count(missing, "quote is not in the document", "quotes are not in the document")
    struck_words = say_count(len(struck), "sentence is struck out", "sentences are struck out")
    return f"Checked {join_names(parts)}: " + (f"{words}; " if missing else "") + struck_words


SHOWN_GAPS = 3


def conclude(run: RunState, plan: QueryPlan) -> Iterator[ReasoningEvent]:
    """The FINALIZE step and the CompleteEvent: answered, partial or not_found."""
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
    held = _select_supported_claims(run)
    if not held:
        return Outcome.NOT_FOUND, _not_found(run)
    if run.draft.missing:
        gaps = join_names([shorten_title(gap) for gap in run.draft.missing[:SHOWN_GAPS]])
        return Outcome.PARTIAL, f"Answered in part; nothing was found for {gaps}{_describe_scanned(run)}"
    if len(held) == len(run.claims):
        verb = "holds" if len(held) == 1 else "hold"
        return Outcome.ANSWERED, f"Answered; {say_count(len(held), 'sentence')} {verb}"
    return Outcome.ANSWERED, f"Answered; {len(held)} of {len(run.claims)} sentences hold"


def _describe_left_out(run: RunState) -> str:
    """What the answer could not take into account."""
    titles = join_names([shorten_title(title) for title in run.left_out.values()])
    return f"; {titles} {'was' if len(run.left_out) == 1 else 'were'} left out, being read again" if titles else ""


def _select_supported_claims(run: RunState) -> list[ClaimEvent]:
    return [claim for claim in run.claims if claim.support in (Support.SUPPORTED, Support.DERIVED)]


def _not_found(run: RunState) -> str:
    titles = [shorten_title(walk.entry.title or walk.entry.name) for walk in run.walks]
    documents = join_names([*titles[:2], f"{len(titles) - 2} more"] if len(titles) > 2 else titles)
    looked = say_count(len(run.list_checked()), "section that came near was", "sections that came near were")
    return (
        f"Nothing in {documents} answers this; {looked} read{_describe_scanned(run)}"
        if documents
        else "No document was read"
    )


def _describe_scanned(run: RunState) -> str:
    """The documents whose pages are scanned: what stands there was not looked at."""
    reports = [(walk.entry, walk.document.report) for walk in run.walks if walk.document.report.unread_pages]
    if not reports:
        return ""
    pages = [
        f"{len(report.unread_pages)} of {say_count(report.pages, 'page')} of {shorten_title(entry.title or entry.name)}"
        for entry, report in reports
    ]
    verb = "has" if sum(len(report.unread_pages) for _, report in reports) == 1 else "have"
    return f"; {join_names(pages)} {verb} no text and could not be read"


def _complete(run: RunState, outcome: Outcome, reason: str) -> CompleteEvent:
    held = _select_supported_claims(run)
    answered = outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    return CompleteEvent(
        outcome=outcome,
        reason=reason,
        answer="\n".join(_append_markers(claim) for claim in held) if answered else "",
        value=_value(run, held) if answered else "",
        confidence=run.confidence,
        grounded=answered and len(held) == len(run.claims),
        missing=run.draft.missing,
        checked=run.list_checked(),
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
    return f"{claim.text} {markers}".strip()
