"""Graph expansion: neighbours of what was found, by a walk with decay or by PageRank."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from vectorless_web.engine.retriever.corpus import Direction
from vectorless_web.engine.retriever.pagerank import DAMPING, EPSILON, MAX_ITERATIONS, personalized_pagerank
from vectorless_web.engine.retriever.ranking import Scored, best_of_each, ranked

GraphExpandDirection = Direction
MIN_DEPTH, MAX_DEPTH = 1, 4

WeightedEdge = tuple[str, str, float]
Neighbours = Callable[[str, Direction], Sequence[tuple[str, str]]]
Admits = Callable[[str], bool]


class GraphExpandMode(StrEnum):
    """How neighbours are scored: by the best path with decay, or by personalised PageRank."""

    DECAY = "decay"
    PPR = "ppr"


@dataclass(frozen=True, slots=True)
class GraphExpand:
    """Settings of graph expansion. `depth` counts hops and is clamped to 1..4.

    `edge_types` None follows every type; `edge_weight` multiplies the score along a
    type (1.0 when not named); `max_per_seed` follows only the first n edges of each
    node, in order of type and id, whatever their direction. `knn_edges` are derived (source, target, weight)
    edges that PageRank walks besides the corpus's own; `opt_in` lets it run above
    250,000 nodes.
    """

    depth: int = 1
    decay: float = 0.7
    max_expand: int = 20
    max_frontier: int = 5000
    max_per_seed: int | None = None
    direction: Direction = Direction.OUTGOING
    edge_types: tuple[str, ...] | None = None
    edge_weight: Mapping[str, float] = field(default_factory=dict)
    mode: GraphExpandMode = GraphExpandMode.DECAY
    damping: float = DAMPING
    max_iter: int = MAX_ITERATIONS
    eps: float = EPSILON
    opt_in: bool = False
    knn_edges: tuple[WeightedEdge, ...] = ()

    @property
    def hops(self) -> int:
        """The depth within its bounds."""
        return min(max(self.depth, MIN_DEPTH), MAX_DEPTH)

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The single directions to follow."""
        both = (Direction.OUTGOING, Direction.INCOMING)
        return both if self.direction is Direction.BOTH else (self.direction,)


def expand_by_decay(
    seeds: Sequence[Scored], neighbours: Neighbours, config: GraphExpand, *, admits: Admits | None = None
) -> list[Scored]:
    """The neighbours worth adding to `seeds`, (id, score), best first, at most `config.max_expand`.

    A neighbour scores parent x decay x edge weight, compounding per hop; of several
    paths the best wins. Seeds keep their own score and are never added again; a negative
    score expands nothing. `admits` is asked before the cap. When a hop finds
    more than `max_frontier` nodes it is kept and the walk stops. Source: spreading
    activation (Collins and Loftus, Psychological Review 1975) with bounded depth and width.
    """
    listed = best_of_each(seeds)
    found: dict[str, float] = {}
    frontier: Mapping[str, float] = listed
    for _ in range(config.hops):
        reached = _hop(frontier, neighbours, config)
        frontier = {
            name: score
            for name, score in reached.items()
            if name not in listed and (name not in found or score > found[name])
        }
        found.update(frontier)
        if not frontier or len(frontier) > config.max_frontier:
            break
    return _best_admitted(found.items(), config.max_expand, admits)


def _hop(frontier: Mapping[str, float], neighbours: Neighbours, config: GraphExpand) -> dict[str, float]:
    reached: dict[str, float] = {}
    for name, score in frontier.items():
        for edge_type, other in _followed(name, neighbours, config) if score >= 0 else ():
            passed = score * config.decay * config.edge_weight.get(edge_type, 1.0)
            if other != name and (other not in reached or passed > reached[other]):
                reached[other] = passed
    return reached


def _followed(name: str, neighbours: Neighbours, config: GraphExpand) -> list[tuple[str, str]]:
    """The edges of a node that count, those of all directions together."""
    edges = [edge for direction in config.directions for edge in neighbours(name, direction)]
    if config.edge_types is not None:
        edges = [edge for edge in edges if edge[0] in config.edge_types]
    return edges if config.max_per_seed is None else sorted(set(edges))[: max(config.max_per_seed, 0)]


def expand_by_pagerank(
    seeds: Sequence[Scored], edges: Iterable[WeightedEdge], config: GraphExpand, *, admits: Admits | None = None
) -> list[Scored]:
    """Neighbours by personalised PageRank from the seeds' positive scores, best first, at most `config.max_expand`.

    The score is the node's PageRank; nodes the walk never reaches are not added, and
    without a positive seed nothing is. Source: see `personalized_pagerank`.
    """
    listed = best_of_each(seeds)
    home = {name: score for name, score in listed.items() if score > 0}
    if not home:
        return []
    walked = _directed(edges, config)
    if not any(name in home for edge in walked for name in edge[:2]):
        return []
    rank = personalized_pagerank(walked, home, damping=config.damping, max_iter=config.max_iter, eps=config.eps)
    reached = ((name, score) for name, score in rank.items() if score > 0 and name not in listed)
    return _best_admitted(reached, config.max_expand, admits)


def _directed(edges: Iterable[WeightedEdge], config: GraphExpand) -> list[WeightedEdge]:
    listed = list(edges)
    backwards = [(target, source, weight) for source, target, weight in listed]
    if config.direction is Direction.BOTH:
        return listed + backwards
    return backwards if config.direction is Direction.INCOMING else listed


def _best_admitted(scored: Iterable[Scored], limit: int, admits: Admits | None) -> list[Scored]:
    added: list[Scored] = []
    for name, score in ranked(scored):
        if len(added) >= limit:
            break
        if admits is None or admits(name):
            added.append((name, score))
    return added


class Provenance(StrEnum):
    """Where an edge of the hybrid graph comes from."""

    AUTHORED = "authored"
    KNN = "knn"


@dataclass(frozen=True, slots=True)
class HybridEdge:
    """An edge of the hybrid graph; authored ones weigh 1.0."""

    source: str
    target: str
    weight: float
    provenance: Provenance


def hybrid_union(authored: Iterable[tuple[str, str]], knn: Iterable[WeightedEdge]) -> list[HybridEdge]:
    """Authored edges in their order, then the nearest-neighbour edges not already authored in that direction."""
    edges = [HybridEdge(source, target, 1.0, Provenance.AUTHORED) for source, target in authored]
    known = {(edge.source, edge.target) for edge in edges}
    derived = (HybridEdge(s, t, weight, Provenance.KNN) for s, t, weight in knn if (s, t) not in known)
    return [*edges, *derived]
