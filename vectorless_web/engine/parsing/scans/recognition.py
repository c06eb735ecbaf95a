"""Text recognition (OCR) of pages that are pictures: turned, straightened, read, and put back onto the page.

The program that recognises is a collaborator. It sees a grey picture that reads from left to right and says which
words stand where; all places are mapped back to points of the page as it is displayed.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Protocol

import numpy as np

from vectorless_web.engine.documents.recognised import RecognisedWord
from vectorless_web.engine.errors import RecognitionFailed
from vectorless_web.engine.parsing.lines import Line, Page, Style, Tone
from vectorless_web.engine.parsing.scans.straighten import GreyPicture, Upright, may_be_turned, straighten


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A word seen in a picture: its box in pixels from the top left, the number of its line, percent of sureness."""

    text: str
    line: int
    left: float
    top: float
    right: float
    bottom: float
    confidence: int


class Recogniser(Protocol):
    """What recognises text. All methods raise RecognitionFailed when the program is missing, fails or is too slow."""

    def draw(self, make: Callable[[], GreyPicture]) -> GreyPicture:
        """The picture that `make` draws, which for a hostile page takes for ever."""

    def find_turn(self, picture: GreyPicture) -> int:
        """Quarter turns clockwise (0 to 3) that make the picture's text upright; 0 when it cannot tell."""

    def read_words(self, picture: GreyPicture) -> Sequence[SeenWord]:
        """The words of an upright picture, line by line from the top."""


@dataclass(frozen=True, slots=True)
class NoRecogniser:
    """Stands where no program is: says of each page why it stays unread."""

    why: str = "text recognition (OCR) is not installed"

    def draw(self, make: Callable[[], GreyPicture]) -> GreyPicture:
        """Raise RecognitionFailed."""
        raise RecognitionFailed(self.why, code="recognition_missing")

    def find_turn(self, picture: GreyPicture) -> int:
        """Raise RecognitionFailed."""
        raise RecognitionFailed(self.why, code="recognition_missing")

    def read_words(self, picture: GreyPicture) -> Sequence[SeenWord]:
        """Raise RecognitionFailed."""
        raise RecognitionFailed(self.why, code="recognition_missing")


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """A page made of recognised words, and those words with their places on the displayed page."""

    page: Page
    words: Sequence[RecognisedWord]


_POORLY = 70
"""Mean percent of sureness below which the turn is looked for after all. Upright filings at 200 dpi have 93 to 97, the
same pages upside down 25 to 50."""
_FEWEST = 3
"""Words below which a picture says nothing about its turn."""


def recognise_page(
    picture: GreyPicture, *, index: int, shown: tuple[float, float], recogniser: Recogniser
) -> RecognisedPage:
    """Read the picture of page `index` (from 0), which is displayed `shown` points wide and high.

    Looking for the turn takes half as long as reading. It is done only when lines seem to run up and down, or when
    what was read is poor, as it is upside down. Raises RecognitionFailed.
    """
    turn = recogniser.find_turn(picture) if may_be_turned(picture) else 0
    upright = straighten(picture, turn)
    seen = recogniser.read_words(upright.picture)
    if not turn and (len(seen) >= _FEWEST and statistics.fmean(word.confidence for word in seen) < _POORLY):
        turn = recogniser.find_turn(picture)
        if turn:
            upright = straighten(picture, turn)
            seen = recogniser.read_words(upright.picture)
    return _PageMaker(upright, index, shown).make(order_columns(_drop_noise(seen)))


_NOISE = 30
"""Percent below which a word without two letters or digits is a speck, an edge or a part of a drawing."""


def _drop_noise(seen: Sequence[SeenWord]) -> list[SeenWord]:
    said = (word for word in seen if word.text.strip())
    return [word for word in said if word.confidence >= _NOISE or sum(map(str.isalnum, word.text)) > 1]


