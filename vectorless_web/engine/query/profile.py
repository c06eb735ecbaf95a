"""What a document's pages hold, as evidence sees it: row labels, headings, primary statements, boilerplate."""

import re
from functools import cached_property

import numpy as np

from vectorless_web.engine.document.artefact import CompiledDocument
from vectorless_web.engine.document.node import Node, NodeKind
from vectorless_web.engine.index.grouped import GroupedRows
from vectorless_web.engine.index.scoring import Integers
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.query.boilerplate import page_worth
from vectorless_web.engine.query.labels import LabelledRow, labelled_rows
from vectorless_web.engine.query.lexicon import Lexicon
from vectorless_web.engine.query.statements import StatementPages, statement_pages
from vectorless_web.engine.text.analyser import analyse

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

_CAUSE = re.compile(
    r"\b(?:due (?:primarily |mainly |largely |in part )?to|driven (?:primarily |mainly |largely )?by|as a result of"
    r"|because of|attribut(?:able|ed) to|resulting from|resulted from|offset by|reflect(?:s|ed|ing)|caused by|owing to"
    r"|impacted by)\b",
    re.IGNORECASE,
)
_SURELY = 0.5


class DocumentProfile:
    """Facts about a compiled document that scoring needs; each worked out when first asked for, then kept."""

    def __init__(self, document: CompiledDocument, lexicon: Lexicon) -> None:
        self.document = document
        self.tree = document.tree
        self.segment = Segment(document.segment)
        self.page_count = max(1, len(document.pages))
        self._lexicon = lexicon

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes of the index, in the order of its rows."""
        return [self.tree.node(int(key)) for key in self.segment.keys]

    @cached_property
    def page_of_row(self) -> Integers:
        """First page index of each index row; a heading left alone at the foot of a page goes with what follows it."""
        pages = [min(node.page_start, self.page_count - 1) for node in self.nodes]
        for row in range(len(pages) - 2, -1, -1):
            if self.nodes[row].kind is NodeKind.SECTION and self.nodes[row + 1].parent == self.nodes[row].key:
                pages[row] = pages[row + 1] if pages[row + 1] == pages[row] + 1 else pages[row]
        return np.array(pages, dtype=np.int64)

    @cached_property
    def pages(self) -> GroupedRows:
        """The index rows grouped by page."""
        return GroupedRows(self.segment, self.page_of_row, self.page_count)

    @cached_property
    def rows(self) -> list[LabelledRow]:
        """All labelled rows that hold figures, in reading order: of tables, and of texts that read like one."""
        found: list[LabelledRow] = []
        for node in self.nodes:
            found.extend(labelled_rows(node))
        return found

    @cached_property
    def rows_with(self) -> dict[str, list[int]]:
        """For each term: numbers of the rows whose label, or a label above it, holds the term."""
        found: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            for term in {*row.terms, *row.above}:
                found.setdefault(term, []).append(number)
        return found

    @cached_property
    def years(self) -> dict[int, frozenset[int]]:
        """For each node with labelled rows, by key: the years that head its figures."""
        return {key: _years_of(self.tree.node(key)) for key in {row.key for row in self.rows}}

    @cached_property
    def headings(self) -> list[list[str]]:
        """Titles of the sections that begin on each page."""
        found: list[list[str]] = [[] for _ in range(self.page_count)]
        for node, page in zip(self.nodes, self.page_of_row, strict=True):
            if node.kind is NodeKind.SECTION and node.title:
                found[page].append(node.title)
        return found

    @cached_property
    def statements(self) -> dict[str, StatementPages]:
        """For each kind of primary statement: how much each page is one, in [0, 1]."""
        recognised: dict[str, list[int]] = {}
        for node in self.nodes:
            if node.table is not None and node.table.statement:
                pages = {row.page_index for row in node.table.rows}
                recognised.setdefault(node.table.statement, []).extend(sorted(pages))
        return statement_pages(self.rows, self.headings, recognised, self._lexicon)

    @cached_property
    def worth(self) -> list[float]:
        """For each page a factor in (0, 1]: below 1 for tables of contents, exhibit lists, cautionary text."""
        return [1.0 if self._is_statement(page) else self._page_worth(page) for page in range(self.page_count)]

    def _is_statement(self, page: int) -> bool:
        return any(pages[page] > _SURELY for pages in self.statements.values())

    def _page_worth(self, page: int) -> float:
        return page_worth(self.document.page_text(page), [*self.running_sections[page][-1:], *self.headings[page]])

    @cached_property
    def running_sections(self) -> list[list[str]]:
        """For each page the titles of the sections its first node stands in, outermost first."""
        first = np.searchsorted(np.maximum.accumulate(self.page_of_row), np.arange(self.page_count))
        rows = np.minimum(first, len(self.nodes) - 1)
        return [self.tree.path(self.nodes[row].parent) if self.nodes else [] for row in rows]

    @cached_property
    def section_of_row(self) -> Integers:
        """The innermost section of each index row, numbered from 0 in reading order."""
        numbers: dict[int, int] = {}
        return np.array(
            [numbers.setdefault(self.tree.section_of(node.key), len(numbers)) for node in self.nodes], dtype=np.int64
        )

    @cached_property
    def sections(self) -> GroupedRows:
        """The index rows grouped by innermost section."""
        return GroupedRows(self.segment, self.section_of_row, int(self.section_of_row.max(initial=-1)) + 1)

    @cached_property
    def page_references(self) -> list[tuple[int, int]]:
        """Pairs of pages (from, to) of which the first mentions something on the second, each once, ascending."""
        found = {
            (int(page), min(self.tree.node(reference.target).page_start, self.page_count - 1))
            for node, page in zip(self.nodes, self.page_of_row, strict=True)
            for reference in self.tree.references(node.key)
        }
        return sorted((source, target) for source, target in found if source != target)

    @cached_property
    def causal_texts(self) -> list[tuple[int, str]]:
        """Index row and analysed words (parted and framed by spaces) of the leaves that give a reason for something."""
        return [
            (row, f" {' '.join(analyse(node.text))} ")
            for row, node in enumerate(self.nodes)
            if node.is_leaf and node.table is None and _CAUSE.search(node.text)
        ]


def _years_of(node: Node) -> frozenset[int]:
    table = node.table
    if table is None:
        return frozenset(int(year) for year in _YEAR.findall(node.text))
    texts = [f"{column.header} {column.period}" for column in table.columns]
    texts += [node.title, *(node.text[row.offset : row.offset + row.length] for row in table.rows[:4])]
    return frozenset(int(year) for text in texts for year in _YEAR.findall(text))
