"""What programs send and get: the bodies of requests and replies."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import Field

from vectorless_web.api.paging import Number
from vectorless_web.engine.documents.node import Node, NodeKind, Table
from vectorless_web.engine.finding.retrieval import GraphExpandDirection, GraphExpandMode
from vectorless_web.infra.limits import NAME_MAX, PHRASE_MAX, STEPS_MAX, STEPS_MIN, TAG_MAX, TITLE_MAX
from vectorless_web.sharing.services import DAYS_MAX, LABEL_MAX, VIEWS_MAX

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
Text = Annotated[str, Field(min_length=1, max_length=4000, pattern=NO_NUL)]


class SparseIn(Schema):
    """A learned-sparse vector: ascending token ids of one vocabulary and as many weights."""

    indices: Annotated[list[Annotated[int, Field(ge=0, le=10**9)]], Field(max_length=2000)]
    values: Annotated[list[Weight], Field(max_length=2000)]
    vocabulary: Annotated[str, Field(max_length=100)] = ""


class MeOut(Schema):
    """Who the token acts for."""

    user: str
    token: str
    scope: str
    expires_at: datetime | None


class WorkspaceOut(Schema):
    """A workspace, and the role of the token's person in it."""

    slug: str
    name: str
    description: str
    role: str


class NamedOut(Schema):
    """A folder."""

    id: int
    name: str


class DocumentOut(Schema):
    """A document with the state of its newest version. `page` counts from 1 everywhere."""

    id: int
    title: str
    name: str
    folder: int | None
    tags: list[str]
    status: str
    error_code: str
    error: str
    version: int
    pages: int
    sha256: str
    media_type: str
    added_at: datetime


class ChangeIn(Schema):
    """What is to change of a document; what is left out stays. `folder` null takes it out of its folder."""

    title: Annotated[str, Field(min_length=1, max_length=TITLE_MAX, pattern=PRINTED)] | None = None
    folder: Number | None = None
    add_tag: Annotated[str, Field(min_length=1, max_length=TAG_MAX, pattern=PRINTED)] | None = None


class FolderIn(Schema):
    """A folder's name."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=PRINTED)]


class SectionOut(Schema):
    """A heading of the outline. `key` names it in one version; the headings under it go on to `subtree_end`."""

    key: int
    parent: int | None
    depth: int
    title: str
    page_start: int
    page_end: int
    tokens: int
    subtree_end: int


class NodeOut(Schema):
    """A node of the tree: its text, its children's keys, its table as rows of cells."""

    key: int
    kind: str
    title: str
    text: str
    page_start: int
    page_end: int
    path: list[str]
    children: list[int]
    columns: list[str] = []
    rows: list[list[str]] = []


class PageTextOut(Schema):
    """A page as Markdown; `nodes` are the keys of what is on it."""

    page: int
    pages: int
    text: str
    nodes: list[int]


class PassageOut(Schema):
    """A passage of a result, and its page."""

    page: int
    text: str


class FoundDocumentOut(Schema):
    """A document of the results with its best passages."""

    document: int
    title: str
    passages: list[PassageOut]


class FoundOut(Schema):
    """One page of results; `pages` counts them all."""

    documents: list[FoundDocumentOut]
    total: int
    page: int
    pages: int


class ClaimOut(Schema):
    """A sentence of the answer, whether its evidence supports it, and the quotes that it cites."""

    sequence: int
    order: int
    text: str
    support: str
    citations: list[dict[str, Any]]


class FilterIn(Schema):
    """Filters that act inside each lane: kind of node, properties that must be equal ("page", "label" as in "Note 7"),
    and days between which the date of a document lies, the first included. A document without a date passes."""

    label: NodeKind | None = None
    where: Annotated[dict[Annotated[str, Field(max_length=40)], int | ShortText], Field(max_length=8)] = {}
    created_after: date | None = None
    created_before: date | None = None


class SearchIn(FilterIn):
    """How a question is searched; what is left out is as the workspace has it."""

    pilot: PilotName | None = None
    strategy: StrategyName | None = None
    fusion: FusionName | None = None
    graph_expand: Literal["", "decay", "ppr"] | None = None
    community: bool | None = None
    min_confidence: Share | None = None
    summary_cap: Cap | None = None


class AskIn(Schema):
    """A question; without `documents` the whole workspace is asked. `thread` follows up on its last answer."""

    question: Annotated[str, Field(max_length=20_000)]
    documents: Annotated[list[Number] | None, Field(max_length=1000)] = None
    thread: Number | None = None
    max_steps: Annotated[int | None, Field(ge=STEPS_MIN, le=STEPS_MAX)] = None
    money_usd: Annotated[float | None, Field(gt=0, le=10_000)] = None
    answerer: Annotated[str, Field(max_length=40, pattern=r"^[^\x00]*$")] = ""
    search: SearchIn | None = None


class RunOut(Schema):
    """A run in short. `answer` and what stands beside it are empty while it is open."""

    id: int
    thread: int
    question: str
    status: str
    ended: bool
    reason: str
    answer: str
    value: str
    verdict: str
    tokens: int
    cost_usd: float
    asked_at: datetime
    finished_at: datetime | None
    page: str


