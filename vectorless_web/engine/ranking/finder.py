"""What the words of a question find in one document: ranked leaves, and how much of the question a text says."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.questions.lexicon import Concept, Lexicon, Match, Ratio, default_lexicon
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.ranking.evidence import node_scores, rank_pages
from vectorless_web.engine.ranking.scorer import EvidenceScorer, PrecomputedScorer
from vectorless_web.engine.text.analyser import analyse

AROUND = 0.75
"""What a piece of the question counts, as a share, that only the headings around a text say. Chosen by hand: a heading
holds for the text below it, but the text may be about something else."""

NEAR = 0.35
"""What a piece counts, as a share, that only the rest of a text's paragraph says. Chosen by hand: less than a heading,
which was written to name what follows."""

PARTLY = 0.5
"""What a piece counts, at most, of which a text says only some words. Chosen by hand: half a wording is no statement of
it."""

OTHER_FORM, NEAR_MEANING = 0.9, 0.5
"""What a word counts, as a share, that a text says in another form ("payment" for "pay"), or by a word of near meaning
("dismissal" for "fired"). Chosen by hand: the question's own word always counts more."""

PERIOD_WEIGHT = 0.5
"""Weight of all years of a question together, as a share of the mean weight of its other pieces. Chosen by hand: years
stand all over a document, often only in a column header."""

Terms = frozenset[str]

_ASKING = frozenset(
    analyse(
        """many much amount number total value year question company document report list name show find give identify
        enumerate mention contain speak refer filing file tell say stated somebody someone anybody anyone something
        anything everybody everyone everything consist comprise step"""
    )
)
"""Stems that ask; a text that answers need not say them."""

_WORKING = frozenset(
    analyse(
        """year-over-year change growth grew increase increased decrease decreased decline drop average mean ratio
        percent percentage margin turnover improve rate difference less plus minus multiple adjusted net gross three two
        use using numerator denominator annual quarter fiscal"""
    )
)
"""Stems that say how a figure is worked out; the rows it is worked out from need not say them."""

LIGHT = 0.4
"""What a light word counts, as a share: formal texts hardly use it, so that it is rare there and says little all the
same. Chosen by hand."""

_LIGHT = frozenset(
    analyse(
        """get got take took taken go went gone put let come came bring brought give gave given want like bit lot sort
        kind stuff really actually exactly simply anyway still already ever even again away back out off over up down
        one ones"""
    )
)
"""Stems of the verbs and particles of which everyday questions are made, whatever they are about."""

_EXPLAINING = frozenset(
    analyse("drove drive driven driver drivers reason reasons cause caused explain explained led due purpose")
)
"""Stems that ask for a reason; a text that gives one need not say them."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """A piece of a question: its weight, and the sets of terms (`ways`), each of which words it in full.

    `kind` is "concept", "word", "name" or "period". `hints` are sets of terms that concern it without
    naming it: the figures a ratio is worked out from. `others` are other wordings, each with
    the share of the piece that it says.
    """

    weight: float
    ways: tuple[Terms, ...]
    kind: str
    hints: tuple[Terms, ...] = ()
    others: tuple[tuple[Terms, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Aspects:
    """All pieces of a question."""

    pieces: tuple[Aspect, ...]

    def measure_cover(self, text: str, context: str = "", near: str = "") -> float:
        """Share in [0, 1] of the question's weight that a text says.

        What only its `context` (headings, column headers) says counts less, what only
        stands `near` (the rest of its paragraph) less again.
        """
        total = sum(piece.weight for piece in self.pieces)
        if not total:
            return 0.0
        inside, wide, widest = _terms_of(text, context, near)
        return sum(piece.weight * _measure_aspect(piece, inside, wide, widest) for piece in self.pieces) / total

    def left_over(self, text: str, context: str = "", near: str = "") -> tuple[Aspect, ...]:
        """The pieces of which neither a text nor what stands around and near it says anything."""
        inside, wide, widest = _terms_of(text, context, near)
        return tuple(piece for piece in self.pieces if _measure_aspect(piece, inside, wide, widest) == 0.0)

    def measure_heaviest(self, text: str) -> float:
        """1 where a text leaves no piece over, 0 where it leaves over the heaviest, by weight in between."""
        most = max((piece.weight for piece in self.pieces), default=0.0)
        left = max((piece.weight for piece in self.left_over(text)), default=0.0)
        return 1.0 - left / most if most else 1.0

    def names_concept(self, text: str, context: str = "") -> bool:
        """Whether a text and its headings speak of one of the question's concepts; true of a question without any."""
        inside = frozenset(analyse(text))
        wide = inside | frozenset(analyse(context))
        concepts = [piece for piece in self.pieces if piece.kind == "concept"]
        return not concepts or any(_measure_aspect(piece, inside, wide, wide) >= PARTLY for piece in concepts)

    def words_concept(self, text: str, context: str = "") -> bool:
        """Whether a text, or a heading, words one of the question's concepts in full; true of a question without any.

        Unlike `names_concept` the figures that a ratio is worked out from do not stand for the ratio, unless one is
        told as a percentage of another: the cost of sales "as a percent of sales" for the gross margin.
        """
        whole, plain = frozenset(analyse(text)), frozenset(analyse(_AS_PERCENT.sub(" ", text)))
        around = frozenset(analyse(context))
        # What "drives revenue" is told in words for the cause, which say no effect.
        concepts = [piece for piece in self.pieces if piece.kind == "concept" and not piece.ways[0] & _EXPLAINING]
        if not concepts or any(way <= plain or way <= around for piece in concepts for way in piece.ways):
            return True
        return plain != whole and any(hint <= plain for piece in concepts for hint in piece.hints)


