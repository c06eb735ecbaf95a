"""What a query plan asks of cards: weighted words, keyword units, and how to show them again."""

from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import key_hash, term_hash
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.routing.card_keys import KEYWORD, keyword_units
from vectorless_web.engine.routing.lexical import idf
from vectorless_web.engine.text.analyser import analyse, words

_EXPANSION = 0.25
"""Words the lexicon added count less here than inside a document: a card is short and names things once."""


def query_terms(plan: QueryPlan) -> list[tuple[str, float]]:
    """(analysed word, weight) pairs; the words of the question itself when the plan has no terms."""
    if not plan.terms:
        return [(term, 1.0) for term in analyse(plan.question)]
    return [(t.term, t.weight * (_EXPANSION if t.source.startswith("lexicon") else 1.0)) for t in plan.terms]


def keyword_weights(plan: QueryPlan, snapshot: Snapshot) -> dict[int, float]:
    """Hash of each unit of the question's key concepts, and of its other words -> idf.

    A word that stands on cards but never as a keyword counts too: without it a card with
    the common half of the question would look like a full match. Units that no card has
    are left out; so is everything when no unit is a keyword of any card.
    """
    own = [t.term for t in plan.terms if t.source != "period" and not t.source.startswith("lexicon")]
    units = dict.fromkeys([*(unit for concept in _asked_concepts(plan) for unit in keyword_units(concept)), *own])
    hashes = {unit: (key_hash(KEYWORD, unit), term_hash(unit)) for unit in units}
    known = {key: max(idf(snapshot, key), idf(snapshot, word)) for key, word in hashes.values()}
    if not any(snapshot.frequency(key) for key in known):
        return {}
    return {key: weight for key, weight in known.items() if weight > 0}


def _asked_concepts(plan: QueryPlan) -> list[str]:
    """The concepts that stand in the question as such; what the lexicon makes of them would count them twice."""
    lowered = plan.question.lower()
    return [concept for concept in plan.concepts if concept in lowered]


def as_written(plan: QueryPlan) -> dict[str, str]:
    """Each analysed word of the question -> the word as the question has it."""
    shown: dict[str, str] = {}
    for word in words(plan.question):
        for term in analyse(word.text):
            shown.setdefault(term, word.text)
    return shown
