"""Rows with a label and figures: of tables, and of texts that read like one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vectorless_web.engine.document.node import Node
from vectorless_web.engine.text.analyser import analyse, title_terms

_FIGURE = re.compile(r"(?<![\w.,-])[$€£(]*\s?\d[\d,.]*%?\)?(?![\w-])")
_FEWEST_FIGURES = 4
_WORDS_PER_FIGURE = 9
_LONGEST_LABEL = 12
_DIGIT = re.compile(r"\d")

Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A table row with figures: its label's terms, those of the labels above it, its table's key and page."""

    terms: Terms
    above: Terms
    key: int
    page_index: int
    figures: int


def labelled_rows(node: Node) -> Iterator[LabelledRow]:
    """The node's rows with figures, in reading order; none for a text that does not read like a table."""
    return _rows_of_table(node) if node.table is not None else _rows_of_text(node)


def _rows_of_table(node: Node) -> Iterator[LabelledRow]:
    assert node.table is not None
    above: Terms = ()
    for row in node.table.rows:
        figures = sum(bool(_DIGIT.search(cell.text)) for cell in row.cells[1:])
        if not figures:
            above = title_terms(row.label) or above
        elif row.label and not row.is_header:
            path = tuple(term for label in row.path for term in title_terms(label))
            yield LabelledRow(title_terms(row.label), path or above, node.key, row.page_index, figures)


def _rows_of_text(node: Node) -> Iterator[LabelledRow]:
    """Rows of a table that came out as running text: the words before each group of figures."""
    figures = list(_FIGURE.finditer(node.text))
    if len(figures) < _FEWEST_FIGURES or len(figures) * _WORDS_PER_FIGURE < len(node.text.split()):
        return
    start = 0
    for figure in figures:
        terms = tuple(analyse(node.text[start : figure.start()]))
        start = figure.end()
        if terms:
            yield LabelledRow(terms[-_LONGEST_LABEL:], (), node.key, node.page_start, 1)
