"""The signals of pages and of nodes for one question: arrays in [0, 1], comparable over all documents ranked together.

A signal is general: words and their rarity, headings, row labels that a lexicon knows, the shape of a page. What each
counts is fitted (`benchmarks/fit_ranker.py`) and stands in `weights.json`.
"""

from collections.abc import Sequence

import numpy as np

from vectorless_web.engine.finding.ranking.profile import DocumentProfile, LabelledRow, Terms
from vectorless_web.engine.index.scoring import Floats, inverse_frequency
from vectorless_web.engine.index.segment import merged_group_statistics, merged_statistics
from vectorless_web.engine.questions.plan import FigureNeed, QueryPlan, WeightedTerm
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.word_vectors import measure_nearness

FIELD_WEIGHTS = {"title": 2.0, "path": 0.7, "text": 1.0, "table": 1.0}
"""BM25F field weights for pages, nodes and sections. A title says more than a text of the same length; `path` are the
titles above, which all nodes of a section share. Measured on 65 questions over filings: half or twice the weight of
title, path or table changes at most 1 hit at 1, 3 and 5 each."""
PRINTED = ("title", "text")
"""Fields that stand on the page; `path` and `table` repeat what is printed elsewhere."""
_ENTITY_WEIGHT = 0.15
"""Share of its weight that a name keeps inside one document, where it stands on most pages. Measured likewise: 0.075
changes no hit, 0.3 gains 1 hit at 3."""
_OWN_NAME = 0.25
"""Share of the pages on which a name stands that is the document's own; a name on fewer of them tells pages apart and
keeps the more of its weight the rarer it is."""
_PERIOD_WEIGHT = 0.3
"""The same for a year. Measured likewise: 0.15 changes no hit, 0.6 gains 1 hit at 3."""
_OUTSIDE_STATEMENT = 0.55
"""What a row is worth, as a share, that stands in no statement of the kind its figure usually stands in. Measured
likewise: 0.275 changes no hit among the first 10; 1.0 loses 5 hits at 1 (46 to 41)."""
_CONTAINS = 0.7
"""Quality of a label that contains the phrase. To count what else it says, or where the phrase begins, changes no
hit."""

Signals = dict[str, Floats]


