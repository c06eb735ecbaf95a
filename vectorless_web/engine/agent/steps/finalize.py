"""FINALIZE: the stated outcome of a run, in one sentence, with everything a reader needs to judge it."""

from collections.abc import Iterator, Sequence

from vectorless_web.engine.agent.context.outline import join_names, say_count, shorten_title
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, ReasoningEvent, StepEvent, StepKind
from vectorless_web.engine.agent.run import RunState
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.answers.grounding import find_unaccounted_numbers, list_stated_numbers
from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.questions.plan import QueryPlan

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
