"""SYNTHESIZE for the whole run and VERIFY: drafts the answer, checks every claim, measures the confidence."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.context.outline import join_names, say_count
from vectorless_web.engine.agent.events import ReasoningEvent, StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.model.prompts import passage_tokens, passages_room
from vectorless_web.engine.agent.run import RunState
from vectorless_web.engine.agent.steps.packing import gather_evidence
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
from vectorless_web.engine.answers.confidence import confidence_of, is_supported
from vectorless_web.engine.answers.grounding import Grounder
from vectorless_web.engine.errors import ModelError
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
