"""What the question's own words find, with no lexicon: flat BM25 of pages, and how much of them one passage says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.index.scoring import Floats, find_best_rows, inverse_frequency, saturate
from vectorless_web.engine.index.segment import merged_statistics
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.profile import DocumentProfile
from vectorless_web.engine.text.analyser import analyse

FLOOR_PAGES, FLOOR_ROOM = 5, 10
"""The first pages of flat BM25, so many, are among the first of the ranking, so many."""

PRINTED = ("title", "text")
"""Fields that stand on the page; `path` and `table` repeat what is printed elsewhere."""
_B = 0.75
"""b of flat BM25; k1 is that of the index (`engine.index.scoring`)."""

_ASKS_MEANING = re.compile(
    r"\b(?:what (?:is|are|does) .{0,80}(?:mean|meant)|meaning of|defin(?:e|es|ed|ition)|stand for|counts? as)\b", re.I
)
_MEANING = re.compile(
    r"\b(?:means?|meaning|(?:is|are) (?:collectively |together )?(?:defined|called|known|referred to) as|defined as"
    r"|refers? to|stands for|definition|consists? of|comprises?)\b",
    re.I,
)
_ASKS_RULE = re.compile(
    r"\b(?:must|have to|has to|required|requirements?|rules?|allowed|permitted|permission|prohibited|forbidden"
    r"|conditions?|exceptions?|unless|may|entitled|obliged|responsible"
    r"|(?:can|could|should) (?:I|we|you|they|an?|the|he|she))\b",
    re.I,
)
_RULE = re.compile(
    r"\b(?:must|shall|may not|may only|(?:is|are) (?:not )?(?:required|permitted|allowed|entitled|prohibited|obliged)"
    r"|except|unless|only if|provided that|no later than|at least|at most|in no event|prohibit\w*)\b",
    re.I,
)
_CUE_FROM = 0.6
"""Share of the best passage's coverage from which a passage is looked at for a cue: others are about something else."""


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What the question's own words find in one document; arrays over pages, `rows` over index rows.

    `flat` is BM25 of the pages. `rows` and `pages` are shares of the question in [0, 1] that one passage says, of
    pages the best passage's; `cues` the same of passages that state the cause, the definition or the rule asked for.
    """

    flat: Floats
    rows: Floats
    pages: Floats
    cues: Floats


def find_own_words(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> list[OwnWords]:
    """One for each document; words are weighed by how rare they are in all these documents together."""
    shares = _word_shares(profiles, plan)
    found = []
    for profile, flat in zip(profiles, flat_bm25(profiles, plan.question), strict=True):
        rows, pages = _cover(profile, shares)
        found.append(OwnWords(flat, rows, pages, _cue_pages(profile, plan, rows)))
    return found


def flat_bm25(profiles: Sequence[DocumentProfile], question: str) -> list[Floats]:
    """BM25 of every page of each document: its words alone, each word of the question once, no fields, no lexicon.

    The statistics are those of all pages of these documents together.
    """
    terms = list(dict.fromkeys(analyse(question)))
    lengths = [profile.pages.lengths(PRINTED) for profile in profiles]
    every = np.concatenate(lengths) if lengths else np.zeros(0)
    mean = float(every[every > 0].mean()) if (every > 0).any() else 1.0
    counts = [[profile.pages.counts(term, PRINTED) for term in terms] for profile in profiles]
    holding = [sum(int(np.count_nonzero(each[place] > 0)) for each in counts) for place in range(len(terms))]
    factors = [inverse_frequency(len(every), number) for number in holding]
    found = []
    for length, each in zip(lengths, counts, strict=True):
        norm = 1 - _B + _B * length / mean
        gains = [factor * saturate(np.maximum(count, 0.0) / norm) for factor, count in zip(factors, each, strict=True)]
        found.append(np.sum(gains, axis=0) if gains else np.zeros(len(length)))
    return found


def _word_shares(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> dict[str, float]:
    """The question's words with their share of its weight, by how rare they are among the passages.

    Words that stand nowhere have theirs too: where no passage says much of the question, coverage is low for all.
    BM25 as a share of the best would not tell.
    """
    terms = list(dict.fromkeys(analyse(plan.question)))
    statistics = merged_statistics([profile.segment for profile in profiles], terms)
    weights = {term: inverse_frequency(statistics.rows, statistics.frequencies[term]) for term in terms}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _cover(profile: DocumentProfile, shares: dict[str, float]) -> tuple[Floats, Floats]:
    """The share of the question that each index row says, with its headings, and the best row of each page."""
    rows = np.zeros(len(profile.keys))
    for term, share in shares.items():
        # A term has an entry for each field of a row, and counts once.
        held = np.zeros(len(rows), dtype=np.bool_)
        held[profile.segment.postings(term).rows] = True
        rows[held] += share
    pages = np.zeros(profile.page_count)
    np.maximum.at(pages, profile.page_of_row, rows)
    for _, page, counts in profile.parts_of_rows:
        pages[page] = max(pages[page], sum(share for term, share in shares.items() if term in counts))
    return rows, pages


def _cue_wanted(plan: QueryPlan) -> re.Pattern[str] | None:
    """What a passage says that gives a cause, a definition or a rule, when the question asks for one."""
    if _ASKS_MEANING.search(plan.question):
        return _MEANING
    return _RULE if _ASKS_RULE.search(plan.question) else None


def _cue_pages(profile: DocumentProfile, plan: QueryPlan, covered: Floats) -> Floats:
    """For each page the best coverage of a passage that also states the cause, definition or rule asked for."""
    pages, cue = np.zeros(profile.page_count), _cue_wanted(plan)
    best = float(covered.max(initial=0.0))
    if cue is None or best <= 0:
        return pages
    texts = profile.tree.columns.texts
    for row in np.flatnonzero(covered >= _CUE_FROM * best).tolist():
        key = profile.keys[row]
        if profile.tree.is_leaf(key) and cue.search(texts[key]):
            page = profile.page_of_row[row]
            pages[page] = max(pages[page], covered[row])
    return pages


def keep_floor(order: Sequence[int], scores: Floats, *, pages: int = FLOOR_PAGES, room: int = FLOOR_ROOM) -> list[int]:
    """`order` with the best `pages` pages by `scores` moved up so that all of them are among its first `room`.

    They are moved as little as that needs: as many as still lack fill the last of these places, the best of them first.
    All others keep their order; a page that `order` lacks comes in at such a place.
    """
    lacking = [int(page) for page in find_best_rows(scores, min(pages, room))]
    found: dict[int, None] = {}
    for page in order:
        while lacking and len(found) + len(lacking) >= room:
            found[lacking.pop(0)] = None
        found[page] = None
        if page in lacking:
            lacking.remove(page)
    return [*found, *lacking]
