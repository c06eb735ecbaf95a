"""What the passages of likely documents say of a question: evidence that neither a card nor a count of words gives."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.index.scoring import inverse_frequency
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Array, term_hash
from vectorless_web.engine.index.word_blocks import PARTS, TextPostings
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse, is_telling, word_terms, words

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


class TextEvidence:
    """What the texts of documents say of one question, by the parts of each in which its words stand together.

    A word weighs by how few parts of the documents looked at say it. Words that no document of the workspace says are
    left out: they tell no two documents apart.
    """

    def __init__(self, plan: QueryPlan, snapshot: Snapshot) -> None:
        asked = list_asked_words(plan)
        snapshot.prepare([term_hash(term) for term in asked])
        found = {term: snapshot.text_postings(term_hash(term)) for term in asked}
        self._postings = {term: held for term, held in found.items() if held is not None and len(held.rows)}

    @property
    def terms(self) -> list[str]:
        """The words of the question that some document says."""
        return list(self._postings)

    def shares(self, rows: Array, given: Array) -> tuple[Array, list[AskedWord]]:
        """For each of these rows (ascending) the share of the question that one part of its text says; the weights.

        `given`, of shape (terms, rows), tells the words that need not stand in the part, such as those of the title.
        """
        found = [_gather_parts(held, rows) for held in self._postings.values()]
        spread = [int(np.bitwise_count(held).sum()) for held in found]
        weights = np.array([inverse_frequency(len(rows) * PARTS, number) for number in spread])
        shares = weights / (weights.sum() or 1.0)
        words = [AskedWord(term, float(share)) for term, share in zip(self._postings, shares, strict=True)]
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


def _gather_parts(postings: TextPostings, rows: Array) -> Array:
    """The parts of each row in which the word stands, a bit each, shape (rows,) of 64 bits."""
    places = np.searchsorted(postings.rows, rows)
    inside = np.minimum(places, len(postings.rows) - 1)
    return np.where(postings.rows[inside] == rows, postings.parts[inside], np.uint64(0))


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

    def read(self, document: CompiledDocument, given: Collection[str] = ()) -> BestPassage | None:
        """The best passage of a document; None when it says nothing of the question or cannot be read."""
        return next(iter(self.list_best(document, given)), None)

    def list_best(
        self, document: CompiledDocument, given: Collection[str] = (), *, most: int = _ROWS_READ
    ) -> list[BestPassage]:
        """The passages that say nearly as much as the best one, at most `most`, best first."""
        try:
            segment = Segment(document.segment)
        except (ArtefactDamaged, ValueError):
            return []
        if not len(segment):
            return []
        held = np.array([self._held_in(segment, word) for word in self._words]).reshape(len(self._words), len(segment))
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

    @staticmethod
    def _held_in(segment: Segment, word: AskedWord) -> Array:
        held = np.zeros(len(segment))
        held[segment.postings(word.term).rows] = 1.0
        return held
