"""Ranks the pages of one document, or of several in one order."""

from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.finding.ranking.ranker import RankedDocument, rank_all
from vectorless_web.engine.index.scoring import find_best_rows
from vectorless_web.engine.questions.plan import QueryPlan

_KEYS_OF_PAGE = 5
"""Nodes named of a page, the best. Orders no page; callers show or read these nodes first."""


@dataclass(frozen=True, slots=True)
class ScoredPage:
    """A page (index from 0) with its score in [0, 1], its best nodes' keys, best first, and its signals above 0.

    `document` is the place of its document among those ranked together.
    """

    page_index: int
    score: float
    keys: tuple[int, ...]
    reasons: dict[str, float]
    document: int = 0


def rank_pages(document: CompiledDocument, plan: QueryPlan, *, limit: int = 200) -> list[ScoredPage]:
    """Pages best first, ties by ascending index; at most `limit`, only those with a score above 0."""
    return rank_pages_across([document], plan, limit=limit)


def rank_pages_across(documents: Sequence[CompiledDocument], plan: QueryPlan, *, limit: int = 200) -> list[ScoredPage]:
    """Pages of several documents in one order: their scores are comparable; ties by document, then page."""
    pages = [
        page for place, ranked in enumerate(rank_all(documents, plan)) for page in _score_pages(ranked, place, limit)
    ]
    return sorted(pages, key=lambda page: (-page.score, page.document, page.page_index))[:limit]


def _score_pages(ranked: RankedDocument, place: int, limit: int) -> list[ScoredPage]:
    best = _find_best_nodes(ranked)
    signals = ranked.page_signals
    return [
        ScoredPage(
            page,
            float(ranked.pages[page]),
            tuple(best.get(page, ())),
            {name: round(float(values[page]), 4) for name, values in signals.items() if values[page] > 0},
            place,
        )
        for page in find_best_rows(ranked.pages, limit).tolist()
    ]


def _find_best_nodes(ranked: RankedDocument) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in find_best_rows(ranked.rows, len(ranked.rows)).tolist():
        named = found.setdefault(int(ranked.profile.page_of_row[row]), [])
        if len(named) < _KEYS_OF_PAGE:
            named.append(ranked.profile.keys[row])
    return found
