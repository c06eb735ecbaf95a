"""Weighs the terms of a query: the user's own words first, then the words by which documents express the concepts."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from vectorless_web.engine.questions.lexicon import Concept, Match
from vectorless_web.engine.questions.periods import periods_in
from vectorless_web.engine.questions.plan import Phrase, WeightedTerm
from vectorless_web.engine.text.analyser import analyse

EXPANSION = 0.7
"""Weight of a term that stands in all phrases of a concept; in few of them it weighs less, by the root of its share."""
LEAST = 0.12
_GENERAL = 0.5
_PHRASE_WEIGHT = 0.7
_ASKING = frozenset(
    analyse(
        "amount number year report reported company ask answer question mention mentioned based base data primarily"
    )
)
_ASKING_WEIGHT = 0.3
_HOW = re.compile(r"\bhow\s+(?P<how>long|many|much|often|old|far|big|large|high|soon|quickly)\b", re.IGNORECASE)


def expand_terms(focus: str, entities: Sequence[str], concepts: Sequence[Concept]) -> tuple[WeightedTerm, ...]:
    """The question's terms (names and periods marked as such), then those of its concepts, each term once."""
    names = {term for entity in entities for term in analyse(entity)}
    asking = _ASKING | {term for match in _HOW.finditer(focus) for term in analyse(match["how"])}
    times = {term for period in periods_in(focus) for term in analyse(period.text)}
    terms: dict[str, WeightedTerm] = {}
    for term in analyse(focus):
        source = "period" if term in times else "entity" if term in names else "question"
        weight = _ASKING_WEIGHT if term in asking and source == "question" else 1.0
        terms.setdefault(term, WeightedTerm(term, weight, source))
    for concept in concepts:
        for term, weight in concept_terms(concept).items():
            if term not in terms or terms[term].weight < weight:
                terms[term] = WeightedTerm(term, weight, f"lexicon:{concept.name}")
    return tuple(terms.values())


def concept_terms(concept: Concept) -> dict[str, float]:
    """Terms of a concept's phrases with their weights, in order of first mention: 0.7 x sqrt(share of the phrases).

    The wordings of the general pack are common words: they weigh half.
    """
    full = EXPANSION * (_GENERAL if concept.pack == "general" else 1.0)
    analysed = [dict.fromkeys(analyse(phrase)) for phrase in concept.phrases]
    counts = Counter(term for phrase in analysed for term in phrase)
    weights = {term: full * math.sqrt(counts[term] / len(analysed)) for phrase in analysed for term in phrase}
    return {term: round(weight, 4) for term, weight in weights.items() if weight >= LEAST}


def question_phrases(matches: Sequence[Match], concepts: Sequence[Concept]) -> tuple[Phrase, ...]:
    """Phrases that should stand together: the question's own, then the documents' wordings."""
    phrases: dict[str, Phrase] = {}
    for match in matches:
        phrases.setdefault(match.text.lower(), Phrase(match.text.lower()))
    for concept in concepts:
        for text in concept.phrases:
            phrases.setdefault(text, Phrase(text, _PHRASE_WEIGHT, f"lexicon:{concept.name}"))
    return tuple(phrases.values())
