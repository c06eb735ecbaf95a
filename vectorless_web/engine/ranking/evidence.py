"""Ranks the nodes and pages of documents by how likely they hold the evidence a question needs.

A page's score adds up, each part in [0, 1] and weighed by what the question asks for:
words (BM25F of the page, and of its best node), figures (table rows labelled with the
concepts needed, under the periods needed, in the statement they usually stand in),
statements (the page is the primary statement asked for), headings (the sections the
question points at, and those whose whole subtree speaks of it). Pages of boilerplate are
demoted; pages that the best ones refer to are lifted. When several figures are needed,
pages that hold the figures still missing move up, so that each is found early.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.index.scoring import DIGITS, Floats
from vectorless_web.engine.questions.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.ranking.needs import NeedMatch
from vectorless_web.engine.ranking.parts import PageParts, page_parts
from vectorless_web.engine.ranking.profile import DocumentProfile

_COVER = 0.6
"""What a figure not yet covered is worth, as a share of the best page's score. On 65 questions over filings, document
given, 0.3 changes the order of pages in 5 of them, 1.0 in 2; hits among the first 1, 3 and 5 pages and all answers
stay."""
_COVERED_FROM = 0.5
"""Weight of figures in the mix from which pages are ordered so as to cover all figures asked for; the mixes in use
weigh them 0, 0.15, 0.8 or 1.6, so any value between 0.15 and 0.8 does the same."""
_COVERED_PAGES = 10
"""Pages that are ordered in this way; those behind keep the order of their scores. Not measured by itself."""
_FOLLOWED_FROM = 8
"""Best pages whose references are followed. Not measured by itself."""
_FOLLOWED_SHARE = 0.1
"""Share of its score that a page lends to the pages it refers to. On 65 questions over filings, document given, 0.2
changes the order of pages in 52, loses one hit among the first 3 pages (57 to 56) and changes 2 answers. Half of it
was not tried."""
_KEYS_OF_PAGE = 5
"""Nodes named of a page, the best."""
_ROWS_OF_NODE = 1.5
"""What a fitting table row adds to a node, where its words give at most 1. On 65 questions over filings, document
given, 0.75 and 3 change neither an order of pages nor an answer."""
_TITLE_OF_NODE = 0.5
"""What a title that bears the question's words adds, as a share of the node's score. Not measured by itself."""
_OWN_SHARE = 0.25
"""Share of its score that a node keeps on a page that scores nothing; the rest follows the page. On 65 questions over
filings, document given, 0.5 changes 3 answers and 0.125 two, all in words; figures and yes or no stay. Recall of the
gold pages by quotes is .746, with 0.5 .738."""


@dataclass(frozen=True, slots=True)
class ScoredPage:
    """A page (index from 0) with its score, its best nodes' keys, best first, and the parts of the score.

    `document` is the place of its document among those ranked together.
    """

    page_index: int
    score: float
    keys: tuple[int, ...]
    reasons: dict[str, float]
    document: int = 0


@dataclass(frozen=True, slots=True)
class Mix:
    """How much each part of a page's score weighs."""

    words: float = 1.0
    node: float = 0.5
    figures: float = 0.0
    statement: float = 0.0
    section: float = 0.2
    heading: float = 0.5
    titled: float = 0.4
    reasons: float = 0.0


def mix_for(plan: QueryPlan) -> Mix:
    """Figures and statements count when numbers are wanted, words when reasons or facts are.

    A statement gives no reasons, and what the question seeks in a section of its own
    (segments, an outlook) stands there and not in a statement.
    """
    statement = 0.0 if plan.sections else 1.0
    if plan.intent is Intent.EXPLAIN:
        return Mix(figures=0.15, statement=-0.8, reasons=0.8)
    if not plan.figures:
        return Mix(statement=0.6 * statement) if plan.statements else Mix()
    if plan.formula is not None or plan.intent in (Intent.FIGURE, Intent.CALCULATION):
        return Mix(words=0.6, node=0.3, figures=1.6, statement=0.8 * statement)
    return Mix(words=0.8, node=0.4, figures=0.8, statement=0.4 * statement)


@lru_cache(maxsize=16)
def _profile(document: CompiledDocument, lexicon: Lexicon) -> DocumentProfile:
    return DocumentProfile(document, lexicon)


def profile_of(document: CompiledDocument, lexicon: Lexicon | None = None) -> DocumentProfile:
    """The document's profile, kept for the documents used last."""
    return _profile(document, lexicon or default_lexicon())


@lru_cache(maxsize=8)
def _parts_of(profile: DocumentProfile, plan: QueryPlan) -> PageParts:
    """Nodes and pages of one question are scored from the same parts."""
    return page_parts([profile], plan)[0]


