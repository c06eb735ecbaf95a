"""What a retrieval gives: the items packed, what was left out and why, and warnings about what could not be done."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from vectorless_web.engine.finding.retrieval.corpus import CorpusNode
from vectorless_web.engine.finding.retrieval.documents import NodeAddress
from vectorless_web.engine.finding.retrieval.expansion import MAX_NODES
from vectorless_web.engine.finding.retrieval.packing import Dropped

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
    "community_filter_noop": (
        "community_filter",
        "There is nothing to form communities from; none was added.",
        "Leave communities out, or ask of documents with headings.",
    ),
    "ppr_no_substrate": (
        "graph_mode",
        "There are no edges for PageRank to walk; no neighbour was added.",
        "Leave the expansion out, or ask of documents with headings or references.",
    ),
    "no_reranker": (
        "rerank",
        "Reranking was asked for, but no reranker answered; the fused order was kept.",
        "Give a reranker that answers, or leave reranking out.",
    ),
    "authored_adjacency_empty": (
        "graph_expand",
        "There are no edges to follow; no neighbour was added.",
        "Leave the expansion out, or ask of documents with headings or references.",
    ),
    "below_confidence_floor": (
        "min_confidence",
        "Every candidate scored below the floor; none was returned.",
        "Lower the minimum confidence, or leave it out.",
    ),
    "ppr_size_gate_skipped": (
        "graph_mode",
        "The graph is too large for PageRank without an opt-in; decay ran.",
        "Take the expansion with decay, or ask of fewer documents.",
    ),
    "lane_empty": (
        "lanes",
        "A lane that was asked for found nothing; the results come from the other lanes.",
        "Loosen the filters, or use the words of the documents.",
    ),
    "non_finite_score": (
        "scores",
        "Scores that are not finite numbers were dropped.",
        "Let every lane give finite numbers.",
    ),
    "warnings_truncated": ("warnings", "There were more warnings than are shown.", "Mend those that are shown first."),
}
"""By code the setting to change, the sentence shown, and what to do."""


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
    def remedy(self) -> str:
        """What to do, in a sentence."""
        return _CATALOG[self.code][2]

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


class Lane(StrEnum):
    """Where a score comes from, in the order in which an item lists them."""

    VECTOR = "vector"
    SPARSE = "sparse"
    LEXICAL = "lexical"
    STRUCTURE = "structure"
    GRAPH = "graph_expand"
    RERANK = "rerank"


LANE_ORDER = {lane: position for position, lane in enumerate(Lane)}


def tag_types(value: Any) -> Any:
    """The value as JSON that tells types apart: every value beside the name of its type."""
    if isinstance(value, Mapping):
        return ["map", sorted(([str(key), tag_types(item)] for key, item in value.items()), key=lambda pair: pair[0])]
    if isinstance(value, frozenset):
        return ["set", sorted(map(repr, value))]
    if isinstance(value, list | tuple):
        return [tag_types(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, NodeAddress):
        # Fingerprints of stored runs were taken over written ids.
        return tag_types(str(value))
    if hasattr(value, "__dataclass_fields__"):
        return [type(value).__name__, {name: tag_types(getattr(value, name)) for name in value.__dataclass_fields__}]
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
        return json.dumps(tag_types(self), ensure_ascii=True, sort_keys=True).encode()
