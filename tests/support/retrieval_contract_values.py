"""Values of worked cases, from plain JSON to what the retriever holds."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.memory_collection import MappedCommunities
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    CorpusNode,
    GraphExpand,
    GraphExpandDirection,
    GraphExpandMode,
    Link,
    PropertyValue,
    RerankFailed,
    SparseVector,
    TemporalFilter,
)

Json = Any


Case = Mapping[str, Any]


BOUNDS = ("created_after", "created_before", "updated_after", "updated_before")


def or_else(given: Json, default: Json) -> Json:
    """The value given, or the default when it is absent or null."""
    return default if given is None else given


def asked_for(setting: Json) -> bool:
    """Whether a stage is on: true, or settings that do not switch it off."""
    return bool(setting.get("enabled", True)) if isinstance(setting, Mapping) else bool(setting)


def pairs(scored: Sequence[tuple[str, float]]) -> list[list[Json]]:
    """(id, score) tuples as JSON has them."""
    return [[name, score] for name, score in scored]


def scored(pairs: Sequence[Sequence[Json]]) -> list[tuple[str, float]]:
    """[id, score] lists as tuples."""
    return [(name, float(score)) for name, score in pairs]


def value_of(typed: Case) -> PropertyValue:
    """A typed value as the retriever holds it."""
    kind, value = typed["type"], typed.get("value")
    if kind == "list":
        return [value_of(entry) for entry in value]
    if kind == "map":
        return {name: value_of(entry) for name, entry in value.items()}
    convert: dict[str, Callable[[Json], PropertyValue]] = {
        "string": str,
        "integer": int,
        "float": float,
        "bool": bool,
        "null": lambda _: None,
        "bytes": lambda raw: bytes(raw) if isinstance(raw, list) else str(raw or "").encode(),
        "link": lambda target: Link(str(target)),
    }
    return convert[kind](value)


def properties_of(typed: Case | None) -> dict[str, PropertyValue]:
    """Typed properties by name."""
    return {name: value_of(value) for name, value in (typed or {}).items()}


def node_of(data: Case) -> CorpusNode:
    """A node of a case."""
    context = data.get("context", data.get("context_sentence"))
    return CorpusNode(data["id"], data["ntype"], data.get("summary"), context, properties_of(data.get("props")))


def bounds_of(data: Case) -> TemporalFilter:
    """The bounds on time among the entries of a case."""
    return TemporalFilter(**{name: data[name] for name in BOUNDS if data.get(name) is not None})


def community_filter(cfg: Case) -> CommunityFilter:
    """Settings of community expansion."""
    known = ("enabled", "expand_seeds", "decay")
    same = {name: cfg[name] for name in known if cfg.get(name) is not None}
    cap = next((value for name, value in cfg.items() if name not in known and value is not None), None)
    return CommunityFilter(**same) if cap is None else CommunityFilter(**same, max_per_community=cap)


def communities_of(data: Case) -> MappedCommunities:
    """Which node belongs where."""
    # JSON has string keys only, so communities are compared as strings.
    of = {name: str(community) for name, community in (data.get("community_of") or {}).items() if community is not None}
    members = {str(community): ids for community, ids in (data.get("members_of") or {}).items()}
    return MappedCommunities(of, members)


def sparse_vector_of(data: Case) -> SparseVector:
    """A sparse vector; ValueError when it is none."""
    return SparseVector(tuple(data["indices"]), tuple(data["values"]), data.get("vocab_id", ""))


_SAME_NAME = ("depth", "decay", "max_expand", "max_frontier", "max_per_seed", "damping", "max_iter", "eps")


_EDGE_TYPES = ("edge_types", "etype_filter", "etypes", "edge_type_filter")


def graph_expand_of(given: Case | int) -> GraphExpand:
    """Settings of graph expansion; a bare number is how many neighbours may be added."""
    config: Case = given if isinstance(given, Mapping) else {"max_expand": given}
    mode = config.get("mode") or "decay"
    if isinstance(mode, Mapping):
        (mode, settings) = next(iter(mode.items()))
        config = {**config, **(settings or {})}
    same: dict[str, Any] = {name: config[name] for name in _SAME_NAME if config.get(name) is not None}
    types = next((config[name] for name in _EDGE_TYPES if config.get(name) is not None), None)
    return GraphExpand(
        **same,
        edge_types=None if types is None else tuple(types),
        edge_weight=config.get("edge_weight") or {},
        direction=GraphExpandDirection(str(config.get("direction") or "outgoing").lower()),
        mode=GraphExpandMode(str(mode).lower()),
        opt_in=bool(config.get("opt_in") or config.get("ppr_opt_in")),
    )


class GivenReranker:
    """Answers with prepared scores, or fails."""

    name = "given"

    def __init__(self, outcome: Case) -> None:
        self._outcome = outcome

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """The prepared scores."""
        if self._outcome.get("error"):
            raise RerankFailed("The reranker did not answer.")
        scores: Sequence[float] = self._outcome["scores"]
        return scores
