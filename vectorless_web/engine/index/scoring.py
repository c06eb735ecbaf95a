"""BM25F as pure functions over arrays, shared by segments, groups of rows and the router's cards.

score(row) = sum over terms of weight x idf x saturate(sum over fields of count x length norm).
Source: Robertson, Zaragoza and Taylor 2004.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

K1 = 1.2
"""k1 of BM25: how soon further mentions of a term stop counting. 1.2 is the usual value (Robertson and Zaragoza 2009).
Measured on 65 questions over filings, document given: 0.6 gives 45, 58, 59, 62 questions with a gold page among the
first 1, 3, 5, 10, 2.4 gives 48, 56, 59, 63; 1.2 gives 46, 57, 60, 62."""
B = 0.75
"""b of BM25: how far a long field counts less, from 0 (not at all) to 1. 0.75 is the usual value. Measured likewise:
0.375 gives 45, 55, 60, 62; 0.999 gives 46, 58, 61, 62."""
CEILING = K1 + 1
"""What `saturate` approaches and never exceeds: the most a term of weight x idf 1 adds to a score."""
DIGITS = 12
"""Decimal digits of a score. Scores are rounded before ties are broken, so that sums taken in another order cannot flip
a tie."""

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
    """ln(1 + (N - df + 0.5) / (df + 0.5)); greatest for a frequency of 0."""
    return math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5))


def query_weights(terms: QueryTerms) -> dict[str, float]:
    """Terms with their weights, in order of first mention; a term given twice counts once, at its greatest weight."""
    weights: dict[str, float] = {}
    for item in terms:
        term, weight = item if isinstance(item, tuple) else (item.term, item.weight)
        if weight > 0:
            weights[term] = max(weight, weights.get(term, 0.0))
    return weights


def length_norms(lengths: Floats, weights: Sequence[float] | Floats, means: Sequence[float] | Floats) -> Floats:
    """w(f) / (1 - b + b * len / mean), a row of fields at a time or item by item; a field without text weighs nothing.

    `lengths` is of shape (rows, fields) with `weights` and `means` (fields,), or all three are of one shape.
    """
    mean = np.asarray(means, dtype=np.float64)
    norms: Floats = np.asarray(weights, dtype=np.float64) / (1 - B + B * lengths / np.where(mean > 0, mean, 1.0))
    return norms


def saturate(weighted_counts: Floats) -> Floats:
    """(k1 + 1) * wtf / (k1 + wtf)."""
    saturated: Floats = CEILING * weighted_counts / (K1 + weighted_counts)
    return saturated


def find_best_rows(scores: Floats, limit: int) -> Integers:
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


@dataclass(frozen=True, slots=True)
class Postings:
    """Where terms stand: row numbers, field numbers and counts, three arrays of one length, ascending."""

    rows: Integers
    fields: Integers
    counts: Integers


@dataclass(frozen=True, slots=True)
class Impacts:
    """Saturated, field-weighted counts of all (term, row) pairs; term t owns `rows[starts[t]:starts[t + 1]]`.

    `key` names the field weights and mean lengths they hold for; `size` is the number of rows.
    """

    key: tuple[tuple[float, float], ...]
    starts: memoryview
    rows: Integers
    values: Floats
    size: int

    @classmethod
    def of(cls, postings: Postings, starts: Integers, norms: Floats, key: tuple[tuple[float, float], ...]) -> "Impacts":
        """Add up the fields of each (term, row) pair, then saturate; `starts` has one item more than the terms."""
        count = len(postings.rows)
        if not count:
            return cls(key, np.zeros(len(starts), dtype=np.int64).data, postings.rows, np.zeros(0), len(norms))
        is_first = np.empty(count, dtype=bool)
        is_first[0] = True
        np.not_equal(postings.rows[1:], postings.rows[:-1], out=is_first[1:])
        is_first[starts[:-1].astype(np.int64)] = True
        first = np.flatnonzero(is_first)
        weighted = np.add.reduceat(postings.counts * norms[postings.rows, postings.fields], first)
        places = np.searchsorted(first, starts.astype(np.int64))
        return cls(key, places.astype(np.int64).data, postings.rows[first], saturate(weighted), len(norms))

    def sum(self, factors: Sequence[tuple[int, float]]) -> Floats:
        """For each row the sum over terms (given by number) of factor x impact; float64 of shape (size,)."""
        spans = [(self.starts[number], self.starts[number + 1]) for number, _ in factors]
        if not spans:
            return np.zeros(self.size)
        rows = np.concatenate([self.rows[start:end] for start, end in spans])
        gains = np.concatenate(
            [self.values[start:end] * factor for (start, end), (_, factor) in zip(spans, factors, strict=True)]
        )
        return np.bincount(rows, weights=gains, minlength=self.size).astype(np.float64, copy=False)
