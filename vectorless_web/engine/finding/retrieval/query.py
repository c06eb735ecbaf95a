"""What a retrieval asks for, which nodes may take part, and what comes back, with warnings about what was left out."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from vectorless_web.engine.finding.retrieval.corpus import CorpusNode, Link, PropertyValue, SparseVector
from vectorless_web.engine.finding.retrieval.documents import NodeAddress
from vectorless_web.engine.finding.retrieval.expansion import MAX_NODES, CommunityFilter, CommunityLookup, GraphExpand
from vectorless_web.engine.finding.retrieval.fusion import RRF_K, FusionStrategy, Scored
from vectorless_web.engine.finding.retrieval.packing import RERANK_TOP_K, SUMMARY_CAP, Dropped, NodeReranker, Reranker
from vectorless_web.engine.questions.plan import WeightedTerm

CREATED_AT = "mnem:created_at"
UPDATED_AT = "mnem:updated_at"
TENANT = "tenant"


@dataclass(frozen=True, slots=True)
class TemporalFilter:
    """Bounds in integer microseconds since 1970 on the properties created_at and updated_at.

    `*_after` is inclusive, `*_before` exclusive, None is no bound. A stamp that is
    missing, not an integer or negative passes: age unknown is not age refused.
    """

    created_after: int | None = None
    created_before: int | None = None
    updated_after: int | None = None
    updated_before: int | None = None

    def matches(self, properties: Mapping[str, PropertyValue]) -> bool:
        """Whether a node with these properties lies within all bounds."""
        created, updated = _stamp(properties.get(CREATED_AT)), _stamp(properties.get(UPDATED_AT))
        return _is_within(created, self.created_after, self.created_before) and _is_within(
            updated, self.updated_after, self.updated_before
        )


def _stamp(value: PropertyValue) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _is_within(stamp: int | None, after: int | None, before: int | None) -> bool:
    if stamp is None:
        return True
    return (after is None or stamp >= after) and (before is None or stamp < before)


def property_equals(properties: Mapping[str, PropertyValue], name: str, value: PropertyValue) -> bool:
    """Whether the property is present and strictly equal: 5, 5.0 and "5" differ, true is not 1, lists keep order."""
    return name in properties and same_value(properties[name], value)


def same_value(a: PropertyValue, b: PropertyValue) -> bool:
    """Equality that is strict in type, also inside lists and maps."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same_value(a[key], b[key]) for key in a)
    if _is_list(a) and _is_list(b):
        left, right = list(_items(a)), list(_items(b))
        return len(left) == len(right) and all(map(same_value, left, right))
    return type(a) is type(b) and a == b


def _is_list(value: PropertyValue) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _items(value: PropertyValue) -> Sequence[PropertyValue]:
    assert isinstance(value, Sequence) and not isinstance(value, str | bytes | Link)
    return value


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """Everything a node must satisfy. `wanted` are (name, value) properties, all of which must be equal."""

    label: str | None = None
    wanted: tuple[tuple[str, PropertyValue], ...] = ()
    tenant: str | None = None
    temporal: TemporalFilter | None = None

    @property
    def is_open(self) -> bool:
        """Whether every node passes."""
        return self == NodeFilter()

    @property
    def reads_properties(self) -> bool:
        """Whether the node itself must be read, beyond its label."""
        return bool(self.wanted) or self.tenant is not None or self.temporal is not None

    def admits(self, node: CorpusNode) -> bool:
        """Whether the node satisfies label, properties, tenant and time."""
        return self.admits_neighbour(node) and all(
            property_equals(node.properties, name, value) for name, value in self.wanted
        )

    def admits_neighbour(self, node: CorpusNode) -> bool:
        """The same without the properties: an edge may lead to the answer from a node that has them."""
        if self.label is not None and node.ntype != self.label:
            return False
        if self.tenant is not None and node.properties.get(TENANT) != self.tenant:
            return False
        return self.temporal is None or self.temporal.matches(node.properties)


WARNINGS_CAP = 8
"""Warnings that one result carries at most; as many as there are kinds of cause."""


class WarningCode(StrEnum):
    """The closed set of warnings; each has a page `docs/warnings/<code>.md` that tells the remedy."""

    COMMUNITY_FILTER_NOOP = "community_filter_noop"
    PPR_NO_SUBSTRATE = "ppr_no_substrate"
    NO_RERANKER = "no_reranker"
    AUTHORED_ADJACENCY_EMPTY = "authored_adjacency_empty"
    BELOW_CONFIDENCE_FLOOR = "below_confidence_floor"
    PPR_SIZE_GATE_SKIPPED = "ppr_size_gate_skipped"
    LANE_EMPTY = "lane_empty"
    NON_FINITE_SCORE = "non_finite_score"
    WARNINGS_TRUNCATED = "warnings_truncated"


