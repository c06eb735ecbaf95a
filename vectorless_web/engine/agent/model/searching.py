"""How the tools of a model use the Retriever, the ranker of passages and the Pilot over documents that are open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vectorless_web.engine.agent.events import Rejected, StepResult
from vectorless_web.engine.agent.limits import Place
from vectorless_web.engine.agent.model.view import DocumentView
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.agent.wording import join_names, say_pages_of, shorten_title
from vectorless_web.engine.finding.navigation.budget import PilotBudget
from vectorless_web.engine.finding.navigation.config import PilotConfig, PilotMode
from vectorless_web.engine.finding.navigation.events import report
from vectorless_web.engine.finding.navigation.lexical import LexicalPilot
from vectorless_web.engine.finding.navigation.model import ModelPilot
from vectorless_web.engine.finding.navigation.pilot import NoopPilot
from vectorless_web.engine.finding.navigation.search import SearchLimits
from vectorless_web.engine.finding.navigation.strategies import beam, greedy, mcts
from vectorless_web.engine.finding.ranking.finder import Finder
from vectorless_web.engine.llm.budget import Keep
from vectorless_web.engine.passages.evidence import Passage
from vectorless_web.engine.passages.find import find_passages, unknown_words
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand

PILOTS_LEAVE = Keep(calls=2, tokens=8_000)
"""What a pilot leaves in the run's budget: the answer and its verification."""
SEARCH_SECONDS, GRACE_SECONDS = 20.0, 60.0
"""Seconds of a search, and how much longer the pilot's own patience lasts than its caller's, which alone decides."""
MOST_MARKS = 40

_STRATEGIES = {"beam": beam, "greedy": greedy, "mcts": mcts}


def rank_passages(state: RunState, plan: QueryPlan, views: Sequence[DocumentView], *, most: int) -> tuple[Passage, ...]:
    """The passages of these documents that come closest, ranked together, best first; those without words left out."""
    documents = {view.id: view.document for view in views}
    found = find_passages(plan, documents, lexicon=state.lexicon, most=most) if documents else ()
    by_id = {view.id: view for view in views}
    return tuple(p for p in found if by_id[p.document].list_pieces(p.key))


def search_nodes(
    state: RunState, plan: QueryPlan, views: Sequence[DocumentView], *, most: int
) -> list[tuple[DocumentView, int]]:
    """Nodes for a query, best first."""
    by_id = {view.id: view for view in views}
    return [(by_id[passage.document], passage.key) for passage in rank_passages(state, plan, views, most=most)]


def list_absent(state: RunState, questions: Iterable[str], views: Sequence[DocumentView]) -> list[str]:
    """Words of the questions that stand in none of these documents, as they were written."""
    documents = {view.id: view.document for view in views}
    plans = [understand(question, lexicon=state.lexicon, expand=False) for question in questions]
    return list(dict.fromkeys(word for plan in plans for word in unknown_words(plan, documents, lexicon=state.lexicon)))


@dataclass(frozen=True, slots=True)
class TreeFinding:
    """What a guided search came to: sections entered and branches put aside, each with why; leaves, best first."""

    leaves: tuple[int, ...]
    entered: tuple[tuple[int, str], ...]
    passed: tuple[tuple[str, str], ...]
    result: StepResult


def search_tree(state: RunState, view: DocumentView, goal: str, start: int, *, walk: int) -> TreeFinding:
    """Search a document's tree below a node, with the pilot and the strategy that the settings ask for."""
    plan = understand(goal, lexicon=state.lexicon, expand=state.settings.expand)
    finder = Finder(view.document, plan, lexicon=state.lexicon)
    config = PilotConfig.preset(PilotMode(state.settings.pilot))
    lexical = LexicalPilot(finder.scorer, config=config) if config.asks else NoopPilot()
    pilot: object = lexical
    if state.caller is not None and config.asks and isinstance(lexical, LexicalPilot):
        model = state.caller.as_model("pilot", keep=PILOTS_LEAVE, seconds=config.call_seconds)
        budget = PilotBudget.from_config(config)
        pilot = ModelPilot(model, budget=budget, fallback=lexical, config=config, walk=walk)
    clock, seconds = state.deadline.search(Place(walk, state.steps_in(walk)), SEARCH_SECONDS)
    limits = SearchLimits(wall_seconds=seconds, clock=clock)
    told = report(_STRATEGIES[state.settings.strategy](view.tree, plan, finder.scorer, pilot, limits, start))
    tree = view.tree
    ranked = [found for found in told.ranked if found.score > 0]
    leaves = dict.fromkeys(leaf for found in ranked for leaf in found.leaves or (found.key,) if view.list_pieces(leaf))
    turned = state.refer(view.id, [row.key for row in told.rejected[:MOST_MARKS]], "turned_back")
    rejected = tuple(Rejected(ref.title, row.reason, ref) for ref, row in zip(turned, told.rejected, strict=False))
    names = [
        f"{shorten_title(tree.node(r.key).title or view.entry.title)} ({say_pages_of(tree.node(r.key))})"
        for r in ranked
    ]
    title = shorten_title(view.entry.title or view.entry.name)
    result = StepResult(
        f"Searched {title} and went to {join_names(names[:3])}" if names else f"Searched {title}; no branch fits",
        {
            "goal": goal,
            "ranked": [{"key": r.key, "score": round(r.score, 4), "reason": r.reason} for r in ranked],
            "log": list(told.log[:MOST_MARKS]),
            "notes": list(told.notes),
            "pilot": state.settings.pilot,
            "strategy": state.settings.strategy,
        },
        state.refer(view.id, [m.key for m in told.marks if m.role != "turned_back"][:MOST_MARKS], "walked"),
        rejected,
        confidence=round(ranked[0].score, 4) if ranked else None,
        engine=told.engine,
        tokens=told.stats.tokens,
        cost_usd=told.stats.cost_usd,
        documents=(view.id,),
    )
    entered = tuple((found.key, found.reason) for found in ranked)
    return TreeFinding(tuple(leaves), entered, tuple((row.label, row.reason) for row in rejected), result)
