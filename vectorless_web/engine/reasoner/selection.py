"""Reads the cards of the shortlisted documents and chooses which to walk; opens none of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vectorless_web.engine.document.card import Card
from vectorless_web.engine.query.plan import QueryPlan, WeightedTerm
from vectorless_web.engine.reasoner.corpus import Corpus, DocumentEntry, entries_of
from vectorless_web.engine.text.analyser import analyse

FIELD_WEIGHTS = (("name", 3.0), ("title", 3.0), ("tags", 2.0), ("hints", 1.0), ("overview", 1.0), ("sections", 1.0))
"""What a word of the question is worth by where on the card it stands (its best place counts)."""

TOPIC_WEIGHT = 0.5
ENTITY_WORTH = 4.0
CARD_SHARE = 0.1
YEAR_BONUS = 0.35
"""A year of the question among the card's years, or one more than its last."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A document chosen to be walked. `score` in about [0, 1.4] orders them; `reason` says why, in words."""

    entry: DocumentEntry
    score: float
    reason: str


def select(
    plan: QueryPlan, corpus: Corpus, shortlist: Sequence[str], *, routed: Mapping[str, float], most: int
) -> tuple[list[Selected], list[Selected]]:
    """Documents to walk (at most `most`, best first) and those passed over, by their cards.

    `routed` are the router's scores in [0, 1]; what the card says only parts equal ones.
    """
    entries = entries_of(corpus, shortlist)
    known = [name for name in shortlist if name in entries]
    scored = [_judged(plan, entries[name], corpus.card(name), routed.get(name, 0.0)) for name in known]
    order = sorted(scored, key=lambda selected: (-round(selected.score, 9), selected.entry.id))
    return order[:most], order[most:]


def _judged(plan: QueryPlan, entry: DocumentEntry, card: Card, routed: float) -> Selected:
    terms = {term.term: _worth(term) for term in plan.terms if not term.source.startswith("lexicon")}
    places = _places(entry, card)
    held = {term: max((weight for words, weight in places if term in words), default=0.0) for term in terms}
    total = sum(terms.values()) * FIELD_WEIGHTS[0][1] or 1.0
    score = sum(terms[term] * weight for term, weight in held.items()) / total
    years = {period.year for period in plan.periods} & _years(card)
    if years:
        score += YEAR_BONUS
    return Selected(
        entry, routed + CARD_SHARE * score, _reason([term for term, weight in held.items() if weight > 1], years)
    )


def _worth(term: WeightedTerm) -> float:
    """A name tells documents apart better than any other word; a period is judged by the years."""
    return {"entity": ENTITY_WORTH, "period": 0.2}.get(term.source, 1.0) * term.weight


def _places(entry: DocumentEntry, card: Card) -> list[tuple[set[str], float]]:
    texts = {
        "name": f"{entry.name} {' '.join(card.fields.entities)}",
        "title": f"{entry.title} {card.title}",
        "tags": " ".join(card.topic_tags),
        "hints": " ".join(card.question_hints),
        "overview": card.overview,
        "sections": " ".join(line.title for line in card.sections),
    }
    places = [(set(analyse(texts[name])), weight) for name, weight in FIELD_WEIGHTS]
    return [*places, ({term for topic in card.topics for term in analyse(topic)}, TOPIC_WEIGHT)]


def _years(card: Card) -> set[int]:
    return set(card.fields.years) | {int(date[:4]) for date in card.fields.dates if date[:4].isdigit()}


def _reason(terms: Sequence[str], years: set[int]) -> str:
    parts = [f"its card speaks of {', '.join(terms[:4])}"] if terms else []
    parts += [f"it covers {', '.join(str(year) for year in sorted(years))}"] if years else []
    return " and ".join(parts) or "nothing on its card speaks of the question"
