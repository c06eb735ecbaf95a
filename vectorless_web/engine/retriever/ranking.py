"""Scored ids and the one order every list of them stands in."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Scored = tuple[str, float]
"""An id and its score."""

SCORE_DIGITS = 12
_EXACT_ABOVE = 1e3
"""Above this a float64 has no twelve decimal digits left to round."""


def rounded(score: float) -> float:
    """The score to 12 decimal digits, so that sums taken in another order cannot flip a tie."""
    return round(score, SCORE_DIGITS)


def rounded_array(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """`rounded` over an array of any shape; large magnitudes stay as they are."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(scores) < _EXACT_ABOVE, np.round(scores, SCORE_DIGITS) + 0.0, scores)


def ranked(scored: Iterable[Scored]) -> list[Scored]:
    """Best first; equal scores in ascending order of id (code points, which is UTF-8 byte order)."""
    return sorted(((name, rounded(score)) for name, score in scored), key=lambda pair: (-pair[1], pair[0]))


def finite(scored: Iterable[Scored]) -> list[Scored]:
    """The pairs whose score is a finite number, in their order."""
    return [pair for pair in scored if math.isfinite(pair[1])]


def best_of_each(scored: Iterable[Scored]) -> dict[str, float]:
    """Each id once, with the greatest score it has, in order of first appearance."""
    best: dict[str, float] = {}
    for name, score in scored:
        held = best.get(name)
        if held is None or score > held:
            best[name] = score
    return best


def rank_order(ids: Sequence[str], scores: NDArray[np.float64]) -> list[int]:
    """Positions of `ids` best score first, equal scores by ascending id.

    A stable sort by score, then a sort by id inside each run of equal scores: ids are
    compared only where they decide.
    """
    order = np.argsort(-scores, kind="stable")
    positions: list[int] = order.tolist()
    in_order = scores[order]
    ties = np.flatnonzero(in_order[1:] == in_order[:-1])
    if not ties.size:
        return positions
    starts = ties[np.insert(np.diff(ties) > 1, 0, True)]
    ends = ties[np.append(np.diff(ties) > 1, True)] + 2
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        positions[start:end] = sorted(positions[start:end], key=ids.__getitem__)
    return positions
