"""Recognises rows with a label and figures, and the pages that hold primary statements."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vectorless_web.engine.documents.tree import TableOutline
from vectorless_web.engine.questions.lexicon import Lexicon, StatementKind
from vectorless_web.engine.text.analyser import analyse, title_terms

_FIGURE = re.compile(r"(?<![\w.,-])[$€£(]*\s?\d[\d,.]*%?\)?(?![\w-])")
_FEWEST_FIGURES = 4
"""Figures in a text that may be a table whose lines were lost: fewer are prose with numbers. Chosen by reading
examples. Measured: 2 and 8 change 2 and 8 orders and no hit."""
_WORDS_PER_FIGURE = 9
"""Words for each figure, at most, in such a text: labels are short, sentences are not. Chosen by reading examples.
Measured: 4 changes 14 orders and no hit, 18 gains 1 hit at 1 and at 5."""
_LONGEST_LABEL = 12
"""Terms of a row's label taken from running text, counted back from its figure: what stands further back belongs to the
row before. Measured: 6 changes 6 orders and no hit, 24 none."""
_DIGITS = re.compile(r"\d+")

Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A table row with figures: its label's terms, those of the labels above it, its table's key and page."""

    terms: Terms
    above: Terms
    key: int
    page_index: int
    figures: int


def rows_of_table(key: int, table: TableOutline) -> Iterator[LabelledRow]:
    """A table's rows with a label and figures, in reading order."""
    above: Terms = ()
    for row in table.rows:
        if not row.figures:
            above = title_terms(row.label) or above
        elif row.label and not row.is_header:
            path = tuple(term for label in row.path for term in title_terms(label))
            yield LabelledRow(title_terms(row.label), path or above, key, row.page_index, row.figures)


def rows_of_text(key: int, text: str, page_index: int) -> Iterator[LabelledRow]:
    """Rows of a table that came out as running text: the words before each group of figures; none in other texts."""
    # Every figure holds digits of its own; most texts have too few, which is told much sooner.
    digits = len(_DIGITS.findall(text))
    if digits < _FEWEST_FIGURES or digits * _WORDS_PER_FIGURE < (words := len(text.split())):
        return
    figures = list(_FIGURE.finditer(text))
    if len(figures) < _FEWEST_FIGURES or len(figures) * _WORDS_PER_FIGURE < words:
        return
    start = 0
    for figure in figures:
        terms = tuple(analyse(text[start : figure.start()]))
        start = figure.end()
        if terms:
            yield LabelledRow(terms[-_LONGEST_LABEL:], (), key, page_index, 1)


StatementPages = list[float]
Captions = dict[str, dict[tuple[str, ...], str]]
"""By the first term of a caption: its terms -> its concept."""

_ENOUGH = 10
"""So many different captions make a page a statement beyond doubt. Measured: 5 gains 1 hit at 3, 20 changes 29 orders
and no hit."""
_NEAR = 9
"""Pages: primary statements follow one another, so within this distance others must stand. Measured: 4 and 18 change 9
orders each and no hit."""
_ALONE = 0.75
"""Share of its score that a page keeps when no other primary statement stands near it, as in a summary of selected
data. Measured: 0.375 and 1.0 change 23 and 19 orders and no hit."""
_UNCONFIRMED = 0.6
"""Share of its score that a page keeps when another page of the document was compiled as that very statement. Measured:
0.3 changes 29 orders and no hit, 1.0 loses 1 hit at 1."""
_UNTITLED = 0.5
"""Share of its score that a page keeps when none of its headings carries a title of the kind of statement. Measured:
0.25 and 1.0 change 29 and 36 orders and no hit."""
_LONGEST_TITLE = 14
"""Terms of a heading that may name a statement; a longer one is a sentence about it. Measured: 7 and 28 change no
order."""


def statement_pages(
    rows: Sequence[LabelledRow],
    headings: Sequence[Sequence[str]],
    recognised: Mapping[str, Sequence[int]],
    lexicon: Lexicon,
) -> dict[str, StatementPages]:
    """For each kind of statement a list over pages in [0, 1].

    The share of enough captions found among the page's row labels, halved when no
    heading on the page carries a title of the kind, and lowered when no other primary
    statement stands near. `recognised` pages, on which a table was compiled as the
    statement, count in full, and others of that kind only partly.
    """
    found: dict[str, StatementPages] = {}
    page_count = len(headings)
    labels: list[list[tuple[str, ...]]] = [[] for _ in range(page_count)]
    for row in rows:
        if row.page_index < page_count:
            labels[row.page_index].append(row.terms)
    for kind in lexicon.statements:
        known, titles = _caption_terms(lexicon, kind), _title_terms(kind)
        shares = [_measure_captions(on_page, known) for on_page in labels]
        found[kind.name] = [
            share * (1.0 if share and _is_titled(headings[page], titles) else _UNTITLED)
            for page, share in enumerate(shares)
        ]
    together = {name: _weigh_neighbours(name, found) for name in found}
    return {name: _confirm_pages(pages, recognised.get(name, ())) for name, pages in together.items()}


def _confirm_pages(pages: StatementPages, recognised: Sequence[int]) -> StatementPages:
    if not recognised:
        return pages
    return [1.0 if page in recognised else _UNCONFIRMED * value for page, value in enumerate(pages)]


def _weigh_neighbours(name: str, found: dict[str, StatementPages]) -> StatementPages:
    others = [found[other] for other in ("income", "balance", "cash_flow") if other != name and other in found]
    return [
        value and value * (_ALONE + (1 - _ALONE) * _best_near(page, others)) for page, value in enumerate(found[name])
    ]


def _best_near(page: int, others: Sequence[StatementPages]) -> float:
    return max((max(other[max(0, page - _NEAR) : page + _NEAR + 1]) for other in others), default=0.0)


@lru_cache(maxsize=64)
def _caption_terms(lexicon: Lexicon, kind: StatementKind) -> Captions:
    known: Captions = {}
    for name in kind.captions:
        concept = lexicon.concept(name)
        for phrase in concept.phrases if concept else (name,):
            terms = tuple(analyse(phrase))
            if terms:
                known.setdefault(terms[0], {}).setdefault(terms, name)
    return known


@lru_cache(maxsize=64)
def _title_terms(kind: StatementKind) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(analyse(title)) - {"consolid"} for title in kind.titles)


def _measure_captions(labels: Sequence[tuple[str, ...]], known: Captions) -> float:
    found = {concept for terms in labels if terms and terms[0] in known and (concept := _caption(terms, known))}
    return min(1.0, len(found) / _ENOUGH)


def _caption(terms: tuple[str, ...], known: Captions) -> str:
    """The concept a label begins with; a longer wording wins."""
    captions = known[terms[0]]
    for length in range(len(terms), 0, -1):
        if terms[:length] in captions and (length == len(terms) or length > 1):
            return captions[terms[:length]]
    return ""


def _is_titled(headings: Sequence[str], titles: Sequence[frozenset[str]]) -> bool:
    for heading in headings:
        terms = title_terms(heading)
        if len(terms) <= _LONGEST_TITLE and any(title <= set(terms) for title in titles):
            return True
    return False
