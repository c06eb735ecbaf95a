"""Printed lines as a parser hands them on, and what is usual among them: body style, line pitch, margins."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
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
        """The style without its size: (bold, italic, tone, font)."""
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

    def looks_like(self, other: "Line") -> bool:
        """Whether a line is set in the same weight and size."""
        return self.style.weight == other.style.weight and self.is_as_large_as(other)

    def is_as_large_as(self, other: "Line") -> bool:
        """Whether a line is set in the same size."""
        return abs(self.style.size - other.style.size) < _SAME_SIZE


_SAME_SIZE = 0.6
"""Points of type size by which lines of one size differ at most; sizes in a document differ by fractions of a point."""


@dataclass(slots=True)
class Page:
    """A parsed page; width and height as its text reads, `shown` as it is displayed.

    `spans[k]` = (start, end) raw characters and `boxes[k]` = (left, top, right, bottom) of word k; `rules` are the
    lines drawn on it, as boxes.
    """

    index: int
    width: float
    height: float
    text: str
    shown: tuple[float, float]
    lines: list[Line] = field(default_factory=list)
    spans: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    boxes: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), dtype=np.float32))
    rules: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), dtype=np.float32))
    pictures: Sequence[tuple[float, float, float, float]] = ()
    """Boxes of the pictures on the page as it is displayed: (left, top, right, bottom)."""
    drawings: Sequence[tuple[float, float, float, float]] = ()
    """Boxes of what is drawn there of many shapes, charts for one, on a page that names a figure."""
    is_scanned: bool = False
    """Whether its text lies unseen under a picture of the page, from which a machine has read it."""


# Marks that may cling to a word; stripping them is quicker than matching words.
_MARKS = ".,:;()[]\"'“”‘’"
_WORD = re.compile(r"[^\W\d_]+")
_GLUED = re.compile(r"([a-zß-ÿ])([A-ZÀ-Þ])")
_LETTERS = re.compile(r"(?:(?<=\s)|^)(?:[^\W\d_] ){3,}[^\W\d_](?=\s|$|[.,:;])")
_TIMES = 5
"""Two words are one, or one is two, when the document has that form at least so many times as often as the other.
Chosen by reading filings whose words PDFium divides."""


class Vocabulary:
    """How often each word occurs in a document, no matter what its case."""

    def __init__(self, texts: Iterable[str]) -> None:
        written: Counter[str] = Counter()
        for text in texts:
            written.update(text.casefold().split())
        self._counts: Counter[str] = Counter()
        for word, count in written.items():
            self._counts[word.strip(_MARKS)] += count

    def mend(self, text: str) -> str:
        """The text with letter-spaced and broken words joined and glued words parted."""
        text = _LETTERS.sub(lambda match: match.group().replace(" ", ""), text)
        words = text.split(" ")
        position = 0
        while position + 1 < len(words):
            first, second = words[position : position + 2]
            # A file may lose the second letter of a joined "ff": "ef ects".
            ends = (end for end in ("", "f") if first.endswith(end) and self._is_broken(first + end, second))
            lost = next(ends, None)
            if lost is None:
                position += 1
            else:
                words[position : position + 2] = [first + lost + second]
        return " ".join(self._split_glued(word) for word in words)

    def is_hyphenated(self, first: str, second: str) -> bool:
        """Whether the document writes two parts of a word with a hyphen more often than as one word."""
        left, right = first.casefold().strip(_MARKS), second.casefold().strip(_MARKS)
        return self._counts[f"{left}-{right}"] > self._counts[left + right]

    def _is_broken(self, first: str, second: str) -> bool:
        if not (first.isalpha() and second.rstrip(".,:;)").isalpha()):
            return False
        left, right = first.casefold(), second.rstrip(".,:;)").casefold()
        rarer = min(self._counts[left], self._counts[right])
        return self._counts[left + right] >= _TIMES * max(rarer, 1)

    def _split_glued(self, word: str) -> str:
        for match in _GLUED.finditer(word):
            left, right = next(reversed(_WORD.findall(word[: match.end(1)])), ""), _first(word[match.end(1) :])
            seldom = self._counts[(left + right).casefold()] * _TIMES
            if seldom < min(self._counts[left.casefold()], self._counts[right.casefold()]) and len(left) > 1 < len(
                right
            ):
                return f"{word[: match.end(1)]} {word[match.end(1) :]}"
        return word


def _first(text: str) -> str:
    return next(iter(_WORD.findall(text)), "")


_PROSE, _WIDE = 40, 0.4
"""Characters of a line, or share of the page's width, from which it is counted as prose when margins and body style are
measured."""
_ENOUGH, _PAGEFUL, _COLUMN = 200, 300, 300
"""Characters of prose in the document's body style from which a page is set in it, and of another style from which that
is the page's own; and of lines in the body style, however short, as in a narrow column beside a chart."""
_LONG, _TITLES = 60, 4
"""Characters above which the line below an emphasised one is prose, and emphasised lines above prose from which their
left edge is a place of titles."""
_WIDEST_PITCH = 40
"""Points between the tops of two lines above which they are not neighbours."""
_USUAL_PITCH = 1.25
"""Ems between lines of a size for which no distance was measured."""
_COMMON_MARGIN = 0.04
"""Share of all left edges above which one is a margin of the whole document."""
_PLAIN = Style(10.0, False, False, Tone.BLACK, "")


