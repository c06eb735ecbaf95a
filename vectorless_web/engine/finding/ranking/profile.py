"""What a document's pages and nodes hold, as the ranking sees them: words, row labels, headings, statements, shapes."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import TableOutline
from vectorless_web.engine.index.scoring import Floats, Integers
from vectorless_web.engine.index.segment import GroupedRows, Segment
from vectorless_web.engine.questions.lexicon import Lexicon, StatementKind
from vectorless_web.engine.text.analyser import analyse, title_terms
from vectorless_web.engine.text.word_vectors import Vectors, embed_terms

SOFT_HYPHEN = "\u00ad"
_SHORT = 5
"""Terms below which a node's text is a bare label, a page number or an identifier."""
_LONG = 5.0
"""Natural logarithm of the terms from which a text counts as long: about 150."""
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
    """A table row with figures: its label's terms, its table's key and page."""

    terms: Terms
    key: int
    page_index: int


def rows_of_table(key: int, table: TableOutline) -> Iterator[LabelledRow]:
    """A table's rows with a label and figures, in reading order."""
    for row in table.rows:
        if row.figures and row.label and not row.is_header:
            yield LabelledRow(title_terms(row.label), key, row.page_index)


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
            yield LabelledRow(terms[-_LONGEST_LABEL:], key, page_index)


StatementPages = list[float]
Captions = dict[str, dict[tuple[str, ...], str]]
"""By the first term of a caption: its terms -> its concept."""

_ENOUGH = 10
"""So many different captions make a page a statement beyond doubt. Measured: 5 gains 1 hit at 3, 20 changes 29 orders
and no hit."""
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
    heading on the page carries a title of the kind. `recognised` pages, on which a table was compiled as the
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
    return {name: _confirm_pages(pages, recognised.get(name, ())) for name, pages in found.items()}


def _confirm_pages(pages: StatementPages, recognised: Sequence[int]) -> StatementPages:
    if not recognised:
        return pages
    return [1.0 if page in recognised else _UNCONFIRMED * value for page, value in enumerate(pages)]


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


