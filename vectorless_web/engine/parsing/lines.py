"""Printed lines: what a parser hands to the outline, table and paragraph stages, with broken words mended."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Tone(IntEnum):
    """Colour of text. REVERSED is white, on a dark band."""

    BLACK = 0
    LINK = 1
    COLOUR = 2
    REVERSED = 3


@dataclass(frozen=True, slots=True)
class Style:
    """How characters look. `size` in points after the text matrix."""

    size: float
    bold: bool
    italic: bool
    tone: Tone
    font: str

    @property
    def weight(self) -> tuple[bool, bool, int, str]:
        """What remains when the size is left out."""
        return (self.bold, self.italic, self.tone, self.font)

    @property
    def accent(self) -> bool:
        """Whether the colour itself makes the text stand out (a link's blue does not)."""
        return self.tone >= Tone.COLOUR


@dataclass(slots=True)
class Line:
    """One printed line. `start`, `end`: characters of the page's raw text; box in points, origin top left.

    `words` is the range of the line's rows in the page's word arrays. `lead` is the
    end (raw character) of a differently styled beginning ("Revenue." before plain text),
    or `start` when the line has one style throughout; `even`: it ends as its middle
    looks. `gapped`: some of its words stand apart.
    """

    page: int
    start: int
    end: int
    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: Style
    words: tuple[int, int]
    lead: int
    gapped: bool = True
    even: bool = True

    @property
    def height(self) -> float:
        """Height of the line's box in points."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Vertical centre of the line's box."""
        return (self.top + self.bottom) / 2


@dataclass(slots=True)
class Page:
    """A parsed page; width and height as its text reads, `shown` as it is displayed.

    `spans[k]` = (start, end) raw characters and `boxes[k]` = (left, top, right, bottom) of word k."""

    index: int
    width: float
    height: float
    text: str
    shown: tuple[float, float]
    lines: list[Line] = field(default_factory=list)
    spans: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    boxes: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), dtype=np.float32))


# Marks that may cling to a word; stripping them is quicker than matching words.
_MARKS = ".,:;()[]\"'“”‘’"
_WORD = re.compile(r"[^\W\d_]+")
_GLUED = re.compile(r"([a-zß-ÿ])([A-ZÀ-Þ])")
_LETTERS = re.compile(r"(?:(?<=\s)|^)(?:[^\W\d_] ){3,}[^\W\d_](?=\s|$|[.,:;])")
_TIMES = 5


class Vocabulary:
    """How often each word stands in a document, whatever its case."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        for text in texts:
            self._counts.update([word.strip(_MARKS) for word in text.casefold().split()])

    def mend(self, text: str) -> str:
        """The text with letter-spaced and broken words joined and glued words parted."""
        text = _LETTERS.sub(lambda match: match.group().replace(" ", ""), text)
        words = text.split(" ")
        position = 0
        while position + 1 < len(words):
            if self._is_broken_word(words[position], words[position + 1]):
                words[position : position + 2] = [words[position] + words[position + 1]]
            else:
                position += 1
        return " ".join(self._split_glued(word) for word in words)

    def _is_broken_word(self, first: str, second: str) -> bool:
        if not (first.isalpha() and second.rstrip(".,:;)").isalpha()):
            return False
        left, right = first.casefold(), second.rstrip(".,:;)").casefold()
        rarer = min(self._counts[left], self._counts[right])
        return self._counts[left + right] >= _TIMES * max(rarer, 1)

    def _split_glued(self, word: str) -> str:
        for match in _GLUED.finditer(word):
            left, right = _last(word[: match.end(1)]), _first(word[match.end(1) :])
            seldom = self._counts[(left + right).casefold()] * _TIMES
            if seldom < min(self._counts[left.casefold()], self._counts[right.casefold()]) and len(left) > 1 < len(
                right
            ):
                return f"{word[: match.end(1)]} {word[match.end(1) :]}"
        return word


def _last(text: str) -> str:
    return next(reversed(_WORD.findall(text)), "")


def _first(text: str) -> str:
    return next(iter(_WORD.findall(text)), "")
