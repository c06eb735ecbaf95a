"""Ranks the nodes and pages of one document by how likely they hold the evidence a question needs.

A page's score adds up, each part in [0, 1] and weighed by what the question asks for:
words (BM25F of the page, and of its best node), figures (table rows labelled with the
concepts needed, under the periods needed, in the statement they usually stand in),
statements (the page is the primary statement asked for), headings (the sections the
question points at). Pages of boilerplate are demoted. When several figures are needed,
pages that hold the figures still missing move up, so that each is found early.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vectorless_web.engine.document.artefact import CompiledDocument
from vectorless_web.engine.index.scoring import DIGITS, Floats
from vectorless_web.engine.query.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.query.needs import NeedMatch, match_needs
from vectorless_web.engine.query.plan import Intent, QueryPlan, WeightedTerm
from vectorless_web.engine.query.profile import DocumentProfile
from vectorless_web.engine.text.analyser import analyse

FIELD_WEIGHTS = {"title": 2.0, "path": 0.7, "text": 1.0, "table": 1.0}
_ENTITY_WEIGHT = 0.15
_PERIOD_WEIGHT = 0.3
_COVER = 0.6
_COVERED_FROM = 0.5


@dataclass(frozen=True, slots=True)
class ScoredNode:
    """A node with its score and the parts it is made of (`page_index` from 0)."""

    key: int
    score: float
    page_index: int
    reasons: dict[str, float]


@dataclass(frozen=True, slots=True)
class ScoredPage:
    """A page (index from 0) with its score, its best nodes' keys, best first, and the parts of the score."""

    page_index: int
    score: float
    keys: tuple[int, ...]
    reasons: dict[str, float]


@dataclass(frozen=True, slots=True)
class Mix:
    """How much each part of a page's score weighs."""

    words: float = 1.0
    node: float = 0.5
    figures: float = 0.0
    statement: float = 0.0
    heading: float = 0.3
    digits: float = 0.0


def mix_for(plan: QueryPlan) -> Mix:
    """Figures and statements count when numbers are wanted, words when reasons or facts are."""
    if plan.intent is Intent.EXPLAIN:
        return Mix(figures=0.15, statement=0.05)
    if not plan.figures:
        return Mix(statement=0.6) if plan.statements else Mix()
    if plan.formula is not None or plan.intent in (Intent.FIGURE, Intent.CALCULATION):
        return Mix(words=0.6, node=0.3, figures=1.6, statement=0.8, digits=0.2)
    return Mix(words=0.8, node=0.4, figures=0.8, statement=0.4, digits=0.1)


@lru_cache(maxsize=16)
def _profile(document: CompiledDocument, lexicon: Lexicon) -> DocumentProfile:
    return DocumentProfile(document, lexicon)


def profile_of(document: CompiledDocument, lexicon: Lexicon | None = None) -> DocumentProfile:
    """The document's profile, kept for the documents used last."""
    return _profile(document, lexicon or default_lexicon())


def search_terms(plan: QueryPlan) -> list[WeightedTerm]:
    """The plan's terms as one document needs them: its own name and year stand on every page and say little."""
    factors = {"entity": _ENTITY_WEIGHT, "period": _PERIOD_WEIGHT}
    return [WeightedTerm(t.term, t.weight * factors.get(t.source, 1.0), t.source) for t in plan.terms]


def rank_pages(
    document: CompiledDocument, plan: QueryPlan, *, limit: int = 200, lexicon: Lexicon | None = None
) -> list[ScoredPage]:
    """Pages best first, ties by ascending index; at most `limit`, only those with a score above 0."""
    profile = profile_of(document, lexicon)
    parts, needs = _page_parts(profile, plan)
    totals = _totals(parts, mix_for(plan)) * np.array(profile.worth)
    order = _order(totals, needs if mix_for(plan).figures >= _COVERED_FROM else ())
    nodes = _node_scores(profile, plan)
    best = _best_nodes(profile, nodes)
    return [
        ScoredPage(page, round(float(totals[page]), DIGITS), tuple(best.get(page, ())), _reasons(parts, page))
        for page in order[:limit]
        if totals[page] > 0
    ]


def rank_nodes(
    document: CompiledDocument, plan: QueryPlan, *, limit: int = 200, lexicon: Lexicon | None = None
) -> list[ScoredNode]:
    """Nodes best first: a node's own words and rows, carried by the score of its page; ties by ascending key."""
    profile = profile_of(document, lexicon)
    pages = rank_pages(document, plan, limit=profile.page_count, lexicon=lexicon)
    own = _node_scores(profile, plan)
    _, needs = _page_parts(profile, plan)
    rows = _row_scores(profile, needs)
    top = max((page.score for page in pages), default=0.0) or 1.0
    of_page = {page.page_index: page.score / top for page in pages}
    scored = [
        _scored_node(int(key), int(profile.page_of_row[row]), float(own[row]), rows.get(int(key), 0.0), of_page)
        for row, key in enumerate(profile.segment.keys)
    ]
    found = [node for node in scored if node.score > 0]
    return sorted(found, key=lambda node: (-node.score, node.key))[:limit]