_PLACES = 120
"""Places across the text at which a gap between columns is looked for: one in five points of a page."""
_INNER = 0.22
"""Share of the text's width from either edge within which no column ends: a narrower one holds labels or dates."""
_FEWEST_LINES = 6
"""Lines that each column must have; a few lines beside each other are two addresses or two signatures."""
_BETWEEN = 0.5
"""Heights of a word that must be free between columns; words of a line are .2 to .4 apart."""
_FILLED, _WORDS, _LETTERED = 0.6, 3.5, 0.75
"""What makes a column running text: the share of its width that its usual line fills, words of a line, and the share of
these that are no figures. A table's labels fill less, and its other columns are figures."""
_DEEPEST = 2
"""Times that columns are looked for within a column: four beside each other at most."""

_SeenLine = Sequence[SeenWord]
_SeenLines = Sequence[_SeenLine]


def order_columns(seen: Sequence[SeenWord], depth: int = 0) -> list[SeenWord]:
    """The words of a page with columns of running text one after the other, each line by line; tables stay rows.

    The program that recognises takes what stands side by side for one line. Lines are numbered anew.
    """
    lines = [list(group) for _, group in groupby(seen, key=lambda word: word.line)]
    ordered = _order_lines(lines, depth)
    return [replace(word, line=number) for number, line in enumerate(ordered) for word in line]


def _order_lines(lines: Sequence[_SeenLine], depth: int) -> list[_SeenLine]:
    found = _find_columns(lines) if depth <= _DEEPEST and len(lines) >= _FEWEST_LINES else None
    if found is None:
        return list(lines)
    before, left, right, after = found
    parts = (_order_lines(part, depth + 1) for part in (before, left, right, after))
    return [line for part in parts for line in part]


