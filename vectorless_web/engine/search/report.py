"""One search told in short: what a step of the trace shows and stores of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from vectorless_web.engine.search.events import EventKind, RankedNode, Rejection, SearchEvent, SearchStats
from vectorless_web.engine.search.minimap import MapMark, minimap


@dataclass(frozen=True, slots=True)
class SearchReport:
    """`ranked` are the sections entered, best first; `rejected` the branches not taken, the most promising first.

    `notes` is what the reader must see (failed consultations, limits), `log` the other
    sentences in order. `engine` names the model if it decided anywhere, else `offline`.
    """

    ranked: tuple[RankedNode, ...]
    rejected: tuple[Rejection, ...]
    marks: tuple[MapMark, ...]
    notes: tuple[str, ...]
    log: tuple[str, ...]
    engine: str
    stats: SearchStats


def report(events: Iterable[SearchEvent]) -> SearchReport:
    """Everything a step needs of a search's events; the events are read once."""
    told = tuple(events)
    last = told[-1] if told else None
    return SearchReport(
        ranked=last.ranked if last else (),
        rejected=_rejected(told),
        marks=minimap(told),
        notes=tuple(event.say for event in told if event.kind is EventKind.NOTE),
        log=tuple(event.say for event in told if event.kind not in (EventKind.NOTE, EventKind.FINISHED)),
        engine=next((event.engine for event in told if event.engine != "offline"), "offline"),
        stats=(last.stats if last else None) or SearchStats(),
    )


def _rejected(events: Iterable[SearchEvent]) -> tuple[Rejection, ...]:
    """Each branch once, with its last reason; what was entered after all is not among them."""
    found: dict[int, Rejection] = {}
    for event in events:
        found.update((rejection.key, rejection) for rejection in event.rejected)
        if event.kind is EventKind.ENTERING:
            for key in event.path:
                found.pop(key, None)
    return tuple(sorted(found.values(), key=lambda rejection: (-rejection.score, rejection.key)))
