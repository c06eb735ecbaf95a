"""What a document's pages and nodes hold, as the ranking sees them: words, row labels, headings, statements, shapes."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.tree import TableOutline
from vectorless_web.engine.index.scoring import Floats, Integers
from vectorless_web.engine.index.segment import GroupedRows, Segment
from vectorless_web.engine.parsing.tables.statements import recognise_statement
from vectorless_web.engine.text.analyser import analyse, title_terms
from vectorless_web.engine.text.word_vectors import Vectors, embed_terms

_LONG = 5.0
"""Natural logarithm of the terms from which a text counts as long: about 150."""
Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A table row with figures: its label's terms, its table's key and page."""

    terms: Terms
    key: int
    page_index: int


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
    def text_length(self) -> Floats:
        """How long each index row's text is, in [0, 1], on a logarithmic scale."""
        lengths = self.segment.lengths[:, self.segment.fields.index("text")]
        scaled: Floats = np.minimum(np.log1p(lengths.astype(np.float64)) / _LONG, 1.0)
        return scaled

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
        """The index rows grouped by the page that they begin on."""
        return GroupedRows(self.segment, self.page_of_row, self.page_count)

    @cached_property
    def tables(self) -> dict[int, TableOutline]:
        """The outlines of the tables, by key."""
        found = ((key, self.tree.columns.table(key)) for key in self.keys)
        return {key: table for key, table in found if table is not None}

    @cached_property
    def rows(self) -> list[LabelledRow]:
        """All rows of tables with a label and figures, in reading order."""
        return [
            LabelledRow(title_terms(row.label), key, row.page_index)
            for key, table in self.tables.items()
            for row in table.rows
            if row.figures and row.label and not row.is_header
        ]

    @cached_property
    def rows_with(self) -> dict[str, list[int]]:
        """For each term: numbers of the rows whose label holds the term."""
        found: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            for term in set(row.terms):
                found.setdefault(term, []).append(number)
        return found

    @cached_property
    def section_titles(self) -> list[frozenset[str]]:
        """The terms of the title of each index row's innermost section; a section is its own."""
        innermost, titles = self.tree.innermost_sections(), self.tree.columns.titles
        terms = {section: frozenset(title_terms(titles[section])) for section in set(innermost)}
        return [terms[innermost[key]] for key in self.keys]

    @cached_property
    def headings(self) -> list[list[frozenset[str]]]:
        """The terms of the titles of the sections that begin on each page."""
        found: list[list[frozenset[str]]] = [[] for _ in range(self.page_count)]
        for key, page, terms in zip(self.keys, self.page_of_row.tolist(), self.section_titles, strict=True):
            if self.tree.is_section(key) and terms:
                found[page].append(terms)
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