def rank_pages(
    document: CompiledDocument, plan: QueryPlan, *, limit: int = 200, lexicon: Lexicon | None = None
) -> list[ScoredPage]:
    """Pages best first, ties by ascending index; at most `limit`, only those with a score above 0."""
    parts = _parts_of(profile_of(document, lexicon), plan)
    return _rank_parts(parts, plan)[:limit]


def rank_pages_across(
    documents: Sequence[CompiledDocument], plan: QueryPlan, *, limit: int = 200, lexicon: Lexicon | None = None
) -> list[ScoredPage]:
    """Pages of several documents in one order: their scores are comparable; ties by document, then page."""
    each = page_parts([profile_of(document, lexicon) for document in documents], plan)
    pages = [
        ScoredPage(page.page_index, page.score, page.keys, page.reasons, place)
        for place, parts in enumerate(each)
        for page in _rank_parts(parts, plan)
    ]
    return sorted(pages, key=lambda page: (-page.score, page.document, page.page_index))[:limit]


def node_scores(document: CompiledDocument, plan: QueryPlan, *, lexicon: Lexicon | None = None) -> Floats:
    """One score for each node of the tree: its own words and rows, carried by the score of its page; 0 for the rest."""
    parts = _parts_of(profile_of(document, lexicon), plan)
    found = np.array(_round_scores(_scored_rows(parts, mix_for(plan))["score"]))
    scores = np.zeros(len(document.tree))
    scores[parts.profile.keys] = np.maximum(found, 0.0)
    return scores


def _scored_rows(parts: PageParts, mix: Mix) -> dict[str, Floats]:
    """For each index row its parts, what its page carries, and the score made of them."""
    totals = _totals(parts, mix)
    carried = totals / (float(totals.max(initial=0.0)) or 1.0)
    page = carried[parts.profile.page_of_row]
    by_key = _row_scores(parts.needs)
    figures = np.array([by_key.get(key, 0.0) for key in parts.profile.keys])
    own = parts.rows
    inner = own["words"] + _ROWS_OF_NODE * min(1.0, mix.figures) * figures + mix.reasons * own["reasons"]
    score = inner * (1.0 + _TITLE_OF_NODE * own["title"]) * (_OWN_SHARE + (1 - _OWN_SHARE) * page)
    return {**own, "figures": figures, "page": page, "score": score}


def _round_scores(scores: Floats) -> list[float]:
    return [round(score, DIGITS) for score in scores.tolist()]


def _rank_parts(parts: PageParts, plan: QueryPlan) -> list[ScoredPage]:
    mix = mix_for(plan)
    totals = _totals(parts, mix)
    order = _order(totals, parts.needs if mix.figures >= _COVERED_FROM else ())
    best = _best_nodes(parts)
    return [
        ScoredPage(page, round(float(totals[page]), DIGITS), tuple(best.get(page, ())), _reasons(parts, page))
        for page in order
        if totals[page] > 0
    ]


def _totals(parts: PageParts, mix: Mix) -> Floats:
    total = np.zeros(parts.profile.page_count)
    for name, values in parts.pages.items():
        weight: float = getattr(mix, name)
        total += weight * values
    return _follow_references(parts, total * np.array(parts.profile.worth))


def _follow_references(parts: PageParts, totals: Floats) -> Floats:
    """Pages that the best pages refer to ("see Note 7") gain a share of the score of the page that sends there."""
    top = {int(page) for page in np.argsort(-totals, kind="stable")[:_FOLLOWED_FROM]}
    gains = np.zeros(len(totals))
    for source, target in parts.profile.page_references:
        if source in top:
            gains[target] = max(gains[target], _FOLLOWED_SHARE * totals[source])
    followed: Floats = totals + gains
    return followed


def _best_nodes(parts: PageParts) -> dict[int, list[int]]:
    words = parts.rows["words"]
    found: dict[int, list[int]] = {}
    for row in np.argsort(-words, kind="stable"):
        if words[row] <= 0:
            break
        keys = found.setdefault(int(parts.profile.page_of_row[row]), [])
        if len(keys) < _KEYS_OF_PAGE:
            keys.append(int(parts.profile.segment.keys[row]))
    return found


def _row_scores(needs: Sequence[NeedMatch]) -> dict[int, float]:
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
    chosen = [rest.pop(0)]
    pages = np.array([need.pages for need in needs])
    covered = pages[:, chosen[0]]
    for _ in range(min(_COVERED_PAGES, len(rest))):
        gains = np.maximum(pages - covered[:, None], 0.0).mean(axis=0)
        worth = np.round(rounded / top + _COVER * gains, DIGITS)
        best = max(rest, key=lambda page: (worth[page], -page))
        chosen.append(best)
        rest.remove(best)
        covered = np.maximum(covered, pages[:, best])
    return [*chosen, *rest]


def _reasons(parts: PageParts, page: int) -> dict[str, float]:
    return {name: round(float(values[page]), 4) for name, values in parts.pages.items() if values[page] > 0}
