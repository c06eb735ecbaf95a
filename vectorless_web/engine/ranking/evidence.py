"""Ranks the nodes and pages of documents by how likely they hold the evidence a question needs.

A page's score adds up, each part in [0, 1] and weighed by what the question asks for:
words (BM25F of the page, and of its best node), what is said (the share of the question
that one passage says, and whether it states the cause, definition or rule asked for),
figures (table rows labelled with the concepts needed, under the periods needed, in the
statement they usually stand in), statements (the page is the primary statement asked for),
headings (the sections the question points at, and those whose whole subtree speaks of it).
Pages of boilerplate are demoted; pages that the best ones refer to are lifted. When several
figures are needed, pages that hold the figures still missing move up, so that each is found
early. What a lexicon knows counts less the more of the question one passage says in its own
words, and the first five pages of flat BM25 are always among the first ten.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.index.scoring import DIGITS, Floats, find_best_rows
from vectorless_web.engine.index.segment import merged_group_statistics, merged_statistics
from vectorless_web.engine.questions.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.questions.plan import FigureNeed, QueryPlan, WeightedTerm
from vectorless_web.engine.ranking.profile import DocumentProfile
from vectorless_web.engine.ranking.statements import LabelledRow, Terms
from vectorless_web.engine.ranking.words import FLOOR_ROOM, PRINTED, OwnWords, find_own_words, keep_floor
from vectorless_web.engine.text.analyser import analyse, title_terms

_OTHER_PERIOD = 0.45
"""What a row is worth, as a share, whose table shows years but not the one asked for. Measured: 0.225 and 0.9 change 4
and 10 orders and no hit."""
_OUTSIDE_STATEMENT = 0.55
"""What a row is worth, as a share, that stands in no statement of the kind its figure usually stands in. Measured:
0.275 changes 34 orders and no hit among the first 10; 1.0 loses 5 hits at 1 (46 to 41)."""
_UNLABELLED = 0.5
"""What the usual statement is worth when no row of it bears a known wording: totals often stand without a label.
Measured: 0.25 loses 1 hit at 1, 1.0 changes 24 orders and no hit."""
_USUAL = 6
"""Phrases of a concept, the most usual ones first, that count in full. Measured: 3 and 12 change 6 and 4 orders and
gain 1 hit at 10 each."""
_UNUSUAL = 0.9
"""Share of a label's quality that is kept when it words one of the phrases after the first `_USUAL`. Measured: 0.45
changes 11 orders and no hit, 1.0 gains 1 hit at 10."""
_BEGINS, _BEGINS_SPAN = 0.6, 0.35
"""Quality of a label that begins with the phrase: the first, plus the second times the share of the label's terms that
the phrase is. At most 0.95, since the label is not the phrase itself. Measured: 0.3 for the first gains 1 hit at 10."""
_CONTAINS, _CONTAINS_SPAN = 0.4, 0.4
"""The same for a label that has the phrase further back. Measured: 0.2 for the first loses 1 hit at 1, 0.6 changes 9
orders and no hit."""
_COMPLETED = 0.5
"""Quality of a label that is the phrase only together with the label above it ("Total" under "Current assets").
Measured: 0.25 changes 12 orders and no hit, 1.0 gains 1 hit at 10."""
_UNKNOWN = 0.8
"""What a row is worth, as a share, when its table shows no years, or when its figure has no usual statement. Measured:
0.4 and 1.0 change 11 orders each and no hit."""


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
            quality = label_quality(profile.rows[number], terms) * (1.0 if rank < _USUAL else _UNUSUAL)
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
        return _BEGINS + _BEGINS_SPAN * len(phrase) / len(label)
    if _contains(label, phrase):
        return _CONTAINS + _CONTAINS_SPAN * len(phrase) / len(label)
    words = set(phrase)
    return _COMPLETED if row.above and words & set(label) and words <= {*label, *row.above} else 0.0


def _contains(label: Terms, phrase: Terms) -> bool:
    return any(label[i : i + len(phrase)] == phrase for i in range(len(label) - len(phrase) + 1))


def _period_factor(profile: DocumentProfile, row: LabelledRow, need: FigureNeed) -> float:
    years = profile.years(row.key)
    if need.period is None or not years:
        return _UNKNOWN
    return 1.0 if need.period.year in years else _OTHER_PERIOD


def _statement_factor(profile: DocumentProfile, row: LabelledRow, need: FigureNeed) -> float:
    pages = profile.statements.get(need.statement)
    if pages is None:
        return _UNKNOWN
    return _OUTSIDE_STATEMENT + (1 - _OUTSIDE_STATEMENT) * pages[row.page_index]


FIELD_WEIGHTS = {"title": 2.0, "path": 0.7, "text": 1.0, "table": 1.0}
"""BM25F field weights for pages, nodes and sections. A title says more than a text of the same length; `path` are the
titles above, which all nodes of a section share. Measured: half or twice the weight of title, path or table changes 9
to 45 orders and at most 1 hit at 1, 3 and 5 each."""
_ENTITY_WEIGHT = 0.15
"""Share of its weight that a name keeps inside one document, where it stands on most pages. Measured: 0.075 changes 14
orders and no hit, 0.3 gains 1 hit at 3."""
_OWN_NAME = 0.25
"""Share of the pages on which a name stands that is the document's own; a name on fewer of them tells pages apart and
keeps the more of its weight the rarer it is. Chosen on everyday questions (.57 to .59 at 1) and left alone: on filings
one hit at 1 is lost, none further back."""
_PERIOD_WEIGHT = 0.3
"""The same for a year. Measured: 0.15 changes 29 orders and no hit, 0.6 gains 1 hit at 3."""
_LONGEST_TITLE = 10
"""Terms from which a heading is no longer compared by the share of it that the question says: in a long one that share
is chance. Measured: 5 and 20 change 15 and 5 orders and no hit."""
_INNERMOST = 2
"""Headings, the innermost ones, that count for a page over which their sections run on: those further out stand over
too many pages to tell one from another. Measured: 1 and 4 change 10 and 4 orders and no hit."""
_ONGOING = 0.8
"""What a heading of an earlier page whose section runs on counts, as a share of one that stands on the page. Measured:
0.4 loses 2 questions whose gold pages are all among the first 10, 1.0 gains 1 hit at 1."""
_FURTHER_REASON = 0.5
"""Share of what is missing to 1 that each further reason on a page adds to its score. Measured: 0.25 and 1.0 change 2
orders each and gain 1 hit at 5."""


@dataclass(frozen=True, slots=True)
class PageParts:
    """One document's parts by name: arrays over its pages, arrays over its index rows; and its need matches."""

    profile: DocumentProfile
    pages: dict[str, Floats]
    rows: dict[str, Floats]
    needs: tuple[NeedMatch, ...]
    flat: Floats
    """BM25 of the pages by the question's words alone."""
    told: float
    """The greatest share of the question, in [0, 1], that one passage says, of all documents ranked together."""


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


