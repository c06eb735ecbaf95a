"""What a document is known by without its text: its card, the sizes of its pages, the report on its tree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace


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


@dataclass(frozen=True, slots=True)
class TypedFields:
    """Fields found by patterns in title, file name and first pages; each a tuple, most certain first.

    `entities`: names of the organisation or subject and its aliases, lower case.
    `years`: fiscal years the document is about. `quarters`: "Q1".."Q4". `forms`: kinds
    of document ("10-K", "annual report"). `dates`: ISO dates found on the first pages.
    """

    entities: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    quarters: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionLine:
    """One line of a card's table of contents."""

    key: int
    title: str
    description: str
    page_start: int
    page_end: int


@dataclass(frozen=True, slots=True)
class Card:
    """DocCard: title, overview, tags, hints and sections of one document, made without a model.

    `topics` is the topic map: keyword -> ((node key, weight), ...), weights title 2,
    summary 1.5, text 1.
    """

    title: str
    overview: str
    topic_tags: tuple[str, ...] = ()
    question_hints: tuple[str, ...] = ()
    sections: tuple[SectionLine, ...] = ()
    fields: TypedFields = TypedFields()
    topics: dict[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)


def enrich_card(card: Card, lines: Mapping[int, str]) -> Card:
    """The card with what a model wrote of sections (a line by the key of each) in place of their first words.

    The lines of the sections on the card come first in its overview, too.
    """
    if not lines:
        return card
    sections = tuple(replace(line, description=lines.get(line.key) or line.description) for line in card.sections)
    told = [lines[line.key] for line in card.sections if lines.get(line.key)]
    return replace(card, sections=sections, overview=" ".join([*told, card.overview]).strip())


@dataclass(frozen=True, slots=True)
class Edge:
    """A link between two documents that share discriminating keywords; weight in (0, 1]."""

    source: str
    target: str
    weight: float
    keywords: tuple[str, ...] = ()
