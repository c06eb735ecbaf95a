"""What a query plan asks of cards, the four signals that measure it, and their weighted mean."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from vectorless_web.engine.finding.routing.card_keys import KEYWORD, keyword_units
from vectorless_web.engine.finding.routing.lexical import (
    AskedWord,
    BestPassage,
    CardScorer,
    OpenTexts,
    PassageReader,
    find_said,
    key_idf,
    look_up_values,
    scale_idf,
    share_parts,
)
from vectorless_web.engine.finding.routing.typed import FieldScorer, Wanted, read_wanted_fields
from vectorless_web.engine.index.scoring import DIGITS, inverse_frequency
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Array, key_hash, term_hash
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse


class RouteMode(StrEnum):
    """When a model is asked to rank the first candidates: never, when the first two are close, or always."""

    FAST = "fast"
    BALANCED = "balanced"
    PRECISE = "precise"


@dataclass(frozen=True, slots=True)
class RouterConfig:
    """Limits and weights. The weights need not sum to 1: a signal that is missing is left out and the rest rescaled."""

    activate_threshold: int = 20
    """Documents: at or below so many all of them go on, since a run can look at that many cards itself."""
    max_candidates: int = 15
    """Documents on the shortlist. A run reads the cards of all of them and opens at most five."""
    bm25_top_k: int = 50
    """Documents kept for a second look; a model never sees more cards (about 200 tokens each)."""
    mode: RouteMode = RouteMode.FAST
    w_bm25: float = 0.5
    """Weight of the words. Measured: at twice the value 62 documents come first instead of 63."""
    w_keyword: float = 0.3
    """Weight of the keywords. At twice the value 60 come first."""
    w_graph: float = 0.2
    """Weight of the links. The least, because a link is the weakest sign."""
    w_text: float = 0.5
    """Weight of what one place of the text says. Measured: at 1.0 62 documents come first instead of 63, at 2.0 59; of
    200 facts in running text of 1,000 handbooks all come first at 1.0, 199 at 0.5 and 106 at 0 (benchmarks/README.md).
    """
    w_fields: float = 1.0
    """Weight of the typed fields. At half the value 58 come first, at twice 63."""


_EXPANSION = 0.25
"""Weight of a word that the lexicon added, as a share of its weight inside a document: a card is short and names things
once. Measured: 0.125 and 0.5 change no first document."""


def query_terms(plan: QueryPlan) -> list[tuple[str, float]]:
    """(analysed word, weight) pairs."""
    return [(t.term, t.weight * (_EXPANSION if t.source.startswith("lexicon") else 1.0)) for t in plan.terms]


def keyword_weights(plan: QueryPlan, snapshot: Snapshot) -> dict[int, float]:
    """Weights by which cards are compared on keywords: hash of a keyword unit -> idf in (0, 1].

    The units are those of the question's key concepts and its other words. A word that stands on cards but never as a
    keyword is included: without it a card with only the common half of the question would look like a full match. Units
    that no card has are left out. The mapping is empty when no unit is a keyword of any card.
    """
    own = [t.term for t in plan.terms if t.source != "period" and not t.source.startswith("lexicon")]
    units = dict.fromkeys(
        [*(unit for phrase in plan.phrases if phrase.source == "question" for unit in keyword_units(phrase.text)), *own]
    )
    hashes = {unit: (key_hash(KEYWORD, unit), term_hash(unit)) for unit in units}
    snapshot.prepare([word for _, word in hashes.values()])
    known = {
        key: max(key_idf(snapshot, key), scale_idf(snapshot, snapshot.frequency(word))) for key, word in hashes.values()
    }
    if not any(snapshot.key_frequency(key) for key in known):
        return {}
    return {key: weight for key, weight in known.items() if weight > 0}


_FRESHNESS = 0.001
"""Share of its score by which the oldest document of a workspace stands behind the newest: it parts equals and no
more. Measured: at 0.01 the same documents come first as without it."""
_STRONG, _STRONG_SHARE = 10, 0.5
"""Candidates, the best ones with at least this share of the best score, whose links are followed."""
_IN_TEXT = 0.3
"""What a word of the text is worth as a keyword of its document: a rare word may stand under no heading. Measured: of
150 made-up questions over 10,000 cards 148 find theirs first instead of 146, at 0.6 all; but from 0.45 on one of the 65
filings is no longer among the first 15."""
_LINKED_POOL = 200
"""Documents outside the pool that links may bring in; bounds the time of one question in a large workspace."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Signals of some cards, arrays of one length over `rows` (ascending). A signal that is missing is None.

    `score` is the weighted mean of the signals that are there, in [0, 1], lowered by the words that no document knows;
    `linked` maps a row to the document that lends it its graph signal.
    """

    rows: Array
    ids: Array
    bm25: Array | None
    keyword: Array | None
    fields: Array | None
    parts: Mapping[str, Array]
    score: Array
    graph: Array | None = None
    linked: Mapping[int, int] = field(default_factory=dict)
    text: Array | None = None
    """The share of the question that one place of the text says, in [0, 1]."""
    words: Sequence[AskedWord] = ()
    passages: Mapping[int, BestPassage] = field(default_factory=dict)
    """By row the passage that says most of the question, of documents that were looked into."""

    def order(self) -> list[int]:
        """Positions in the arrays, best score first, equal scores by ascending document id."""
        return [int(place) for place in np.lexsort((self.ids, -self.score))]


class RouteScorer:
    """Scores cards for one question over one snapshot."""

    def __init__(self, snapshot: Snapshot, plan: QueryPlan, config: RouterConfig) -> None:
        self.snapshot = snapshot
        self.config = config
        self.lexical = CardScorer(snapshot, query_terms(plan))
        self.typed = FieldScorer(snapshot, read_wanted_fields(plan, snapshot))
        self._keywords = keyword_weights(plan, snapshot)
        self.plan = plan
        own = {term for term, _ in query_terms(plan)}
        self._words = {key_hash(KEYWORD, term): term_hash(term) for term in own}

    @cached_property
    def _known(self) -> float:
        """Share of the question's own words, the rare ones weighing more, that some document or name knows."""
        named = {term for mention in self.typed.wanted.mentions for term in analyse(mention.text)}
        own = {t.term: t.weight for t in self.plan.terms if t.source in ("question", "entity")}
        size = len(self.snapshot)
        total = known = 0.0
        for term, weight in own.items():
            frequency = self.snapshot.frequency(term_hash(term))
            worth = weight * inverse_frequency(size, frequency)
            total += worth
            known += worth if frequency or term in named else 0.0
        return known / total if total > 0 and known > 0 else 1.0

    def pool(self, limit: int, allowed: Array | None) -> Array:
        """Rows worth scoring, ascending: the best by their words, and all that bear a name of the question."""
        rows, scores = self.lexical.best(limit, allowed=allowed)
        by_words = rows[np.argsort(-np.round(scores, DIGITS), kind="stable")[:limit]]
        named = self.typed.named_rows()
        named = named if allowed is None else named[np.isin(named, allowed, assume_unique=True)]
        return np.union1d(by_words, named)

    def signals(self, pool: Array, *, yielded: Sequence[int] = (), allowed: Array | None = None) -> Signals:
        """All signals of the pool and of the cards linked to its strongest, but those of passages.

        `yielded` documents count as strong.
        """
        alone = self._measure(pool)
        if not self.snapshot.has_edges or self.config.w_graph <= 0:
            return self._with_texts(alone)
        lent, lenders = self._lend_scores(alone, yielded)
        rows = self.snapshot.rows_of(list(lent))[:_LINKED_POOL]
        rows = rows if allowed is None else rows[np.isin(rows, allowed, assume_unique=True)]
        everyone = self._measure(np.union1d(pool, rows))
        ids = everyone.ids.tolist()
        graph = np.array([lent.get(doc_id, 0.0) for doc_id in ids])
        linked = {
            row: lenders[doc_id] for row, doc_id in zip(everyone.rows.tolist(), ids, strict=True) if doc_id in lenders
        }
        return self._with_texts(replace(everyone, graph=graph if graph.any() else None, linked=linked))

    def _lend_scores(self, alone: Signals, yielded: Sequence[int]) -> tuple[dict[int, float], dict[int, int]]:
        """What strong documents lend to those linked to them: edge weight x score, the greatest counts."""
        best = float(alone.score.max(initial=0.0))
        strong = [place for place in alone.order()[:_STRONG] if alone.score[place] >= _STRONG_SHARE * best > 0]
        lenders = {int(alone.ids[place]): float(alone.score[place]) for place in strong}
        lenders |= {doc_id: max(best, lenders.get(doc_id, 0.0)) for doc_id in yielded}
        lent: dict[int, float] = {}
        source: dict[int, int] = {}
        for doc_id, score in lenders.items():
            for other, weight in sorted(self.snapshot.neighbours(doc_id).items()):
                if weight * score > lent.get(other, 0.0):
                    lent[other], source[other] = weight * score, doc_id
        return lent, source

    def _measure(self, rows: Array) -> Signals:
        """The signals of these cards by themselves."""
        parts = self.typed.parts(rows)
        fields = self.typed.scores(parts, len(rows))
        ids = self.snapshot.row_ids(rows)
        return self._score(
            Signals(rows, ids, self._bm25(rows), self._keyword(rows), fields, parts, np.zeros(len(rows)))
        )

    def _score(self, signals: Signals) -> Signals:
        """The signals with their weighted mean as the score, less a little for documents added early."""
        config = self.config
        weighted = (
            (config.w_bm25, signals.bm25),
            (config.w_keyword, signals.keyword),
            (config.w_fields * self.typed.say(signals.parts), signals.fields),
            (config.w_text, signals.text),
        )
        # A link lifts; to have none is nothing against a document.
        score = np.maximum(
            _average_signals(weighted, len(signals.rows)),
            _average_signals((*weighted, (config.w_graph, signals.graph)), len(signals.rows)),
        )
        fresh = 1.0 - _FRESHNESS * (1.0 - signals.ids / float(signals.ids.max(initial=1)))
        return replace(signals, score=np.round(self._known * fresh * score, DIGITS))

    def _with_texts(self, signals: Signals) -> Signals:
        """The signals with what the texts of the documents say of the question, part by part."""
        if self.config.w_text <= 0 or not len(signals.rows):
            return self._score(signals)
        said = find_said(self.plan, self.snapshot)
        shares, words = share_parts(said, signals.rows, self._find_titled(list(said), signals.rows))
        return self._score(replace(signals, words=words, text=shares if words else None))

    def with_passages(self, signals: Signals, open_texts: OpenTexts, most: int) -> Signals:
        """The signals with the best passages of the first `most` documents, in the place of the parts they stand in.

        Documents that are not looked into stay behind those that are.
        """
        places = sorted(place for place in signals.order()[:most] if signals.score[place] > 0)
        if not signals.words or signals.text is None or not places:
            return signals
        reader, terms = PassageReader(signals.words), [word.term for word in signals.words]
        texts = open_texts(signals.ids[places].tolist())
        read: dict[int, BestPassage | None] = {}
        for place, titled in zip(places, self._find_titled(terms, signals.rows[places]).T, strict=True):
            document = texts.get(int(signals.ids[place]))
            given = [terms[number] for number in np.flatnonzero(titled)]
            read[place] = next(iter(reader.list_best(document, given) if document is not None else ()), None)
        shares = signals.text.copy()
        for place, found in read.items():
            shares[place] = found.share if found is not None else 0.0
        whole = self._score(replace(signals, text=shares))
        others = np.setdiff1d(np.arange(len(shares)), places)
        score = whole.score.copy()
        score[others] = np.minimum(score[others], score[places].min())
        passages = {int(signals.rows[place]): found for place, found in read.items() if found is not None}
        return replace(whole, score=score, passages=passages)

    def _find_titled(self, terms: Sequence[str], rows: Array) -> Array:
        """Whether each of the words stands in the title of each of these rows, shape (terms, rows)."""
        return np.array([self.lexical.list_titled(term, rows) for term in terms]).reshape(len(terms), len(rows))

    def _bm25(self, rows: Array) -> Array | None:
        """The share of the attainable score: the same meaning in a corpus of one and of 100,000."""
        if self.lexical.attainable <= 0:
            return None
        shares: Array = self.lexical.gains(rows).sum(axis=0) / self.lexical.attainable
        return shares

    def _keyword(self, rows: Array) -> Array | None:
        """The share, by idf, of the question's key concepts that stand among the card's keywords."""
        if not self._keywords:
            return None
        held = np.zeros(len(rows))
        for hashed, weight in self._keywords.items():
            postings = self.snapshot.key_postings(hashed)
            kept = look_up_values(postings.rows, np.ones(len(postings.rows)), rows)
            held += weight * np.maximum(kept, _IN_TEXT * self._stands_in_text(hashed, rows))
        return held / sum(self._keywords.values())

    def _stands_in_text(self, hashed: int, rows: Array) -> Array:
        """Whether the word of a keyword stands in the text of each of these rows."""
        text = self.snapshot.text_postings(self._words[hashed]) if hashed in self._words else None
        return np.isin(rows, text.rows) if text is not None else np.zeros(len(rows), np.bool_)


