"""What a retrieval asks for, as frozen data, and what comes back."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from vectorless_web.engine.questions.plan import WeightedTerm
from vectorless_web.engine.retrieval.corpus import CorpusNode, PropertyValue, SparseVector
from vectorless_web.engine.retrieval.documents import NodeAddress
from vectorless_web.engine.retrieval.expansion import CommunityFilter, CommunityLookup, GraphExpand
from vectorless_web.engine.retrieval.filters import NodeFilter, TemporalFilter
from vectorless_web.engine.retrieval.fusion import RRF_K, FusionStrategy, Scored
from vectorless_web.engine.retrieval.packing import SUMMARY_CAP, Dropped
from vectorless_web.engine.retrieval.reranking import RERANK_TOP_K, NodeReranker, Reranker
from vectorless_web.engine.retrieval.warnings import RetrievalWarning

LANE_CAP = 256
FIELD_WEIGHTS: Mapping[str, float] = {"title": 2.0, "path": 1.0, "text": 1.0, "table": 1.0}


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
        """The whole result as ASCII JSON: what determinism is checked on."""
        return json.dumps(_tag_types(self), ensure_ascii=True, sort_keys=True).encode()
