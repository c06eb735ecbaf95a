"""Claims made of figures and passages as they stand, without a calculation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vectorless_web.engine.answers.calculation import format_amount, period_words, quote_of
from vectorless_web.engine.answers.claims import DraftClaim, DraftQuote
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import figure_needs
from vectorless_web.engine.figures.units import format_number
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.questions.plan import Intent, QueryPlan, UnitRequest
from vectorless_web.engine.questions.understand import asks_documents


def make_sweep_claims(plan: QueryPlan, passages: Sequence[Passage], names: dict[str, str]) -> list[DraftClaim]:
    """All passages in order; of a question for documents the best passage of each, under its title."""
    if not asks_documents(plan):
        return [passage_claim(passage) for passage in passages]
    claims = []
    for document in dict.fromkeys(passage.document for passage in passages):
        best = max((p for p in passages if p.document == document), key=lambda p: (p.fit, -p.key))
        claim = passage_claim(best)
        claims.append(replace(claim, text=f"{names.get(document, document)}: {claim.text}"))
    return claims


MOST_SENTENCES = 3
"""Passages an answer in words quotes."""

NEAR_BEST = 0.8
"""A passage on the best one's page and within this share of its fit is quoted beside it ..."""

ELSEWHERE = 0.93
"""... one on another page must come nearer."""

_SPACES = re.compile(r"\s+")


def figure_text(figure: Figure, unit: UnitRequest | None) -> str:
    """The value of a figure as a reader wants it: "$1,577 million", "12.4%", "$3.38"."""
    if figure.percent:
        return f"{format_number(figure.amount)}%"
    return format_amount(figure.value, unit or UnitRequest(), printed=figure.scale, currency=figure.currency)


def figure_claims(plan: QueryPlan, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """One claim per figure, value first, then item and period; the row in full is its quote."""
    once = {(f.document, f.key, f.start, f.column, f.amount): index for index, f in reversed(sorted(figures.items()))}
    return [
        DraftClaim(
            f"{figure_text(figure, plan.unit)}: {_item(plan, index, figure)}.",
            (quote_of(figure),),
            fit=figure.fit,
            needs=(index,),
        )
        for index, figure in sorted(figures.items())
        if index in once.values()
    ]


def _item(plan: QueryPlan, index: int, figure: Figure) -> str:
    when = period_words(figure_needs(plan)[index].period) or figure.period
    label = _SPACES.sub(" ", figure.label).strip(" :.")
    return f"{label}, {when}" if when else label


def passage_claims(plan: QueryPlan, passages: Sequence[Passage]) -> list[DraftClaim]:
    """The passages that answer, each in its own words; rows are read out with their cells."""
    most = MOST_SENTENCES if plan.intent is not Intent.LIST else 3 * MOST_SENTENCES
    best = sorted(passages, key=lambda passage: (-round(passage.fit, 9), passage.document, passage.key, passage.start))
    kept = [passage for passage in best if passage.fit >= _required_share(plan, passage, best[0]) * best[0].fit][:most]
    return [passage_claim(passage) for passage in kept]


def passage_claim(passage: Passage) -> DraftClaim:
    """A passage as a sentence of the answer, in its own words."""
    return DraftClaim(passage.lead or _sentence(passage.quote), (_quote(passage),))


def _required_share(plan: QueryPlan, passage: Passage, best: Passage) -> float:
    near = (passage.document, passage.page_index) == (best.document, best.page_index)
    return NEAR_BEST if near or plan.intent is Intent.LIST else ELSEWHERE


def _quote(passage: Passage) -> DraftQuote:
    return DraftQuote(passage.document, passage.key, passage.quote, passage.start, passage.where)


def _sentence(quote: str) -> str:
    """The quote on one line; a table row's cells are parted by semicolons."""
    if "\t" in quote:
        cells = [_SPACES.sub(" ", cell).strip() for cell in quote.split("\t")]
        first, *rest = [cell for cell in cells if cell] or [""]
        return f"{first}: {'; '.join(rest)}" if rest else first
    return _SPACES.sub(" ", quote).strip()
