"""Search in a run: the Retriever and the search of a tree with the run's settings, and what a step tells of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeVar

from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.events import Rejected, StepResult
from vectorless_web.engine.agent.limits import Place
from vectorless_web.engine.agent.state import CONVERSATION, RunState, Settings
from vectorless_web.engine.agent.wording import join_names, say_pages, shorten_title
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation import (
    STRATEGIES,
    Pilot,
    PilotConfig,
    SearchLimits,
    SearchReport,
    make_pilot,
    report,
    tell_advice,
)
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    DocumentCollection,
    GraphExpand,
    GraphExpandMode,
    Lane,
    NodeAddress,
    RetrievalQuery,
    RetrievalResult,
    RetrievedItem,
    TemporalFilter,
    confidence,
    make_gate,
    read_fusion,
    score_shape,
    search_documents,
)
from vectorless_web.engine.finding.retrieval.corpus import count_microseconds
from vectorless_web.engine.llm.budget import Keep
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.passages.find import (
    LONGEST_SHOWN,
    Gate,
    Passage,
    find_passages,
    shorten_passage,
    show_leaf,
)
from vectorless_web.engine.questions.plan import QueryPlan

Found = TypeVar("Found")
EXPANDED = 5
"""Passages to which a setting adds what they refer to or the rest of their sections: half of the ten that are shown.
Added to all of them, it would stand behind all and never be reached."""
HOPS = 2
"""Steps of the graph from a passage: "see Note 7" leads to a heading, and one more to what stands under it."""
HEADINGS = (NodeKind.SECTION.value,)


def make_search(settings: Settings, weights: Mapping[Lane, float] | None = None, **own: Any) -> RetrievalQuery:
    """The query that a run's settings make for the Retriever; `weights` are those of its lanes, `own` other fields."""
    expand = settings.graph_expand
    given = RetrievalQuery(
        label=settings.label or None,
        where=tuple(settings.where.items()),
        temporal=read_bounds(settings),
        graph=GraphExpand(mode=GraphExpandMode(expand), depth=HOPS, through=HEADINGS) if expand else None,
        community=CommunityFilter(enabled=settings.community),
        expand_first=EXPANDED,
        min_confidence=settings.min_confidence,
        summary_cap=settings.summary_cap,
        **read_fusion(settings.fusion, weights or {}),
    )
    return replace(given, **own)


def read_bounds(settings: Settings) -> TemporalFilter | None:
    """The days that a document's date must lie between, the first one included; None without any."""
    if not (settings.created_after or settings.created_before):
        return None
    return TemporalFilter(count_microseconds(settings.created_after), count_microseconds(settings.created_before))


def find_gate(settings: Settings, documents: Mapping[str, CompiledDocument]) -> Gate | None:
    """Whether a node of these documents passes the filters of the settings; None without filters."""
    numbers = {name: number for number, name in enumerate(documents, start=1)}
    admits = make_gate(DocumentCollection(dict(enumerate(documents.values(), start=1))), make_search(settings))
    return None if admits is None else lambda name, key: admits(NodeAddress(numbers[name], key))


def rank_documents(
    state: RunState, plan: QueryPlan, documents: Mapping[str, CompiledDocument], *, most: int
) -> tuple[Passage, ...]:
    """The passages of these documents that pass the filters and come closest, ranked together, best first."""
    near = state.find_near(plan.question, list(documents))
    gate = find_gate(state.settings, documents)
    return find_passages(plan, documents, most=most, near=near.cosines, gate=gate)


def take_turns(ranked: Sequence[Sequence[Found]]) -> list[Found]:
    """Several ranked lists as one: the first of each list, then the second; what is in two of them stands once."""
    return list(dict.fromkeys(found for turn in zip_longest(*ranked) for found in turn if found is not None))


