"""BM25F as pure functions over arrays.

score(q, d) = sum over t of weight(t) * idf(t) * (k1 + 1) * wtf(t, d) / (k1 + wtf(t, d))
wtf(t, d)   = sum over fields f of w(f) * tf(t, d, f) / (1 - b + b * len(d, f) / mean_len(f))
idf(t)      = ln(1 + (N - df(t) + 0.5) / (df(t) + 0.5))

Source: Robertson, Zaragoza, Taylor, "Simple BM25 Extension to Multiple Weighted Fields" (2004),
with field lengths normalised one by one as in Zaragoza et al., "Microsoft Cambridge at TREC-13"
(2004) and the idf that never turns negative, as Lucene uses it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

K1 = 1.2
B = 0.75
DIGITS = 12
"""Scores are rounded before ties are broken, so that sums in another order cannot flip a tie."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Weighted(Protocol):
    """A query term with its weight."""

    @property
    def term(self) -> str:
        """The analysed term."""

    @property
    def weight(self) -> float:
        """Its weight in the query."""


QueryTerms = Sequence[Weighted | tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25F needs to know of a collection: its rows, document frequencies, mean length of each non-empty field."""

    rows: int
    frequencies: Mapping[str, int]
    mean_lengths: Mapping[str, float]

    def idf(self, term: str) -> float:
        """Inverse document frequency; 0 for a term that no row holds."""
        frequency = self.frequencies.get(term, 0)
        return inverse_frequency(self.rows, frequency) if frequency else 0.0


def inverse_frequency(rows: int, frequency: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5))


def query_weights(terms: QueryTerms) -> dict[str, float]:
    """Terms with their weights, in order of first mention; a term given twice counts once, at its greatest weight."""
    weights: dict[str, float] = {}
    for item in terms:
        term, weight = item if isinstance(item, tuple) else (item.term, item.weight)
        if weight > 0:
            weights[term] = max(weight, weights.get(term, 0.0))
    return weights


def attainable(terms: QueryTerms, statistics: Statistics) -> float:
    """The score no row can exceed: sum of weight * idf * (k1 + 1); terms no row holds are left out."""
    return (K1 + 1) * sum(weight * statistics.idf(term) for term, weight in query_weights(terms).items())


def length_norms(lengths: Floats, weights: Sequence[float], means: Sequence[float]) -> Floats:
    """w(f) / (1 - b + b * len / mean) for lengths of shape (rows, fields); a field without text weighs nothing."""
    mean = np.asarray([value if value > 0 else 1.0 for value in means])
    norms: Floats = np.asarray(weights, dtype=np.float64) / (1 - B + B * lengths / mean)
    return norms


def saturate(weighted_counts: Floats) -> Floats:
    """(k1 + 1) * wtf / (k1 + wtf)."""
    saturated: Floats = (K1 + 1) * weighted_counts / (K1 + weighted_counts)
    return saturated


def best(scores: Floats, limit: int) -> Integers:
    """Positions of the `limit` greatest positive scores, best first, ties by ascending position."""
    rounded = np.round(scores, DIGITS)
    positive = np.flatnonzero(rounded > 0)
    if 0 <= limit < len(positive):
        values = rounded[positive]
        threshold = np.partition(values, len(values) - limit)[len(values) - limit] if limit else np.inf
        positive = positive[values >= threshold]
    order = np.argsort(-rounded[positive], kind="stable")
    return positive[order][: max(limit, 0)]


def mean_lengths(totals: Iterable[float], filled: Iterable[float]) -> list[float]:
    """Mean length of each field over the rows in which it is not empty."""
    return [total / count if count else 0.0 for total, count in zip(totals, filled, strict=True)]
