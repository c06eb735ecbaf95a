"""One call each for the agent's tools: search documents for passages that fit a budget, and walk a document's tree."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.finding.navigation import (
    STRATEGIES,
    LexicalPilot,
    ModelPilot,
    NoopPilot,
    Pilot,
    PilotBudget,
    PilotConfig,
    SearchLimits,
    SearchReport,
    report,
)
from vectorless_web.engine.finding.navigation.search import DEFAULT_LIMITS
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer, EvidenceScorer
from vectorless_web.engine.finding.retrieval.corpus import DocumentCollection
from vectorless_web.engine.finding.retrieval.expansion import SectionCommunities
from vectorless_web.engine.finding.retrieval.lanes import RRF_K, FusionStrategy
from vectorless_web.engine.finding.retrieval.result import Lane, RetrievalResult
from vectorless_web.engine.finding.retrieval.retriever import RetrievalQuery, Retriever
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.questions.plan import QueryPlan


def read_fusion(name: str, weights: Mapping[Lane, float]) -> dict[str, Any]:
    """What a setting asks of a RetrievalQuery: `rrf`, `weighted_rrf` (with `weights` by lane) or `convex`."""
    strategy = FusionStrategy.CONVEX_MIN_MAX if name == "convex" else FusionStrategy.RRF
    return {"fusion": strategy, "weights": {} if name == "rrf" else dict(weights)}


def search_documents(plan: QueryPlan | None, corpus: DocumentCollection, query: RetrievalQuery) -> RetrievalResult:
    """The passages of the documents that fit the query's budget, in the fused order of its lanes.

    The words of the `plan` are a lane of their own; without one that lane stays out, where `query.structure` has ranked
    by them already. Communities are the sections of the documents. Here `min_confidence` is a share of the best score
    that the lanes could give together. Raises RetrievalEmpty when plan and query ask for nothing,
    VectorDimensionMismatch for a vector of another length.
    """
    if plan is not None:
        query = replace(query, text=" ".join(token.text for token in plan.tokens), plan=plan)
    floor, communities = _scale_floor(query), SectionCommunities(corpus.documents)
    return Retriever(corpus, query=replace(query, min_confidence=floor, communities=communities)).execute()


def _scale_floor(query: RetrievalQuery) -> float | None:
    """The floor on the scale of the scores: those of a fusion by rank reach a sixtieth, those of one lane 1."""
    given = {
        Lane.VECTOR: query.vector,
        Lane.SPARSE: query.sparse,
        Lane.LEXICAL: query.text,
        Lane.STRUCTURE: query.structure,
    }
    asked = [lane for lane, wanted in given.items() if wanted is not None]
    if query.min_confidence is None or len(asked) < 2:
        return query.min_confidence
    most = sum(query.weights.get(lane, 1.0) for lane in asked)
    is_convex = query.fusion is FusionStrategy.CONVEX_MIN_MAX
    return query.min_confidence * (most if is_convex else most / (RRF_K + 1))


def make_pilot(
    mode: str, scorer: EvidenceScorer, *, model: ChatModel | None = None, budget: PilotBudget | None = None
) -> Pilot:
    """The pilot of a preset: nobody for `algorithm_only`, a model where one is given with the run's budget, else the
    words. Raises ValueError for an unknown mode."""
    config = PilotConfig.preset(mode)
    words = LexicalPilot(scorer, config=config)
    if not config.asks:
        return NoopPilot()
    if model is None:
        return words
    return ModelPilot(model, budget=budget or PilotBudget.from_config(config), fallback=words, config=config)


def navigate_tree(
    document: CompiledDocument,
    plan: QueryPlan,
    *,
    pilot: Pilot | None = None,
    strategy: str = "beam",
    limits: SearchLimits = DEFAULT_LIMITS,
    start: int = 0,
) -> SearchReport:
    """Walk a document's tree below `start`: the sections entered, best first, those rejected and why, and the cost.

    `strategy`: beam, greedy or mcts. Without a pilot the offline one guides. Raises KeyError for an unknown strategy.
    """
    scorer = DocumentScorer(document, plan)
    guide = pilot or LexicalPilot(scorer)
    return report(STRATEGIES[strategy](document.tree, plan, scorer, guide, limits, start))


def tell_advice(told: SearchReport) -> list[dict[str, object]]:
    """The pilot's decisions, as JSON values: where it was asked, what came of it, how sure it was, what it cost."""
    return [
        {
            "point": decision.intervention_point.value,
            "say": event.say,
            "reasoning": decision.reasoning,
            "confidence": round(decision.confidence, 4),
            "engine": decision.engine,
            "tokens": decision.tokens,
        }
        for event in told.advice
        if (decision := event.decision) is not None
    ]
