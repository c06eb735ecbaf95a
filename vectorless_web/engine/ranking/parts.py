"""The parts of a page's score, each in [0, 1], comparable over the documents ranked together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vectorless_web.engine.index.grouped import merged_group_statistics
from vectorless_web.engine.index.scoring import Floats
from vectorless_web.engine.index.segment import merged_statistics
from vectorless_web.engine.questions.plan import Intent, QueryPlan, WeightedTerm
from vectorless_web.engine.questions.understand import asks_reasons
from vectorless_web.engine.ranking.needs import NeedMatch, match_needs
from vectorless_web.engine.ranking.profile import DocumentProfile
from vectorless_web.engine.text.analyser import analyse, title_terms

FIELD_WEIGHTS = {"title": 2.0, "path": 0.7, "text": 1.0, "table": 1.0}
_ENTITY_WEIGHT = 0.15
"""Share of its weight that a name keeps inside one document, where it stands on most pages. Not measured by
itself."""
_PERIOD_WEIGHT = 0.3
"""The same for a year. Not measured by itself."""
_LONGEST_TITLE = 10
"""Terms from which a heading is no longer compared by the share of it that the question says. Not measured by
itself."""
_INNERMOST = 2
"""Headings of the sections that run on over a page which count for it, the innermost ones: those further out stand
over too many pages to tell one from another. Not measured by itself."""
_ONGOING = 0.8
"""A heading of an earlier page whose section runs on counts a little less than one on the page."""


@dataclass(frozen=True, slots=True)
class PageParts:
    """One document's parts by name: arrays over its pages, arrays over its index rows; and its need matches."""

    profile: DocumentProfile
    pages: dict[str, Floats]
    rows: dict[str, Floats]
    needs: tuple[NeedMatch, ...]


def search_terms(plan: QueryPlan) -> list[WeightedTerm]:
    """The plan's terms as one document needs them: its own name and year stand on every page and say little."""
    factors = {"entity": _ENTITY_WEIGHT, "period": _PERIOD_WEIGHT}
    return [WeightedTerm(t.term, t.weight * factors.get(t.source, 1.0), t.source) for t in plan.terms]


