"""Warnings: constant sentences about a request that could not do all it asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.retrieval.expansion import MAX_NODES

WARNINGS_CAP = 8
"""At most so many warnings leave the retriever."""


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