_CATALOG = {
    WarningCode.COMMUNITY_FILTER_NOOP: (
        "community_filter",
        "Community expansion was asked for, but there is nothing to form communities from; the results are unchanged.",
    ),
    WarningCode.PPR_NO_SUBSTRATE: (
        "graph_mode",
        "PageRank expansion was asked for, but there are no edges to walk; the results are unchanged.",
    ),
    WarningCode.NO_RERANKER: (
        "rerank",
        "Reranking was asked for, but no reranker answered; the fused order was kept.",
    ),
    WarningCode.AUTHORED_ADJACENCY_EMPTY: (
        "graph_expand",
        "Graph expansion was asked for, but there are no edges; no neighbour was added.",
    ),
    WarningCode.BELOW_CONFIDENCE_FLOOR: (
        "min_confidence",
        "Every candidate scored below the confidence floor, so nothing was returned.",
    ),
    WarningCode.PPR_SIZE_GATE_SKIPPED: (
        "graph_mode",
        "The graph is too large for PageRank without an opt-in; the walk with decay ran instead.",
    ),
    WarningCode.LANE_EMPTY: (
        "lanes",
        "A lane that was asked for found nothing; the results come from the other lanes.",
    ),
    WarningCode.NON_FINITE_SCORE: (
        "scores",
        "Scores that are not finite numbers were dropped.",
    ),
    WarningCode.WARNINGS_TRUNCATED: (
        "warnings",
        "There were more warnings than are shown.",
    ),
}