def page_parts(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> list[PageParts]:
    """The parts of every document's pages; words are scored with the statistics of all these documents together."""
    words, nodes = _word_scores(profiles, plan)
    return [_parts(profile, plan, *scores) for profile, *scores in zip(profiles, words, nodes, strict=True)]


def _word_scores(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> tuple[list[Floats], list[Floats]]:
    """BM25F of pages and of nodes, each as a share of the best of all documents."""
    terms = search_terms(plan)
    names = [term.term for term in terms]
    over_pages = merged_group_statistics([profile.pages for profile in profiles], names)
    over_nodes = merged_statistics([profile.segment for profile in profiles], names)
    pages = [profile.pages.scores(terms, FIELD_WEIGHTS, statistics=over_pages) for profile in profiles]
    nodes = [profile.segment.scores(terms, FIELD_WEIGHTS, statistics=over_nodes) for profile in profiles]
    return _scale_to_best(pages), _scale_to_best(nodes)


def _scale_to_best(values: Sequence[Floats]) -> list[Floats]:
    top = max((float(array.max(initial=0.0)) for array in values), default=0.0)
    return [array / top if top > 0 else array for array in values]


def _parts(profile: DocumentProfile, plan: QueryPlan, words: Floats, nodes: Floats) -> PageParts:
    needs = match_needs(profile, plan)
    reasons = _reasons_of_rows(profile, plan)
    pages = {
        "words": words,
        "node": _best_node_of_page(profile, nodes),
        "figures": _average_scores([need.pages for need in needs], profile.page_count),
        "statement": _statement_scores(profile, plan),
        "section": _section_scores(profile, plan),
        "heading": _heading_scores(profile, plan),
        "titled": _titled_scores(profile, plan),
        "reasons": _reason_scores(profile, reasons),
    }
    rows = {"words": nodes, "reasons": reasons, "title": _titles_of_rows(profile, plan)}
    return PageParts(profile, pages, rows, tuple(needs))


def _best_node_of_page(profile: DocumentProfile, nodes: Floats) -> Floats:
    best = np.zeros(profile.page_count)
    np.maximum.at(best, profile.page_of_row, nodes)
    return best


def _section_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """BM25F of the best section with text on each page, as a share of the best section of the document."""
    sections = _scale_to_best([profile.sections.scores(search_terms(plan), FIELD_WEIGHTS)])[0]
    best = np.zeros(profile.page_count)
    np.maximum.at(best, profile.page_of_row, sections[profile.section_of_row])
    return best


def _statement_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How much each page is one of the statements meant."""
    asked = [np.array(profile.statements[name]) for name in plan.statements if name in profile.statements]
    return _average_scores(asked, profile.page_count)


def _reasons_of_rows(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """For each index row, how surely it gives a reason for what is asked: a wording of it beside one of cause.

    The question's own wording counts in full, the documents' wordings of the same by their weight.
    """
    scores = np.zeros(len(profile.keys))
    if plan.intent is not Intent.EXPLAIN or not asks_reasons(plan.focus):
        return scores
    wanted = [(f" {' '.join(terms)} ", phrase.weight) for phrase in plan.phrases if (terms := analyse(phrase.text))]
    for row, text in profile.causal_texts:
        scores[row] = max((weight for words, weight in wanted if words in text), default=0.0)
    return scores


def _reason_scores(profile: DocumentProfile, rows: Floats) -> Floats:
    """A page's best reason; each further leaf with one adds half of what is missing to 1."""
    scores = np.zeros(profile.page_count)
    for row in np.flatnonzero(rows):
        page = profile.page_of_row[row]
        scores[page] += rows[row] * (1 - scores[page]) * (0.5 if scores[page] else 1.0)
    return scores


def _titles_of_rows(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How well the title of each index row's innermost section matches what is asked for."""
    wanted, own = _find_wanted_sections(plan)
    phrases = _phrase_titles(plan)
    found: dict[int, float] = {}
    tree, numbers = profile.tree, profile.section_of_row.tolist()
    for number, key in zip(numbers, profile.keys, strict=True):
        if number not in found:
            terms = frozenset(title_terms(tree.columns.titles[tree.section_of(key)]))
            found[number] = max(_title_match(terms, wanted, own), phrases.get(terms, 0.0))
    return np.array([found[number] for number in numbers])


def _heading_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How well a page's headings match the sections the question points at, or its own words."""
    wanted, own = _find_wanted_sections(plan)
    # A title runs on over many pages: each is matched once.
    meant, named = _matches(wanted, own), _matches(wanted, set())
    scores = []
    for titles, over in zip(profile.headings, profile.running_sections, strict=True):
        begun = max(map(meant, titles), default=0.0)
        ongoing = max(max(map(named, over), default=0.0), max(map(meant, over[-_INNERMOST:]), default=0.0))
        scores.append(max(begun, _ONGOING * ongoing))
    return np.array(scores)


def _titled_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """Whether a section on the page is called by the very words of something asked for, or by a wording of it."""
    wanted = _phrase_titles(plan)
    scores = []
    for titles, over in zip(profile.headings, profile.running_sections, strict=True):
        begun = max((wanted.get(frozenset(title_terms(title)), 0.0) for title in titles), default=0.0)
        ongoing = max((wanted.get(frozenset(title_terms(title)), 0.0) for title in over[-_INNERMOST:]), default=0.0)
        scores.append(max(begun, _ONGOING * ongoing))
    return np.array(scores)


def _find_wanted_sections(plan: QueryPlan) -> tuple[list[frozenset[str]], set[str]]:
    """The sections meant, and the question's own words."""
    wanted = [terms for section in plan.sections if (terms := frozenset(analyse(section)))]
    return wanted, {term.term for term in plan.terms if term.source == "question"}


def _phrase_titles(plan: QueryPlan) -> dict[frozenset[str], float]:
    """Titles that are the very wording of something asked for, with its weight."""
    titles: dict[frozenset[str], float] = {}
    for phrase in plan.phrases:
        terms = frozenset(analyse(phrase.text))
        if terms:
            titles[terms] = max(titles.get(terms, 0.0), phrase.weight)
    return titles


def _matches(wanted: Sequence[frozenset[str]], own: set[str]) -> Callable[[str], float]:
    """The match of a title, as `_title_match` says, kept for titles met before."""
    return lru_cache(maxsize=None)(lambda title: _title_match(frozenset(title_terms(title)), wanted, own))


def _title_match(title: frozenset[str], wanted: Sequence[frozenset[str]], own: set[str]) -> float:
    if not title:
        return 0.0
    named = max((len(title & section) / len(title | section) for section in wanted), default=0.0)
    return max(named, len(title & own) / len(title) if len(title) < _LONGEST_TITLE else 0.0)


def _average_scores(values: Sequence[Floats], count: int) -> Floats:
    return np.mean(values, axis=0) if values else np.zeros(count)
