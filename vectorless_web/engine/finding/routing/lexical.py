"""What documents say: their cards by BM25F, and the words and passages of their texts."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.index.scoring import CEILING, inverse_frequency, length_norms, query_weights, saturate
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot import CardPostings, Snapshot
from vectorless_web.engine.index.snapshot_rows import FIELDS, Array, term_hash
from vectorless_web.engine.index.word_blocks import PARTS, TextPostings
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse, is_telling, word_terms, words

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

    `terms` are (analysed word, weight) pairs. `attainable` is the score no document can exceed; words the snapshot
    does not know are left out of it. The pruning is MaxScore, Turtle and Flood 1995.
    """

    def __init__(self, snapshot: Snapshot, terms: Sequence[tuple[str, float]]) -> None:
        self._snapshot = snapshot
        self._weights = np.array([FIELD_WEIGHTS[name] for name in FIELDS])
        asked = query_weights(terms)
        snapshot.prepare([term_hash(text) for text in asked])
        known = (
            self._weigh_term(text, weight) for text, weight in asked.items() if snapshot.frequency(term_hash(text))
        )
        self.terms = sorted(known, key=lambda term: (term.entries, term.text))
        self.attainable = sum(term.ceiling for term in self.terms)
        self._read: dict[int, CardPostings] = {}

    def _weigh_term(self, text: str, weight: float) -> Term:
        snapshot, hashed = self._snapshot, term_hash(text)
        factor = weight * inverse_frequency(len(snapshot), snapshot.frequency(hashed))
        return Term(text, hashed, factor, snapshot.entries(hashed))

    def postings(self, term: Term) -> CardPostings:
        """Rows, fields and counts of the term; read from the snapshot once, then kept."""
        if term.hash not in self._read:
            self._read[term.hash] = self._snapshot.postings(term.hash)
        return self._read[term.hash]

    def best(self, limit: int, *, allowed: Array | None = None) -> tuple[Array, Array]:
        """Rows (ascending) and scores of all cards that can be among the `limit` best; perhaps some more.

        `allowed` are the rows that may be found, ascending; None is all.
        """
        read = np.cumsum([term.entries for term in self.terms])
        split = max(1, int(np.searchsorted(read, _EAGER_ENTRIES, side="right")))
        eager, rest = self.terms[:split], self.terms[split:]
        rows, scores = self._find_rows(eager, allowed)
        ceiling = sum(term.ceiling for term in rest)
        if rest and self._floor(scores, limit) <= ceiling:
            rest, ceiling = [], 0.0
            rows, scores = self._find_rows(self.terms, allowed)
        kept = scores + ceiling >= self._floor(scores, limit)
        rows = rows[kept]
        return rows, scores[kept] + self._matrix(rest, rows).sum(axis=0)

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
            rows = rows[np.isin(rows, allowed, assume_unique=True)]
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


def key_idf(snapshot: Snapshot, hashed: int) -> float:
    """The scaled inverse document frequency of a key."""
    return scale_idf(snapshot, snapshot.key_frequency(hashed))


def scale_idf(snapshot: Snapshot, frequency: int) -> float:
    """Inverse document frequency of what so many documents have, scaled to [0, 1]; 0 for what none has.

    The scale is the highest value a collection of this size allows, that of a frequency of 0.
    """
    size = len(snapshot)
    return inverse_frequency(size, frequency) / inverse_frequency(size, 0) if frequency else 0.0


def look_up_values(held: Array, values: Array, rows: Array) -> Array:
    """The value of each of `rows` in (held, values), `held` ascending; 0 where it is not held."""
    if not len(held):
        return np.zeros(len(rows), values.dtype)
    places = np.minimum(np.searchsorted(held, rows), len(held) - 1)
    return np.where(held[places] == rows, values[places], values.dtype.type(0))


OpenTexts = Callable[[Sequence[int]], Mapping[int, CompiledDocument]]
"""The compiled documents of these ids, to look into their index; those that cannot be read are left out."""

_ROWS_READ, _NEAR_BEST = 3, 0.8
"""Passages of a document whose sentences are read, at most, and the share of the best one's words from which."""
_CLOSE = 0.5
"""Worth of words that stand in one sentence, beside that of words in one passage. A paragraph of many rules holds many
words that have nothing to do with each other."""
_TEXT_READ = 4000
"""Characters of a passage that are read; a table may have many more."""
_TEXT_KEPT = 240
"""Characters of the passage that are kept to be shown on its card."""
_TELLING = 0.4
"""Share of the rarest word's weight from which a word is told as a reason: function words are everywhere."""
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True, slots=True)
class BestPassage:
    """The passage of a document that says most of the question.

    `share` in [0, 1] of the question's own words, the rare ones weighing more; `key` is its node, `page_index` its
    page (from 0), `text` the sentence that says most of it, and `words` those words of the question that it says and
    that tell documents apart, as they are written in it, the rarest first.
    """

    share: float
    key: int
    page_index: int
    text: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedWord:
    """An analysed word of the question with its share of the question's weight."""

    term: str
    share: float


def list_asked_words(plan: QueryPlan) -> list[str]:
    """The question's own words, analysed, without periods and what the lexicon added."""
    return [term.term for term in plan.terms if term.source in ("question", "entity")]