@dataclass(frozen=True, slots=True)
class RetrievalWarning:
    """One warning: its code, the knob it is about and a constant message. User text never enters it."""

    code: WarningCode

    @property
    def knob(self) -> str:
        """The setting to change."""
        return _CATALOG[self.code][0]

    @property
    def message(self) -> str:
        """The sentence shown; the same for every request."""
        return _CATALOG[self.code][1]

    @property
    def remediation_ref(self) -> str:
        """Path of the page that tells the remedy, from the root of the repository."""
        return f"docs/warnings/{self.code.value}.md"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What was asked for and what there was to do it with: counts, never guesses.

    `authored_edges`, `vectors` and `ppr_nodes` are sizes of the corpus; `graph_expand`
    is whether expansion was asked for at all, `ppr` whether by PageRank.
    """

    rerank: bool = False
    reranker_available: bool = False
    community: bool = False
    ppr: bool = False
    ppr_opt_in: bool = False
    graph_expand: bool = False
    authored_edges: int = 0
    vectors: int = 0
    ppr_nodes: int = 0

    def warnings(self) -> list[RetrievalWarning]:
        """The warnings that hold: rerank, community, PageRank, expansion, then the size gate."""
        nothing_linked = self.authored_edges == 0 and self.vectors == 0
        held = (
            (WarningCode.NO_RERANKER, self.rerank and not self.reranker_available),
            (WarningCode.COMMUNITY_FILTER_NOOP, self.community and nothing_linked),
            (WarningCode.PPR_NO_SUBSTRATE, self.ppr and nothing_linked),
            (WarningCode.AUTHORED_ADJACENCY_EMPTY, self.graph_expand and self.authored_edges == 0),
            (WarningCode.PPR_SIZE_GATE_SKIPPED, self.ppr and self.ppr_nodes > MAX_NODES and not self.ppr_opt_in),
        )
        return [RetrievalWarning(code) for code, holds in held if holds]


def cap_warnings(warnings: Sequence[RetrievalWarning]) -> list[RetrievalWarning]:
    """Up to WARNINGS_CAP warnings unchanged; of more, the first WARNINGS_CAP - 1 and `warnings_truncated`."""
    if len(warnings) <= WARNINGS_CAP:
        return list(warnings)
    return [*warnings[: WARNINGS_CAP - 1], RetrievalWarning(WarningCode.WARNINGS_TRUNCATED)]


def remove_repeats(warnings: Iterable[RetrievalWarning]) -> list[RetrievalWarning]:
    """Each warning once, in order of first appearance."""
    return list(dict.fromkeys(warnings))


LANE_CAP = 256
"""Hits that one lane hands to fusion at most. Filters act before the cut, so a filter costs no recall. Chosen by hand:
in reciprocal rank fusion the last of them adds 1 / 316 where the first adds 1 / 61."""
FIELD_WEIGHTS: Mapping[str, float] = {"title": 2.0, "path": 1.0, "text": 1.0, "table": 1.0}
"""BM25F field weights of the lexical lane: a title says more than a text of the same length. Chosen by hand; a run
ranks by engine.finding.ranking."""


class Lane(StrEnum):
    """Where a score comes from, in the order in which an item lists them."""

    VECTOR = "vector"
    SPARSE = "sparse"
    LEXICAL = "lexical"
    STRUCTURE = "structure"
    GRAPH = "graph_expand"
    RERANK = "rerank"


LANE_ORDER = {lane: position for position, lane in enumerate(Lane)}


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """Everything a Retriever was told. None means not asked for; see the builder's methods for the meaning."""

    label: str | None = None
    where: tuple[tuple[str, PropertyValue], ...] = ()
    tenant: str | None = None
    temporal: TemporalFilter | None = None
    text: str | None = None
    terms: tuple[WeightedTerm, ...] = ()
    field_weights: Mapping[str, float] = field(default_factory=lambda: FIELD_WEIGHTS)
    vector: tuple[str, tuple[float, ...]] | None = None
    vector_share: float | None = None
    sparse: SparseVector | None = None
    structure: tuple[Scored, ...] | None = None
    token_budget: int | None = None
    limit: int | None = None
    lane_cap: int = LANE_CAP
    fusion: FusionStrategy = FusionStrategy.RRF
    rrf_k: float = RRF_K
    weights: Mapping[Lane, float] = field(default_factory=dict)
    graph: GraphExpand | None = None
    community: CommunityFilter = field(default_factory=CommunityFilter)
    communities: CommunityLookup | None = None
    rerank: bool = False
    reranker: Reranker | NodeReranker | None = None
    rerank_top_k: int = RERANK_TOP_K
    min_confidence: float | None = None
    summary_cap: int = SUMMARY_CAP
    include_tombstoned: bool = False
    include_system: bool = False

    @property
    def gate(self) -> NodeFilter:
        """The conditions on nodes."""
        return NodeFilter(self.label, self.where, self.tenant, self.temporal)

    def fingerprint(self, corpus_version: str, estimator: str) -> str:
        """SHA-256 over the corpus version, the estimator's name and every setting, in hexadecimal."""
        settings = {name: getattr(self, name) for name in self.__dataclass_fields__}
        state = json.dumps([corpus_version, estimator, _tag_types(settings)], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(state.encode()).hexdigest()


def _tag_types(value: Any) -> Any:
    """The value as JSON that tells types apart: every value beside the name of its type."""
    if isinstance(value, Mapping):
        return ["map", sorted(([str(key), _tag_types(item)] for key, item in value.items()), key=lambda pair: pair[0])]
    if isinstance(value, list | tuple):
        return [_tag_types(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, NodeAddress):
        # Fingerprints of stored runs were taken over written ids.
        return _tag_types(str(value))
    if hasattr(value, "__dataclass_fields__"):
        return [type(value).__name__, {name: _tag_types(getattr(value, name)) for name in value.__dataclass_fields__}]
    if hasattr(value, "version") or hasattr(value, "name"):
        return [type(value).__name__, getattr(value, "version", None) or getattr(value, "name", "")]
    return [type(value).__name__, repr(value)]


@dataclass(frozen=True, slots=True)
class RetrievedItem:
    """A packed node: as stored, as the model reads it, its tokens, final score and the native score of each lane."""

    node: CorpusNode
    rendered: str
    tokens: int
    score: float
    lane_scores: tuple[tuple[Lane, float], ...] = ()

    def lane_score(self, lane: Lane) -> float | None:
        """The native score in one lane; None when that lane did not find the node."""
        return dict(self.lane_scores).get(lane)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What was packed and what was not.

    `len(items) + dropped == candidates_seen`; `left_out` names each dropped candidate with
    its reason. `tokens_budget` is None when unset. Equal fingerprints mean equal bytes.
    """

    items: tuple[RetrievedItem, ...]
    tokens_used: int
    tokens_budget: int | None
    dropped: int
    candidates_seen: int
    warnings: tuple[RetrievalWarning, ...]
    fingerprint: str
    left_out: tuple[Dropped, ...] = ()

    def canonical(self) -> bytes:
        """The whole result as ASCII JSON; equal requests must give equal bytes."""
        return json.dumps(_tag_types(self), ensure_ascii=True, sort_keys=True).encode()
