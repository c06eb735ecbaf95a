"""What a document's pages hold, as evidence sees it: row labels, headings, statements, boilerplate."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import TableOutline
from vectorless_web.engine.index.scoring import Integers
from vectorless_web.engine.index.segment import GroupedRows, Segment
from vectorless_web.engine.parsing.drafts import SOFT_HYPHEN
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.ranking.statements import (
    LabelledRow,
    StatementPages,
    rows_of_table,
    rows_of_text,
    statement_pages,
)
from vectorless_web.engine.text.analyser import analyse, title_terms

_CONTENTS = re.compile(
    r"\b(?:table of contents|contents|index to (?:consolidated )?financial statements|index)\b", re.IGNORECASE
)
_CONTENTS_LINE = re.compile(r"(?:\.{3,}|\s)\s*(?:[A-Z]-)?\d{1,3}\s*$", re.MULTILINE)
_ITEM_LINE = re.compile(r"^\s*(?:item|part|note|chapter|section|\d+\.)\s*[\dIVXA-C]*", re.IGNORECASE | re.MULTILINE)
_EXHIBIT_LINE = re.compile(
    r"\bincorporated (?:herein )?by reference\b|\bfiled (?:herewith|as exhibit)\b"
    r"|^\s*\*?\(?\d{1,3}\.\d{1,3}[a-z*]?\)?\s",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED_LINE = re.compile(r"^\s*\*?\(?\d{1,3}\.\d{1,3}", re.MULTILINE)
_DECIMAL = re.compile(r"\d\.\d")
_SIGNATURES = re.compile(
    r"pursuant to the requirements of (?:section 13|the securities exchange act).{0,400}duly (?:caused|authorized)",
    re.IGNORECASE | re.DOTALL,
)
_CAUTION = re.compile(
    r"\bforward[- ]looking (?:statements|information)\b|\bcautionary (?:note|statement)|\bsafe harbor\b", re.IGNORECASE
)
_AUDIT = re.compile(r"\breport of independent|\bindependent auditor", re.IGNORECASE)
_FEWEST_ENTRIES = 8
"""Lines ending in a page number that a page of contents has at least; shorter lists are those of a section, which hold
text too. Measured: 4 and 16 change no order."""
_FEWEST_EXHIBITS = 10
"""Lines of exhibits that a page listing them has at least: a page of notes mentions a few. Measured: 5 changes 1 order,
20 none."""
_FEWEST_FILED = 3
"""Mentions of "by reference" that a page listing exhibits has at least when it does not say "exhibit". Chosen by
reading lists that run on over several pages."""
_LONGEST_CONTENTS_LINE = 200
"""Characters; a page with a line of this length or more is prose, not contents. Measured: 100 changes 1 order, 400
none."""
_HEAD_LINES = 12
"""Lines at the top of a page among which its heading "Contents" or "Index" must stand. Measured: 6 and 24 change no
order."""
_ENTRIES_SHARE = 0.5
"""Share of a page's lines above which entries make it a page of contents. A line that ends in a page number and begins
with "Item" or the like counts twice. Measured: 0.25 changes 7 orders, 1.0 one, neither a hit."""
_CONTENTS_WORTH = 0.35
"""Share of its score that a page of contents keeps. Measured: 0.175 and 0.7 change 1 and 2 orders and no hit."""
_EXHIBITS_WORTH = 0.5
"""Share of its score that a list of exhibits keeps. Measured: 0.25 and 1.0 change none of the first ten pages; the
value orders pages further down."""
_SIGNATURES_WORTH = 0.7
"""Share of its score that a page of signatures keeps. Measured: 0.35 and 1.0 change none of the first ten pages; the
value orders pages further down."""
_CAUTION_WORTH = 0.6
"""Share of its score that a page keeps whose sections are all cautionary statements. Measured: 0.3 and 1.0 change none
of the first ten pages; the value orders pages further down."""
_AUDIT_WORTH = 0.75
"""Share of its score that a page keeps whose sections are all reports of an auditor. Measured: 0.375 and 1.0 change
none of the first ten pages; the value orders pages further down."""
_LABELS_READ = 4
"""Rows at the top of a table that are searched for years, besides its column headers and title. Measured: 2 and 8
change 2 orders each and no hit."""


def page_worth(text: str, titles: Sequence[str]) -> float:
    """A factor in (0, 1] for a page with that text; `titles` are the sections that begin on it or run on into it."""
    worth, lowered = 1.0, text.lower()
    if _is_contents(text, lowered):
        worth = _CONTENTS_WORTH
    elif _lists_exhibits(text, lowered):
        worth = _EXHIBITS_WORTH
    elif "pursuant to the requirements of" in lowered and _SIGNATURES.search(text):
        worth = _SIGNATURES_WORTH
    for pattern, factor in ((_CAUTION, _CAUTION_WORTH), (_AUDIT, _AUDIT_WORTH)):
        if titles and all(pattern.search(title) for title in titles):
            worth = min(worth, factor)
    return worth


def _lists_exhibits(text: str, lowered: str) -> bool:
    # Numbered clauses of a contract look the same but for these words.
    if "exhibit" not in lowered and lowered.count("by reference") < _FEWEST_FILED:
        return False
    # Counting plain words first spares nearly all pages the slow pattern, which finds no more than these.
    named = lowered.count("by reference") + lowered.count("filed ")
    if named + len(_DECIMAL.findall(text)) < _FEWEST_EXHIBITS:
        return False
    most = named + len(_NUMBERED_LINE.findall(text))
    return most >= _FEWEST_EXHIBITS and len(_EXHIBIT_LINE.findall(text)) >= _FEWEST_EXHIBITS


def _is_contents(text: str, lowered: str) -> bool:
    """A page that says so near its top and is mostly lines ending in page numbers."""
    if "contents" not in lowered and "index" not in lowered:
        return False
    lines = [line for line in map(str.rstrip, text.splitlines()) if line]
    if not lines or not _CONTENTS.search("\n".join(lines[:_HEAD_LINES])):
        return False
    numbered = sum(line[-1].isdecimal() and _CONTENTS_LINE.search(line) is not None for line in lines)
    if numbered < _FEWEST_ENTRIES:
        return False
    items = sum(bool(_ITEM_LINE.match(line)) for line in lines)
    return numbered + items > _ENTRIES_SHARE * len(lines) and max(map(len, lines)) < _LONGEST_CONTENTS_LINE


_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

CAUSE = re.compile(
    r"\b(?:due (?:primarily |mainly |largely |in part )?to|driven (?:primarily |mainly |largely )?by|as a result of"
    r"|because of|attribut(?:able|ed) to|resulting from|resulted from|offset by|reflect(?:s|ed|ing)|caused by|owing to"
    r"|impacted by)\b",
    re.IGNORECASE,
)
_CONFIDENT = 0.5
"""Score as a primary statement, in [0, 1], above which a page is not demoted as boilerplate. Without a title of the
kind no page gets beyond one half. Measured: 0.25 and 1.0 change no order."""


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
    def statements(self) -> dict[str, StatementPages]:
        """For each kind of primary statement: how much each page is one, in [0, 1]."""
        recognised: dict[str, list[int]] = {}
        for table in self.tables.values():
            if table.statement:
                recognised.setdefault(table.statement, []).extend(sorted({row.page_index for row in table.rows}))
        return statement_pages(self.rows, self.headings, recognised, self._lexicon)

    @cached_property
    def worth(self) -> list[float]:
        """For each page a factor in (0, 1]: below 1 for tables of contents, exhibit lists, cautionary text."""
        confident = {
            page
            for pages in self.statements.values()
            for page, confidence in enumerate(pages)
            if confidence > _CONFIDENT
        }
        return [1.0 if page in confident else self._page_worth(page) for page in range(self.page_count)]

    def _page_worth(self, page: int) -> float:
        return page_worth(self.document.page_text(page), [*self.running_sections[page][-1:], *self.headings[page]])

    @cached_property
    def running_sections(self) -> list[list[str]]:
        """For each page the titles of the sections its first node stands in, outermost first."""
        first = np.searchsorted(np.maximum.accumulate(self.page_of_row), np.arange(self.page_count))
        rows = np.minimum(first, len(self.keys) - 1).tolist()
        return [self.tree.path(self.tree.parent(self.keys[row])) if self.keys else [] for row in rows]

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

    @cached_property
    def page_references(self) -> list[tuple[int, int]]:
        """Pairs of pages (from, to) of which the first mentions something on the second, each once, ascending."""
        starts = self.tree.columns.integers("page_start")
        found = {
            (page, min(starts[reference.target], self.page_count - 1))
            for key, page in zip(self.keys, self.page_of_row.tolist(), strict=True)
            for reference in self.tree.references(key)
        }
        return sorted((source, target) for source, target in found if source != target)

    @cached_property
    def causal_texts(self) -> list[tuple[int, str]]:
        """Index row and analysed words (parted and framed by spaces) of the leaves that give a reason for something."""
        texts = self.tree.columns.texts
        return [
            (row, f" {' '.join(analyse(texts[key]))} ")
            for row, key in enumerate(self.keys)
            if key not in self.tables and self.tree.is_leaf(key) and CAUSE.search(texts[key])
        ]


def _years_of(node: Node) -> frozenset[int]:
    table = node.table
    if table is None:
        return frozenset(int(year) for year in _YEAR.findall(node.text))
    texts = [f"{column.header} {column.period}" for column in table.columns]
    texts += [node.title, *(node.text[row.offset : row.offset + row.length] for row in table.rows[:_LABELS_READ])]
    return frozenset(int(year) for text in texts for year in _YEAR.findall(text))
