"""What the router answers: a shortlist with a reason for each document."""

from dataclasses import dataclass, field

from vectorless_web.engine.routing.config import RouteMode


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A document with its score in [0, 1], the signals it is made of (each in [0, 1]) and the reason in plain words.

    `fields` is the agreement of typed fields. `matched_terms` are words of the question,
    `matched_fields` the parts of the card they stand in.
    """

    doc_id: int
    score: float
    bm25: float
    keyword: float
    graph: float
    reason: str
    matched_terms: tuple[str, ...] = ()
    matched_fields: tuple[str, ...] = ()
    fields: float = 0.0


@dataclass(frozen=True, slots=True)
class RouteResult:
    """The whole shortlist, best first, and how it came about.

    `committed` is the document that the typed fields single out, to be walked first and
    alone, or None. `activated` is false when there were so few documents that all go
    on. `tail` holds those that just missed the cut, best first. `mode_used` is the mode
    that decided in the end, and `note` says why it is not the one asked for.
    `considered` counts the documents looked at.
    """

    candidates: tuple[ScoredCandidate, ...]
    committed: int | None
    mode_used: RouteMode
    activated: bool
    index_version: str
    ambiguous: bool
    seconds: float
    considered: int
    tail: tuple[ScoredCandidate, ...] = field(default=())
    note: str = ""
