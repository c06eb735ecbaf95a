"""The passages that come nearest to a question which nothing answers: shown as quotes, never as an answer."""

from collections.abc import Iterable, Sequence

from vectorless_web.engine.agent.corpus import names_any
from vectorless_web.engine.agent.steps.extract import place_words
from vectorless_web.engine.agent.steps.nearness import measure_nearness
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.answers.claims import DraftQuote, Fact
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.passages.extraction import best_passages, find_passages
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.text.analyser import analyse

SHOWN = 4
"""Passages shown; a reader looks through so many at a glance, and the best one is rarely lower."""

SEARCHED = 40
"""Nodes of a document among which the passages are looked for: those read, then the others that steps brought."""

NEAR_BEST = 0.5
"""Share of the best passage's fit by words from which another is shown. Everyday questions share few words with what
answers them, so that no share of the question's words can be asked of a passage."""

LEAST_WORD = 0.04
"""Least share of the question that a passage and its headings say: one plain word of a long question."""

NEAR_ENOUGH = 0.6
"""The nearness in meaning from which a passage is shown whatever words it shares: a third to four fifths of the
evidence sentences of three sets have it, and one other of those measured for a question."""


def find_closest_passages(walks: Sequence[Walk]) -> list[DraftQuote]:
    """At most SHOWN quotes of all documents that were walked, nearest first: rows and sentences copied, then others."""
    facts = [fact for walk in walks for fact in walk.facts]
    copied = [fact for fact in facts if not (isinstance(fact, Passage) and fact.is_nearest)]
    copied.sort(key=lambda fact: (-round(fact.fit, 9), fact.key, fact.start))
    near = [passage for walk in walks for passage in _near(walk)]
    near.sort(key=lambda passage: (-round(passage.fit, 9), passage.key, passage.start))
    least = NEAR_BEST * max((passage.words_fit for passage in near), default=0.0)
    others = best_passages([passage for passage in near if passage.fit >= least], most=3 * SHOWN, share=0.0)
    return _distinct([*copied, *others])[:SHOWN]


def _near(walk: Walk) -> list[Passage]:
    """Pieces of one document that say enough of the question to be worth a look."""
    tree = walk.document.tree
    order = [*walk.read, *(packed.key for packed in walk.packed), *(c.key for c in walk.finder.ranked), *walk.opened]
    opened = [key for key in dict.fromkeys(order) if key in walk.opened]
    keys = [key for key in opened if tree.kind(key) is not NodeKind.SECTION][:SEARCHED]
    fits = walk.finder.fits(keys)
    nodes = [(tree.node(key), fits[key], place_words(walk, key)) for key in keys]
    found = find_passages(walk.entry.id, nodes, walk.finder, measure_nearness(walk), walk.opened)
    pieces = [piece for piece in found if piece.said >= LEAST_WORD or _is_near(piece) or _shares_word(walk, piece)]
    # Of a document that is not about any name of the question, what names one comes nearer.
    named = [piece for piece in pieces if not walk.is_about and names_any(f"{piece.quote} {piece.where}", walk.foreign)]
    return named or pieces


def _is_near(piece: Passage) -> bool:
    return piece.nearness is not None and piece.nearness >= NEAR_ENOUGH


def _shares_word(walk: Walk, piece: Passage) -> bool:
    """Whether it has a word of the question, or one that documents use for it, which names and years are not."""
    wanted = {term.term for term in walk.plan.terms if term.source not in ("entity", "period")}
    return bool(wanted & set(analyse(f"{piece.quote} {piece.where}")))


def _distinct(facts: Iterable[Fact]) -> list[DraftQuote]:
    """Each as a quote, without those that share words of the document with one before."""
    kept: list[Fact] = []
    for fact in facts:
        if not any(_overlap(fact, other) for other in kept):
            kept.append(fact)
    return [DraftQuote(fact.document, fact.key, fact.quote, fact.start, _place(fact)) for fact in kept]


def _overlap(one: Fact, other: Fact) -> bool:
    is_same_node = (one.document, one.key) == (other.document, other.key)
    return is_same_node and one.start < other.end and other.start < one.end


def _place(fact: Fact) -> str:
    """Where it stands; a row without the column that a figure was read from: the whole row is shown."""
    above, _, last = fact.where.rpartition(", ")
    return above if isinstance(fact, Figure) and above and last.endswith(" column") else fact.where