def measure_signals(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> list[tuple[Signals, Signals]]:
    """The signals of each document's pages, and of its index rows.

    Words are weighed with the statistics of all these documents together.
    """
    terms = search_terms(profiles, plan)
    names = [term.term for term in terms]
    over_pages = merged_group_statistics([profile.pages for profile in profiles], names)
    over_nodes = merged_statistics([profile.segment for profile in profiles], names)
    words = scale_to_best([p.pages.scores(terms, FIELD_WEIGHTS, statistics=over_pages) for p in profiles])
    nodes = scale_to_best([p.segment.scores(terms, FIELD_WEIGHTS, statistics=over_nodes) for p in profiles])
    shares = share_words(profiles, plan)
    return [
        _measure_document(profile, plan, shares, page_words, node_words)
        for profile, page_words, node_words in zip(profiles, words, nodes, strict=True)
    ]


def _measure_document(
    profile: DocumentProfile, plan: QueryPlan, shares: dict[str, float], words: Floats, nodes: Floats
) -> tuple[Signals, Signals]:
    needs = _match_needs(profile, plan)
    begun, titled, row_titles = _measure_headings(profile, plan)
    pages = {
        "words": words,
        "node": _best_on_page(profile, nodes),
        "heading": begun,
        "titled": titled,
        "figures": _average([pages for pages, _ in needs], profile.page_count),
        "statement": _measure_statement(profile, plan),
    }
    rows = {
        "words": nodes,
        "cover": _measure_cover(profile, shares),
        "meaning": measure_nearness(profile.row_vectors, shares),
        "heading": row_titles,
        "figures": _figures_of_rows(profile, [tables for _, tables in needs]),
        "table": profile.is_table,
        "length": profile.text_length,
    }
    return pages, rows


def scale_to_best(values: Sequence[Floats]) -> list[Floats]:
    """The arrays as shares of the greatest value of all of them."""
    top = max((float(array.max(initial=0.0)) for array in values), default=0.0)
    return [array / top if top > 0 else array for array in values]


def search_terms(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> list[WeightedTerm]:
    """The plan's terms as these documents need them: their own name and year stand on most pages and say little."""
    return [WeightedTerm(t.term, t.weight * _name_factor(profiles, t), t.source) for t in plan.terms]


def _name_factor(profiles: Sequence[DocumentProfile], term: WeightedTerm) -> float:
    if term.source == "period":
        return _PERIOD_WEIGHT
    if term.source != "entity":
        return 1.0
    holding = sum(int(np.count_nonzero(profile.pages.counts(term.term, PRINTED) > 0)) for profile in profiles)
    share = holding / sum(profile.page_count for profile in profiles)
    return max(_ENTITY_WEIGHT, 1.0 - share / _OWN_NAME)


def share_words(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> dict[str, float]:
    """The question's own words with their share of its weight, by how rare they are among the nodes; they sum to 1.

    Words that stand nowhere have theirs too: where no node says much of the question, coverage is low for all.
    """
    own = [term for term in search_terms(profiles, plan) if not term.source.startswith("lexicon:")]
    statistics = merged_statistics([profile.segment for profile in profiles], [term.term for term in own])
    weights = {t.term: t.weight * inverse_frequency(statistics.rows, statistics.frequencies[t.term]) for t in own}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _measure_cover(profile: DocumentProfile, shares: dict[str, float]) -> Floats:
    """The share of the question that each index row says, with its headings."""
    rows = np.zeros(len(profile.keys))
    for term, share in shares.items():
        # A term has an entry for each field of a row, and counts once.
        held = np.zeros(len(rows), dtype=np.bool_)
        held[profile.segment.postings(term).rows] = True
        rows[held] += share
    return rows


def _best_on_page(profile: DocumentProfile, rows: Floats) -> Floats:
    best = np.zeros(profile.page_count)
    np.maximum.at(best, profile.page_of_row, rows)
    return best


def _measure_statement(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How much each page is one of the statements meant."""
    asked = [profile.statements[name] for name in plan.statements if name in profile.statements]
    return _average(asked, profile.page_count)


def _average(values: Sequence[Floats], count: int) -> Floats:
    return np.mean(values, axis=0) if values else np.zeros(count)


def _measure_headings(profile: DocumentProfile, plan: QueryPlan) -> tuple[Floats, Floats, Floats]:
    """How well headings match what is asked for, of pages and of rows.

    The first array over pages goes by sections the question points at and by its own words; the second tells whether a
    heading is the very wording of something asked for. The third is the best of both for each index row's own section.
    """
    wanted = [terms for section in plan.sections if (terms := frozenset(analyse(section)))]
    own = {term.term for term in plan.terms if term.source == "question"}
    phrases = _phrase_titles(plan)
    begun, titled = np.zeros(profile.page_count), np.zeros(profile.page_count)
    for page, titles in enumerate(profile.headings):
        for terms in titles:
            begun[page] = max(begun[page], _match_title(terms, wanted, own))
            titled[page] = max(titled[page], phrases.get(terms, 0.0))
    match = {t: max(_match_title(t, wanted, own), phrases.get(t, 0.0)) for t in set(profile.section_titles)}
    return begun, titled, np.array([match[terms] for terms in profile.section_titles], dtype=np.float64)


def _phrase_titles(plan: QueryPlan) -> dict[frozenset[str], float]:
    """Titles that are the very wording of something asked for, with its weight."""
    titles: dict[frozenset[str], float] = {}
    for phrase in plan.phrases:
        terms = frozenset(analyse(phrase.text))
        if terms:
            titles[terms] = max(titles.get(terms, 0.0), phrase.weight)
    return titles


def _match_title(title: frozenset[str], wanted: Sequence[frozenset[str]], own: set[str]) -> float:
    if not title:
        return 0.0
    named = max((len(title & section) / len(title | section) for section in wanted), default=0.0)
    return max(named, len(title & own) / len(title))


def _match_needs(profile: DocumentProfile, plan: QueryPlan) -> list[tuple[Floats, dict[int, float]]]:
    """For each figure that the plan needs how well each page (array) and each table (by key) answers it, in [0, 1]."""
    qualities = {phrases: _row_qualities(profile, phrases) for phrases in {need.phrases for need in plan.figures}}
    return [_match_need(profile, need, qualities[need.phrases]) for need in plan.figures]


def _row_qualities(profile: DocumentProfile, phrases: Sequence[str]) -> dict[int, float]:
    """Row number -> how well its label words one of the phrases; rows that do not are absent."""
    found: dict[int, float] = {}
    for phrase in phrases:
        terms = tuple(analyse(phrase))
        listed = [profile.rows_with.get(term, []) for term in terms]
        for number in min(listed, key=len, default=[]):
            quality = measure_label(profile.rows[number].terms, terms)
            if quality > found.get(number, 0.0):
                found[number] = quality
    return found


def _match_need(
    profile: DocumentProfile, need: FigureNeed, qualities: dict[int, float]
) -> tuple[Floats, dict[int, float]]:
    pages = np.zeros(profile.page_count)
    tables: dict[int, float] = {}
    for number, quality in qualities.items():
        row = profile.rows[number]
        if row.page_index < profile.page_count:
            score = quality * _statement_factor(profile, row, need)
            pages[row.page_index] = max(pages[row.page_index], score)
            tables[row.key] = max(tables.get(row.key, 0.0), score)
    return pages, tables


def measure_label(label: Terms, phrase: Terms) -> float:
    """1 for a label that is the phrase; less for one that contains it; 0 otherwise."""
    if label == phrase:
        return 1.0
    is_held = any(label[i : i + len(phrase)] == phrase for i in range(len(label) - len(phrase) + 1))
    return _CONTAINS if is_held and len(phrase) > 1 else 0.0


def _statement_factor(profile: DocumentProfile, row: LabelledRow, need: FigureNeed) -> float:
    """What a row is worth, as a share: all of it where the document has no statement of the kind."""
    pages = profile.statements.get(need.statement)
    return _OUTSIDE_STATEMENT if pages is not None and not pages[row.page_index] else 1.0


def _figures_of_rows(profile: DocumentProfile, needs: Sequence[dict[int, float]]) -> Floats:
    """The mean over the needs of how well each index row's table answers them."""
    found = np.zeros(len(profile.keys))
    places = {key: row for row, key in enumerate(profile.keys)}
    for tables in needs:
        for key, score in tables.items():
            found[places[key]] += score / len(needs)
    return found
