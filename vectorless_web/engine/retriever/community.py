"""Community expansion: the other members of the group the best candidates belong to."""

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from vectorless_web.engine.retriever.ranking import Scored, rounded


@dataclass(frozen=True, slots=True)
class CommunityFilter:
    """Settings: how many candidates are seeds, how many new members each community may add, and their decay (0..1)."""

    enabled: bool = False
    expand_seeds: int = 3
    max_per_community: int = 10
    decay: float = 0.85

    @property
    def is_identity(self) -> bool:
        """Whether the stage changes nothing whatever the candidates are."""
        return not self.enabled or self.expand_seeds <= 0 or self.max_per_community <= 0


class CommunityLookup(Protocol):
    """Which community a node belongs to and who else does. `version` identifies the assignment."""

    version: str

    def community_of(self, node_id: str) -> Hashable | None:
        """The community of the node, None when it has none."""
        ...

    def members_of(self, community: Hashable) -> Sequence[str]:
        """Members in the order in which they should join; empty when unknown."""
        ...

    def is_empty(self) -> bool:
        """Whether no community has a member."""
        ...


class MappedCommunities:
    """A lookup over two mappings; a missing `members_of` makes the expansion an identity."""

    def __init__(self, community_of: Mapping[str, Hashable], members_of: Mapping[Hashable, Sequence[str]]) -> None:
        self._community_of = community_of
        self._members_of = members_of
        state = repr((sorted((k, repr(v)) for k, v in community_of.items()), sorted(map(repr, members_of.items()))))
        self.version = hashlib.sha256(state.encode("utf-8", "backslashreplace")).hexdigest()

    def community_of(self, node_id: str) -> Hashable | None:
        """The community of the node, None when it has none."""
        return self._community_of.get(node_id)

    def members_of(self, community: Hashable) -> Sequence[str]:
        """Members in their given order."""
        return self._members_of.get(community, ())

    def is_empty(self) -> bool:
        """Whether no community has a member."""
        return not any(self._members_of.values())


def apply_community_filter(candidates: Sequence[Scored], lookup: CommunityLookup, cfg: CommunityFilter) -> list[Scored]:
    """The candidates unchanged, followed by new members of the first candidates' communities.

    A member scores best seed of its community x decay. Communities join in the order of
    their first seed, members in the lookup's order; nothing is dropped or moved. The
    identity when disabled, without candidates, seeds or a cap, or without members. A decay
    outside [0, 1] is clamped. Source: the cluster hypothesis, documents near a relevant one
    tend to be relevant (van Rijsbergen, Information Retrieval, 1979).
    """
    joined = list(candidates)
    if cfg.is_identity:
        return joined
    present = {name for name, _ in candidates}
    decay = min(max(cfg.decay, 0.0), 1.0)
    for community, score in _best_seed(candidates[: cfg.expand_seeds], lookup).items():
        for member in _new_members(lookup.members_of(community), present, cfg.max_per_community):
            present.add(member)
            joined.append((member, rounded(score * decay)))
    return joined


def _best_seed(seeds: Iterable[Scored], lookup: CommunityLookup) -> dict[Hashable, float]:
    best: dict[Hashable, float] = {}
    for name, score in seeds:
        community = lookup.community_of(name)
        if community is not None:
            best[community] = max(score, best.get(community, score))
    return best


def _new_members(members: Sequence[str], present: set[str], cap: int) -> list[str]:
    fresh = dict.fromkeys(member for member in members if member not in present)
    return list(fresh)[:cap]