class DocumentProfile:
    """Facts about a compiled document that scoring needs; each worked out when first asked for, then kept."""

    def __init__(self, document: CompiledDocument, lexicon: Lexicon) -> None:
        self.document = document
        self.tree = document.tree
        self.segment = Segment(document.segment)
        self.page_count = max(1, len(document.pages))
        self._lexicon = lexicon

    @cached_property
    def keys(self) -> list[int]:
        """The keys of the index rows."""
        keys: list[int] = self.segment.keys.tolist()
        return keys

    @cached_property
    def text_lengths(self) -> Floats:
        """Terms in each index row's own text."""
        return self.segment.lengths[:, self.segment.fields.index("text")].astype(np.float64)

    @cached_property
    def text_length(self) -> Floats:
        """How long each index row's text is, in [0, 1], on a logarithmic scale."""
        scaled: Floats = np.minimum(np.log1p(self.text_lengths) / _LONG, 1.0)
        return scaled

    @cached_property
    def is_short(self) -> Floats:
        """1 for each index row that is a bare label, a heading or an identifier, 0 for the others."""
        return (self.text_lengths < _SHORT).astype(np.float64)

    @cached_property
    def is_table(self) -> Floats:
        """1 for each index row that is a table, 0 for the others."""
        return np.array([key in self.tables for key in self.keys], dtype=np.float64)

    @cached_property
    def row_vectors(self) -> Vectors:
        """The meaning of each index row: of its text and the headings above it, shape (rows, dimensions)."""
        texts, path = self.tree.columns.texts, self.tree.path
        return embed_terms([*analyse(texts[key]), *chain(*map(title_terms, path(key)))] for key in self.keys)

    @cached_property
    def page_of_row(self) -> Integers:
        """First page index of each index row; a heading left alone at the foot of a page goes with what follows it."""
        starts = self.tree.columns.integers("page_start")
        pages = [min(starts[key], self.page_count - 1) for key in self.keys]
        for row in range(len(pages) - 2, -1, -1):
            if pages[row + 1] == pages[row] + 1 and self._begins(row, row + 1):
                pages[row] = pages[row + 1]
        return np.array(pages, dtype=np.int64)

    def _begins(self, row: int, following: int) -> bool:
        return self.tree.is_section(self.keys[row]) and self.tree.parent(self.keys[following]) == self.keys[row]

    @cached_property
    def pages(self) -> GroupedRows:
        """The index rows grouped by page; what a row says on a later page is counted there, running lines too."""
        moves: dict[str, list[tuple[int, int]]] = {}
        for row, page, counts in self.parts_of_rows:
            first = int(self.page_of_row[row])
            for term, count in counts.items():
                moves.setdefault(term, []).extend(((first, -count), (page, count)))
        for page, terms in self._running_lines():
            for term in terms:
                moves.setdefault(term, []).append((page, 1))
        return GroupedRows(self.segment, self.page_of_row, self.page_count, moves=moves, moved="text")

    @cached_property
    def parts_of_rows(self) -> list[tuple[int, int, Counter[str]]]:
        """What index rows that stand on several pages say on each but the first: row, page, counted terms."""
        starts, ends = self.tree.columns.integers("page_start"), self.tree.columns.integers("page_end")
        found = []
        for row, key in enumerate(self.keys):
            if ends[key] > starts[key] and self.tree.is_leaf(key):
                found += [(row, page, Counter(analyse(text))) for page, text in self._cut_at_pages(key)]
        return found

    def _cut_at_pages(self, key: int) -> Iterator[tuple[int, str]]:
        """The text of a node on each of its pages but the first."""
        node = self.tree.node(key)
        begins: dict[int, int] = {}
        for run in node.runs:
            begins.setdefault(min(run.page_index, self.page_count - 1), run.offset)
        pages = sorted(begins.items(), key=lambda begin: begin[1])
        for (page, start), (_, end) in zip(pages[1:], [*pages[2:], (0, len(node.text))], strict=True):
            yield page, node.text[start:end].replace(SOFT_HYPHEN, "")

    def _running_lines(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Terms of headers, footers and page numbers, which the index leaves out, with their pages."""
        starts, texts = self.tree.columns.integers("page_start"), self.tree.columns.texts
        for key in range(len(self.tree)):
            if self.tree.kind(key) is NodeKind.RUNNING:
                yield min(starts[key], self.page_count - 1), title_terms(texts[key])

    @cached_property
    def tables(self) -> dict[int, TableOutline]:
        """The outlines of the tables, by key."""
        found = ((key, self.tree.columns.table(key)) for key in self.keys)
        return {key: table for key, table in found if table is not None}

    @cached_property
    def rows(self) -> list[LabelledRow]:
        """All labelled rows that hold figures, in reading order: of tables, and of texts that read like one."""
        found: list[LabelledRow] = []
        texts, pages = self.tree.columns.texts, self.tree.columns.integers("page_start")
        for key in self.keys:
            table = self.tables.get(key)
            found.extend(rows_of_table(key, table) if table else rows_of_text(key, texts[key], pages[key]))
        return found

    @cached_property
    def rows_with(self) -> dict[str, list[int]]:
        """For each term: numbers of the rows whose label holds the term."""
        found: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            for term in set(row.terms):
                found.setdefault(term, []).append(number)
        return found

    @cached_property
    def headings(self) -> list[list[str]]:
        """Titles of the sections that begin on each page."""
        found: list[list[str]] = [[] for _ in range(self.page_count)]
        titles = self.tree.columns.titles
        for key, page in zip(self.keys, self.page_of_row.tolist(), strict=True):
            if self.tree.is_section(key) and titles[key]:
                found[page].append(titles[key])
        return found

    @cached_property
    def statements(self) -> dict[str, StatementPages]:
        """For each kind of primary statement: how much each page is one, in [0, 1]."""
        recognised: dict[str, list[int]] = {}
        for table in self.tables.values():
            if table.statement:
                recognised.setdefault(table.statement, []).extend(sorted({row.page_index for row in table.rows}))
        return statement_pages(self.rows, self.headings, recognised, self._lexicon)

    @cached_property
    def section_of_row(self) -> Integers:
        """The innermost section of each index row, numbered from 0 in reading order."""
        numbers: dict[int, int] = {}
        innermost = self.tree.innermost_sections()
        return np.array([numbers.setdefault(innermost[key], len(numbers)) for key in self.keys], dtype=np.int64)

    @cached_property
    def section_titles(self) -> list[frozenset[str]]:
        """The terms of each section's title, by the numbers of `section_of_row`."""
        titles = self.tree.columns.titles
        _, first = np.unique(self.section_of_row, return_index=True)
        return [frozenset(title_terms(titles[self.tree.section_of(self.keys[row])])) for row in first.tolist()]

    @cached_property
    def sections(self) -> GroupedRows:
        """The index rows grouped by innermost section."""
        return GroupedRows(self.segment, self.section_of_row, int(self.section_of_row.max(initial=-1)) + 1)
