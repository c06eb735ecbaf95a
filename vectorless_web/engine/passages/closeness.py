"""How close the sentences, list items and table rows of the best nodes come to a question: signals and their sum."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind, Row
from vectorless_web.engine.finding.ranking.profile import LabelledRow
from vectorless_web.engine.finding.ranking.ranker import RankedDocument, load_weights, weigh_signals
from vectorless_web.engine.finding.ranking.signals import measure_label, scale_to_best, search_terms, share_words
from vectorless_web.engine.index.scoring import B, Floats, find_best_rows, inverse_frequency, saturate
from vectorless_web.engine.index.segment import merged_statistics
from vectorless_web.engine.passages.sentences import Piece, cut_node, find_lead_in, join_pieces
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse, title_terms

LIT_WORDS = 60
"""Words lit in a paragraph, at most: neighbouring sentences that have so many together. Measured in one run with the
stored weights, the gold sentence lit in the first 1, 3 and 5 of 88 everyday questions and of 149 on policies: single
sentences .28 .42 .48 and .35 .55 .65; 30 words .28 .41 .47 and .36 .59 .67; 45 words .27 .47 .52 and .40 .64 .72; 60
words .34 .55 .57 and .46 .70 .77. A longer stretch holds more by its length alone."""
LOOKED_AT = 60
"""Nodes, the best of all documents together, whose sentences are measured. Of everyday questions the gold passage is
among the first 40 for .84 and among the first 80 for .88."""
_PAIR_REACH = 4
"""Words within which two neighbouring words of a question count as standing together."""
_LONG = 4.0
"""Natural logarithm of the terms from which a sentence counts as long: about 55."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as sentences are held against it: shares of its words by rarity (they sum to 1), and other measures.

    `weights` are weight x idf of all its terms, those that a lexicon adds included, `pairs` neighbouring words, and
    `phrases` the wordings of the figures needed, as terms.
    """

    shares: dict[str, float]
    weights: dict[str, float]
    pairs: tuple[tuple[str, str], ...]
    phrases: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stretch of a node that may be lit; `place` is that of its document, `row` the node's row in its index."""

    place: int
    row: int
    node: Node
    piece: Piece


def read_asked(ranked: Sequence[RankedDocument], plan: QueryPlan) -> Asked:
    """The question as the sentences of these documents are held against it."""
    profiles = [one.profile for one in ranked]
    terms = search_terms(profiles, plan)
    statistics = merged_statistics([profile.segment for profile in profiles], [term.term for term in terms])
    weights = {t.term: t.weight * inverse_frequency(statistics.rows, statistics.frequencies[t.term]) for t in terms}
    shares = share_words(profiles, plan)
    own = list(shares)
    return Asked(
        shares,
        weights,
        tuple(pairwise(own)),
        tuple(tuple(analyse(phrase)) for need in plan.figures for phrase in need.phrases),
    )


def collect_candidates(ranked: Sequence[RankedDocument], *, most: int = LOOKED_AT) -> list[Candidate]:
    """The pieces of the best leaves of all documents together, node by node, best node first."""
    best = [
        (float(one.rows[row]), place, row)
        for place, one in enumerate(ranked)
        for row in find_best_rows(one.rows, 2 * most).tolist()
        if one.profile.tree.is_leaf(one.profile.keys[row])
    ]
    found = []
    for _, place, row in sorted(best, key=lambda each: (-each[0], each[1], each[2]))[:most]:
        profile = ranked[place].profile
        node = profile.tree.node(profile.keys[row])
        pieces = join_pieces(node, cut_node(node), most=LIT_WORDS)
        found += [Candidate(place, row, node, piece) for piece in pieces]
    return found


def score_candidates(
    candidates: Sequence[Candidate],
    ranked: Sequence[RankedDocument],
    asked: Asked,
) -> Floats:
    """One score for each candidate; only their order and differences mean something."""
    return weigh_signals(measure_sentences(candidates, ranked, asked), load_weights().sentence)


def measure_sentences(
    candidates: Sequence[Candidate], ranked: Sequence[RankedDocument], asked: Asked
) -> dict[str, Floats]:
    """The signals of the candidates, arrays of shape (candidates,), in [0, 1]; those of their nodes begin "node_"."""
    terms = [analyse(candidate.piece.text) for candidate in candidates]
    mean = sum(map(len, terms)) / max(1, len(terms)) or 1.0
    around: dict[tuple[int, int], frozenset[str]] = {}
    rows = []
    for candidate, found in zip(candidates, terms, strict=True):
        place = (candidate.place, candidate.row)
        if place not in around:
            around[place] = _read_surroundings(ranked[candidate.place].profile.document, candidate.node)
        rows.append(_measure_sentence(candidate, found, around[place], asked, mean))
    signals = {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else {"words": 0.0})}
    signals["words"] = scale_to_best([signals["words"]])[0]
    for name in ranked[0].node_signals if ranked else ():
        values = [ranked[candidate.place].node_signals[name][candidate.row] for candidate in candidates]
        signals[f"node_{name}"] = np.array(values, dtype=np.float64)
    return signals


def _read_surroundings(document: CompiledDocument, node: Node) -> frozenset[str]:
    """Terms of the text around a node's pieces: headings, caption, lead-in, column names, units."""
    tree = document.tree
    texts = [*tree.path(node.key), find_lead_in(tree, node.key)]
    if node.table is not None:
        texts += [node.table.units, *(column.header for column in node.table.columns)]
    return frozenset(term for text in texts for term in title_terms(text))


def _measure_sentence(
    candidate: Candidate, terms: Sequence[str], around: frozenset[str], asked: Asked, mean: float
) -> dict[str, float]:
    counts = Counter(terms)
    cover = sum(share for term, share in asked.shares.items() if term in counts)
    wide = sum(share for term, share in asked.shares.items() if term in counts or term in around)
    norm = 1 - B + B * len(terms) / mean
    held = [term for term in asked.weights if term in counts]
    gains = saturate(np.array([counts[term] / norm for term in held]))
    return {
        "words": float(gains @ np.array([asked.weights[term] for term in held])),
        "cover": cover,
        "around": wide - cover,
        "pairs": _measure_pairs(terms, asked.pairs),
        "figures": _measure_row(candidate, asked.phrases),
        "length": min(1.0, math.log1p(len(terms)) / _LONG),
    }


def _measure_pairs(terms: Sequence[str], pairs: Sequence[tuple[str, str]]) -> float:
    """Share of the question's neighbouring words that stand within a few words of each other."""
    if not pairs:
        return 0.0
    places: dict[str, list[int]] = {}
    for place, term in enumerate(terms):
        places.setdefault(term, []).append(place)
    together = sum(
        any(abs(left - right) <= _PAIR_REACH for left in places.get(first, ()) for right in places.get(second, ()))
        for first, second in pairs
    )
    return together / len(pairs)


def _measure_row(candidate: Candidate, phrases: Sequence[tuple[str, ...]]) -> float:
    """How well a table row's label words a figure that the question needs."""
    row = find_row(candidate.node, candidate.piece)
    if row is None or not phrases:
        return 0.0
    path = tuple(term for label in row.path for term in title_terms(label))
    labelled = LabelledRow(title_terms(row.label), path, candidate.node.key, row.page_index, 1)
    return max(measure_label(labelled, phrase) for phrase in phrases)


def find_row(node: Node, piece: Piece) -> Row | None:
    """The table row in which a piece begins; None of what is no table."""
    rows = node.table.rows if node.table is not None and node.kind is NodeKind.TABLE else ()
    return next((row for row in rows if row.offset <= piece.start < row.offset + max(row.length, 1)), None)
