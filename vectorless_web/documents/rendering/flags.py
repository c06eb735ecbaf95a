"""Where the numbered flags of citations stand in the margins of a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

DRAWN_WIDTH = 816.0
"""The page width for which the template draws a flag of 28 x 23."""
FLAG_WIDTH, FLAG_HEIGHT = 28.0, 23.0
INSET = 22.0
OVERHANG = 14.0
"""How far a flag may hang over the edge beside text that begins there."""
GAP = 3.0


@dataclass(frozen=True, slots=True)
class Marked:
    """A citation on a page: its marker, its boxes (x, y, width, height in points from the top left), whether lit."""

    marker: int
    boxes: Sequence[Sequence[float]]
    on: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag: its top left corner in points, and the scale at which it is drawn."""

    marker: int
    x: float
    y: float
    scale: float
    on: bool


def place_flags(marked: Sequence[Marked], width: float, height: float) -> tuple[Flag, ...]:
    """Place one flag for each citation, level with its first line: left if there is room, else right,
    else lower or higher.

    A citation without boxes gets no flag. Flags never overlap. One beside text that begins at the edge
    of the page hangs over it by half, so that it covers no word.
    """
    scale = round(width / DRAWN_WIDTH, 3)
    flags: list[Flag] = []
    for mark in sorted((mark for mark in marked if mark.boxes), key=lambda mark: (_find_top(mark), mark.marker)):
        flags.append(_free_place(mark, flags, width, height, scale))
    return tuple(flags)


def _free_place(mark: Marked, flags: Sequence[Flag], width: float, height: float, scale: float) -> Flag:
    text_at = min(box[0] for box in mark.boxes) - (FLAG_WIDTH + GAP) * scale
    x_left, x_right = max(min(INSET * scale, text_at), -OVERHANG * scale), width - (INSET + FLAG_WIDTH) * scale
    levels = list(_levels(mark, height, scale))
    for y in levels:
        for x in (x_left, x_right):
            if not any(_overlap(flag, x, y, scale) for flag in flags):
                return Flag(mark.marker, round(x, 1), round(y, 1), scale, mark.on)
    return Flag(mark.marker, round(x_left, 1), round(levels[0], 1), scale, mark.on)


def _levels(mark: Marked, height: float, scale: float) -> Iterator[float]:
    """Tops that a flag may have on the page: level with the first line, then lower and higher by turns."""
    first = min(mark.boxes, key=lambda box: (box[1], box[0]))
    lowest = max(height - FLAG_HEIGHT * scale, 0.0)
    level = min(max(first[1] + first[3] / 2 - FLAG_HEIGHT * scale / 2, 0.0), lowest)
    step = FLAG_HEIGHT * scale / 2
    yield level
    for number in range(1, int(height / step) + 1):
        yield from (y for y in (level + number * step, level - number * step) if 0 <= y <= lowest)


def _find_top(mark: Marked) -> float:
    return min(box[1] for box in mark.boxes)


def _overlap(flag: Flag, x: float, y: float, scale: float) -> bool:
    return abs(flag.x - x) < FLAG_WIDTH * scale and abs(flag.y - y) < (FLAG_HEIGHT + 1) * scale