def pack_passages(
    state: RunState,
    plan: QueryPlan,
    documents: Mapping[str, CompiledDocument],
    ranked: Sequence[tuple[Passage, float]],
    *,
    most: int,
) -> tuple[tuple[Passage, ...], dict[str, Any]]:
    """Ranked passages with what the settings add to them, as far as the run's tokens of evidence go, at most `most`.

    Beside them the account of what was seen and left out, as JSON.
    The ranking has weighed the words already, so their own lane would count them twice.
    """
    cap = min(LONGEST_SHOWN, state.settings.summary_cap)
    best = max((score for _, score in ranked), default=0.0) or 1.0
    scored = [((passage.document, passage.key), score / best) for passage, score in ranked]
    found = {(passage.document, passage.key): passage for passage, _ in ranked}
    own = {"token_budget": state.limits.token_budget, "limit": most, "summary_cap": cap}
    items, account = _retrieve(state, None, documents, scored, **own)
    passages = []
    for (name, key), item in items:
        shown = found.get((name, key)) or show_leaf(plan, name, documents[name], key, item.score)
        passages += [shorten_passage(plan, shown, documents[name], cap)] if shown is not None else []
    return tuple(passages), account


LANE_WEIGHTS = {Lane.STRUCTURE: 2.0}
"""Weights where the settings ask for a weighted fusion: the ranking of whole passages counts twice. Chosen by hand."""


def search_nodes(
    state: RunState, plan: QueryPlan, documents: Mapping[str, CompiledDocument], *, most: int
) -> tuple[list[tuple[str, int]], dict[str, Any]]:
    """Nodes (document, key) for a query, best first: the lanes of its words and of passages, fused as the settings say.

    Beside them how they were found: fusion, the lanes of each node, and warnings, as JSON.
    """
    if not plan.terms or not documents:
        return [], {}
    ranked = rank_documents(state, plan, documents, most=2 * most)
    scored = [((passage.document, passage.key), passage.score) for passage in ranked]
    items, account = _retrieve(state, plan, documents, scored, weights=LANE_WEIGHTS, limit=3 * most)
    kept = [(at, item) for at, item in items if documents[at[0]].tree.is_leaf(at[1])][:most]
    lanes = [[*at, [lane.value for lane, _ in item.lane_scores]] for at, item in kept]
    account = {"lanes": lanes, **account, **state.find_near(plan.question, list(documents)).as_observation()}
    return [at for at, _ in kept], account


def _retrieve(
    state: RunState,
    plan: QueryPlan | None,
    documents: Mapping[str, CompiledDocument],
    scored: Sequence[tuple[tuple[str, int], float]],
    **own: Any,
) -> tuple[list[tuple[tuple[str, int], RetrievedItem]], dict[str, Any]]:
    """The nodes of a retrieval over the words of a plan and `scored` nodes, with the account of a step."""
    names = dict(enumerate(documents, start=1))
    numbers = {name: number for number, name in names.items()}
    structure = tuple((NodeAddress(numbers[name], key), score) for (name, key), score in scored)
    collection = DocumentCollection(dict(enumerate(documents.values(), start=1)))
    result = search_documents(plan, collection, make_search(state.settings, structure=structure, **own))
    found = [(at, item) for item in result.items if isinstance(at := item.node.id, NodeAddress)]
    account = {"fusion": state.settings.fusion, **account_for(result)}
    return [((names[at.space], at.key), item) for at, item in found], account


def account_for(result: RetrievalResult) -> dict[str, Any]:
    """What a retrieval saw, left out and could not do, as JSON values of a step."""
    scores = [item.score for item in result.items]
    return {
        "candidates_seen": result.candidates_seen,
        "packed": len(result.items),
        "dropped": dict(Counter(left.reason.value for left in result.left_out)),
        "tokens": result.tokens_used,
        "token_budget": result.tokens_budget,
        "lanes_used": sorted({lane.value for item in result.items for lane, _ in item.lane_scores}),
        "shape": score_shape(scores).shape.value,
        "confidence": round(confidence(scores), 4),
        "warnings": [
            {"code": row.code.value, "knob": row.knob, "message": row.message, "remedy": row.remedy}
            for row in result.warnings
        ],
    }


PILOTS_LEAVE = Keep(calls=2, tokens=8_000)
"""What a pilot leaves in the run's budget: the answer and its verification."""
SEARCH_SECONDS = 20.0
"""Seconds that the search of one document may take, never more than the run has left."""
LISTED, NAMED = 40, 3
"""Parts, nodes and branches that one step carries, the rest being counted, and those that its sentence names."""


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
    if caller is None:
        return make_pilot(name, scorer)
    model = caller.as_model("pilot", keep=PILOTS_LEAVE, seconds=PilotConfig.preset(name).call_seconds)
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
