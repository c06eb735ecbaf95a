"""What a query plan asks of cards: weighted words, keyword units, and how to show them again."""

from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import key_hash
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.router.card_keys import KEYWORD, keyword_units
from vectorless_web.engine.router.lexical import idf
from vectorless_web.engine.text.analyser import analyse, words

_EXPANSION = 0.4
"""Words the lexicon added count less here than inside a document: a card is short and names things once."""


def query_terms(plan: QueryPlan) -> list[tuple[str, float]]:
    """(analysed word, weight) pairs; the words of the question itself when the plan has no terms."""
    if not plan.terms:
        return [(term, 1.0) for term in analyse(plan.question)]
    return [(t.term, t.weight if t.source == "question" else t.weight * _EXPANSION) for t in plan.terms]


def keyword_weights(plan: QueryPlan, snapshot: Snapshot) -> dict[int, float]:
    """Hash of each unit of the plan's key concepts -> idf; units that no card has are left out."""
    units = dict.fromkeys(unit for concept in plan.concepts for unit in keyword_units(concept))
    hashes = [key_hash(KEYWORD, unit) for unit in units]
    weights = {hashed: idf(snapshot, hashed) for hashed in hashes}
    return {hashed: weight for hashed, weight in weights.items() if weight > 0}


def as_written(plan: QueryPlan) -> dict[str, str]:
    """Each analysed word of the question -> the word as the question has it."""
    shown: dict[str, str] = {}
    for word in words(plan.question):
        for term in analyse(word.text):
            shown.setdefault(term, word.text)
    return shown
