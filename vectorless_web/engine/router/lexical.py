"""BM25F over a card snapshot, exact, touching the long postings only where they can matter."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vectorless_web.engine.index.scoring import K1, B, inverse_frequency
from vectorless_web.engine.index.snapshot import CardPostings, Snapshot
from vectorless_web.engine.index.snapshot_rows import FIELDS, Array, term_hash

FIELD_WEIGHTS: Mapping[str, float] = {
    "title": 3.0,
    "tags": 2.0,
    "hints": 1.0,
    "overview": 1.0,
    "sections": 1.0,
    "body": 1.0,
}
_EAGER_ENTRIES = 60_000
"""Postings read in full before the rest is looked up only for rows that can still win."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query that the snapshot knows: its hash, idf x weight and number of entries."""

    text: str
    hash: int
    factor: float
    entries: int

    @property
    def ceiling(self) -> float:
        """The most it can add to any document."""
        return (K1 + 1) * self.factor


class CardScorer:
    """Scores cards for one query: score(d) = sum over terms of weight x idf x (k1 + 1) x wtf / (k1 + wtf).

    `terms` are (analysed word, weight) pairs. `attainable` is the score no document can
    exceed; words the snapshot does not know are left out of it.
    Source: Robertson, Zaragoza and Taylor 2004; the pruning is MaxScore, Turtle and Flood 1995.
    """

    def __init__(
        self, snapshot: Snapshot, terms: Sequence[tuple[str, float]], *, weights: Mapping[str, float] = FIELD_WEIGHTS
    ) -> None:
        self._snapshot = snapshot
        self._weights = np.array([weights.get(name, 0.0) for name in FIELDS])
        self.terms = self._known(terms)
        self.attainable = sum(term.ceiling for term in self.terms)
        self._read: dict[int, CardPostings] = {}

    def _known(self, terms: Sequence[tuple[str, float]]) -> list[Term]:
        size = len(self._snapshot)
        strongest: dict[str, float] = {}
        for text, weight in terms:
            strongest[text] = max(weight, strongest.get(text, 0.0))
        known = []
        for text, weight in strongest.items():
            frequency = self._snapshot.frequency(term_hash(text)) if weight > 0 else 0
            if frequency:
                hashed = term_hash(text)
                factor = weight * inverse_frequency(size, frequency)
                known.append(Term(text, hashed, factor, self._snapshot.entries(hashed)))
        return sorted(known, key=lambda term: (term.entries, term.text))

    @cached_property
    def _normaliser(self) -> Array:
        means = self._snapshot.mean_lengths
        inverse: Array = np.divide(B, means, out=np.zeros(len(FIELDS)), where=means > 0)
        return inverse

    def postings(self, term: Term) -> CardPostings:
        """Where the term stands; read once."""
        if term.hash not in self._read:
            self._read[term.hash] = self._snapshot.postings(term.hash)
        return self._read[term.hash]

    def best(self, limit: int, *, allowed: Array | None = None) -> tuple[Array, Array]:
        """Rows (ascending) and scores of the cards that may be among the `limit` best; at least those that are.

        `allowed` are the rows that may be found, ascending; None is all.
        """
        eager, rest = self._split()
        rows, scores = self._partial(eager, allowed)
        ceiling = sum(term.ceiling for term in rest)
        if rest and self._floor(scores, limit) <= ceiling:
            eager, rest, ceiling = self.terms, [], 0.0
            rows, scores = self._partial(eager, allowed)
        kept = scores + ceiling >= self._floor(scores, limit)
        rows = rows[kept]
        return rows, scores[kept] + self._gains(rest, rows)

    def _split(self) -> tuple[list[Term], list[Term]]:
        eager: list[Term] = []
        read = 0
        for term in self.terms:
            read += term.entries
            if eager and read > _EAGER_ENTRIES:
                break
            eager.append(term)
        return eager, self.terms[len(eager) :]

    @staticmethod
    def _floor(scores: Array, limit: int) -> float:
        """The `limit`-th best of the scores, 0 when there are fewer."""
        if len(scores) < limit or limit <= 0:
            return 0.0
        return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])

    def _partial(self, terms: Sequence[Term], allowed: Array | None) -> tuple[Array, Array]:
        found = [self._term_gains(term) for term in terms]
        if not found:
            return np.empty(0, np.int64), np.empty(0)
        owners = np.concatenate([rows for rows, _ in found])
        gains = np.concatenate([values for _, values in found])
        if not len(owners):
            return np.empty(0, np.int64), np.empty(0)
        totals = np.bincount(owners, weights=gains)
        rows = np.flatnonzero(totals > 0)
        if allowed is not None:
            rows = rows[_within(rows, allowed)]
        return rows, totals[rows]

    def _term_gains(self, term: Term) -> tuple[Array, Array]:
        """(rows, what the term adds to each), rows distinct and ascending."""
        postings = self.postings(term)
        if not len(postings.rows):
            return np.empty(0, np.int64), np.empty(0)
        weighted = self._weighted(postings.rows, postings.fields, postings.counts)
        first = np.flatnonzero(np.append(True, postings.rows[1:] != postings.rows[:-1]))
        return postings.rows[first], self._saturated(term, np.add.reduceat(weighted, first))

    def _weighted(self, rows: Array, fields: Array, counts: Array) -> Array:
        length = self._snapshot.lengths(rows, fields)
        weighted: Array = counts * self._weights[fields] / (1 - B + self._normaliser[fields] * length)
        return weighted

    @staticmethod
    def _saturated(term: Term, weighted: Array) -> Array:
        gains: Array = term.factor * (K1 + 1) * weighted / (K1 + weighted)
        return gains

    def gains(self, rows: Array) -> Array:
        """What each term adds to each of these rows (ascending), shape (terms, rows)."""
        if not self.terms:
            return np.zeros((0, len(rows)))
        return np.stack([self._gain(term, rows) for term in self.terms])

    def _gains(self, terms: Sequence[Term], rows: Array) -> Array:
        total: Array = sum((self._gain(term, rows) for term in terms), np.zeros(len(rows)))
        return total

    def _gain(self, term: Term, rows: Array) -> Array:
        postings = self.postings(term)
        start = np.searchsorted(postings.rows, rows)
        weighted = np.zeros(len(rows))
        for step in range(len(FIELDS)):
            here = np.flatnonzero(start + step < len(postings.rows))
            here = here[postings.rows[start[here] + step] == rows[here]]
            if not len(here):
                break
            place = start[here] + step
            weighted[here] += self._weighted(rows[here], postings.fields[place], postings.counts[place])
        return self._saturated(term, weighted)

    def fields_of(self, term: Term, row: int) -> list[str]:
        """The fields of that row in which the term stands."""
        postings = self.postings(term)
        low, high = np.searchsorted(postings.rows, [row, row + 1])
        return [FIELDS[number] for number in postings.fields[low:high].tolist()]


def _within(rows: Array, allowed: Array) -> Array:
    """Which of the ascending `rows` stand in the ascending `allowed`."""
    places = np.searchsorted(allowed, rows)
    inside = places < len(allowed)
    found = np.zeros(len(rows), np.bool_)
    found[inside] = allowed[places[inside]] == rows[inside]
    return found


def idf(snapshot: Snapshot, hashed: int) -> float:
    """Inverse document frequency of a word or key in [0, 1]: 1 is a single document of the largest collection."""
    frequency = snapshot.frequency(hashed)
    if not frequency:
        return 0.0
    size = len(snapshot)
    return inverse_frequency(size, frequency) / math.log(1 + (size + 0.5) / 0.5)
