"""Exact BM25F over a card snapshot; long postings are read only for cards that can still reach the shortlist."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.index.scoring import CEILING, inverse_frequency, length_norms, query_weights, saturate
from vectorless_web.engine.index.snapshot import CardPostings, Snapshot
from vectorless_web.engine.index.snapshot_rows import FIELDS, Array, term_hash

FIELD_WEIGHTS: Mapping[str, float] = {
    "title": 3.0,
    "tags": 2.5,
    "hints": 2.0,
    "overview": 2.0,
    "sections": 2.0,
    "body": 2.0,
}
"""BM25F field weights of a card. Title and tags weigh most: they say what the document is about. Measured: half or
twice the weight of any one field changes the order below the first document only."""
_EAGER_ENTRIES = 60_000
"""Postings read in full, rarest words first; the rest is looked up only for cards that can still win. Time, not
results, depends on it: with it 100,000 cards meet the bar of 50 ms (benchmarks/README.md)."""
_PORTION = 250_000
"""Entries scored at a time, in arrays of 2 MB each. Bounds memory; the scores do not depend on it."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query that the snapshot knows: its hash, idf x weight and number of entries."""

    text: str
    hash: int
    factor: float
    entries: int

    @property
    def ceiling(self) -> float:
        """The most this word can add to the score of any document."""
        return CEILING * self.factor


class CardScorer:
    """Scores cards for one query by the BM25F of `engine.index.scoring`.

    `terms` are (analysed word, weight) pairs. `attainable` is the score no document can
    exceed; words the snapshot does not know are left out of it.
    The pruning is MaxScore, Turtle and Flood 1995.
    """

    def __init__(
        self, snapshot: Snapshot, terms: Sequence[tuple[str, float]], *, weights: Mapping[str, float] = FIELD_WEIGHTS
    ) -> None:
        self._snapshot = snapshot
        self._weights = np.array([weights.get(name, 0.0) for name in FIELDS])
        self.terms = self._list_known_terms(terms)
        self.attainable = sum(term.ceiling for term in self.terms)
        self._read: dict[int, CardPostings] = {}

    def _list_known_terms(self, terms: Sequence[tuple[str, float]]) -> list[Term]:
        size = len(self._snapshot)
        known = []
        self._snapshot.prepare([term_hash(text) for text in query_weights(terms)])
        for text, weight in query_weights(terms).items():
            hashed = term_hash(text)
            if frequency := self._snapshot.frequency(hashed):
                factor = weight * inverse_frequency(size, frequency)
                known.append(Term(text, hashed, factor, self._snapshot.entries(hashed)))
        return sorted(known, key=lambda term: (term.entries, term.text))

    def postings(self, term: Term) -> CardPostings:
        """Rows, fields and counts of the term; read from the snapshot once, then kept."""
        if term.hash not in self._read:
            self._read[term.hash] = self._snapshot.postings(term.hash)
        return self._read[term.hash]

    def best(self, limit: int, *, allowed: Array | None = None) -> tuple[Array, Array]:
        """Rows (ascending) and scores of all cards that can be among the `limit` best; perhaps some more.

        `allowed` are the rows that may be found, ascending; None is all.
        """
        eager, rest = self._split()
        rows, scores = self._find_rows(eager, allowed)
        ceiling = sum(term.ceiling for term in rest)
        if rest and self._floor(scores, limit) <= ceiling:
            eager, rest, ceiling = self.terms, [], 0.0
            rows, scores = self._find_rows(eager, allowed)
        kept = scores + ceiling >= self._floor(scores, limit)
        rows = rows[kept]
        return rows, scores[kept] + self._matrix(rest, rows).sum(axis=0)

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

    def _find_rows(self, terms: Sequence[Term], allowed: Array | None) -> tuple[Array, Array]:
        """Rows with any of the terms, ascending, and their scores by these terms alone."""
        totals = np.zeros(0)
        for some in _split_portions(terms):
            gains = self._totals(some)
            longer, shorter = (gains, totals) if len(gains) > len(totals) else (totals, gains)
            longer[: len(shorter)] += shorter
            totals = longer
        rows = np.flatnonzero(totals > 0)
        if allowed is not None:
            rows = rows[_find_allowed(rows, allowed)]
        return rows, totals[rows]

    def _totals(self, terms: Sequence[Term]) -> Array:
        """What these terms add to each row, from row 0 on."""
        read = [self.postings(term) for term in terms]
        owner = np.repeat(np.arange(len(read)), [len(postings.rows) for postings in read])
        rows = np.concatenate([postings.rows for postings in read])
        if not len(rows):
            return np.zeros(0)
        fields = np.concatenate([postings.fields for postings in read])
        counts = np.concatenate([postings.counts for postings in read])
        first = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]) | (owner[1:] != owner[:-1])))
        weighted = np.add.reduceat(self._score_rows(rows, fields, counts), first)
        factors = np.array([term.factor for term in terms])[owner[first]]
        totals: Array = np.bincount(rows[first], weights=factors * saturate(weighted))
        return totals

    def _score_rows(self, rows: Array, fields: Array, counts: Array) -> Array:
        norms = length_norms(
            self._snapshot.lengths(rows, fields), self._weights[fields], self._snapshot.mean_lengths[fields]
        )
        weighted: Array = counts * norms
        return weighted

    def gains(self, rows: Array) -> Array:
        """What each term adds to each of these rows (ascending), shape (terms, rows)."""
        return self._matrix(self.terms, rows)

    def _matrix(self, terms: Sequence[Term], rows: Array) -> Array:
        """Gains of `terms`, shape (terms, rows); entries are looked up by bisection, so long postings cost little."""
        owner, place, fields, counts = self._entries(terms, rows)
        weighted: Array = np.zeros(len(terms) * len(rows))
        if len(place):
            gained = self._score_rows(rows[place], fields, counts)
            weighted = np.bincount(owner * len(rows) + place, weights=gained, minlength=len(weighted))
        factors = np.array([term.factor for term in terms]).reshape(-1, 1)
        matrix: Array = factors * saturate(weighted.reshape(len(terms), len(rows)))
        return matrix

    def _entries(self, terms: Sequence[Term], rows: Array) -> tuple[Array, Array, Array, Array]:
        """Entries of these terms in these rows: number of the term, place in `rows`, field, count."""
        found: list[tuple[Array, Array, Array, Array]] = []
        for number, term in enumerate(terms):
            postings = self.postings(term)
            low = np.searchsorted(postings.rows, rows)
            sizes = np.searchsorted(postings.rows, rows, side="right") - low
            place = np.repeat(np.arange(len(rows)), sizes)
            here = np.arange(len(place)) + np.repeat(low - np.append(0, np.cumsum(sizes)[:-1]), sizes)
            found.append((np.full(len(place), number), place, postings.fields[here], postings.counts[here]))
        if not found:
            nothing = np.empty(0, np.int64)
            return nothing, nothing, nothing, nothing
        owner, place, fields, counts = (np.concatenate(column) for column in zip(*found, strict=True))
        return owner, place, fields, counts

    def list_titled(self, text: str, rows: Array) -> Array:
        """Whether the word stands in the title of each of these rows."""
        term = next((term for term in self.terms if term.text == text), None)
        if term is None:
            return np.zeros(len(rows), np.bool_)
        postings = self.postings(term)
        return np.isin(rows, postings.rows[postings.fields == FIELDS.index("title")])

    def list_matched(self, rows: Array) -> list[dict[str, list[str]]]:
        """For each of these rows: field -> terms that stand there, each only in the first of its fields."""
        owner, place, fields, _ = self._entries(self.terms, rows)
        shown: list[dict[str, list[str]]] = [{} for _ in range(len(rows))]
        cell = owner * len(rows) + place
        first = np.flatnonzero(np.append(True, cell[1:] != cell[:-1])) if len(cell) else cell
        found = zip(owner[first].tolist(), place[first].tolist(), fields[first].tolist(), strict=True)
        for number, at, name in found:
            shown[at].setdefault(FIELDS[name], []).append(self.terms[number].text)
        return shown


