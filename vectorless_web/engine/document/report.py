"""The tree report: what a user is told about how well a document was understood."""

from dataclasses import dataclass


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
