"""Rows with a label and figures: of tables, and of texts that read like one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vectorless_web.engine.document.columns import TableOutline
from vectorless_web.engine.text.analyser import analyse, title_terms

_FIGURE = re.compile(r"(?<![\w.,-])[$€£(]*\s?\d[\d,.]*%?\)?(?![\w-])")
_FEWEST_FIGURES = 4
_WORDS_PER_FIGURE = 9
_LONGEST_LABEL = 12
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
