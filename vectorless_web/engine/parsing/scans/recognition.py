"""Text recognition (OCR) of pages that are pictures: turned, straightened, read, and put back onto the page.

The program that recognises is a collaborator. It sees a grey picture that reads from left to right and says which
words stand where; all places are mapped back to points of the page as it is displayed.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    """What recognises text. Both methods raise RecognitionFailed when the program is missing, fails or is too slow."""

    def find_turn(self, picture: GreyPicture) -> int:
        """Quarter turns clockwise (0 to 3) that make the picture's text upright; 0 when it cannot tell."""

    def read_words(self, picture: GreyPicture) -> Sequence[SeenWord]:
        """The words of an upright picture, line by line from the top."""


@dataclass(frozen=True, slots=True)
class NoRecogniser:
    """Stands where no program is: says of each page why it stays unread."""

    why: str = "text recognition (OCR) is not installed"

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
    if not turn and _is_poor(seen):
        turn = recogniser.find_turn(picture)
        if turn:
            upright = straighten(picture, turn)
            seen = recogniser.read_words(upright.picture)
    return _PageMaker(upright, index, shown).make(_drop_noise(seen))


def _is_poor(seen: Sequence[SeenWord]) -> bool:
    return len(seen) >= _FEWEST and statistics.fmean(word.confidence for word in seen) < _POORLY


_NOISE = 30
"""Percent below which a word without two letters or digits is a speck, an edge or a part of a drawing."""


def _drop_noise(seen: Sequence[SeenWord]) -> list[SeenWord]:
    said = (word for word in seen if word.text.strip())
    return [word for word in said if word.confidence >= _NOISE or sum(map(str.isalnum, word.text)) > 1]


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
    """Writes the words of a picture down as a page: parted by spaces, lines by line ends."""

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
        page.lines = [self._write(line, size) for line, size in zip(lines, sizes, strict=True)]
        page.text = self.text.rstrip("\n")
        page.spans = np.array(self.spans, dtype=np.int32).reshape(-1, 2)
        page.boxes = np.array(self.boxes, dtype=np.float32).reshape(-1, 4)
        return RecognisedPage(page, self.words)

    def _write(self, line: Sequence[SeenWord], size: float) -> Line:
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
        style = Style(round(size * 2) / 2, False, False, Tone.BLACK, "")
        text, words = self.text[start:-1], (first, len(self.spans))
        return Line(self.index, start, start + len(text), text, left, top, right, bottom, style, words, start, gapped)


def _measure_size(line: Sequence[SeenWord]) -> float:
    """The size of a line's font in pixels, from the heights of its words and the letters in them."""
    return statistics.median((word.bottom - word.top) / _expect_height(word.text) for word in line)


def _expect_height(text: str) -> float:
    """Height of a word in sizes of its font."""
    above = _CAPITAL if any(letter in _ASCENDING or letter.isupper() for letter in text) else _X_HEIGHT
    return above + (_DESCENT if any(letter in _DESCENDING for letter in text) else 0)


def _find_baseline(line: Sequence[SeenWord]) -> float:
    """Where the letters of a line stand, in pixels from the top: those that reach below it are left aside."""
    standing = [word.bottom for word in line if not any(letter in _DESCENDING for letter in word.text)]
    if standing:
        return statistics.median(standing)
    return statistics.median(
        word.bottom - _DESCENT * (word.bottom - word.top) / _expect_height(word.text) for word in line
    )


def _share_sizes(sizes: Sequence[float], words: Sequence[int]) -> list[float]:
    """The lines' sizes, nearly equal ones made equal: heights of letters are measured roughly.

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
