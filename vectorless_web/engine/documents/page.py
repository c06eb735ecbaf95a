"""Pages of a compiled document, and the report on how well the whole was understood."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageInfo:
    """Displayed width and height in points (1/72 inch), and the length of the page's raw text in characters.

    Files without printed pages (Word, HTML, Markdown, text) are cut into pages too;
    those are given the size of an A4 sheet.
    """

    width: float
    height: float
    characters: int


MANY_EMPTY = 0.2
"""Share of pages without text above which they are held to be pictures, and not the blank pages of a printed book.
Chosen by hand."""


def unread_pages(empty: Sequence[int], pages: int) -> Sequence[int]:
    """Pages without text that are probably scanned: all of `empty` if they exceed MANY_EMPTY of `pages`, else none."""
    return empty if len(empty) > MANY_EMPTY * pages else ()


@dataclass(frozen=True, slots=True)
class TreeReport:
    """Figures of one compiled version.

    `coverage` is the share (0..1) of non-space characters of the raw extraction that
    stand in exactly one node. `outline_source`: `bookmarks`, `contents` (printed table
    of contents), `headings`, or `pages` when no outline was found. `widest` is the
    greatest number of children of one node. Page numbers in `empty_pages` are indexes.
    """

    pages: int
    sections: int
    leaves: int
    tables: int
    depth: int
    widest: int
    coverage: float
    outline_source: str
    empty_pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    verdict: str = ""

    @property
    def unread_pages(self) -> Sequence[int]:
        """Indexes of the pages that are probably scanned, and so were not read."""
        return unread_pages(self.empty_pages, self.pages)
