"""Splits printed lines into cells by the gaps between their words."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.parsing.lines import Line, Page

_GAP = 0.85
"""Ems between two words from which they stand in two cells; the space of a word is a quarter to a third of an em."""
_CURRENCY_GAP = 0.45
"""The same between two figures, or a figure and a currency sign: no words are this far apart inside a figure."""
_COLUMNS, _NARROW_GAP, _TIMES_USUAL = 2, 0.55, 1.8
"""In a line of so many wide gaps and more, the gap that parts cells in ems, and in times of the line's usual space."""
_FAR = 3.0
"""Times the gap that parts cells, from which a sign belongs to no year beside it: "2021   %" over "Change"."""
_LONGEST_FIGURE, _BACKWARDS = 48, 3
"""Characters that a figure with its signs has fewer of, and words standing left of the one before from which a line
reads from right to left."""
_CURRENCY = re.compile(r"^[($€£¥₹(]*(?:[$€£¥₹]|US\$|USD|EUR)$")
_MARK = re.compile(r"^\((?:[a-z]|\d{1,2})\)$|^[*†‡]+$", re.IGNORECASE)
_SUFFIX = re.compile(r"^(?:%|\)|\)%|x|pts?\.?|pps?|bps|:)$")
_NUMBER = re.compile(
    # Thousands of a currency are no figure: "£000" over a column.
    r"^(?!(?:US)?[$€£¥₹]\s?000$)"
    r"(?:[<>≤≥≈~±+]\s?)?(?:US)?[$€£¥₹]?\s*[(\[–—−-]{0,2}\s*[$€£¥₹]?\s*(?:\d[\d,.’' ]*|\.\d+)\s*[%)\]xX]{0,3}"
    r"(?:(?<=\d)[a-h]{1,4})?(?:\s*(?:%|bps|pps?|pts))?(?:\s?[(±]\s?\d+(?:\.\d+)?\s?%?\)?)?(?:\s*(?:\([a-zA-Z0-9]{1,2}\)|\*+))*$"
)
_DECIMALS = re.compile(r"^[–−-]?[\d,]*\d\.\d+%?(?:\(\d+(?:\.\d+)?\))?$")
_ENDS_FIGURE = frozenset("0123456789%)")
_ACCENTS = frozenset("´`¨ˆ˜ˇ˚¸˘˙˝˛¯")
_YEAR = re.compile(r"^(?:19|20)\d\d$")
_ISO_DATE = re.compile(r"^(?:19|20)\d\d-\d\d-\d\d$")
_NIL = re.compile(
    r"^(?:[$€£¥₹]\s*)?(?:[–—−-]{1,3}|n/?[ma]|nm|n\.m\.|n\.a\.|\*{1,3})\s*(?:%|\)|\([a-z]\))*$", re.IGNORECASE
)


@dataclass(slots=True)
class CellSpan:
    """A cell of one printed line: raw characters `start` to `end` of the page, edges in points.

    `words` are the boxes of its words, where they are known.
    """

    page: int
    start: int
    end: int
    left: float
    right: float
    numeric: bool
    text: str
    words: Sequence[Sequence[float]] | NDArray[np.float32] = field(default=(), repr=False, compare=False)


def is_number(text: str) -> bool:
    """Whether a cell's text is a figure, a dash that stands for one, or "not meaningful"."""
    return bool(_NUMBER.match(text) or _NIL.match(text) or _ISO_DATE.match(text))


def _is_figure(text: str) -> bool:
    return len(text) < _LONGEST_FIGURE and not text.rstrip().endswith(",") and is_number(" ".join(text.split()))


def split_cells(page: Page, line: Line) -> list[CellSpan]:
    """The cells of a line, from left to right."""
    if not line.gapped:
        return [whole_line(page, line, numeric=_is_figure(line.text))]
    first, last = line.words
    boxes, spans = page.boxes[first:last].tolist(), page.spans[first:last].tolist()
    along = _mirror_boxes(boxes) if _reads_leftwards(boxes) else boxes
    if not _has_gap(along, line.style.size):
        return [_span(page, spans, boxes)]
    order = sorted(range(len(boxes)), key=lambda k: along[k][0])
    boxes, along, spans = [boxes[k] for k in order], [along[k] for k in order], [spans[k] for k in order]
    limit = _cell_gap(along, line.style.size)
    cells: list[CellSpan] = []
    begun = 0
    for k in range(1, len(boxes) + 1):
        # A cell is one stretch of the raw text, or it would hold what stands between its words there.
        if k == len(boxes) or order[k] != order[k - 1] + 1 or _parts(page.text, spans, along, k, limit):
            cells.append(_span(page, spans[begun:k], boxes[begun:k]))
            begun = k
    return sorted(cells, key=lambda cell: cell.left)