def _scored_node(key: int, page: int, own: float, rows: float, of_page: dict[int, float]) -> ScoredNode:
    carried = of_page.get(page, 0.0)
    score = (own + 1.5 * rows) * (0.25 + 0.75 * carried)
    return ScoredNode(key, round(score, DIGITS), page, {"words": own, "figures": rows, "page": carried})


def _page_parts(profile: DocumentProfile, plan: QueryPlan) -> tuple[dict[str, Floats], list[NeedMatch]]:
    terms = search_terms(plan)
    words = _relative(profile.pages.scores(terms, FIELD_WEIGHTS))
    needs = match_needs(profile, plan)
    parts = {
        "words": words,
        "node": _best_node_of_page(profile, _node_scores(profile, plan)),
        "figures": _mean([need.pages for need in needs], profile.page_count),
        "statement": _mean(
            [np.array(profile.statements[s]) for s in plan.statements if s in profile.statements], profile.page_count
        ),
        "heading": _heading_scores(profile, plan),
        "digits": _relative(np.array(profile.digit_share)),
    }
    return parts, needs


def _statement_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How much each page is one of the statements meant."""
    asked = [np.array(profile.statements[name]) for name in plan.statements if name in profile.statements]
    return _mean(asked, profile.page_count)


def _totals(parts: dict[str, Floats], mix: Mix) -> Floats:
    total: Floats = sum((getattr(mix, name) * values for name, values in parts.items()), np.zeros(1))
    return total


def _node_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    return _relative(profile.segment.scores(search_terms(plan), FIELD_WEIGHTS))


def _best_node_of_page(profile: DocumentProfile, nodes: Floats) -> Floats:
    best = np.zeros(profile.page_count)
    np.maximum.at(best, profile.page_of_row, nodes)
    return best


def _best_nodes(profile: DocumentProfile, nodes: Floats) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in np.argsort(-nodes, kind="stable"):
        if nodes[row] <= 0:
            break
        keys = found.setdefault(int(profile.page_of_row[row]), [])
        if len(keys) < 5:
            keys.append(int(profile.segment.keys[row]))
    return found


def _heading_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How well a page's headings match the sections the question points at, or its own words."""
    wanted = [frozenset(analyse(section)) for section in plan.sections]
    own = {term.term for term in plan.terms if term.source == "question"}
    scores = np.zeros(profile.page_count)
    for page, titles in enumerate(profile.headings):
        scores[page] = max((_title_match(frozenset(analyse(title)), wanted, own) for title in titles), default=0.0)
    return scores


def _title_match(title: frozenset[str], wanted: Sequence[frozenset[str]], own: set[str]) -> float:
    if not title:
        return 0.0
    named = max((len(title & section) / len(title | section) for section in wanted if section), default=0.0)
    return max(named, len(title & own) / len(title) if len(title) < 10 else 0.0)


def _row_scores(profile: DocumentProfile, needs: Sequence[NeedMatch]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for need in needs:
        for key, score in need.tables.items():
            scores[key] = scores.get(key, 0.0) + score / len(needs)
    return scores


def _order(totals: Floats, needs: Sequence[NeedMatch]) -> list[int]:
    """Greedy: a page's score plus what it adds to the figures already covered by the pages before it."""
    rounded = np.round(totals, DIGITS)
    rest = [int(page) for page in np.argsort(-rounded, kind="stable")]
    if len(needs) < 2:
        return rest
    top = float(rounded.max()) or 1.0
    chosen: list[int] = []
    covered = np.zeros(len(needs))
    pages = np.array([need.pages for need in needs])
    for _ in range(min(10, len(rest))):
        gains = np.maximum(pages - covered[:, None], 0.0).mean(axis=0)
        best = max(rest, key=lambda page: (round(rounded[page] / top + _COVER * gains[page], DIGITS), -page))
        chosen.append(best)
        rest.remove(best)
        covered = np.maximum(covered, pages[:, best])
    return [*chosen, *rest]


def _relative(values: Floats) -> Floats:
    top = float(values.max()) if len(values) else 0.0
    return values / top if top > 0 else values


def _mean(values: Sequence[Floats], count: int) -> Floats:
    return np.mean(values, axis=0) if values else np.zeros(count)


def _reasons(parts: dict[str, Floats], page: int) -> dict[str, float]:
    return {name: round(float(values[page]), 4) for name, values in parts.items() if values[page] > 0}
