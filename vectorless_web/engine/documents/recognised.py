"""Words that were recognised on pictures of pages: where each is, and how sure the recognition was.

Compact: 17 bytes a word. Boxes are kept as 65,535ths of the page's width and height, 0.01 points on a letter page.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.documents.node import GlyphSpan

UNSURE = 90
"""Percent below which a word is marked. On 5 table pages of annual reports 14 of 15 misread numbers were below it, as
were 98 of 1,155 right ones; at 80 six misread ones would go unmarked, at 95 a fifth of all words would be marked."""
_FULL = 65_535
_ROW = np.dtype(
    [("page", "<u2"), ("start", "<u4"), ("length", "<u2"), ("box", "<u2", (4,)), ("confidence", "u1")],
)
_TALLER, _GAP = 1.5, 2.0
"""Two words share one box while it is at most so many times as high as the higher of them, and the gap between them is
at most so many heights: a tilted line keeps several boxes, as the cells of a row do."""


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """Characters `start ..` of a page's text. The box is in points from the top left of the displayed page.

    `confidence` is in percent, as the recognition states it.
    """

    page_index: int
    start: int
    length: int
    left: float
    top: float
    right: float
    bottom: float
    confidence: int

    @property
    def is_unsure(self) -> bool:
        """Whether the word is to be marked as one that may be misread."""
        return self.confidence < UNSURE


PageSizes = Sequence[tuple[float, float]]
"""Displayed width and height of each page in points."""


def encode_words(words: Iterable[RecognisedWord], sizes: PageSizes) -> bytes:
    """The words as the block of an artefact; b"" for none. Words come in the order of their pages and characters."""
    rows = []
    for word in words:
        width, height = sizes[word.page_index]
        box = tuple(
            min(max(round(_FULL * place / size), 0), _FULL)
            for place, size in zip(
                (word.left, word.top, word.right, word.bottom), (width, height, width, height), strict=True
            )
        )
        rows.append((word.page_index, word.start, min(word.length, _FULL), box, word.confidence))
    return np.array(rows, dtype=_ROW).tobytes() if rows else b""


class RecognisedWords:
    """The recognised words of a document, looked up by page and by characters."""

    def __init__(self, block: bytes | memoryview, sizes: PageSizes, page_text: Callable[[int], str]) -> None:
        self._rows: NDArray[Any] = np.frombuffer(block, dtype=_ROW)
        self._sizes, self._page_text = sizes, page_text

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def pages(self) -> frozenset[int]:
        """Indexes of the pages with recognised words."""
        return frozenset(np.unique(self._rows["page"]).tolist())

    def on_page(self, page_index: int) -> list[RecognisedWord]:
        """The words of one page (from 0), in the order of its text."""
        first, last = np.searchsorted(self._rows["page"], [page_index, page_index + 1])
        return [self._word(row) for row in self._rows[first:last]]

    def within(self, span: GlyphSpan) -> list[RecognisedWord]:
        """The part of each word that lies in the span, with the same share of the word's box."""
        end = span.char_index + span.length
        touched = [
            word
            for word in self.on_page(span.page_index)
            if word.start < end and word.start + word.length > span.char_index
        ]
        if not touched:
            return []
        text = self._page_text(span.page_index)
        return [_cut_word(word, text, span.char_index, end) for word in touched]

    def boxes(self, spans: Iterable[GlyphSpan]) -> Iterator[RecognisedWord]:
        """The places of the spans' words; neighbours on one line are joined, as sure as the least sure."""
        for span in spans:
            yield from _join_words(self.within(span))

    def _word(self, row: NDArray[Any]) -> RecognisedWord:
        page, start, length, box, confidence = row.tolist()
        width, height = self._sizes[page]
        left, top, right, bottom = (
            place * size / _FULL for place, size in zip(box.tolist(), (width, height, width, height), strict=True)
        )
        return RecognisedWord(page, start, length, left, top, right, bottom, confidence)


_NARROW, _WIDE = frozenset(".,:;'|!iljtfr()[]-’"), frozenset("mwMW%@—")


def _weigh(text: str) -> float:
    """The rough width of a text: letters of proportional fonts differ by a factor of three."""
    return sum(0.5 if letter in _NARROW else 1.5 if letter in _WIDE else 1.0 for letter in text)


def _cut_word(word: RecognisedWord, text: str, start: int, end: int) -> RecognisedWord:
    first, last = max(start - word.start, 0), min(end - word.start, word.length)
    if (first, last) == (0, word.length) or _is_upright(word):
        return word
    said = text[word.start : word.start + word.length]
    a_weight = (word.right - word.left) / max(_weigh(said), 1.0)
    left, right = word.left + _weigh(said[:first]) * a_weight, word.left + _weigh(said[:last]) * a_weight
    return replace(word, start=word.start + first, length=last - first, left=left, right=right)


def _join_words(words: Sequence[RecognisedWord]) -> Iterator[RecognisedWord]:
    joined: RecognisedWord | None = None
    for word in words:
        if joined is not None and _share_line(joined, word):
            joined = replace(
                joined,
                length=word.start + word.length - joined.start,
                left=min(joined.left, word.left),
                top=min(joined.top, word.top),
                right=max(joined.right, word.right),
                bottom=max(joined.bottom, word.bottom),
                confidence=min(joined.confidence, word.confidence),
            )
            continue
        if joined is not None:
            yield joined
        joined = word
    if joined is not None:
        yield joined


def _share_line(one: RecognisedWord, other: RecognisedWord) -> bool:
    if _is_upright(one) and _is_upright(other):
        return _follows(_across(one)[::-1], _across(other)[::-1])
    return _follows(_across(one), _across(other))


def _is_upright(word: RecognisedWord) -> bool:
    return word.length > 1 and word.bottom - word.top > word.right - word.left


Extent = tuple[tuple[float, float], tuple[float, float]]


def _across(word: RecognisedWord) -> Extent:
    """(from, to) along a line that runs from side to side, then across it."""
    return (word.left, word.right), (word.top, word.bottom)


def _follows(one: Extent, other: Extent) -> bool:
    (along, across), (next_along, next_across) = one, other
    higher = max(across[1] - across[0], next_across[1] - next_across[0])
    together = max(across[1], next_across[1]) - min(across[0], next_across[0])
    gap = max(along[0], next_along[0]) - min(along[1], next_along[1])
    overlap = min(across[1], next_across[1]) - max(across[0], next_across[0])
    return overlap > 0 and together <= _TALLER * higher and gap <= _GAP * higher
