"""Small cards for the router's tests."""

from tests.support.trees import tokens_of
from vectorless_web.engine.documents.card import Card, SectionLine, TypedFields
from vectorless_web.engine.finding.routing import (
    DocumentRouter,
    RouterConfig,
    Snapshot,
    build_snapshot,
    card_row,
)
from vectorless_web.engine.questions.plan import Period, Phrase, QueryPlan, WeightedTerm
from vectorless_web.engine.text.analyser import analyse

ACTIVE = RouterConfig(activate_threshold=0)


def card(title, *, tags=(), overview="", sections=(), names=(), years=(), quarters=(), forms=(), dates=()):
    return Card(
        title=title,
        overview=overview,
        topic_tags=tuple(tags),
        sections=tuple(SectionLine(key, name, "", 0, 0) for key, name in enumerate(sections)),
        fields=TypedFields(tuple(names), tuple(years), tuple(quarters), tuple(forms), tuple(dates)),
        topics={term: ((1, 1.0),) for term in analyse(" ".join((*tags, *sections)))},
    )


def report(name, year, **more):
    return card(f"{name} {year}", names=(name,), years=(year,), forms=("10-K",), **more)


def plan(question, *, concepts=(), names=(), years=(), quarter=None, forms=(), date=""):
    periods = tuple(Period("quarter" if quarter else "year", year, quarter, str(year)) for year in years)
    if date:
        periods = (Period("date", int(date[-4:]), None, date),)
    terms = tuple(WeightedTerm(term) for term in analyse(question))
    return QueryPlan(
        question,
        terms,
        phrases=tuple(Phrase(concept) for concept in concepts),
        concepts=tuple(concepts),
        entities=tuple(names),
        periods=periods,
        forms=tuple(forms),
        tokens=tokens_of(question, concepts),
    )


def snapshot(cards, version="1", names=()):
    files = dict(enumerate(names, start=1))
    rows = [card_row(number, made, name=files.get(number, "")) for number, made in enumerate(cards, start=1)]
    return Snapshot.open(build_snapshot(rows), version=version)


def router(documents, config=ACTIVE, *, names=(), **more):
    return DocumentRouter(snapshot(documents, names=names), config, **more)


def linked(cards, config=ACTIVE):
    """A router to which the cards came one after another, each with its links."""
    held = Snapshot.empty()
    for number, made in enumerate(cards, start=1):
        held = held.with_changes([DocumentRouter(held).upsert(number, made)])
    return DocumentRouter(held, config)


def ids(result):
    return [candidate.doc_id for candidate in result.candidates]