def _find_columns(lines: Sequence[_SeenLine]) -> tuple[_SeenLines, _SeenLines, _SeenLines, _SeenLines] | None:
    """(lines above, left column, right column, lines below) of the longest run of lines with a gap at one place."""
    placed = sorted(lines, key=lambda line: statistics.fmean(word.top + word.bottom for word in line))
    start = min(word.left for line in lines for word in line)
    width = max(word.right for line in lines for word in line) - start
    steps = range(round(_INNER * _PLACES), round((1 - _INNER) * _PLACES) + 1)
    free = _BETWEEN / 2 * _usual_height(lines)
    runs = ((*_longest_run(placed, place, free), place) for place in (start + width * step / _PLACES for step in steps))
    # Of places that part equally many lines, the middle one is furthest from the words on either side.
    best = sorted(runs, key=lambda run: run[0] - run[1])
    best = [run for run in best if run[0] - run[1] == best[0][0] - best[0][1]]
    first, last, place = best[len(best) // 2]
    left = [part for line in placed[first:last] if (part := [word for word in line if word.right <= place])]
    right = [part for line in placed[first:last] if (part := [word for word in line if word.left >= place])]
    if not (_is_column(left) and _is_column(right) and _stand_apart(left, right)):
        return None
    return placed[:first], left, right, placed[last:]


def _usual_height(lines: Sequence[_SeenLine]) -> float:
    return statistics.median(word.bottom - word.top for line in lines for word in line)


def _longest_run(lines: Sequence[_SeenLine], place: float, free: float) -> tuple[int, int]:
    """(first, last + 1) of the longest run of lines without a word nearer than `free` to a place."""
    best, begun = (0, 0), 0
    for number, line in enumerate([*lines, None]):
        if line is None or any(word.left < place + free and place - free < word.right for word in line):
            best = max(best, (begun, number), key=lambda run: run[1] - run[0])
            begun = number + 1
    return best


def _is_column(lines: Sequence[_SeenLine]) -> bool:
    """Whether lines are running text: many, most of them filling their width with words."""
    if len(lines) < _FEWEST_LINES:
        return False
    words = [word for line in lines for word in line]
    width = max(word.right for word in words) - min(word.left for word in words)
    filled = statistics.median(max(word.right for word in line) - min(word.left for word in line) for line in lines)
    lettered = sum(any(map(str.isalpha, word.text)) for word in words)
    return filled >= _FILLED * width and len(words) >= _WORDS * len(lines) and lettered >= _LETTERED * len(words)


def _stand_apart(left: Sequence[_SeenLine], right: Sequence[_SeenLine]) -> bool:
    height = _usual_height([*left, *right])
    ends = sorted(max(word.right for word in line) for line in left)
    begins = sorted(min(word.left for word in line) for line in right)
    return begins[len(begins) // 10] - ends[-1 - len(ends) // 10] >= _BETWEEN * height


_ASCENDING = frozenset("bdfhijklt0123456789ßäöüéèáàíìóòúùñ?!()[]{}/|\\$€£§&%#@“”‘’\"'")
_DESCENDING = frozenset("gjpqyçQ,;()[]{}/|\\$§")
_X_HEIGHT, _CAPITAL, _DESCENT = 0.48, 0.70, 0.21
"""Heights of small letters and capitals and the depth below the line, in sizes of the font: between those of Times
(.45, .66, .22) and Arial (.52, .72, .21)."""
_ABOVE, _BELOW = 0.9, 0.22
"""How far the box that PDFium gives a character of a font reaches above and below the line, in sizes of the font."""
_ALIKE = 0.15
"""Share by which the measured sizes of two lines may differ and be of one font size."""
_GAP = 0.33
"""Heights of a word above which a gap is wider than a space, as with the words of a PDF."""


@dataclass(slots=True)
class _PageMaker:
    upright: Upright
    index: int
    shown: tuple[float, float]
    text: str = ""
    spans: list[tuple[int, int]] = field(default_factory=list)
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    words: list[RecognisedWord] = field(default_factory=list)

    def make(self, seen: Sequence[SeenWord]) -> RecognisedPage:
        scale = self.upright.picture.points_a_pixel
        width, height = self.upright.picture.width * scale, self.upright.picture.height * scale
        page = Page(self.index, width, height, "", self.shown)
        lines = [list(group) for _, group in groupby(seen, key=lambda word: word.line)]
        sizes = _share_sizes([_measure_size(line) * scale for line in lines], [len(line) for line in lines])
        strokes = [_measure_stroke(self.upright.picture, line) * scale for line in lines]
        strong = _find_bold([stroke / max(size, 1.0) for stroke, size in zip(strokes, sizes, strict=True)], lines)
        placed = zip(lines, sizes, strong, strict=True)
        page.lines = [self._write(line, size, bold) for line, size, bold in placed]
        page.text = self.text.rstrip("\n")
        page.spans = np.array(self.spans, dtype=np.int32).reshape(-1, 2)
        page.boxes = np.array(self.boxes, dtype=np.float32).reshape(-1, 4)
        return RecognisedPage(page, self.words)

    def _write(self, line: Sequence[SeenWord], size: float, bold: bool) -> Line:
        scale, first, start = self.upright.picture.points_a_pixel, len(self.spans), len(self.text)
        baseline = _find_baseline(line) * scale
        # As high as the font, not as the letters: what finds tables and paragraphs goes by the boxes of a PDF.
        top, bottom = baseline - _ABOVE * size, baseline + _BELOW * size
        for word in line:
            begin = len(self.text)
            place = self.upright.to_page(word.left, word.top, word.right, word.bottom)
            self.text += word.text + " "
            self.spans.append((begin, begin + len(word.text)))
            self.boxes.append((word.left * scale, top, word.right * scale, bottom))
            self.words.append(RecognisedWord(self.index, begin, len(word.text), *place, word.confidence))
        self.text = self.text[:-1] + "\n"
        own = self.boxes[first:]
        left, right = min(box[0] for box in own), max(box[2] for box in own)
        gapped = any(after[0] - before[2] > _GAP * (bottom - top) for before, after in pairwise(own))
        style = Style(round(size * 2) / 2, bold, False, Tone.BLACK, "")
        text, words = self.text[start:-1], (first, len(self.spans))
        return Line(self.index, start, start + len(text), text, left, top, right, bottom, style, words, start, gapped)


_BOLDER, _FEWEST_LETTERS = 1.18, 4
"""Times the stroke of the page's text, by the size of the letters, from which a line is bold, and letters it must have.
On made pages at 150 to 300 dpi, tilted and blurred, bold lines have 1.2 to 1.6 and plain ones at most 1.05. On six
filing pages at 200 dpi 7 of 26 bold lines reach it and one plain one: type of 7 points is blurred too much, and what is
missed stays text, as before."""
_INKED, _FAINT = 0.5, 40.0
"""Share of the way from paper to the darkest ink from which a pixel is ink, and the least contrast, of 255."""


def _measure_stroke(picture: GreyPicture, line: Sequence[SeenWord]) -> float:
    """How thick the upright strokes of a line are, in pixels; 0 where there is no ink.

    The middle of all stretches of ink along rows, each measured by its grey edges too: thickness in parts of a pixel.
    """
    left, right = int(min(word.left for word in line)), int(max(word.right for word in line)) + 2
    top, bottom = int(min(word.top for word in line)), int(max(word.bottom for word in line)) + 1
    grey = picture.pixels[max(top, 0) : bottom, max(left - 2, 0) : right].astype(np.float32)
    if grey.size == 0:
        return 0.0
    paper, ink = float(np.percentile(grey, 90)), float(np.percentile(grey, 2))
    if paper - ink < _FAINT:
        return 0.0
    share = np.clip((paper - grey) / (paper - ink), 0.0, 1.0)
    dark = share > _INKED
    edges = np.diff(np.pad(dark, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, begins = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    if not len(begins):
        return 0.0
    sums = np.pad(np.cumsum(share, axis=1), ((0, 0), (1, 0)))
    last = share.shape[1]
    widths = sums[rows, np.minimum(ends + 1, last)] - sums[rows, np.maximum(begins - 1, 0)]
    return float(np.median(widths))


def _find_bold(strokes: Sequence[float], lines: Sequence[Sequence[SeenWord]]) -> list[bool]:
    """Which lines of words are bold: much thicker, by their size, than the text, which has most of the page's words.

    Rows of figures are left out: digits are thicker than letters, and a row of a table is no heading.
    """
    usual = statistics.median([stroke for stroke, line in zip(strokes, lines, strict=True) for _ in line] or [0.0])
    placed = zip(strokes, lines, strict=True)
    return [bool(usual) and stroke >= _BOLDER * usual and _is_worded(line) for stroke, line in placed]


def _is_worded(line: Sequence[SeenWord]) -> bool:
    said = "".join(word.text for word in line)
    letters = sum(map(str.isalpha, said))
    return letters >= max(_FEWEST_LETTERS, _LETTERED * sum(map(str.isalnum, said)))


def _measure_size(line: Sequence[SeenWord]) -> float:
    return statistics.median((word.bottom - word.top) / _expect_height(word.text) for word in line)


def _expect_height(text: str) -> float:
    above = _CAPITAL if any(letter in _ASCENDING or letter.isupper() for letter in text) else _X_HEIGHT
    return above + (_DESCENT if any(letter in _DESCENDING for letter in text) else 0)


def _find_baseline(line: Sequence[SeenWord]) -> float:
    """The baseline of a line in pixels from the top; letters that reach below it (g, p) are left out."""
    standing = [word.bottom for word in line if not any(letter in _DESCENDING for letter in word.text)]
    if standing:
        return statistics.median(standing)
    return statistics.median(
        word.bottom - _DESCENT * (word.bottom - word.top) / _expect_height(word.text) for word in line
    )


def _share_sizes(sizes: Sequence[float], words: Sequence[int]) -> list[float]:
    """The sizes of the lines with nearly equal sizes made equal, since heights are measured roughly.

    Larger than most alike are headings, smaller ones footnotes, and one size is body text.
    """
    shared = list(sizes)
    left = set(range(len(sizes)))
    while left:
        weights = {
            place: sum(words[other] for other in left if abs(sizes[other] - sizes[place]) <= _ALIKE * sizes[place] / 2)
            for place in left
        }
        best = max(sorted(left), key=lambda place: weights[place])
        alike = [place for place in left if abs(sizes[place] - sizes[best]) <= _ALIKE * sizes[best]]
        middle = statistics.median(sizes[place] for place in alike for _ in range(words[place]))
        for place in alike:
            shared[place] = middle
        left.difference_update(alike)
    return shared
