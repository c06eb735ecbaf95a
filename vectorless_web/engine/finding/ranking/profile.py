"""What a document's pages and nodes hold, as the ranking sees them: words, row labels, headings, statements, shapes."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import TableOutline
from vectorless_web.engine.finding.ranking.statements import (
    LabelledRow,
    StatementPages,
    rows_of_table,
    rows_of_text,
    statement_pages,
)
from vectorless_web.engine.index.scoring import Floats, Integers
from vectorless_web.engine.index.segment import GroupedRows, Segment
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.text.analyser import analyse, title_terms

SOFT_HYPHEN = "\u00ad"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SHORT = 5
"""Terms below which a node's text is a bare label, a page number or an identifier."""
_LONG = 5.0
"""Natural logarithm of the terms from which a text counts as long: about 150."""
_LABELS_READ = 4
"""Rows at the top of a table that are searched for years, besides its column headers and title. Measured on 65
questions over filings: 2 and 8 change no hit."""


class DocumentProfile:
    """Facts about a compiled document that scoring needs; each worked out when first asked for, then kept."""

    def __init__(self, document: CompiledDocument, lexicon: Lexicon) -> None:
        self.document = document
        self.tree = document.tree
        self.segment = Segment(document.segment)
        self.page_count = max(1, len(document.pages))
        self._lexicon = lexicon
        self._years: dict[int, frozenset[int]] = {}

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
        """For each term: numbers of the rows whose label, or a label above it, holds the term."""
        found: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            for term in {*row.terms, *row.above}:
                found.setdefault(term, []).append(number)
        return found

    def years(self, key: int) -> frozenset[int]:
        """The years that head the figures of a node with labelled rows."""
        if key not in self._years:
            self._years[key] = _years_of(self.tree.node(key))
        return self._years[key]

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
    def running_sections(self) -> list[list[str]]:
        """For each page the titles of the sections its first node stands in, outermost first."""
        first = np.searchsorted(np.maximum.accumulate(self.page_of_row), np.arange(self.page_count))
        rows = np.minimum(first, len(self.keys) - 1).tolist()
        return [self.tree.path(self.tree.parent(self.keys[row])) if self.keys else [] for row in rows]

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


def _years_of(node: Node) -> frozenset[int]:
    table = node.table
    if table is None:
        return frozenset(int(year) for year in _YEAR.findall(node.text))
    texts = [f"{column.header} {column.period}" for column in table.columns]
    texts += [node.title, *(node.text[row.offset : row.offset + row.length] for row in table.rows[:_LABELS_READ])]
    return frozenset(int(year) for text in texts for year in _YEAR.findall(text))