def _split_portions(terms: Sequence[Term]) -> Iterator[list[Term]]:
    """The terms in portions of a bounded number of entries, so that long postings never stand in memory together."""
    portion: list[Term] = []
    size = 0
    for term in terms:
        if portion and size + term.entries > _PORTION:
            yield portion
            portion, size = [], 0
        portion.append(term)
        size += term.entries
    if portion:
        yield portion


def _find_allowed(rows: Array, allowed: Array) -> Array:
    """Which of the ascending `rows` stand in the ascending `allowed`."""
    places = np.searchsorted(allowed, rows)
    inside = places < len(allowed)
    found = np.zeros(len(rows), np.bool_)
    found[inside] = allowed[places[inside]] == rows[inside]
    return found


def idf(snapshot: Snapshot, hashed: int) -> float:
    """Inverse document frequency of a word, scaled to [0, 1]; 0 when no document has it.

    The scale is the highest value a collection of this size allows, that of a frequency of 0.
    """
    return _scale_idf(snapshot, snapshot.frequency(hashed))


def key_idf(snapshot: Snapshot, hashed: int) -> float:
    """The same of a key, which stands on cards alone."""
    return _scale_idf(snapshot, snapshot.key_frequency(hashed))


def _scale_idf(snapshot: Snapshot, frequency: int) -> float:
    size = len(snapshot)
    return inverse_frequency(size, frequency) / inverse_frequency(size, 0) if frequency else 0.0
