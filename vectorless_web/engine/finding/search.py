"""One call each for the agent's tools: search documents for passages that fit a budget, and walk a document's tree."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
from vectorless_web.engine.finding.retrieval.corpus import DocumentCollection, NodeAddress, PropertyValue
from vectorless_web.engine.finding.retrieval.expansion import CommunityFilter, GraphExpand, SectionCommunities
from vectorless_web.engine.finding.retrieval.fusion import RRF_K, FusionStrategy, Scored
from vectorless_web.engine.finding.retrieval.packing import SUMMARY_CAP, Reranker
from vectorless_web.engine.finding.retrieval.result import Lane, RetrievalResult
from vectorless_web.engine.finding.retrieval.retriever import RetrievalQuery, Retriever, TemporalFilter, make_gate
from vectorless_web.engine.finding.retrieval.vectors import SparseVector
from vectorless_web.engine.llm.model import ChatModel, TokenEstimator
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.plan import QueryPlan

NearestNodes = tuple[str, Sequence[float]]
"""An embedding model's name and the question's vector by it."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What a workspace, an ask or a tool call may set; None and "" leave a stage out.

    `fusion`: rrf, weighted_rrf (with `weights` by lane) or convex. `graph_expand` follows references and children of
    what was found; `community` adds the rest of a found section. `label` (kind of node), `where` (such as ("page", 3))
    and `temporal` are filters that act inside each lane. `min_confidence` is a share of the best score that the lanes
    could give together. `token_budget` and `limit` bound what is packed; `adjacency` edges of each node are shown.
    """

    token_budget: int | None = 2000
    limit: int | None = None
    fusion: str = "rrf"
    weights: Mapping[Lane, float] = field(default_factory=dict)
    label: str = ""
    where: tuple[tuple[str, PropertyValue], ...] = ()
    temporal: TemporalFilter | None = None
    graph_expand: GraphExpand | None = None
    community: CommunityFilter = field(default_factory=CommunityFilter)
    min_confidence: float | None = None
    summary_cap: int = SUMMARY_CAP
    adjacency: int = 0


@dataclass(frozen=True, slots=True)
class Lanes:
    """What runs beside the words of the question, all at once: nodes found by walking trees, an owner's embedding model
    (`vectors` by model and address, with the question's own), and a learned sparse encoder. `lexicon` is the
    workspace's, for the words; without `words` their own lane stays out, where `structure` has ranked by them already.
    """

    structure: Sequence[NodeAddress | Scored] | None = None
    nearest: NearestNodes | None = None
    vectors: Mapping[str, Mapping[NodeAddress, Sequence[float]]] | None = None
    sparse: SparseVector | None = None
    encoded: Iterable[tuple[NodeAddress, SparseVector]] = ()
    lexicon: Lexicon | None = None
    words: bool = True

    def list_asked(self) -> list[Lane]:
        """The lanes that take part."""
        given = {
            Lane.VECTOR: self.nearest is not None,
            Lane.SPARSE: self.sparse is not None,
            Lane.LEXICAL: self.words,
            Lane.STRUCTURE: self.structure is not None,
        }
        return [lane for lane, is_asked in given.items() if is_asked]


def search_documents(
    plan: QueryPlan,
    documents: Mapping[int, CompiledDocument],
    *,
    settings: SearchSettings = SearchSettings(),
    lanes: Lanes = Lanes(),
    reranker: Reranker | None = None,
    estimator: TokenEstimator | None = None,
) -> RetrievalResult:
    """The passages of `documents` (by number) that fit the budget, in the fused order of the lanes.

    The result tells the score of each lane, the candidates seen and dropped, and warnings with their knob and remedy. A
    reranker reorders the first 25 only when one is given. Raises RetrievalEmpty when the plan and the lanes ask for
    nothing, VectorDimensionMismatch for a vector of another length.
    """
    corpus = DocumentCollection(documents, vectors=lanes.vectors, sparse=lanes.encoded, lexicon=lanes.lexicon)
    convex = settings.fusion == "convex"
    asked = (
        Retriever(corpus, estimator=estimator)
        .token_budget(settings.token_budget)
        .limit(settings.limit)
        .fusion(FusionStrategy.CONVEX_MIN_MAX if convex else FusionStrategy.RRF)
        .weights(settings.weights if settings.fusion != "rrf" else {})
        .min_confidence(_scale_floor(settings, lanes))
        .summary_cap(settings.summary_cap)
        .adjacency(settings.adjacency)
    )
    if lanes.words:
        asked = asked.text(" ".join(term.term for term in plan.terms), plan)
    asked = _add_filters(_add_lanes(asked, lanes), settings)
    if settings.community.enabled:
        asked = asked.community(SectionCommunities(documents), settings.community)
    if settings.graph_expand is not None:
        asked = asked.graph_expand(settings.graph_expand)
    return (asked.rerank(reranker) if reranker is not None else asked).execute()


def make_filter(
    documents: Mapping[int, CompiledDocument], settings: SearchSettings
) -> Callable[[NodeAddress], bool] | None:
    """Whether a node passes the label, properties and time that are asked for; None when every node does."""
    query = RetrievalQuery(label=settings.label or None, where=settings.where, temporal=settings.temporal)
    return make_gate(DocumentCollection(documents), query)


def _scale_floor(settings: SearchSettings, lanes: Lanes) -> float | None:
    """The floor on the scale of the scores: those of a fusion by rank reach a sixtieth, those of one lane 1."""
    if settings.min_confidence is None:
        return None
    asked = lanes.list_asked()
    if len(asked) < 2:
        return settings.min_confidence
    weights = settings.weights if settings.fusion != "rrf" else {}
    most = sum(weights.get(lane, 1.0) for lane in asked)
    return settings.min_confidence * (most if settings.fusion == "convex" else most / (RRF_K + 1))


def _add_lanes(asked: Retriever, lanes: Lanes) -> Retriever:
    asked = asked.structure(lanes.structure) if lanes.structure is not None else asked
    asked = asked.vector(*lanes.nearest) if lanes.nearest is not None else asked
    return asked.sparse(lanes.sparse) if lanes.sparse is not None else asked


def _add_filters(asked: Retriever, settings: SearchSettings) -> Retriever:
    asked = asked.label(settings.label) if settings.label else asked
    for name, value in settings.where:
        asked = asked.where(name, value)
    return asked.temporal(settings.temporal) if settings.temporal is not None else asked


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