_AS_PERCENT = re.compile(r"\bas an?\s+(?:percent\w*|%|share|proportion)\s+(?:of|to)\s+(?:net\s+)?\w+", re.IGNORECASE)
"""What a measure is told as a part of: "income as a percent of sales" says nothing of the sales."""


def aspects_of(
    plan: QueryPlan, lexicon: Lexicon, rarity: Callable[[str], float], names: Sequence[Terms] = ()
) -> Aspects:
    """The pieces of a plan's question. `rarity` gives a term's weight in the document (its idf).

    Of names only `names` count, those by which its places can be told apart.
    """
    matches = lexicon.match(plan.question)
    asking = frozenset(term for match in _HOW.finditer(plan.question) for term in analyse(match["measure"]))
    pieces = [piece for match in matches if (piece := _concept(match, lexicon, rarity)).ways[0] - _EXPLAINING - _ASKING]
    pieces = [replace(p, weight=LIGHT * p.weight) if p.ways[0] <= asking else p for p in pieces]
    known = {term for piece in pieces for term in piece.ways[0]}
    unsaid = known | _ASKING | (_WORKING if plan.formula is not None else frozenset())
    own = {term.term: term.weight for term in plan.terms if term.source == "question"}
    for term, weight in own.items():
        if term not in unsaid:
            way = (frozenset({term}),)
            pieces.append(Aspect(weight * rarity(term) * (LIGHT if term in _LIGHT else 1.0), way, "word"))
    pieces += [Aspect(max(map(rarity, name)), (name,), "name") for name in names]
    pieces = [piece for piece in pieces if piece.weight > 0]
    mean = sum(piece.weight for piece in pieces) / len(pieces) if pieces else 1.0
    years = dict.fromkeys(str(period.year) for period in plan.periods)
    pieces += [Aspect(PERIOD_WEIGHT * mean / len(years), (frozenset({year}),), "period") for year in years]
    return Aspects(tuple(pieces))


_HOW = re.compile(r"\bhow (?P<measure>long|far|often|soon|old|big|large|high|early|late|quickly)\b", re.IGNORECASE)
"""What a question measures by, which a text answers by a number with its unit and not by the same word."""


def _concept(
    match: Match,
    lexicon: Lexicon,
    rarity: Callable[[str], float],
) -> Aspect:
    """The piece that a concept is."""
    words = frozenset(analyse(match.text))
    own = words - _ASKING or words
    phrases = [phrase for entry in match.entries for phrase in _list_wordings(entry)]
    ways = dict.fromkeys([own, *(frozenset(analyse(phrase)) for phrase in phrases)])
    hints = dict.fromkeys(frozenset(analyse(text)) for entry in match.entries for text in _parts(entry, lexicon))
    # Summed exactly: a set has no order, and the same question gives the same bytes in every process.
    weight = math.fsum(rarity(term) for term in own)
    kept = tuple(hint for hint in hints if len(hint) > 1)
    return Aspect(weight, tuple(way for way in ways if way), "concept", kept)


def _parts(entry: object, lexicon: Lexicon) -> tuple[str, ...]:
    """How documents word the figures that a ratio is worked out from."""
    if not isinstance(entry, Ratio):
        return ()
    concepts = [lexicon.concept(operand.concept) for operand in entry.operands]
    return tuple(phrase for concept in concepts if concept for phrase in concept.phrases)


def _list_wordings(entry: object) -> tuple[str, ...]:
    """How documents and questions word an entry; the figures a ratio is worked out from do not say the ratio."""
    if isinstance(entry, Concept):
        return entry.phrases
    return (entry.name, *entry.asked) if isinstance(entry, Ratio) else ()


