"""What a document's pages and nodes hold, as the ranking sees them: words, row labels, headings, statements, shapes."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import TableOutline
from vectorless_web.engine.index.scoring import Floats, Integers
from vectorless_web.engine.index.segment import GroupedRows, Segment
from vectorless_web.engine.parsing.tables.statements import recognise_statement
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


class DocumentProfile:
    """Facts about a compiled document that scoring needs; each worked out when first asked for, then kept."""

    def __init__(self, document: CompiledDocument) -> None:
        self.document = document
        self.tree = document.tree
        self.segment = Segment(document.segment)
        self.page_count = max(1, len(document.pages))

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
        """First page index of each index row."""
        starts = self.tree.columns.integers("page_start")
        return np.array([min(starts[key], self.page_count - 1) for key in self.keys], dtype=np.int64)

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
    def statements(self) -> dict[str, Floats]:
        """For each kind of primary statement that the document has: 1 for the pages it stands on, 0 for the others."""
        known = {key: table.statement for key, table in self.tables.items()}
        if not any(known.values()):
            # Only PDFs are compiled with it.
            known = {key: self._recognise(key, table) for key, table in self.tables.items()}
        found: dict[str, Floats] = {}
        for key, kind in known.items():
            if kind:
                pages = sorted({min(row.page_index, self.page_count - 1) for row in self.tables[key].rows})
                found.setdefault(kind, np.zeros(self.page_count))[pages] = 1.0
        return found

    def _recognise(self, key: int, table: TableOutline) -> str:
        title = self.tree.columns.titles[self.tree.section_of(key)]
        return recognise_statement(title, [row.label for row in table.rows], excerpts=False)

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
