"""NAVIGATE: search one document's tree with the pilot and the strategy that the settings ask for."""

from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.events import Rejected, StepResult
from vectorless_web.engine.agent.limits import Place
from vectorless_web.engine.agent.state import CONVERSATION, RunState
from vectorless_web.engine.agent.wording import join_names, say_pages, shorten_title
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation import (
    STRATEGIES,
    Pilot,
    PilotConfig,
    SearchLimits,
    SearchReport,
    report,
)
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.finding.search import make_pilot, tell_advice
from vectorless_web.engine.llm.budget import Keep
from vectorless_web.engine.llm.calls import Caller

PILOTS_LEAVE = Keep(calls=2, tokens=8_000)
"""What a pilot leaves in the run's budget: the answer and its verification."""
SEARCH_SECONDS = 20.0
"""Seconds that the search of one document may take, never more than the run has left."""
LISTED, NAMED = 40, 3
"""Nodes and branches that the step carries, and sections that its sentence names."""


def search_document(
    state: RunState,
    entry: DocumentEntry,
    scorer: DocumentScorer,
    *,
    start: int = 0,
    walk: int = CONVERSATION,
    caller: Caller | None = None,
) -> tuple[SearchReport, StepResult]:
    """What a search below the node `start` found for the scorer's question, and the step that tells it.

    With a `caller` its model is asked where the scores leave it open; the pilot without a model decides elsewhere.
    """
    clock, seconds = state.deadline.search(Place(walk, state.steps_in(walk)), SEARCH_SECONDS)
    limits = SearchLimits(wall_seconds=seconds, clock=clock)
    pilot = _make_pilot(state, scorer, caller)
    search = STRATEGIES[state.settings.strategy]
    told = report(search(scorer.document.tree, scorer.plan, scorer, pilot, limits, start))
    turned = state.refer(entry.id, [row.key for row in told.rejected[:LISTED]], "turned_back")
    marks = [(key, role) for key, role in told.marks.items() if role != "turned_back"][:LISTED]
    result = StepResult(
        say=_describe_search(scorer.document.tree, entry, told),
        observation={
            "ranked": [{"key": node.key, "score": round(node.score, 4), "reason": node.reason} for node in told.ranked],
            "log": list(told.log[:LISTED]),
            "notes": list(told.notes),
            "sections_compared": told.stats.sections_scored,
            "turns": told.stats.turns,
            "consultations": told.stats.consultations,
            "advice": tell_advice(told)[:LISTED],
            "pilot": state.settings.pilot,
            "strategy": state.settings.strategy,
        },
        refs=tuple(ref for key, role in marks for ref in state.refer(entry.id, [key], role)),
        rejected=tuple(Rejected(r.title, row.reason, r) for r, row in zip(turned, told.rejected, strict=False)),
        confidence=round(told.ranked[0].score, 4) if told.ranked else None,
        engine=told.engine,
        tokens=told.stats.tokens,
        cost_usd=told.stats.cost_usd,
        documents=(entry.id,),
    )
    return told, result


def _make_pilot(state: RunState, scorer: DocumentScorer, caller: Caller | None) -> Pilot:
    """The pilot that the settings ask for; all searches of a run share one budget."""
    name = state.settings.pilot
    seconds = PilotConfig.preset(name).call_seconds
    model = caller.as_model("pilot", keep=PILOTS_LEAVE, seconds=seconds) if caller is not None else None
    return make_pilot(name, scorer, model=model, budget=state.pilot_budget)


def _describe_search(tree: Tree, entry: DocumentEntry, told: SearchReport) -> str:
    title = shorten_title(entry.called)
    nodes = [tree.node(found.key) for found in told.ranked[:NAMED] if found.score > 0]
    if not nodes:
        return f"Searched {title} section by section; no branch holds the words"
    names = [
        f"{shorten_title(node.title or entry.title)} ({say_pages(node.page_start, node.page_end)})" for node in nodes
    ]
    return f"Searched {title} and went to {join_names(names)}"
