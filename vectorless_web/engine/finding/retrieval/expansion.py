"""Expansion: the other members of a candidate's community, and its neighbours by a walk with decay or by PageRank."""

import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Protocol

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.finding.retrieval.corpus import Direction, Gate, NodeAddress
from vectorless_web.engine.finding.retrieval.lanes import SCORE_DIGITS, Identifier, Scored, best_of_each, sort_scored


@dataclass(frozen=True, slots=True)
class CommunityFilter:
    """Settings: how many candidates are seeds, how many new members each community may add, and their decay (0..1)."""

    enabled: bool = False
    expand_seeds: int = 3
    """Candidates, the best ones, whose communities join. Chosen by hand, like the two below."""
    max_per_community: int = 10
    """New members that one community adds at most."""
    decay: float = 0.85
    """Share of its seed's score that a member gets: it follows its seed closely in the order."""


class CommunityLookup(Protocol):
    """Which community a node belongs to and who else does. `version` identifies the assignment."""

    version: str

    def community_of(self, node_id: Identifier) -> Hashable | None:
        """The community of the node, None when it has none."""
        ...

    def members_of(self, community: Hashable) -> Sequence[Identifier]:
        """Members in the order in which they should join; empty when unknown."""
        ...

    def is_empty(self) -> bool:
        """Whether no community has a member."""
        ...


WHOLE_SECTION = 24
"""Leaves up to which a whole section is one community; in a larger one each leaf has its nearest neighbours instead.
Chosen by hand: a note or a statement has fewer, a chapter without headings of its own has more."""


class SectionCommunities(CommunityLookup):
    """Communities of a DocumentCollection: the leaves of one section (a note, a statement) belong together.

    Of a section of more than `most` leaves each leaf has a community of its own: its
    neighbours within the section, the nearest first.
    """

    def __init__(self, documents: Mapping[int, CompiledDocument], *, most: int = WHOLE_SECTION) -> None:
        self._documents, self._most = documents, most
        state = (most, sorted((str(space), document.sha256) for space, document in documents.items()))
        self.version = hashlib.sha256(repr(state).encode()).hexdigest()

    def community_of(self, node_id: NodeAddress) -> Hashable | None:
        """(document, section key, leaf key or -1 for all of the section); None for a node outside all sections."""
        document = self._documents.get(node_id.space)
        if document is None or node_id.key not in document.tree:
            return None
        section = document.tree.section_of(node_id.key)
        if section <= 0:
            return None
        is_large = section != node_id.key and len(document.tree.leaves(section)) > self._most
        return node_id.space, section, node_id.key if is_large else -1

    def members_of(self, community: Hashable) -> Sequence[NodeAddress]:
        """Leaves of the section in reading order, or from a leaf outwards; empty for what is no community."""
        if not isinstance(community, tuple):
            return ()
        space, section, centre = community
        leaves = self._documents[space].tree.leaves(section)
        if centre >= 0:
            leaves = sorted(leaves, key=lambda key: (abs(key - centre), key))[: self._most + 1]
        return [NodeAddress(space, key) for key in leaves]

    def is_empty(self) -> bool:
        return not any(next(document.tree.sections(), None) for document in self._documents.values())


def apply_community_filter(candidates: Sequence[Scored], lookup: CommunityLookup, cfg: CommunityFilter) -> list[Scored]:
    """The candidates unchanged, followed by new members of the first candidates' communities.

    A member scores best seed of its community x decay, clamped to [0, 1]. Communities join in the order of their first
    seed, members in the lookup's order; nothing is dropped or moved. Source: the cluster hypothesis, documents near a
    relevant one tend to be relevant (van Rijsbergen, Information Retrieval, 1979).
    """
    joined = list(candidates)
    if not cfg.enabled:
        return joined
    present = {name for name, _ in candidates}
    decay = min(max(cfg.decay, 0.0), 1.0)
    best: dict[Hashable, float] = {}
    for name, score in candidates[: max(cfg.expand_seeds, 0)]:
        community = lookup.community_of(name)
        if community is not None:
            best[community] = max(score, best.get(community, score))
    for community, score in best.items():
        fresh = dict.fromkeys(member for member in lookup.members_of(community) if member not in present)
        members = list(fresh)[: max(cfg.max_per_community, 0)]
        present.update(members)
        joined += [(member, round(score * decay, SCORE_DIGITS)) for member in members]
    return joined