def page_parts(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> list[PageParts]:
    """The parts of every document's pages; words are scored with the statistics of all these documents together."""
    words, nodes = _word_scores(profiles, plan)
    own = find_own_words(profiles, plan)
    told = max((float(found.pages.max(initial=0.0)) for found in own), default=0.0)
    each = zip(profiles, words, nodes, own, strict=True)
    return [_parts(profile, plan, scores, found, told) for profile, *scores, found in each]


def _word_scores(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> tuple[list[Floats], list[Floats]]:
    """BM25F of pages and of nodes, each as a share of the best of all documents."""
    terms = search_terms(profiles, plan)
    names = [term.term for term in terms]
    over_pages = merged_group_statistics([profile.pages for profile in profiles], names)
    over_nodes = merged_statistics([profile.segment for profile in profiles], names)
    pages = [profile.pages.scores(terms, FIELD_WEIGHTS, statistics=over_pages) for profile in profiles]
    nodes = [profile.segment.scores(terms, FIELD_WEIGHTS, statistics=over_nodes) for profile in profiles]
    return _scale_to_best(pages), _scale_to_best(nodes)


def _scale_to_best(values: Sequence[Floats]) -> list[Floats]:
    top = max((float(array.max(initial=0.0)) for array in values), default=0.0)
    return [array / top if top > 0 else array for array in values]


def _parts(
    profile: DocumentProfile, plan: QueryPlan, scores: Sequence[Floats], own: OwnWords, told: float
) -> PageParts:
    words, nodes = scores
    needs = match_needs(profile, plan)
    reasons = np.zeros(len(profile.keys))
    pages = {
        "words": words,
        "node": _best_node_of_page(profile, nodes),
        "figures": _average_scores([need.pages for need in needs], profile.page_count),
        "statement": _statement_scores(profile, plan),
        "section": _section_scores(profile, plan),
        "heading": _heading_scores(profile, plan),
        "titled": _titled_scores(profile, plan),
        "reasons": _reason_scores(profile, reasons),
        "said": own.pages**_SAID_POWER,
        "cue": own.cues,
    }
    rows = {"words": nodes, "reasons": reasons, "said": own.rows**_SAID_POWER, "title": _titles_of_rows(profile, plan)}
    return PageParts(profile, pages, rows, tuple(needs), own.flat, told)


def _best_node_of_page(profile: DocumentProfile, nodes: Floats) -> Floats:
    best = np.zeros(profile.page_count)
    np.maximum.at(best, profile.page_of_row, nodes)
    return best


def _section_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """BM25F of the best section with text on each page, as a share of the best section of the document."""
    sections = _scale_to_best([profile.sections.scores(search_terms([profile], plan), FIELD_WEIGHTS)])[0]
    best = np.zeros(profile.page_count)
    np.maximum.at(best, profile.page_of_row, sections[profile.section_of_row])
    return best


def _statement_scores(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How much each page is one of the statements meant."""
    asked = [np.array(profile.statements[name]) for name in plan.statements if name in profile.statements]
    return _average_scores(asked, profile.page_count)


def _reason_scores(profile: DocumentProfile, rows: Floats) -> Floats:
    """A page's best reason; each further leaf with one adds half of what is missing to 1."""
    scores = np.zeros(profile.page_count)
    for row in np.flatnonzero(rows):
        page = profile.page_of_row[row]
        scores[page] += rows[row] * (1 - scores[page]) * (_FURTHER_REASON if scores[page] else 1.0)
    return scores


def _titles_of_rows(profile: DocumentProfile, plan: QueryPlan) -> Floats:
    """How well the title of each index row's innermost section matches what is asked for."""
    wanted, own = _find_wanted_sections(plan)
    phrases = _phrase_titles(plan)
    titles = profile.section_titles
    found = np.array([max(_title_match(terms, wanted, own), phrases.get(terms, 0.0)) for terms in titles])
    return found[profile.section_of_row] if titles else np.zeros(len(profile.keys))


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


_SAID_POWER = 4
"""Exponent of the share of a question that one passage says: half of its words are said by chance on many pages, nearly
all of them hardly ever. On filings a gold page is among the first 5 for 59 of 65 with 4 and 6, 58 with 2 and 3; with 6
page-text questions lose .03 at 1, everyday questions none."""
_UNTOLD = 0.5
"""Share of the question that no passage says from which figures and statements keep all their weight; below it they
keep in proportion. Measured on page-text questions that need a figure (57): .63 at 1 without, .75 with it; 0.7 gives
the same there and loses 2 hits at 1 on the 65."""
_LEAST_KNOWN = 0.25
"""Share of that weight that is always kept: a passage may say every word of "net sales in 2021" and not give it.
Measured on the same 57: 0 gives .67 at 1, 0.5 gives .72."""
_COVER = 0.6
"""What a figure not yet covered is worth, as a share of the best page's score. On 65 questions over filings, document
given, 0.3 changes the order of pages in 5 of them, 1.0 in 2; hits among the first 1, 3 and 5 pages and all answers
stay."""
_COVERED_FROM = 0.5
"""Weight of figures in the mix from which pages are ordered so as to cover all figures asked for; the mixes in use
weigh them 0, 0.15, 0.8 or 1.6, so any value between 0.15 and 0.8 does the same."""
_COVERED_PAGES = 10
"""Pages that are ordered in this way; those behind keep the order of their scores. Measured: 5 changes 1 order of the
first ten, 20 none."""
_FOLLOWED_FROM = 8
"""Pages, the best ones, whose references are followed. Measured: 4 and 16 change 11 and 13 orders and no hit."""
_FOLLOWED_SHARE = 0.1
"""Share of its score that a page lends to the pages it refers to. Measured: 0.2 changes 52 orders, 2 answers and loses
1 hit at 3 (57 to 56); 0.05 changes 21 orders and loses 1 hit at 3."""
_KEYS_OF_PAGE = 5
"""Nodes named of a page, the best. Orders no page; callers show or read these nodes first."""
_ROWS_OF_NODE = 1.5
"""What a fitting table row adds to a node, where its words give at most 1. On 65 questions over filings, document
given, 0.75 and 3 change neither an order of pages nor an answer."""
_TITLE_OF_NODE = 0.5
"""What a title that bears the question's words adds to a node's score, as a share of it. Chosen by hand; it orders
nodes within pages, which the measure of this room does not see."""
_SAID_OF_NODE = 1.0
"""What a node gains that says the whole question, where its words give at most 1. Measured, with the square of the
share, by the pages of the first five nodes on questions over reports, papers and manuals (137): 0 gives .80, 1.0 .82,
2.0 .83; with 2.0 one question of the 65 over filings loses its gold page at 1. Answers over policies: 33, 31 and 32 of
149 right with 0, 0.5 and 1.0."""
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
    """How much each part of a page's score weighs (see the parts in this module's docstring).

    Measured, each weight at half and at twice in every mix: words 49 and 45 hits at 1; node 47 and 47; figures 44 and
    46; statement 45 and 46; section 46 and 45; heading, titled and reasons 46. Hits at 10 stay 62, 63 with figures
    doubled; half the figures also loses one at 3. `said` and `cue` were chosen on page-text questions and those of the
    65, and measured on the two other sets of benchmarks/README.md: `said` at three quarters and at one and a half of
    its value changes at 1 and at 5 by at most .01 there; with half of `cue` page-text questions lose .03 at 1.
    """

    words: float = 1.0
    node: float = 0.5
    figures: float = 0.0
    statement: float = 0.0
    section: float = 0.2
    heading: float = 0.5
    titled: float = 0.4
    reasons: float = 0.0
    said: float = 2.0
    cue: float = 0.5


def mix_for(plan: QueryPlan) -> Mix:
    """The weights for a question: figures and statements count for numbers, words for reasons and facts.

    Statements count against a page when the question asks for reasons, which no statement
    gives. They count nothing when the question points at a section of its own (segments,
    an outlook). The weights were chosen by hand on the 65 questions; see `Mix`.
    """
    statement = 0.0 if plan.sections else 1.0
    if not plan.figures:
        return Mix(statement=0.6 * statement) if plan.statements else Mix()
    return Mix(words=0.6, node=0.3, figures=1.6, statement=0.8 * statement)


def _temper(mix: Mix, told: float) -> Mix:
    """The mix with less for what a lexicon knows, the more of the question one passage says in its own words."""
    share = min(1.0, max(_LEAST_KNOWN, (1.0 - told) / _UNTOLD))
    return replace(mix, figures=mix.figures * share, statement=min(mix.statement, mix.statement * share))


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
    # Not tempered: a fitting table row stays before prose that only repeats the question's words.
    found = np.array(_round_scores(_scored_rows(parts, mix_for(plan))["score"]))
    scores = np.zeros(len(document.tree))
    scores[parts.profile.keys] = np.maximum(found, 0.0)
    return scores


def _scored_rows(parts: PageParts, mix: Mix) -> dict[str, Floats]:
    """For each index row its parts, what its page carries, and the score made of them."""
    totals = _lift_floor(_totals(parts, mix), parts.flat)
    carried = totals / (float(totals.max(initial=0.0)) or 1.0)
    page = carried[parts.profile.page_of_row]
    by_key = _row_scores(parts.needs)
    figures = np.array([by_key.get(key, 0.0) for key in parts.profile.keys])
    own = parts.rows
    inner = own["words"] + _ROWS_OF_NODE * min(1.0, mix.figures) * figures + mix.reasons * own["reasons"]
    inner = inner + _SAID_OF_NODE * own["said"]
    score = inner * (1.0 + _TITLE_OF_NODE * own["title"]) * (_OWN_SHARE + (1 - _OWN_SHARE) * page)
    return {**own, "figures": figures, "page": page, "score": score}


def _round_scores(scores: Floats) -> list[float]:
    return [round(score, DIGITS) for score in scores.tolist()]


def _rank_parts(parts: PageParts, plan: QueryPlan) -> list[ScoredPage]:
    mix = _temper(mix_for(plan), parts.told)
    totals = _lift_floor(_totals(parts, mix), parts.flat)
    order = _order(totals, parts.needs if mix.figures >= _COVERED_FROM else ())
    order = keep_floor([page for page in order if totals[page] > 0], parts.flat)
    best = _best_nodes(parts)
    return [
        ScoredPage(page, round(float(totals[page]), DIGITS), tuple(best.get(page, ())), _reasons(parts, page))
        for page in order
    ]


def _totals(parts: PageParts, mix: Mix) -> Floats:
    total = np.zeros(parts.profile.page_count)
    for name, values in parts.pages.items():
        weight: float = getattr(mix, name)
        total += weight * values
    return _follow_references(parts, total * np.array(parts.profile.worth))


def _lift_floor(totals: Floats, flat: Floats) -> Floats:
    """Totals in which a page that `keep_floor` moves up has the score of the page that it then stands before."""
    kept = keep_floor(find_best_rows(totals, FLOOR_ROOM).tolist(), flat)
    lifted = totals.copy()
    for page, following in zip(kept[-2::-1], kept[:0:-1], strict=True):
        lifted[page] = max(lifted[page], lifted[following])
    return lifted


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
    words, keys = parts.rows["words"], parts.profile.keys
    order = np.argsort(-words, kind="stable")
    order = order[words[order] > 0]
    found: dict[int, list[int]] = {}
    for row, page in zip(order.tolist(), parts.profile.page_of_row[order].tolist(), strict=True):
        named = found.setdefault(page, [])
        if len(named) < _KEYS_OF_PAGE:
            named.append(keys[row])
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