def whole_line(page: Page, line: Line, *, numeric: bool = False) -> CellSpan:
    """A line as one cell."""
    words = page.boxes[slice(*line.words)]
    return CellSpan(line.page, line.start, line.end, line.left, line.right, numeric, line.text, words)


def _reads_leftwards(boxes: list[list[float]]) -> bool:
    """Whether most words stand left of the word before them, as Hebrew and Arabic do."""
    back = sum(after[0] < before[0] for before, after in itertools.pairwise(boxes))
    return back >= _BACKWARDS and 2 * back >= len(boxes)


def _mirror_boxes(boxes: list[list[float]]) -> list[list[float]]:
    return [[-right, top, -left, bottom] for left, top, right, bottom in boxes]


def _cell_gap(boxes: list[list[float]], size: float) -> float:
    """The gap that parts cells: nearly an em; less in a line of several columns, where words keep their usual space."""
    gaps = sorted(after[0] - before[2] for before, after in itertools.pairwise(boxes))
    wide = sum(gap > _GAP * size for gap in gaps)
    if wide < _COLUMNS:
        return _GAP * size
    usual = gaps[(len(gaps) - wide) // 2] if len(gaps) > wide else 0.0
    return min(max(_NARROW_GAP * size, _TIMES_USUAL * usual), _GAP * size)


def _has_gap(boxes: list[list[float]], size: float) -> bool:
    limit = _CURRENCY_GAP * size
    right = boxes[0][2]
    for box in boxes[1:]:
        if box[0] - right > limit or box[0] < right - size:
            return True
        right = box[2]
    return False


def _parts(text: str, spans: list[list[int]], boxes: list[list[float]], k: int, limit: float) -> bool:
    gap = boxes[k][0] - boxes[k - 1][2]
    if gap <= _CURRENCY_GAP / _GAP * limit and spans[k][0] >= spans[k - 1][1]:
        # The space between two words, in most cases.
        return text[spans[k - 1][1] - 1] in _ENDS_FIGURE and _are_two_figures(text, spans, k)
    word, before = text[spans[k][0] : spans[k][1]], text[spans[k - 1][0] : spans[k - 1][1]]
    following = text[spans[k + 1][0] : spans[k + 1][1]] if k + 1 < len(spans) else ""
    apart = {word, before} & _ACCENTS and abs(gap) < limit  # an accent printed apart from its letter
    if apart or (before == "%" and word[:1].isalpha() and _names_change(text, spans, k, gap / limit)):
        return False
    if _begins_column(word, following, boxes, k, limit):
        return True
    if _CURRENCY.match(before) or _SUFFIX.match(word):
        far = gap > _FAR * limit and bool(_SUFFIX.match(word)) and (bool(_YEAR.match(before)) or not is_number(before))
        return far or (gap > limit and not is_number(word) and not _SUFFIX.match(word))
    if spans[k][0] < spans[k - 1][1]:
        return True
    if _MARK.match(word) and gap < 2 * limit and not is_number(before) and before[-1:].isalnum():
        return False  # a footnote's mark behind a label
    if gap > limit:
        return True
    if (_MARK.match(before) or _SUFFIX.match(before)) and k > 1 and is_number(text[spans[k - 2][0] : spans[k - 2][1]]):
        before = text[spans[k - 2][0] : spans[k - 2][1]]  # "8,399 (a)" is one figure
    return gap > _CURRENCY_GAP / _GAP * limit and is_number(before) and (bool(_CURRENCY.match(word)) or is_number(word))


def _are_two_figures(text: str, spans: list[list[int]], k: int) -> bool:
    return all(_DECIMALS.match(text[start:end]) for start, end in (spans[k - 1], spans[k]))


def _names_change(text: str, spans: list[list[int]], k: int, gaps: float) -> bool:
    """Whether a word belongs to the sign before it: "%  Change". The gap is given in widths of a cell gap."""
    figure = text[spans[k - 2][0] : spans[k - 2][1]] if k > 1 else ""
    return gaps < _GAP / _NARROW_GAP and (not is_number(figure) or bool(_YEAR.match(figure)))


def _begins_column(word: str, following: str, boxes: list[list[float]], k: int, limit: float) -> bool:
    """Whether a sign opens a new column without a gap before it: "Income $     23", "2022  % Change"."""
    if word == "%":
        return following[:1].isalpha() and boxes[k][0] - boxes[k - 1][2] > _CURRENCY_GAP / _GAP * limit
    return bool(_CURRENCY.match(word)) and is_number(following) and boxes[k + 1][0] - boxes[k][2] > limit


def _span(page: Page, spans: list[list[int]], boxes: list[list[float]]) -> CellSpan:
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    text = page.text[start:end]
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    return CellSpan(page.index, start, end, left, right, _is_figure(text), text, boxes)