DAMPING = 0.85
"""Probability that the walk follows an edge instead of starting anew; the value of Brin and Page 1998."""
MAX_ITERATIONS = 15
"""Iterations of PageRank at most. What an iteration still changes shrinks by DAMPING each time: 0.85 ** 15 is 0.09,
enough for an order of neighbours."""
EPSILON = 1e-6
"""Change of the whole result (L1) below which PageRank stops early."""
MAX_NODES = 250_000
"""Above this many nodes PageRank runs only when the caller opts in, because each iteration touches every edge. Chosen
by hand."""
_MAX_DAMPING = 0.999
"""Damping is cut to this: at 1 the walk would never return to the seeds."""


def personalized_pagerank(
    edges: Iterable["WeightedEdge"],
    personalization: Mapping[Identifier, float],
    *,
    damping: float = DAMPING,
    max_iter: int = MAX_ITERATIONS,
    eps: float = EPSILON,
) -> dict[Identifier, float]:
    """PageRank of every node named by (source, target, weight) edges, by ascending id; the values sum to 1.

    Parallel edges add up; edges of a weight that is not positive and finite carry nothing. The mass of nodes without
    outgoing edges returns to the personalisation, whose unknown ids and values that are not positive are ignored (none
    left: uniform). Damping is clamped to [0, 0.999]. Stops after `max_iter` iterations or when the result moves by
    less than `eps` (L1). Source: Haveliwala, "Topic-Sensitive PageRank", WWW 2002.
    """
    listed = list(edges)
    names = sorted({end for source, target, _ in listed for end in (source, target)})
    if not names:
        return {}
    place = {name: i for i, name in enumerate(names)}
    kept = sorted((place[s], place[t], w) for s, t, w in listed if w > 0 and math.isfinite(w))
    source, target = (np.fromiter((edge[end] for edge in kept), np.intp, len(kept)) for end in (0, 1))
    weight = np.fromiter((w for _, _, w in kept), np.float64, len(kept))
    out = np.bincount(source, weights=weight, minlength=len(names))
    share = weight / out[source]
    home = np.zeros(len(names))
    for name, given in personalization.items():
        if name in place and given > 0 and math.isfinite(given):
            home[place[name]] += given
    home = home / home.sum() if home.sum() > 0 else np.full(len(names), 1.0 / len(names))
    followed = min(max(damping, 0.0), _MAX_DAMPING)
    rank = home.copy()
    for _ in range(max_iter):
        moved = np.bincount(target, weights=rank[source] * share, minlength=len(names))
        teleport = (1.0 - followed) + followed * float(rank[out == 0].sum())
        following = teleport * home + followed * moved
        following /= following.sum()
        change = float(np.abs(following - rank).sum())
        rank = following
        if change < eps:
            break
    return dict(zip(names, rank.tolist(), strict=True))


GraphExpandDirection = Direction
_MIN_DEPTH, _MAX_DEPTH = 1, 4
"""Hops of graph expansion that are allowed: farther nodes have little to do with the seed, and are many."""

WeightedEdge = tuple[Identifier, Identifier, float]
Neighbours = Callable[[Identifier, Direction], Sequence[tuple[str, Identifier]]]


class GraphExpandMode(StrEnum):
    """How neighbours are scored: by the best path with decay, or by personalised PageRank."""

    DECAY = "decay"
    PPR = "ppr"


@dataclass(frozen=True, slots=True)
class GraphExpand:
    """Settings of graph expansion.

    `edge_types` None follows every type; `edge_weight` multiplies the score along a type (1.0 when not named);
    `max_per_seed` follows only the first n edges of each node, in order of type and id, whatever their direction.
    Nodes whose ntype is among `through` are walked through and never added.
    `knn_edges` are derived (source, target, weight) edges that PageRank walks besides the corpus's own; `opt_in` lets
    it run above 250,000 nodes.
    """

    depth: int = 1
    """Hops from a seed; clamped to 1..4."""
    decay: float = 0.7
    """Share of its score that a node gives to a neighbour, for each hop. Chosen by hand: lower than that of a community
    (0.85), because an edge leads to another section."""
    max_expand: int = 20
    """Neighbours added at most."""
    max_frontier: int = 5000
    """Nodes of one hop above which the walk goes no further. Bounds the time of one query in a dense graph."""
    max_per_seed: int | None = None
    direction: Direction = Direction.OUTGOING
    edge_types: tuple[str, ...] | None = None
    through: tuple[str, ...] = ()
    edge_weight: Mapping[str, float] = field(default_factory=dict)
    mode: GraphExpandMode = GraphExpandMode.DECAY
    damping: float = DAMPING
    max_iter: int = MAX_ITERATIONS
    eps: float = EPSILON
    opt_in: bool = False
    knn_edges: tuple[WeightedEdge, ...] = ()


