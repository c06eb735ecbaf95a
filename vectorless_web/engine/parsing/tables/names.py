"""Parts header cells that hold the names of several columns, by where their words are printed."""

import itertools
import re
from collections.abc import Callable, Sequence

from vectorless_web.engine.parsing.tables.cells import CellSpan
from vectorless_web.engine.parsing.tables.regions import UNITS_LINE

Edge = tuple[float, float]

_WORD = re.compile(r"\S+")
_SAME_PLACE = 3.0
"""Points within which a name lines up with the edge or the middle of its column."""
_OVER = 6.0
"""Points by which the middle of a column's only word may stand beside the column."""
_PAIR = 2


def part_names(cells: Sequence[CellSpan], columns: Sequence[Edge]) -> list[CellSpan]:
    """The cells of the lowest line of a header, each that holds the names of several columns parted into these.

    Lines above it are left whole: what they say of several columns may line up with these by chance.
    """
    return [part for cell in cells for part in _cut(cell, _find_ends(cell, columns))]


def _find_ends(cell: CellSpan, columns: Sequence[Edge]) -> list[int]:
    """The last word of each name, where the words line up with the columns below, at an edge or centred."""
    below = [edge for edge in columns if min(cell.right, edge[1]) > max(cell.left, edge[0])]
    words = [(float(box[0]), float(box[2])) for box in cell.words]
    if len(below) < _PAIR or len(words) != len(cell.text.split()) or UNITS_LINE.search(cell.text):
        return []
    found = (_line_up(words, below, align) for align in (_left, _right, _middle))
    ends = next(filter(None, found), [])
    if not ends and len(words) == len(below) and all(map(_is_over, words, below)):
        return list(range(len(words)))
    return ends


def _cut(cell: CellSpan, ends: Sequence[int]) -> list[CellSpan]:
    places = [match.span() for match in _WORD.finditer(cell.text)]
    parts = []
    for before, last in itertools.pairwise([-1, *ends]):
        start, end = places[before + 1][0], places[last][1]
        boxes = cell.words[before + 1 : last + 1]
        left, right = float(boxes[0][0]), float(boxes[-1][2])
        text = cell.text[start:end]
        parts.append(CellSpan(cell.page, cell.start + start, cell.start + end, left, right, False, text, boxes))
    return parts or [cell]


def _line_up(
    words: Sequence[Edge], columns: Sequence[Edge], align: Callable[[Edge], float], first: int = 0
) -> list[int]:
    """The number of the last word of each column's name, [] where the words do not line up with the columns."""
    for last in range(first, len(words) - len(columns) + 1):
        if abs(align((words[first][0], words[last][1])) - align(columns[0])) < _SAME_PLACE:
            if len(columns) == 1:
                if last == len(words) - 1:
                    return [last]
                continue
            rest = _line_up(words, columns[1:], align, last + 1)
            if rest:
                return [last, *rest]
    return []


def _left(edge: Edge) -> float:
    return edge[0]


def _right(edge: Edge) -> float:
    return edge[1]


def _middle(edge: Edge) -> float:
    return (edge[0] + edge[1]) / 2


def _is_over(word: Edge, column: Edge) -> bool:
    return column[0] - _OVER < _middle(word) < column[1] + _OVER
