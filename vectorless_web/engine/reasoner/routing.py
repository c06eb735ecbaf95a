"""ROUTE: which documents of the scope are opened, with reasons."""

from collections.abc import Callable
from dataclasses import dataclass

from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.corpus import Corpus
from vectorless_web.engine.reasoner.events import Rejected, StepEvent, StepKind
from vectorless_web.engine.reasoner.run import Run
from vectorless_web.engine.reasoner.selection import Selected, select
from vectorless_web.engine.reasoner.sweeping import asks_documents
from vectorless_web.engine.reasoner.wording import count, listed, short
from vectorless_web.engine.router import RouteResult

Route = Callable[[QueryPlan, Corpus], RouteResult]
"""A router over the workspace's snapshot, narrowed to the corpus."""

SHOWN = 15
"""Documents named in the step; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Routing:
    """How documents are narrowed. Without `route` every document of the scope goes on to have its card read.

    `threshold`: at or below so many documents the router steps aside. `most` cards are read.
    """

    route: Route | None = None
    threshold: int = 20
    most: int = 200


@dataclass(frozen=True, slots=True)
class _Shortlist:
    names: tuple[str, ...]
    scores: dict[str, float]
    reasons: dict[str, str]
    committed: str = ""
    activated: bool = False


def route_step(run: Run, plan: QueryPlan, corpus: Corpus, routing: Routing) -> tuple[list[Selected], StepEvent]:
    """Shortlist, read the cards, choose; a second call leaves out what was walked."""
    started = run.clock()
    walked = {walk.entry.id for walk in run.walks}
    names = [entry.id for entry in corpus.entries()]
    shortlist = _shortlisted(plan, corpus, routing, again=bool(walked))
    left = [name for name in shortlist.names if name not in walked]
    most = 1 if shortlist.committed and not walked else _most_walks(run, plan)
    first = [name for name in left if name == shortlist.committed] if most == 1 else left
    chosen, over = select(plan, corpus, first or left, routed=shortlist.scores, most=most)
    run.passed_over = over + ([] if first == left else select(plan, corpus, left, routed=shortlist.scores, most=0)[1])
    step = StepEvent(
        walk=0,
        index=0,
        kind=StepKind.ROUTE,
        say=_say(len(names), chosen, walked=len(walked)),
        thought=_thought(plan, run.read_as),
        action="route",
        arguments={"query": plan.focus, "again": bool(walked)},
        observation={
            "considered": len(names),
            "activated": shortlist.activated,
            "committed": shortlist.committed,
            "question": {**_plan_row(plan), "read_as": run.read_as},
            "shortlist": [_row(selected, shortlist) for selected in chosen],
        },
        rejected=tuple(
            Rejected(selected.entry.title or selected.entry.name, selected.reason) for selected in over[:SHOWN]
        ),
        confidence=None,
        latency_ms=(run.clock() - started) * 1000,
    )
    return chosen, step


def _most_walks(run: Run, plan: QueryPlan) -> int:
    """Documents to walk; a question for documents looks at as many as the run's steps allow, two steps each."""
    return max(run.limits.max_walks, run.limits.max_run_steps // 2) if asks_documents(plan) else run.limits.max_walks


def _shortlisted(plan: QueryPlan, corpus: Corpus, routing: Routing, *, again: bool) -> _Shortlist:
    names = tuple(entry.id for entry in corpus.entries())
    if routing.route is None or len(names) <= routing.threshold:
        return _Shortlist(names[: routing.most] if len(names) <= routing.most else names, {}, {})
    result = routing.route(plan, corpus)
    candidates = result.candidates
    return _Shortlist(
        names=tuple(str(candidate.doc_id) for candidate in candidates),
        scores={str(candidate.doc_id): candidate.score for candidate in candidates},
        reasons={str(candidate.doc_id): candidate.reason for candidate in candidates},
        committed=str(result.committed or "") if not again else "",
        activated=result.activated,
    )


def _row(selected: Selected, shortlist: _Shortlist) -> dict[str, object]:
    name = selected.entry.id
    return {
        "document": name,
        "title": selected.entry.title or selected.entry.name,
        "pages": selected.entry.pages,
        "score": round(selected.score, 4),
        "reason": shortlist.reasons.get(name) or selected.reason,
    }


def _plan_row(plan: QueryPlan) -> dict[str, object]:
    """How the question was understood, for the trace."""
    return {
        "focus": plan.focus,
        "intent": plan.intent.value,
        "concepts": list(plan.concepts),
        "entities": list(plan.entities),
        "periods": [period.text or str(period.year) for period in plan.periods],
        "figures": [need.concept for need in plan.figures],
        "formula": plan.formula.expression if plan.formula else "",
        "expansions": sorted({term.source for term in plan.terms if term.source != "question"}),
    }


def _thought(plan: QueryPlan, read_as: str) -> str:
    if read_as:
        return f"Read as: {read_as}"
    about = ", ".join(plan.concepts[:4]) or plan.focus
    periods = listed([period.text or str(period.year) for period in plan.periods])
    return f"The question is about {about}" + (f", for {periods}" if periods else "") + "."


def _say(considered: int, chosen: list[Selected], *, walked: int) -> str:
    names = listed([short(selected.entry.title or selected.entry.name) for selected in chosen[:2]])
    more = f" and {len(chosen) - 2} more" if len(chosen) > 2 else ""
    if walked:
        return f"Looked again: opened {names}{more}" if chosen else "Looked again: no other document to open"
    if considered == 1:
        return f"Opened the only document, {names}"
    return f"Considered {count(considered, 'document')} and opened {len(chosen)}: {names}{more}"
