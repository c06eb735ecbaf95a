"""Sentences of nodes, and how close each comes to what is asked."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind, Row
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.ranking.ranker import RankedDocument, load_weights, weigh_signals
from vectorless_web.engine.finding.ranking.signals import measure_label, scale_to_best, search_terms, share_words
from vectorless_web.engine.index.scoring import B, Floats, find_best_rows, inverse_frequency, saturate
from vectorless_web.engine.index.segment import merged_statistics
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse, title_terms
from vectorless_web.engine.text.dates import month_number
from vectorless_web.engine.text.word_vectors import embed_terms, measure_nearness

LONGEST = 900
"""Characters of the longest piece; a longer one is cut at a clause. About 150 words: what a reader takes in at once."""
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？｡]+[」』”）]?|[।؟۔]+(?=\s|$)")
_LAST_WORD = re.compile(r"(\w(?:[\w.]*\w)?)\.$")
_CLAUSE_END = re.compile(r"[;:,]\s|[；：，、]")
_LINE = re.compile(r"[^\n]+")
_NEXT_WORD = re.compile(r"\s*([^\W\d_]+)")
_BY_LINE = (NodeKind.CODE, NodeKind.TABLE)
_APART = (NodeKind.LIST, *_BY_LINE)
_COLONS = (":", "：")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a node's text: `text` is the characters `start` (included) to `end` (excluded)."""

    text: str
    start: int
    end: int


def cut_node(node: Node) -> tuple[Piece, ...]:
    """The pieces of a node in reading order: body rows of a table; else its lines, and the sentences of each.

    Code, and a table without body rows, is cut by its lines alone.
    """
    if node.table is not None and node.table.body:
        spans = [(row.offset, row.offset + row.length) for row in node.table.body]
    elif node.kind in _BY_LINE:
        spans = [span for line in _LINE.finditer(node.text) for span in _cut_long(node.text, *line.span())]
    else:
        spans = [span for line in _LINE.finditer(node.text) for span in _cut_sentences(node.text, *line.span())]
    return tuple(piece for span in spans if (piece := _trim_piece(node.text, *span)) is not None)


def join_pieces(node: Node, pieces: Sequence[Piece], *, most: int) -> tuple[Piece, ...]:
    """Stretches of a node that can be lit: from each piece on as many as have at most `most` words together.

    Table rows, sentences of list items and lines of code stay apart. A stretch within another is left out.
    """
    if node.table is not None or node.kind in _APART:
        return tuple(pieces)
    found: list[Piece] = []
    last = 0
    for first, piece in enumerate(pieces):
        last = max(last, first + 1)
        while last < len(pieces) and len(node.text[piece.start : pieces[last].end].split()) <= most:
            last += 1
        end = pieces[last - 1].end
        if not found or found[-1].end != end:
            found.append(Piece(node.text[piece.start : end], piece.start, end))
    return tuple(found)


def cut_text(text: str) -> tuple[Piece, ...]:
    """The sentences of a text, line by line."""
    spans = (span for line in _LINE.finditer(text) for span in _cut_sentences(text, *line.span()))
    return tuple(piece for span in spans if (piece := _trim_piece(text, *span)) is not None)


def _cut_sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _END.finditer(text, start, end):
        if not _continues(text, start, match.end(), end):
            yield from _cut_long(text, start, match.end())
            start = match.end()
    yield from _cut_long(text, start, end)


def _continues(text: str, start: int, stop: int, end: int) -> bool:
    """Whether a mark before `stop` ends no sentence: a small letter follows, or it is the stop of an abbreviation.

    The stop of a day before its month ("am 1. Mai") ends none either.
    """
    following = text[stop : min(stop + 3, end)].strip()[:1]
    if following.islower():
        return True
    word = _LAST_WORD.search(text, max(start, stop - 24), stop)
    if word is None:
        return False
    last = word[1]
    after = _NEXT_WORD.match(text, stop, end)
    is_day = last.isdigit() and len(last) <= 2 and after is not None and month_number(after[1]) > 0
    is_number = last.isdigit() and not text[start : word.start()].strip()
    return (
        is_day
        or is_number
        or (len(last) == 1 and last.isalpha())
        or "." in last
        or last.casefold() in _read_abbreviations()
    )


@cache
def _read_abbreviations() -> frozenset[str]:
    lines = Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def _cut_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        cuts = [match.end() for match in _CLAUSE_END.finditer(text, start + LONGEST // 3, start + LONGEST)]
        cut = cuts[-1] if cuts else start + LONGEST
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _trim_piece(text: str, start: int, end: int) -> Piece | None:
    """The span without white space around it; None where it holds no letter and no digit."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    piece = text[start:end]
    return Piece(piece, start, end) if any(map(str.isalnum, piece)) else None


def find_lead_in(tree: Tree, key: int) -> str:
    """The sentence that announces a node, a list or table as a rule: what comes before it and ends in a colon."""
    before = key - 1
    while before > 0 and tree.kind(before) is NodeKind.RUNNING:
        before -= 1
    if before <= 0 or not tree.is_leaf(before) or tree.parent(before) != tree.parent(key):
        return ""
    text = tree.columns.texts[before].rstrip()
    if not text.endswith(_COLONS) or tree.columns.table(before) is not None:
        return ""
    pieces = cut_text(text)
    return pieces[-1].text if pieces else ""


def find_announced(tree: Tree, key: int) -> int:
    """The node that a node announces by the colon at its end; 0 where there is none."""
    after = next((k for k in range(key + 1, len(tree)) if tree.kind(k) is not NodeKind.RUNNING), 0)
    return after if after and tree.is_leaf(after) and find_lead_in(tree, after) else 0


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
    signals["meaning"] = measure_nearness(embed_terms(terms), asked.shares)
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
    row = find_row(candidate.node, candidate.piece.start)
    if row is None or not phrases:
        return 0.0
    return max(measure_label(title_terms(row.label), phrase) for phrase in phrases)


def find_row(node: Node, start: int) -> Row | None:
    """The table row in which a character of the node's text is; None of what is no table."""
    rows = node.table.rows if node.table is not None and node.kind is NodeKind.TABLE else ()
    return next((row for row in rows if row.offset <= start < row.offset + max(row.length, 1)), None)