def find_said(plan: QueryPlan, snapshot: Snapshot) -> dict[str, TextPostings]:
    """The question's own words that some document says, with where. What nobody says tells no two documents apart."""
    asked = list_asked_words(plan)
    snapshot.prepare([term_hash(term) for term in asked])
    found = {term: snapshot.text_postings(term_hash(term)) for term in asked}
    return {term: held for term, held in found.items() if held is not None and len(held.rows)}


def share_parts(said: Mapping[str, TextPostings], rows: Array, given: Array) -> tuple[Array, list[AskedWord]]:
    """For each of these rows (ascending) the share of the question that one part of its text says; the words' weights.

    A word weighs by how few parts of these documents say it. `given`, of shape (terms, rows), tells the words that need
    not stand in the part, such as those of the title.
    """
    found = [look_up_values(held.rows, held.parts, rows) for held in said.values()]
    spread = [int(np.bitwise_count(held).sum()) for held in found]
    weights = np.array([inverse_frequency(len(rows) * PARTS, number) for number in spread])
    shares = weights / (weights.sum() or 1.0)
    words = [AskedWord(term, float(share)) for term, share in zip(said, shares, strict=True)]
    if not words:
        return np.zeros(len(rows)), words
    best = _sum_best_part(found, shares, given)
    lent = (given * shares[:, None]).sum(axis=0)
    # A part must say something itself: a title alone is on every page, and counts only where all is said by it.
    return np.where((best > 0) | (lent > 1 - 1e-6), best + lent, 0.0), words


def _sum_best_part(found: Sequence[Array], shares: Array, given: Array) -> Array:
    """For each row the most that one of its parts says: the sum of the shares of the words in it.

    One word after the other: all of them side by side would be as many arrays of 64 numbers a row.
    """
    said = np.zeros((given.shape[1], PARTS), np.float32)
    for parts, share, told in zip(found, shares.tolist(), given, strict=True):
        own = np.float32(share) * _unpack_parts(parts)
        own[told] = 0
        said += own
    best: Array = said.max(axis=1, initial=0.0)
    return best


def _unpack_parts(parts: Array) -> Array:
    """Whether the word stands in each part of each row, shape (rows, PARTS), 0 or 1."""
    return np.unpackbits(
        parts.astype("<u8", copy=False).view(np.uint8).reshape(len(parts), 8), axis=1, bitorder="little"
    )


def _write_terms(text: str) -> dict[str, str]:
    """The terms of a text's words that tell something, as they are written there."""
    written: dict[str, str] = {}
    for word in words(text):
        terms = word_terms(word.text)
        if len(terms) == 1 and is_telling(word.text):
            written.setdefault(terms[0], word.text)
    return written


class PassageReader:
    """Looks into documents for the passage that says most of one question."""

    def __init__(self, words: Sequence[AskedWord]) -> None:
        self._words = words
        self._telling = _TELLING * max((word.share for word in words), default=0.0)

    def list_best(
        self, document: CompiledDocument, given: Collection[str] = (), *, most: int = _ROWS_READ
    ) -> list[BestPassage]:
        """The passages that say nearly as much as the best one, at most `most`, best first; none of an unread file."""
        try:
            segment = Segment(document.segment)
        except (ArtefactDamaged, ValueError):
            return []
        if not len(segment):
            return []
        held = np.zeros((len(self._words), len(segment)))
        for row, word in zip(held, self._words, strict=True):
            row[segment.postings(word.term).rows] = 1.0
        own = held * np.array([word.share for word in self._words]).reshape(-1, 1)
        told = np.array([word.term in given for word in self._words], np.bool_)
        shares = own[~told].sum(axis=0)
        if not shares.any():
            told[:] = False
            shares = own.sum(axis=0)
        lent = {word.term for word, is_told in zip(self._words, told, strict=True) if is_told}
        shares = np.where(shares > 0, shares + sum(word.share for word in self._words if word.term in lent), 0.0)
        best = float(shares.max())
        if best <= 0:
            return []
        near = np.flatnonzero(shares >= _NEAR_BEST * best)
        near = near[np.argsort(-shares[near], kind="stable")][:most]
        found = [self._passage(document, int(segment.keys[row]), held[:, row], shares[row], lent) for row in near]
        return sorted(found, key=lambda passage: (-passage.share, passage.key))

    def _passage(
        self, document: CompiledDocument, key: int, held: Array, share: float, lent: Collection[str]
    ) -> BestPassage:
        columns = document.tree.columns
        text = columns.texts[key] or columns.titles[key]
        close, sentence = self._find_sentence(text, lent)
        telling = [word for word, value in zip(self._words, held, strict=True) if value and word.share >= self._telling]
        written = _write_terms(text[:_TEXT_READ])
        said = (written.get(word.term, "") for word in sorted(telling, key=lambda word: -word.share))
        whole = min(1.0, (1 - _CLOSE) * float(share) + _CLOSE * close)
        page = columns.integers("page_start")[key]
        return BestPassage(whole, key, page, sentence, tuple(dict.fromkeys(filter(None, said))))

    def _find_sentence(self, text: str, lent: Collection[str]) -> tuple[float, str]:
        """The sentence of the text that says most of the question, with the share that it says."""
        best, found = 0.0, text
        for sentence in _SENTENCE_END.split(text[:_TEXT_READ]):
            said = set(analyse(sentence))
            if any(word.term in said for word in self._words):
                share = sum(word.share for word in self._words if word.term in said or word.term in lent)
                best, found = (share, sentence) if share > best else (best, found)
        return best, " ".join(found.split())[:_TEXT_KEPT]
