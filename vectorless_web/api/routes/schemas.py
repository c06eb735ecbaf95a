"""What several operations send and get, and the bodies of the engine's parts."""

from datetime import date
from typing import Annotated, Literal

from ninja import Schema
from pydantic import BeforeValidator, Field

from vectorless_web.api.replies import Number
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.finding.retrieval import GraphExpandDirection, GraphExpandMode
from vectorless_web.engine.finding.routing import RouteMode

Weight = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Cap = Annotated[int, Field(ge=40, le=20_000)]
NO_NUL = r"^[^\x00]*$"
PRINTED = r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$"
"""One line with something in it."""
ShortText = Annotated[str, Field(max_length=200, pattern=NO_NUL)]
PilotName = Literal["balanced", "high_quality", "low_cost", "algorithm_only"]
StrategyName = Literal["beam", "greedy", "mcts"]
FusionName = Literal["rrf", "weighted_rrf", "convex"]
FromZero = Annotated[int, BeforeValidator(lambda page: page + 1)]
"""A page, which documents count from 0 and programs from 1."""
Text = Annotated[str, Field(min_length=1, max_length=4000, pattern=NO_NUL)]


class SparseIn(Schema):
    """A learned-sparse vector: ascending token ids of one vocabulary and as many weights."""

    indices: Annotated[list[Annotated[int, Field(ge=0, le=10**9)]], Field(max_length=2000)]
    values: Annotated[list[Weight], Field(max_length=2000)]
    vocabulary: Annotated[str, Field(max_length=100)] = ""


class NamedOut(Schema):
    """A folder."""

    id: int
    name: str


class FilterIn(Schema):
    """Filters that act inside each lane: kind of node, properties that must be equal ("page", "label" as in "Note 7"),
    and days between which the date of a document lies, the first included. A document without a date passes."""

    label: NodeKind | None = None
    where: Annotated[dict[Annotated[str, Field(max_length=40)], int | ShortText], Field(max_length=8)] = {}
    created_after: date | None = None
    created_before: date | None = None


class GraphIn(Schema):
    """Expansion to what passages refer to and what is under it: a walk with decay, or personalised PageRank."""

    mode: GraphExpandMode = GraphExpandMode.DECAY
    depth: Annotated[int, Field(ge=1, le=4)] = 1
    decay: Share = 0.7
    max_expand: Annotated[int, Field(ge=0, le=200)] = 20
    max_per_seed: Annotated[int | None, Field(ge=0, le=1000)] = None
    direction: GraphExpandDirection = GraphExpandDirection.OUTGOING
    edge_types: Annotated[tuple[Literal["contains", "refers_to"], ...] | None, Field(max_length=2)] = None


class CommunityIn(Schema):
    """Communities: of the first `expand_seeds` passages the rest of their sections joins."""

    expand_seeds: Annotated[int, Field(ge=0, le=100)] = 3
    max_per_community: Annotated[int, Field(ge=0, le=200)] = 10
    decay: Share = 0.85


class VectorIn(Schema):
    """The question's vector by an embedding model whose vectors the workspace keeps."""

    model: ShortText
    values: Annotated[list[Annotated[float, Field(allow_inf_nan=False)]], Field(max_length=8192)]


