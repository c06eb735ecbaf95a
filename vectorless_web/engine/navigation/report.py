"""One search told in short: what a step of the trace shows and stores of it, and its map of the tree."""

from collections.abc import Iterable
from dataclasses import dataclass

from vectorless_web.engine.navigation.events import EventKind, RankedNode, Rejection, SearchEvent, SearchStats

_ROLES = ("looked", "turned_back", "walked", "read")
"""Least telling first: a node keeps the most telling role it earned."""


@dataclass(frozen=True, slots=True)
class MapMark:
    """One node of the map. `role`: `looked`, `turned_back`, `walked` or `read`, as in a step's node references."""

    key: int
    role: str


def minimap(events: Iterable[SearchEvent]) -> tuple[MapMark, ...]:
    """One mark per node that the events touched, in reading order."""
    roles: dict[int, int] = {}
    for event in events:
        for key, role in _mark_nodes(event):
            roles[key] = max(roles.get(key, 0), _ROLES.index(role))
    return tuple(MapMark(key, _ROLES[roles[key]]) for key in sorted(roles))


def _mark_nodes(event: SearchEvent) -> Iterable[tuple[int, str]]:
    for found in event.scored:
        yield found.key, "looked"
    for rejection in event.rejected:
        yield rejection.key, "turned_back"
    if event.kind in (EventKind.CHOOSING, EventKind.JUMPING, EventKind.BACKTRACKING):
        yield from ((key, "walked") for key in event.path)
    if event.kind is EventKind.ENTERING:
        yield from ((key, "walked") for key in event.path[:-1])
        yield event.key, "read"


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
        rejected=_collect_rejections(told),
        marks=minimap(told),
        notes=tuple(event.say for event in told if event.kind is EventKind.NOTE),
        log=tuple(event.say for event in told if event.kind not in (EventKind.NOTE, EventKind.FINISHED)),
        engine=next((event.engine for event in told if event.engine != "offline"), "offline"),
        stats=(last.stats if last else None) or SearchStats(),
    )


def _collect_rejections(events: Iterable[SearchEvent]) -> tuple[Rejection, ...]:
    """Each branch once, with its last reason; what was entered after all is not among them."""
    found: dict[int, Rejection] = {}
    for event in events:
        found.update((rejection.key, rejection) for rejection in event.rejected)
        if event.kind is EventKind.ENTERING:
            for key in event.path:
                found.pop(key, None)
    return tuple(sorted(found.values(), key=lambda rejection: (-rejection.score, rejection.key)))
