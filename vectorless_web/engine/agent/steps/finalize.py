"""FINALIZE: the stated outcome of a run, in one sentence, with everything a reader needs to judge it."""

from collections.abc import Iterator, Sequence

from vectorless_web.engine.agent.context.outline import count, listed, short
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, ReasoningEvent, StepEvent, StepKind
from vectorless_web.engine.agent.run import Run
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.answers.grounding import stated_in, unaccounted
from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.questions.plan import QueryPlan

SHOWN_GAPS = 3


def conclude(run: Run, plan: QueryPlan) -> Iterator[ReasoningEvent]:
    """The FINALIZE step and the CompleteEvent: answered, partial or not_found."""
    outcome, reason = _outcome(run)
    reason += _without(run)
    yield run.told(
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


def cancelled(run: Run) -> CompleteEvent:
    """The end of a run that somebody stopped; steps and spend are kept."""
    return _complete(run, Outcome.CANCELLED, f"Stopped after {count(run.steps + run.outside, 'step')}.")


def failed(run: Run, error: EngineError) -> CompleteEvent:
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


def _outcome(run: Run) -> tuple[Outcome, str]:
    held = _held(run)
    if not held:
        return Outcome.NOT_FOUND, _not_found(run)
    if run.draft.missing:
        gaps = listed([short(gap) for gap in run.draft.missing[:SHOWN_GAPS]])
        return Outcome.PARTIAL, f"Answered in part; nothing was found for {gaps}{_unread(run)}"
    if len(held) == len(run.claims):
        verb = "holds" if len(held) == 1 else "hold"
        return Outcome.ANSWERED, f"Answered; {count(len(held), 'sentence')} {verb}"
    return Outcome.ANSWERED, f"Answered; {len(held)} of {len(run.claims)} sentences hold"


def _without(run: Run) -> str:
    """What the answer could not take into account."""
    titles = listed([short(title) for title in run.left_out.values()])
    return f"; {titles} {'was' if len(run.left_out) == 1 else 'were'} left out, being read again" if titles else ""


def _held(run: Run) -> list[ClaimEvent]:
    return [claim for claim in run.claims if claim.support in (Support.SUPPORTED, Support.DERIVED)]


def _not_found(run: Run) -> str:
    titles = [short(walk.entry.title or walk.entry.name) for walk in run.walks]
    documents = listed([*titles[:2], f"{len(titles) - 2} more"] if len(titles) > 2 else titles)
    looked = count(len(run.checked()), "section that came near was", "sections that came near were")
    return f"Nothing in {documents} answers this; {looked} read{_unread(run)}" if documents else "No document was read"


def _unread(run: Run) -> str:
    """The documents whose pages are scanned: what stands there was not looked at."""
    reports = [(walk.entry, walk.document.report) for walk in run.walks if walk.document.report.unread_pages]
    if not reports:
        return ""
    pages = [
        f"{len(report.unread_pages)} of {count(report.pages, 'page')} of {short(entry.title or entry.name)}"
        for entry, report in reports
    ]
    verb = "has" if sum(len(report.unread_pages) for _, report in reports) == 1 else "have"
    return f"; {listed(pages)} {verb} no text and could not be read"


def _complete(run: Run, outcome: Outcome, reason: str) -> CompleteEvent:
    held = _held(run)
    answered = outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    return CompleteEvent(
        outcome=outcome,
        reason=reason,
        answer="\n".join(_cited(claim) for claim in held) if answered else "",
        value=_value(run, held) if answered else "",
        confidence=run.confidence,
        grounded=answered and len(held) == len(run.claims),
        missing=run.draft.missing,
        checked=run.checked(),
        steps=run.steps + run.outside,
        tokens=run.spent().tokens_in,
        cost_usd=run.spent().cost_usd,
        seconds=run.seconds(),
        late=run.deadline.late,
        engine=run.draft.engine if run.draft.claims else run.engine,
    )


def _value(run: Run, held: Sequence[ClaimEvent]) -> str:
    """The one number of the draft, if a claim that holds states it."""
    stated = [figure for claim in held for figure in stated_in(claim.text)]
    return "" if unaccounted(run.draft.value, stated) else run.draft.value


def _cited(claim: ClaimEvent) -> str:
    markers = "".join(f"[{marker}]" for marker in dict.fromkeys(citation.marker for citation in claim.citations))
    return f"{claim.text} {markers}".strip()