class RetrieveIn(FilterIn):
    """A search for passages that fit a budget of tokens: lanes, filters, fusion and expansion as in docs/retriever.md.

    Without `documents` the router chooses five. With `passages` the ranking by best sentence, which a run uses, takes
    part as the structure lane; `vector` asks the vectors that search by meaning keeps. `sparse` is the question's
    learned-sparse vector, `encoded` those of nodes, by document and key ("12:34"). `lane_cap` cuts each lane; of what
    they find, `expand_first` candidates are expanded, and what that adds stands before the others (none: all are).
    `rerank` orders the first 25 by the words they share with the query.
    """

    query: Text
    documents: Annotated[list[Number] | None, Field(min_length=1, max_length=20)] = None
    token_budget: Annotated[int | None, Field(ge=0, le=200_000)] = 2000
    limit: Annotated[int | None, Field(ge=1, le=500)] = None
    fusion: FusionName = "rrf"
    weights: Annotated[dict[Literal["vector", "sparse", "lexical", "structure"], Weight], Field(max_length=4)] = {}
    graph_expand: GraphIn | None = None
    community: CommunityIn | None = None
    expand_first: Annotated[int | None, Field(ge=0, le=500)] = None
    lane_cap: Annotated[int, Field(ge=1, le=500)] = 256
    rerank: Literal["jaccard"] | None = None
    min_confidence: Share | None = None
    summary_cap: Cap | None = None
    adjacency: Annotated[int, Field(ge=0, le=100)] = 0
    passages: bool = False
    vector: VectorIn | None = None
    sparse: SparseIn | None = None
    encoded: Annotated[dict[str, SparseIn], Field(max_length=2000)] = {}


class ItemOut(Schema):
    """A packed passage: where it is and is shown, its text, and its score in all and by lane."""

    document: int
    key: int
    page: int
    link: str
    text: str
    tokens: int
    score: float
    lanes: dict[str, float]


class WarningOut(Schema):
    """A lane or stage that could not do what was asked, with the setting to change."""

    code: str
    message: str
    knob: str
    remedy: str


class RetrievedOut(Schema):
    """What was packed, what was not, and how it may be had. `shape` is how the scores are spread, `confidence` how far
    the first stands out from the last."""

    items: list[ItemOut]
    tokens_used: int
    dropped: int
    candidates_seen: int
    warnings: list[WarningOut]
    shape: str
    confidence: float
    fingerprint: str


class RouteIn(Schema):
    """A question to the router: which documents to open; mode and weights of signals else as the workspace has them."""

    query: Text
    limit: Annotated[int, Field(ge=1, le=100)] = 15
    mode: RouteMode | None = None
    weights: Annotated[dict[Literal["bm25", "keyword", "graph", "text", "fields"], Weight], Field(max_length=5)] = {}


class CandidateOut(Schema):
    """A document that the router chose, why, and the signals that its score is made of, each from 0 to 1."""

    document: int = Field(alias="doc_id")
    score: float
    bm25: float
    keyword: float
    graph: float
    text: float
    fields: float
    reason: str
    matched_terms: list[str]
    matched_fields: list[str]


class RoutedOut(Schema):
    """The router's shortlist, best first. `note` says why the mode is not the one asked for.

    `committed` is a document that the question names beyond doubt; with few documents all are listed (not `activated`).
    """

    candidates: list[CandidateOut]
    committed: int | None
    activated: bool
    considered: int
    ambiguous: bool
    mode: str = Field(alias="mode_used")
    note: str


class NavigateIn(Schema):
    """A guided search of a document's tree, without a model."""

    goal: Text
    document: Number
    start: Annotated[int, Field(ge=0, le=10**9)] = 0
    pilot: PilotName = "balanced"
    strategy: StrategyName = "beam"
    turns: Annotated[int, Field(ge=1, le=1024)] = 128
    results: Annotated[int, Field(ge=1, le=50)] = 5


class BranchOut(Schema):
    """A section that was entered, or not, and why."""

    key: int
    title: str
    score: float
    reason: str
    leaves: list[int] = []


class AdviceOut(Schema):
    """A decision of the pilot: where it was asked, what came of it, and how sure it was."""

    point: str
    say: str
    reasoning: str
    confidence: float


class NavigatedOut(Schema):
    """What a guided search entered and rejected, its decisions in order, and what it cost."""

    entered: list[BranchOut]
    rejected: list[BranchOut]
    log: list[str]
    notes: list[str]
    advice: list[AdviceOut]
    turns: int
    consultations: int
    sections_scored: int
    stopped: str