def expand_by_decay(
    seeds: Sequence[Scored], neighbours: Neighbours, config: GraphExpand, *, admits: Gate | None = None
) -> list[Scored]:
    """The neighbours worth adding to `seeds`, (id, score), best first, at most `config.max_expand`.

    A neighbour scores parent x decay x edge weight, compounding per hop; of several paths the best wins. Seeds keep
    their own score and are never added again; a negative score expands nothing. `admits` is asked before the cap. When
    a hop finds more than `max_frontier` nodes it is kept and the walk stops. Source: spreading activation (Collins and
    Loftus, Psychological Review 1975) with bounded depth and width.
    """
    listed = best_of_each(seeds)
    found: dict[Identifier, float] = {}
    frontier: Mapping[Identifier, float] = listed
    for _ in range(min(max(config.depth, _MIN_DEPTH), _MAX_DEPTH)):
        reached = _walk_one_hop(frontier, neighbours, config)
        frontier = {
            name: score
            for name, score in reached.items()
            if name not in listed and (name not in found or score > found[name])
        }
        found.update(frontier)
        if not frontier or len(frontier) > config.max_frontier:
            break
    return _best_admitted(found.items(), config.max_expand, admits)


def _walk_one_hop(
    frontier: Mapping[Identifier, float], neighbours: Neighbours, config: GraphExpand
) -> dict[Identifier, float]:
    reached: dict[Identifier, float] = {}
    for name, score in frontier.items():
        for edge_type, other in _select_edges(name, neighbours, config) if score >= 0 else ():
            passed = score * config.decay * config.edge_weight.get(edge_type, 1.0)
            if other != name and (other not in reached or passed > reached[other]):
                reached[other] = passed
    return reached


def _select_edges(name: Identifier, neighbours: Neighbours, config: GraphExpand) -> list[tuple[str, Identifier]]:
    """The edges of a node that count, those of all directions together."""
    both = (Direction.OUTGOING, Direction.INCOMING)
    ways = both if config.direction is Direction.BOTH else (config.direction,)
    edges = [edge for way in ways for edge in neighbours(name, way)]
    if config.edge_types is not None:
        edges = [edge for edge in edges if edge[0] in config.edge_types]
    return edges if config.max_per_seed is None else sorted(set(edges))[: max(config.max_per_seed, 0)]


def expand_by_pagerank(
    seeds: Sequence[Scored], edges: Iterable[WeightedEdge], config: GraphExpand, *, admits: Gate | None = None
) -> list[Scored]:
    """Neighbours by personalised PageRank from the seeds' positive scores, best first, at most `config.max_expand`.

    The score is the node's PageRank; nodes the walk never reaches are not added.
    """
    listed = best_of_each(seeds)
    home = {name: score for name, score in listed.items() if score > 0}
    walked = list(edges)
    backwards = [(target, source, weight) for source, target, weight in walked]
    if config.direction is not Direction.OUTGOING:
        walked = backwards + (walked if config.direction is Direction.BOTH else [])
    if not any(name in home for edge in walked for name in edge[:2]):
        return []
    rank = personalized_pagerank(walked, home, damping=config.damping, max_iter=config.max_iter, eps=config.eps)
    reached = ((name, score) for name, score in rank.items() if score > 0 and name not in listed)
    return _best_admitted(reached, config.max_expand, admits)


def _best_admitted(scored: Iterable[Scored], limit: int, admits: Gate | None) -> list[Scored]:
    return list(islice((hit for hit in sort_scored(scored) if admits is None or admits(hit[0])), limit))


HybridEdge = tuple[Identifier, Identifier, float, str]
"""Source, target, weight, and where the edge comes from: "authored" or "knn"."""


def hybrid_union(authored: Iterable[tuple[Identifier, Identifier]], knn: Iterable[WeightedEdge]) -> list[HybridEdge]:
    """Authored edges with weight 1 in their order, then nearest-neighbour edges not yet authored in that direction."""
    edges = [(source, target, 1.0, "authored") for source, target in authored]
    known = {edge[:2] for edge in edges}
    return edges + [(source, target, weight, "knn") for source, target, weight in knn if (source, target) not in known]
