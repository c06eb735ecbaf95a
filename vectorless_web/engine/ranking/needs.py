"""Where a figure stands: table rows labelled as documents word the concept, under the period asked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.index.scoring import Floats
from vectorless_web.engine.questions.plan import FigureNeed, QueryPlan
from vectorless_web.engine.ranking.profile import DocumentProfile
from vectorless_web.engine.ranking.statements import LabelledRow, Terms
from vectorless_web.engine.text.analyser import analyse

_OTHER_PERIOD = 0.45
"""What a row is worth, as a share, whose table shows years but not the one asked for. Not measured by itself."""
_OUTSIDE_STATEMENT = 0.55
"""What a row is worth, as a share, that stands in no statement of the kind its figure usually stands in. Not measured
by itself."""
_UNLABELLED = 0.5
"""What the usual statement is worth when no row of it bears a known wording: totals often stand without a label."""
_USUAL = 6
"""Phrases are listed most usual first; the ones after these weigh a little less."""


@dataclass(frozen=True, slots=True)
class NeedMatch:
    """How well each page (array over pages) and each table (by key) answers one need, in [0, 1]."""

    need: FigureNeed
    pages: Floats
    tables: dict[int, float]


def match_needs(profile: DocumentProfile, plan: QueryPlan) -> list[NeedMatch]:
    """One match for each figure the plan needs, in its order."""
    qualities = {phrases: _row_qualities(profile, phrases) for phrases in {need.phrases for need in plan.figures}}
    return [_match(profile, need, qualities[need.phrases]) for need in plan.figures]


def _row_qualities(profile: DocumentProfile, phrases: Sequence[str]) -> dict[int, float]:
    """Row number -> how well its label words one of the phrases; rows that do not are absent."""
    found: dict[int, float] = {}
    for rank, phrase in enumerate(phrases):
        terms = tuple(analyse(phrase))
        listed = [profile.rows_with.get(term, []) for term in terms]
        for number in min(listed, key=len, default=[]):
            quality = label_quality(profile.rows[number], terms) * (1.0 if rank < _USUAL else 0.9)
            if quality > found.get(number, 0.0):
                found[number] = quality
    return found


def _match(profile: DocumentProfile, need: FigureNeed, qualities: dict[int, float]) -> NeedMatch:
    usual = profile.statements.get(need.statement)
    pages = _UNLABELLED * np.array(usual) if usual else np.zeros(profile.page_count)
    tables: dict[int, float] = {}
    for number, quality in qualities.items():
        row = profile.rows[number]
        if row.page_index < profile.page_count:
            score = quality * _period_factor(profile, row, need) * _statement_factor(profile, row, need)
            pages[row.page_index] = max(pages[row.page_index], score)
            tables[row.key] = max(tables.get(row.key, 0.0), score)
    return NeedMatch(need, pages, tables)


def label_quality(row: LabelledRow, phrase: Terms) -> float:
    """1 for a label that is the phrase; less for one that begins with it, contains it or completes it; 0 otherwise."""
    label = row.terms
    if label == phrase:
        return 1.0
    if len(phrase) < 2:
        return 0.0
    if label[: len(phrase)] == phrase:
        return 0.6 + 0.35 * len(phrase) / len(label)
    if _contains(label, phrase):
        return 0.4 + 0.4 * len(phrase) / len(label)
    words = set(phrase)
    return 0.5 if row.above and words & set(label) and words <= {*label, *row.above} else 0.0


def _contains(label: Terms, phrase: Terms) -> bool:
    return any(label[i : i + len(phrase)] == phrase for i in range(len(label) - len(phrase) + 1))


def _period_factor(profile: DocumentProfile, row: LabelledRow, need: FigureNeed) -> float:
    years = profile.years(row.key)
    if need.period is None or not years:
        return 0.8
    return 1.0 if need.period.year in years else _OTHER_PERIOD


def _statement_factor(profile: DocumentProfile, row: LabelledRow, need: FigureNeed) -> float:
    pages = profile.statements.get(need.statement)
    if pages is None:
        return 0.8
    return _OUTSIDE_STATEMENT + (1 - _OUTSIDE_STATEMENT) * pages[row.page_index]