def _average_signals(weighted: Iterable[tuple[float, Array | None]], size: int) -> Array:
    """The weighted mean of the signals that are there."""
    present = [(weight, values) for weight, values in weighted if values is not None and weight > 0]
    total = sum(weight for weight, _ in present)
    if total <= 0:
        return np.zeros(size)
    mean: Array = sum((weight * values for weight, values in present), np.zeros(size)) / total
    return mean


_OF_NAME = 0.7
"""Least agreement with a name, in [0, 1], by which a document stands for it where several are compared."""


def cover_names(signals: Signals, typed: FieldScorer, names: Sequence[str]) -> Signals:
    """The signals with a document for each of the question's `names` first: several are there to be compared."""
    mentions = [mention for mention in typed.wanted.mentions if mention.text in names]
    if len(mentions) < 2 or not len(signals.rows):
        return signals
    held = [typed.score_name(mention, signals.rows) for mention in mentions]
    if np.any(np.min(held, axis=0) >= _OF_NAME):
        return signals
    score, best = signals.score.copy(), float(signals.score.max())
    for number, agreed in enumerate(held):
        bearing = np.flatnonzero((agreed >= _OF_NAME) & (signals.score > 0))
        if len(bearing):
            first = bearing[np.lexsort((signals.ids[bearing], -signals.score[bearing]))[0]]
            score[first] = best * (1 + (len(held) - number) * 1e-6)
    return replace(signals, score=score)


