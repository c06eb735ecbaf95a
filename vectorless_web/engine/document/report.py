"""The tree report: what a user is told about how well a document was understood."""

from collections.abc import Sequence
from dataclasses import dataclass

MANY_EMPTY = 0.2
"""Share of pages without text above which they are held to be pictures, and not the blank pages of a printed book."""


def unread_pages(empty: Sequence[int], pages: int) -> Sequence[int]:
    """Those of the pages without text that are probably scanned: all when they are more than a fifth, else none."""
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
