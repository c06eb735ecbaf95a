"""What a question speaks of, piece by piece, and how much of it a text says.

Each piece (a concept, a word, a period) has a weight, rarer words more, and the ways in
which a text may say it: the question's own words or any wording the lexicon knows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from vectorless_web.engine.query.lexicon import Concept, Lexicon, Match, Ratio
from vectorless_web.engine.query.plan import Intent, QueryPlan
from vectorless_web.engine.text.analyser import analyse

AROUND = 0.75
"""What a piece counts that is said only by the headings around a text."""

NEAR = 0.35
"""What a piece counts that is said only by the rest of a text's paragraph."""

PARTLY = 0.5
"""What a piece counts, at most, of which only some words are said."""

PERIOD_WEIGHT = 0.5
"""A period's weight, as a share of the mean weight of the other pieces."""

Terms = frozenset[str]

_ASKING = frozenset(
    analyse(
        """many much amount number total value year question company document report list name show find give identify
        enumerate mention contain speak refer filing file tell say stated"""
    )
)
"""Stems that ask; a text that answers need not say them."""

_WORKING = frozenset(
    analyse(
        """year-over-year change growth grew increase increased decrease decreased decline drop average mean ratio
        percent percentage margin turnover improving improve profile rate difference less plus minus multiple unadjusted
        adjusted net gross three two use using numerator denominator annual quarter fiscal reasonably healthy
        positive negative"""
    )
)
"""Stems that say how a figure is worked out; the rows it is worked out from need not say them."""

_EXPLAINING = frozenset(
    analyse("drove drive driven driver drivers reason reasons cause caused explain explained led due nature purpose")
)
"""Stems that ask for a reason; a text that gives one need not say them."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """A piece of a question: its weight and the term sets each of which says it. `kind`: concept, word or period.

    `hints` are term sets that speak of it without naming it: the figures a ratio is worked out from.
    """

    weight: float
    ways: tuple[Terms, ...]
    kind: str
    hints: tuple[Terms, ...] = ()


@dataclass(frozen=True, slots=True)
class Aspects:
    """All pieces of a question."""

    pieces: tuple[Aspect, ...]

    def covered(self, text: str, context: str = "", near: str = "") -> float:
        """Share in [0, 1] of the question's weight that a text says.

        What only its `context` (headings, column headers) says counts less, what only
        stands `near` (the rest of its paragraph) less again.
        """
        total = sum(piece.weight for piece in self.pieces)
        if not total:
            return 0.0
        inside = frozenset(analyse(text))
        wide = inside | frozenset(analyse(context))
        widest = wide | frozenset(analyse(near)) if near else wide
        return sum(piece.weight * _said(piece, inside, wide, widest) for piece in self.pieces) / total

    def names_concept(self, text: str, context: str = "") -> bool:
        """Whether a text and its headings speak of one of the question's concepts; true of a question without any."""
        inside = frozenset(analyse(text))
        wide = inside | frozenset(analyse(context))
        concepts = [piece for piece in self.pieces if piece.kind == "concept"]
        return not concepts or any(_said(piece, inside, wide, wide) >= PARTLY for piece in concepts)


def aspects_of(plan: QueryPlan, lexicon: Lexicon, rarity: Callable[[str], float]) -> Aspects:
    """The pieces of a plan's question. `rarity` gives a term's weight in the document (its idf); names are left out."""
    matches = lexicon.match(plan.focus)
    pieces = [piece for match in matches if (piece := _concept(match, lexicon, rarity)).ways[0] - _EXPLAINING - _ASKING]
    known = {term for piece in pieces for term in piece.ways[0]}
    unsaid = known | _ASKING | (_WORKING if plan.formula is not None else frozenset())
    unsaid |= _EXPLAINING if plan.intent is Intent.EXPLAIN else frozenset()
    for term in plan.terms:
        if term.source == "question" and term.term not in unsaid:
            pieces.append(Aspect(term.weight * rarity(term.term), (frozenset({term.term}),), "word"))
    pieces = [piece for piece in pieces if piece.weight > 0]
    mean = sum(piece.weight for piece in pieces) / len(pieces) if pieces else 1.0
    years = dict.fromkeys(str(period.year) for period in plan.periods)
    pieces += [Aspect(PERIOD_WEIGHT * mean / len(years), (frozenset({year}),), "period") for year in years]
    return Aspects(tuple(pieces))


def _concept(match: Match, lexicon: Lexicon, rarity: Callable[[str], float]) -> Aspect:
    words = frozenset(analyse(match.text))
    own = words - _ASKING or words
    phrases = [phrase for entry in match.entries for phrase in _wordings(entry)]
    ways = dict.fromkeys([own, *(frozenset(analyse(phrase)) for phrase in phrases)])
    hints = dict.fromkeys(frozenset(analyse(text)) for entry in match.entries for text in _parts(entry, lexicon))
    weight = sum(rarity(term) for term in own)
    return Aspect(weight, tuple(way for way in ways if way), "concept", tuple(hint for hint in hints if len(hint) > 1))


def _parts(entry: object, lexicon: Lexicon) -> tuple[str, ...]:
    """How documents word the figures that a ratio is worked out from."""
    if not isinstance(entry, Ratio):
        return ()
    concepts = [lexicon.concept(operand.concept) for operand in entry.operands]
    return tuple(phrase for concept in concepts if concept for phrase in concept.phrases)


def _wordings(entry: object) -> tuple[str, ...]:
    """How documents and questions word an entry; the figures a ratio is worked out from do not say the ratio."""
    if isinstance(entry, Concept):
        return entry.phrases
    return (entry.name, *entry.asked) if isinstance(entry, Ratio) else ()


def _said(piece: Aspect, inside: Terms, wide: Terms, widest: Terms) -> float:
    if any(way <= inside for way in piece.ways):
        return 1.0
    if any(way <= wide for way in piece.ways):
        return AROUND
    if any(hint <= inside for hint in piece.hints):
        return PARTLY
    own = piece.ways[0]
    partly = PARTLY * (len(own & inside) / len(own)) ** 2
    return max(partly, NEAR) if any(way <= widest for way in piece.ways) else partly


def rarity_in(rows: int, frequency: Callable[[str], int]) -> Callable[[str], float]:
    """Inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)); a term that stands nowhere counts as seen once."""

    def rarity(term: str) -> float:
        count = max(1, frequency(term))
        return math.log(1 + (rows - count + 0.5) / (count + 0.5)) if rows >= count else 0.0

    return rarity
