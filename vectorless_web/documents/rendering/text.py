"""The text of a page as a reader sees it: cut where marks begin and end, and searched."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import GlyphSpan

# What PDFium puts where a word was divided at a line's end, and other characters that cannot be shown.
_SHOWN = {0x02: "-", 0xFFFE: "-", 0xAD: "-", 0x00: " ", 0x0D: " "}
_DIVIDED = "[\x02\ufffe\xad]?"
MOST_FINDS = 200
"""Finds of a search in a document at most; the page says when there are more."""
SNIPPET = 60
"""Characters shown on either side of a find."""


@dataclass(frozen=True)
class TextMark:
    """Characters `start` (included) to `end` (excluded) to be lit; without a `marker` it is a find."""

    start: int
    end: int
    marker: int = 0
    on: bool = False


@dataclass(frozen=True)
class TextSegment:
    """A stretch of text under the quote `marker` (0: none) or a find; `first` carries the quote's id on the page."""

    text: str
    marker: int = 0
    first: bool = False
    on: bool = False
    found: bool = False


@dataclass(frozen=True)
class Find:
    """One place where the words looked for stand, with the text around it."""

    span: GlyphSpan
    before: str
    text: str
    after: str

    @property
    def page(self) -> int:
        """The page as people count, from 1."""
        return self.span.page_index + 1


def segments(text: str, marks: Sequence[TextMark], seen: set[int] | None = None) -> list[TextSegment]:
    """The text in reading order, each stretch under the mark that is lit there: a lit one first, a find last.

    `seen`: markers whose id the page has given already; those of this text are added.
    """
    edges = sorted({0, len(text), *(min(edge, len(text)) for mark in marks for edge in (mark.start, mark.end))})
    seen = set() if seen is None else seen
    cut = []
    for start, end in pairwise(edges):
        cut.append(_segment(replace_control_characters(text[start:end]), _mark_at(marks, start), seen))
        seen.add(cut[-1].marker)
    return cut


def _segment(text: str, mark: TextMark | None, seen: set[int]) -> TextSegment:
    if mark is None:
        return TextSegment(text)
    if not mark.marker:
        return TextSegment(text, found=True)
    return TextSegment(text, mark.marker, first=mark.marker not in seen, on=mark.on)


def replace_control_characters(text: str) -> str:
    """Raw page text with its control characters made readable, one character for each."""
    return text.translate(_SHOWN)


def find_words(document: CompiledDocument, words: str) -> list[Find]:
    """Where the words stand one after the other, in page order, at most `MOST_FINDS`; case does not matter."""
    pattern = _compile_pattern(words)
    if pattern is None:
        return []
    found: list[Find] = []
    for page_index in range(len(document.pages)):
        found.extend(_find_on_page(document, page_index, pattern))
        if len(found) >= MOST_FINDS:
            break
    return found[:MOST_FINDS]


def find_on_page(document: CompiledDocument, page_index: int, words: str) -> GlyphSpan | None:
    """Where the words first stand on one page; None when they do not."""
    pattern = _compile_pattern(words)
    found = next(_find_on_page(document, page_index, pattern), None) if pattern is not None else None
    return found.span if found is not None else None


def _mark_at(marks: Sequence[TextMark], position: int) -> TextMark | None:
    covering = [mark for mark in marks if mark.start <= position < mark.end]
    return min(covering, key=lambda mark: (not mark.on, not mark.marker, mark.marker), default=None)


def _compile_pattern(words: str) -> re.Pattern[str] | None:
    """The words with any white space between them, and a divided word's hyphen anywhere inside."""
    parts = [_DIVIDED.join(re.escape(char) for char in word) for word in words.split()]
    return re.compile(r"\s+".join(parts), re.IGNORECASE) if parts else None


def _find_on_page(document: CompiledDocument, page_index: int, pattern: re.Pattern[str]) -> Iterator[Find]:
    text = document.page_text(page_index)
    for match in pattern.finditer(text):
        start, end = match.span()
        yield Find(
            span=GlyphSpan(page_index, start, end - start),
            before=_from_word(replace_control_characters(text[max(0, start - SNIPPET) : start]), cut=start > SNIPPET),
            text=replace_control_characters(match[0]),
            after=_to_word(replace_control_characters(text[end : end + SNIPPET]), cut=len(text) - end > SNIPPET),
        )


def _from_word(text: str, *, cut: bool) -> str:
    """The text from its first whole word on."""
    return f"…{text.partition(' ')[2]}" if cut else text


def _to_word(text: str, *, cut: bool) -> str:
    """The text up to its last whole word."""
    return f"{text.rpartition(' ')[0]}…" if cut else text