class GraphIn(Schema):
    """Expansion to what passages refer to and what is under it: a walk with decay, or personalised PageRank."""

    mode: GraphExpandMode = GraphExpandMode.DECAY
    depth: Annotated[int, Field(ge=1, le=4)] = 1
    decay: Share = 0.7
    max_expand: Annotated[int, Field(ge=0, le=200)] = 20
    max_per_seed: Annotated[int | None, Field(ge=0, le=1000)] = None
    direction: GraphExpandDirection = GraphExpandDirection.OUTGOING
    edge_types: Annotated[list[Literal["contains", "refers_to"]] | None, Field(max_length=2)] = None


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
    """A packed passage: where it is, its text, and its score in all and by lane."""

    document: int
    key: int
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
    """A question to the router: which documents to open."""

    query: Text
    limit: Annotated[int, Field(ge=1, le=100)] = 15


class CandidateOut(Schema):
    """A document that the router chose, why, and the signals that its score is made of."""

    document: int
    score: float
    bm25: float
    keyword: float
    graph: float
    reason: str


class RoutedOut(Schema):
    """The router's shortlist, best first."""

    candidates: list[CandidateOut]
    considered: int
    ambiguous: bool
    mode: str
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


class NavigatedOut(Schema):
    """What a guided search entered and rejected, its decisions in order, and what it cost."""

    entered: list[BranchOut]
    rejected: list[BranchOut]
    log: list[str]
    notes: list[str]
    turns: int
    consultations: int
    sections_scored: int
    stopped: str


class ThreadOut(Schema):
    """A conversation."""

    id: int
    created_at: datetime


class LinkIn(Schema):
    """What a link shows, to whom, and for how many days."""

    days: Annotated[int, Field(ge=1, le=DAYS_MAX)] = 7
    password: Annotated[str, Field(max_length=200, pattern=NO_NUL)] = ""
    redact: bool = False
    hide_trace: bool = False
    label: Annotated[str, Field(max_length=LABEL_MAX, pattern=NO_NUL)] = ""
    views_max: Annotated[int | None, Field(ge=1, le=VIEWS_MAX)] = None


class LinkOut(Schema):
    """A link to a run for people without an account."""

    id: int
    label: str
    expires_at: datetime
    redact: bool
    hide_trace: bool
    views: int
    views_max: int | None


class LinkMadeOut(LinkOut):
    """A link that was made just now, with its address."""

    address: str


class ReplayOut(Schema):
    """What a replay found; null where there was none."""

    verdict: str | None
    difference: str | None
    note: str | None
    steps: int | None
    asked_at: datetime | None
    ended_at: datetime | None


class MemberOut(Schema):
    """A member of a workspace."""

    user: str
    role: str
    joined_at: datetime


class UsageOut(Schema):
    """What was used within some days."""

    days: int
    totals: dict[str, Any]
    by_day: list[dict[str, Any]]


class EventOut(Schema):
    """An event of the record."""

    id: int
    at: datetime
    actor: str
    verb: str
    object_type: str
    object_id: str
    object_name: str
    details: dict[str, Any]


class EventPageOut(Schema):
    """A page of the record. `next` is null on the last."""

    items: list[EventOut]
    next: int | None


class BudgetIn(Schema):
    """What may be spent in a period, by the workspace or by one member."""

    limit_usd: Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)]
    period: Literal["day", "month"] = "month"
    warn_percent: Annotated[int, Field(ge=1, le=100)] = 80
    user: Annotated[str, Field(max_length=150, pattern=NO_NUL)] = ""


class BudgetOut(Schema):
    """A limit, and what of it is spent and put aside. `by_staff` is one that owners cannot change."""

    id: int
    user: str | None
    period: str
    limit_usd: float
    warn_percent: int
    spent_usd: float
    reserved_usd: float
    by_staff: bool


class EntryIn(Schema):
    """Words of a workspace: what people ask for under `concept`, documents say in one of the `phrases`."""

    concept: Annotated[str, Field(min_length=1, max_length=PHRASE_MAX, pattern=NO_NUL)]
    phrases: Annotated[list[Annotated[str, Field(max_length=PHRASE_MAX, pattern=NO_NUL)]], Field(min_length=1)]
    statement: Annotated[str, Field(max_length=40, pattern=NO_NUL)] = ""
    note: Annotated[str, Field(max_length=300, pattern=NO_NUL)] = ""


class EntryOut(Schema):
    """An entry of the lexicon."""

    id: int
    concept: str
    phrases: list[str]
    statement: str
    note: str


def show_table(table: Table | None) -> dict[str, Any]:
    """The columns and rows of a node's table, as NodeOut has them."""
    if table is None:
        return {}
    rows = [[cell.text for cell in row.cells] for row in table.body]
    return {"columns": [column.header for column in table.columns], "rows": rows}


def show_section(node: Node) -> dict[str, Any]:
    """The pages of a node, from 1."""
    return {"page_start": node.page_start + 1, "page_end": node.page_end + 1}
