"""A passage: a sentence, list item or table row copied word for word."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, list item or table row copied word for word.

    `fit` in [0, 1] orders passages; `said` is the share of the question that it says,
    what stands around it included. `lead` puts it better for a reader: a row's cell first.
    """

    document: str
    key: int
    page_index: int
    quote: str
    start: int
    end: int
    where: str
    fit: float
    said: float = 0.0
    lead: str = ""