def _terms_of(text: str, context: str, near: str) -> tuple[Terms, Terms, Terms]:
    """The terms of a text, with those of its context, and with those near it too."""
    inside = frozenset(analyse(text))
    wide = inside | _terms_around(context)
    return inside, wide, wide | _terms_around(near) if near else wide


@lru_cache(maxsize=1 << 10)
def _terms_around(text: str) -> Terms:
    """The terms of a heading or a paragraph, which stand around many sentences: kept for the last ones."""
    return frozenset(analyse(text))


def _measure_aspect(piece: Aspect, inside: Terms, wide: Terms, widest: Terms) -> float:
    if any(way <= inside for way in piece.ways):
        return 1.0
    if any(way <= wide for way in piece.ways):
        return AROUND
    otherwise = max((share for other, share in piece.others if other <= inside), default=0.0)
    if otherwise or any(hint <= inside for hint in piece.hints):
        return otherwise or PARTLY
    own = piece.ways[0]
    partly = PARTLY * (len(own & inside) / len(own)) ** 2
    return max(partly, NEAR) if any(way <= widest for way in piece.ways) else partly


def rarity_in(rows: int, frequency: Callable[[str], int]) -> Callable[[str], float]:
    """Inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)); a term that stands nowhere counts as seen once."""

    def rarity(term: str) -> float:
        count = max(1, frequency(term))
        return math.log(1 + (rows - count + 0.5) / (count + 0.5)) if rows >= count else 0.0

    return rarity


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node found for the question. `fit` in [0, 1] is the share of the attainable query weight it holds."""

    key: int
    fit: float
    score: float


NAMED_TEXTS = 0.05
"""Share of a document's texts in which a name stands, at most, for it to tell one place from another: what stands in
more of them is what the document is about."""

SHORT_STEM = 3
"""Letters that all forms of a word have in common: a text without them is not taken apart."""

LEAST_TEXTS = 20
"""Texts that a document is taken to have at least, where it is weighed what words prove: of few texts even the best
word tells little."""

SHOWN = 40
"""Leaves ranked for one question, the best. Bounds the time of a step; prompts and passages take fewer."""


class Finder:
    """Evidence for one question in one document. Each property is worked out when first read, then kept."""

    def __init__(self, document: CompiledDocument, plan: QueryPlan, *, lexicon: Lexicon | None = None) -> None:
        self.document = document
        self.plan = plan
        self.lexicon = lexicon or default_lexicon()
        self._covered: dict[tuple[str, str, str], float] = {}
        self._narrowed: dict[str, Finder] = {}

    @cached_property
    def question_terms(self) -> Terms:
        """The terms of the question as it was asked."""
        return frozenset(analyse(self.plan.question))

    @cached_property
    def scorer(self) -> EvidenceScorer:
        """The evidence ranking as scores in [0, 1], relative to the best node; a section counts as its best node."""
        scores = node_scores(self.document, self.plan, lexicon=self.lexicon)
        best = float(scores.max(initial=0.0))
        return PrecomputedScorer(self.document.tree, scores / best if best > 0 else scores)

    @cached_property
    def page_fits(self) -> Mapping[int, float]:
        """Scores of pages (by index) in [0, 1], relative to the best page of the document."""
        pages = rank_pages(self.document, self.plan, lexicon=self.lexicon)
        best = max((page.score for page in pages), default=0.0)
        return {page.page_index: page.score / best for page in pages} if best > 0 else {}

    @cached_property
    def aspects(self) -> Aspects:
        """The question piece by piece, weighed by how rare its words are in this document."""
        return aspects_of(self.plan, self.lexicon, self._rarity, self._telling_names)

    @cached_property
    def _telling_names(self) -> tuple[Terms, ...]:
        """The names of the question that stand in few texts of the document, and are not what it is about."""
        segment, title = Segment(self.document.segment), set(analyse(self.document.title))
        most = NAMED_TEXTS * len(segment)
        names = (frozenset(analyse(name)) for name in self.plan.entities)
        counted = {name: [segment.document_frequency(term) for term in name] for name in names if name - title}
        return tuple(name for name, counts in counted.items() if min(counts) and min(counts) <= most)

    @cached_property
    def _rarity(self) -> Callable[[str], float]:
        segment = Segment(self.document.segment)
        return rarity_in(len(segment), segment.document_frequency)

    @cached_property
    def unsaid(self) -> tuple[Aspect, ...]:
        """The words of the question that stand nowhere in the document, nor does any other wording of them."""
        frequency = Segment(self.document.segment).document_frequency
        titles = frozenset(analyse(self.document.title))

        def is_said(terms: Terms) -> bool:
            return all(term in titles or frequency(term) for term in terms)

        words = (piece for piece in self.aspects.pieces if piece.kind == "word" and not piece.ways[0] <= _LIGHT)
        return tuple(
            piece
            for piece in words
            if not any(is_said(terms) for terms in (*piece.ways, *(other for other, _ in piece.others)))
        )

    def coverage(self, text: str, context: str = "", near: str = "") -> float:
        """Share in [0, 1] of the question that a text says; what stands around and near it counts less.

        Kept, because the same sentences are measured to shortlist, to answer and to show what comes closest.
        """
        asked = (text, context, near)
        if asked not in self._covered:
            self._covered[asked] = self.aspects.measure_cover(text, context, near)
        return self._covered[asked]

    def count_occurrences(self, word: str) -> int:
        """How often a word, in any of its forms, stands in the document's text, headings and running lines included."""
        terms = set(analyse(word))
        begins = {term[:SHORT_STEM] for term in terms}
        tree = self.document.tree
        texts = (tree.node(key).text for key in range(len(tree)))
        return sum(
            sum(term in terms for term in analyse(text))
            for text in texts
            if any(begin in text.casefold() for begin in begins)
        )

    def has_stem(self, stem: str) -> bool:
        """Whether a word of the document, or of what it is called, begins so; spaces and letter case do not count."""
        begin, document = stem.casefold(), self.document
        known = (document.title, *document.card.fields.entities)
        tree = document.tree
        texts = (text for key in range(len(tree)) for text in (tree.node(key).text, tree.node(key).title))
        return any(begin in re.sub(r"[\s\xad-]+", "", text).casefold() for text in (*known, *texts))

    def said_terms(self, text: str) -> float:
        """Sum of weight x idf over the question's own words (not those of the lexicon) that stand in a text; >= 0."""
        inside = set(analyse(text))
        own = {t.term: t.weight for t in self.plan.terms if t.source == "question"}
        return sum(weight * self._rarity(term) for term, weight in own.items() if term in inside)

    def measure_evidence(self, text: str, context: str = "") -> float:
        """How much speaks against a text's having the question's words, or its name alone, by chance; >= 0.

        The sum of the idf of the words that it says, in the logarithm of the number of texts: from 1
        on fewer than one text of the document would say so much by chance.
        """
        inside = frozenset(analyse(text))
        wide = inside | frozenset(analyse(context))
        pieces = [piece for piece in self.aspects.pieces if piece.kind != "period"]
        said = sum(piece.weight * _measure_aspect(piece, inside, wide, wide) for piece in pieces)
        if not pieces:
            said = sum(self._rarity(term.term) for term in self.plan.terms if term.term in wide)
        return said / math.log(max(LEAST_TEXTS, len(Segment(self.document.segment))))

    def part_coverage(self, part: str, text: str, context: str = "") -> float:
        """Share in [0, 1] of one sub-question that a text says."""
        terms = set(analyse(part))
        plan = replace(self.plan, question=part, periods=(), terms=tuple(t for t in self.plan.terms if t.term in terms))
        names = tuple(name for name in self._telling_names if name <= terms)
        return aspects_of(plan, self.lexicon, self._rarity, names).measure_cover(text, context)

    def narrow_to(self, part: str) -> "Finder":
        """Evidence for one sub-question alone, asked as a question by itself; kept, as several steps look for it."""
        if part not in self._narrowed:
            plan = understand(f"{part}?", lexicon=self.lexicon)
            self._narrowed[part] = Finder(self.document, plan, lexicon=self.lexicon)
        return self._narrowed[part]

    def node_coverage(self, key: int) -> float:
        """Share in [0, 1] of the question that a node says, the titles above it included (see `coverage`)."""
        node = self.document.tree.node(key)
        return self.coverage(f"{node.title} {node.text}", " ".join(self.document.tree.path(key)))

    def best_below(self, key: int) -> float:
        """The score of the best node in a subtree, relative to the best of the document."""
        return self.scorer.evidence(key).best_score

    @cached_property
    def ranked(self) -> tuple[Candidate, ...]:
        """The best leaves for the question, best first, ties in reading order."""
        scored = [(key, score) for key, score in self.fits(self.document.tree.leaves()).items() if score > 0]
        order = sorted(scored, key=lambda pair: (-round(pair[1], 12), pair[0]))
        return tuple(Candidate(key, score, score) for key, score in order[:SHOWN])

    def fits(self, keys: Sequence[int]) -> dict[int, float]:
        """Scores of the given nodes, relative to the best of the document."""
        return dict(zip(keys, self.scorer.scores(keys), strict=True))