@dataclass(frozen=True, slots=True)
class Layout:
    """Usual values. `margins[page]`: left edges (rounded points) at which prose starts on that page."""

    body: Style
    bodies: dict[int, Style]
    """Pages set in another style than most (an appended exhibit)."""
    margins: dict[int, frozenset[int]]
    pitch: dict[float, float]
    title_edges: frozenset[int] = frozenset()
    """Left edges at which lines set unlike the body stand above prose, again and again."""

    def body_of(self, page: int) -> Style:
        """The style of running text on a page."""
        return self.bodies.get(page, self.body)

    def at_margin(self, line: Line) -> bool:
        """Whether the line starts where prose starts on its page."""
        left = round(line.left)
        own = self.margins.get(line.page, frozenset())
        return any(left + shift in own for shift in (0, -1, 1, -2, 2, -3, 3))

    def at_title_edge(self, line: Line) -> bool:
        """Whether the line starts at a left edge where this document puts titles, even if that edge is indented."""
        left = round(line.left)
        return any(left + shift in self.title_edges for shift in (0, -1, 1))

    def line_pitch(self, style: Style) -> float:
        """Usual distance between the tops of lines of one paragraph in that size, in points."""
        return self.pitch.get(style.size, style.size * _USUAL_PITCH)


@dataclass(slots=True)
class _Survey:
    styles: Counter[Style] = field(default_factory=Counter)
    printed: dict[int, Counter[Style]] = field(default_factory=lambda: defaultdict(Counter))
    prose: dict[int, Counter[Style]] = field(default_factory=lambda: defaultdict(Counter))
    margins: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    pitches: dict[float, Counter[float]] = field(default_factory=lambda: defaultdict(Counter))

    def count(self, line: Line, before: Line | None, width: float) -> None:
        self.styles[line.style] += len(line.text)
        if not line.gapped:
            self.printed[line.page][line.style] += len(line.text)
        if len(line.text) >= _PROSE or (line.right - line.left > _WIDE * width and not line.gapped):
            self.margins[line.page][round(line.left)] += 1
            if not line.gapped:  # rows of tables are no prose
                self.prose[line.page][line.style] += len(line.text)
        if before is not None and before.style.size == line.style.size and 0 < line.top - before.top < _WIDEST_PITCH:
            self.pitches[line.style.size][round(line.top - before.top, 1)] += min(len(before.text), len(line.text))


def survey(pages: Sequence[Page], running: set[tuple[int, int]]) -> Layout:
    """Measure the layout of a document.

    `running` holds (page index, line number) of running lines, which are left out. Pages
    without prose take the margins common to the whole document.
    """
    counts = _Survey()
    for page in pages:
        before: Line | None = None
        for line in _select_body_lines(page, running):
            counts.count(line, before, page.width)
            before = line
    body = counts.styles.most_common(1)[0][0] if counts.styles else _PLAIN
    pitch = {size: _find_commonest(found) for size, found in counts.pitches.items()}
    edges = _title_edges(pages, running, body)
    return Layout(body, _bodies(pages, counts, body), _margins(pages, counts.margins), pitch, edges)


def _select_body_lines(page: Page, running: set[tuple[int, int]]) -> Iterable[Line]:
    return (line for number, line in enumerate(page.lines) if (page.index, number) not in running)


def _title_edges(pages: Sequence[Page], running: set[tuple[int, int]], body: Style) -> frozenset[int]:
    edges: Counter[int] = Counter()
    for page in pages:
        for line, following in itertools.pairwise(_select_body_lines(page, running)):
            unlike = line.style.weight != body.weight and line.lead == line.start and not line.gapped
            above_prose = following.style == body and len(following.text) > _LONG and following.top > line.top
            if unlike and above_prose and line.right < following.right - line.style.size:
                edges[round(line.left)] += 1
    return frozenset(left for left, count in edges.items() if count >= _TITLES)


def _find_commonest(counts: Counter[float]) -> float:
    return max(counts, key=lambda pitch: (counts[pitch], -pitch))


def _bodies(pages: Sequence[Page], counts: _Survey, body: Style) -> dict[int, Style]:
    """The body style of each page; a page with little prose has that of the page before it."""
    bodies: dict[int, Style] = {}
    current = body
    for page in pages:
        found = counts.prose.get(page.index, Counter[Style]())
        if found[body] >= _ENOUGH or counts.printed[page.index][body] >= _COLUMN:
            current = body
        elif found and found.most_common(1)[0][1] >= _PAGEFUL:
            current = found.most_common(1)[0][0]
        if current != body:
            bodies[page.index] = current
    return bodies


def _margins(pages: Sequence[Page], found: dict[int, Counter[int]]) -> dict[int, frozenset[int]]:
    total: Counter[int] = Counter()
    for counts in found.values():
        total.update(counts)
    weight = sum(total.values())
    common = frozenset(left for left, count in total.items() if count > weight * _COMMON_MARGIN)
    return {
        page.index: common | frozenset(left for left, count in found.get(page.index, Counter()).items() if count > 1)
        for page in pages
    }