_CONFIDENT_NAME = 0.95
"""Least agreement of names, in [0, 1], from which one document alone may be committed to: a nickname learnt from
another document (0.96) is enough, a guess is not. Measured: 53 of 65 questions commit, all to the right document; at
1.0 49 do."""
_CONFIDENT_YEAR = 0.3
"""Least agreement of years from which one document alone may be committed to: the report on the year, or the next.
Measured: at 0.3 54 questions commit, at 1.0 52, all rightly."""
_SAID_ELSEWHERE = 0.4
"""How much more of the question another document may say in one place, as a share of it, for one to be committed to:
the name of the question may stand on the title of a document about something else."""
_MARGIN = 0.06
"""How far the second document must stand behind in agreement of fields, in [0, 1]. Measured: 0.03 and 0.12 commit to
the same 53."""


def find_committed(signals: Signals, wanted: Wanted, dropped: Collection[int] = ()) -> int | None:
    """The document that the question names beyond doubt, or None.

    It is first by score, bears every name the question mentions, covers the period if one is asked for, and no other
    document agrees nearly as well. Rows that are `dropped`, as other editions than the one asked for, are no rivals.
    """
    if signals.fields is None or "name" not in signals.parts or not len(signals.rows):
        return None
    first = signals.order()[0]
    names = signals.parts["name"]
    if names[first] < _CONFIDENT_NAME:
        return None
    if wanted.year is not None and ("year" not in signals.parts or signals.parts["year"][first] < _CONFIDENT_YEAR):
        return None
    kept = ~np.isin(signals.rows, list(dropped))
    kept[first] = False
    others = signals.fields[kept]
    if signals.text is not None and (signals.text[kept] > signals.text[first] + _SAID_ELSEWHERE).any():
        return None
    if len(others) and others.max() > signals.fields[first] - _MARGIN:
        return None
    return int(signals.ids[first])
