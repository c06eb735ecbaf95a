"""Pages of a compiled document: their size and how much text stands on them."""

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
