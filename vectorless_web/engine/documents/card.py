"""The document card: what a router or reader sees of a document before it is opened."""

from dataclasses import dataclass, field


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


@dataclass(frozen=True, slots=True)
class Edge:
    """A link between two documents that share discriminating keywords; weight in (0, 1]."""

    source: str
    target: str
    weight: float
    keywords: tuple[str, ...] = ()
