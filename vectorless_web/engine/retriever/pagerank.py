"""Personalised PageRank by power iteration over a weighted directed graph."""

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

DAMPING = 0.85
MAX_ITERATIONS = 15
EPSILON = 1e-6
MAX_NODES = 250_000
"""Above this many nodes PageRank runs only when the caller opts in."""
_MAX_DAMPING = 0.999

Vector = NDArray[np.float64]


def personalized_pagerank(
    edges: Iterable[tuple[str, str, float]],
    personalization: Mapping[str, float],
    *,
    damping: float = DAMPING,
    max_iter: int = MAX_ITERATIONS,
    eps: float = EPSILON,
) -> dict[str, float]:
    """PageRank of every node named by (source, target, weight) edges, by ascending id; the values sum to 1.

    Parallel edges add up; edges of a weight that is not positive and finite carry
    nothing. The mass of nodes without outgoing edges returns to the personalisation,
    whose unknown ids and values that are not positive are ignored (none left: uniform).
    Damping is clamped to [0, 0.999]. Stops after `max_iter` iterations or when the
    result moves by less than `eps` (L1). No edges: an empty dict.
    Source: Haveliwala, "Topic-Sensitive PageRank", WWW 2002.
    """
    listed = list(edges)
    names = sorted({end for source, target, _ in listed for end in (source, target)})
    if not names:
        return {}
    place = {name: i for i, name in enumerate(names)}
    graph = _Transition(listed, place)
    home = _home(personalization, place)
    rank = graph.settle(home, damping=min(max(damping, 0.0), _MAX_DAMPING), max_iter=max_iter, eps=eps)
    return dict(zip(names, rank.tolist(), strict=True))


def _home(personalization: Mapping[str, float], place: Mapping[str, int]) -> Vector:
    home = np.zeros(len(place))
    for name, weight in personalization.items():
        if name in place and weight > 0 and math.isfinite(weight):
            home[place[name]] += weight
    total = home.sum()
    return home / total if total > 0 else np.full(len(place), 1.0 / len(place))


class _Transition:
    """Row-stochastic transitions as parallel arrays of source, target and share."""

    def __init__(self, edges: list[tuple[str, str, float]], place: Mapping[str, int]) -> None:
        kept = sorted((place[s], place[t], w) for s, t, w in edges if w > 0 and math.isfinite(w))
        self._size = len(place)
        self._source = np.fromiter((s for s, _, _ in kept), np.intp, len(kept))
        self._target = np.fromiter((t for _, t, _ in kept), np.intp, len(kept))
        weight = np.fromiter((w for _, _, w in kept), np.float64, len(kept))
        out = np.bincount(self._source, weights=weight, minlength=self._size)
        self._dangling = out == 0
        self._share = weight / out[self._source] if kept else weight

    def settle(self, home: Vector, *, damping: float, max_iter: int, eps: float) -> Vector:
        """The rank vector after the iterations, of sum 1."""
        rank = home.copy()
        for _ in range(max_iter):
            moved = np.bincount(self._target, weights=rank[self._source] * self._share, minlength=self._size)
            teleport = (1.0 - damping) + damping * float(rank[self._dangling].sum())
            following = teleport * home + damping * moved
            following /= following.sum()
            change = float(np.abs(following - rank).sum())
            rank = following
            if change < eps:
                break
        return rank
