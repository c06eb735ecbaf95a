"""The mini-map of a search: which nodes were walked, looked at, turned back from and read."""

from collections.abc import Iterable
from dataclasses import dataclass

from vectorless_web.engine.search.events import EventKind, SearchEvent

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
        for key, role in _marks(event):
            roles[key] = max(roles.get(key, 0), _ROLES.index(role))
    return tuple(MapMark(key, _ROLES[roles[key]]) for key in sorted(roles))


def _marks(event: SearchEvent) -> Iterable[tuple[int, str]]:
    for found in event.scored:
        yield found.key, "looked"
    for rejection in event.rejected:
        yield rejection.key, "turned_back"
    if event.kind in (EventKind.CHOOSING, EventKind.JUMPING, EventKind.BACKTRACKING):
        yield from ((key, "walked") for key in event.path)
    if event.kind is EventKind.ENTERING:
        yield from ((key, "walked") for key in event.path[:-1])
        yield event.key, "read"
