"""What a search yields while it walks, and the search told in short for a step of the trace."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation.pilot import InterventionPoint


class EventKind(StrEnum):
    """What happened. FINISHED is always the last event and the only one with ranked nodes."""

    SCORING = "scoring"
    """The children of a node were compared."""
    CHOOSING = "choosing"
    """A branch was taken."""
    REJECTING = "rejecting"
    """Branches were not taken; each says why."""
    ENTERING = "entering"
    """A section was entered to be read."""
    BACKTRACKING = "backtracking"
    """A branch was given up for one that had been put aside."""
    JUMPING = "jumping"
    """The walk went straight to a node, by a reference or on the pilot's word."""
    NOTE = "note"
    """Something the reader should know: a failed consultation, a limit, an unusable reply."""
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class RankedNode:
    """A node with its score in [0, 1], the keys walked to it, and why it was taken.

    `leaves` are the keys of the leaves to read there, most promising first (only for
    sections that were entered).
    """

    key: int
    score: float
    path: tuple[int, ...] = ()
    reason: str = ""
    leaves: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """A branch not taken, with the reason in plain words."""

    key: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class SearchStats:
    """Counts of one search: turns, sections and leaves scored, consultations of the pilot, tokens, US dollars."""

    turns: int = 0
    sections_scored: int = 0
    leaves_scored: int = 0
    consultations: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    stopped: str = ""
    """Which limit ended it, or ""."""


@dataclass(frozen=True, slots=True)
class SearchEvent:
    """One thing that happened. `say` is a plain sentence for the trace.

    `key` is the node concerned (-1 for none) and `path` the keys walked to it.
    `confidence` in [0, 1] and `point` are set when a pilot was asked; `engine` names
    who decided; `tokens` and `cost_usd` are what the advice cost.
    """

    kind: EventKind
    say: str
    key: int = -1
    path: tuple[int, ...] = ()
    score: float = 0.0
    confidence: float | None = None
    point: InterventionPoint | None = None
    reasoning: str = ""
    """What the pilot said of its decision."""
    scored: tuple[RankedNode, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    ranked: tuple[RankedNode, ...] = ()
    stats: SearchStats | None = None
    engine: str = "offline"
    tokens: int = 0
    cost_usd: float = 0.0


_LONGEST_TITLE = 70
"""Characters of a title in the text of an event: one line of the trace."""


def name_of(tree: Tree, key: int) -> str:
    """The name of a node in a sentence: its title, cut to 70 characters; without one, its kind."""
    node = tree.node(key)
    title = " ".join(node.title.split())
    if len(title) > _LONGEST_TITLE:
        return title[: _LONGEST_TITLE - 1].rstrip() + "…"
    return title or ("the document" if key == 0 else f"an untitled {node.kind.value}")


def pages_of(tree: Tree, key: int) -> str:
    """The node's pages as people count them: "p. 84" or "pp. 84-86"."""
    node = tree.node(key)
    first, last = node.page_start + 1, node.page_end + 1
    return f"p. {first}" if first == last else f"pp. {first}-{last}"


def describe_place(tree: Tree, key: int) -> str:
    """Name and pages of a node."""
    return f"{name_of(tree, key)} ({pages_of(tree, key)})"


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

    `notes` are sentences the reader must see (failed consultations, limits), `log` the other
    sentences in order. `advice` are the events at which the pilot was asked. `engine` names the model if it decided
    anywhere, else `offline`.
    """

    ranked: tuple[RankedNode, ...]
    rejected: tuple[Rejection, ...]
    marks: tuple[MapMark, ...]
    notes: tuple[str, ...]
    log: tuple[str, ...]
    engine: str
    stats: SearchStats
    advice: tuple[SearchEvent, ...] = ()


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
        advice=tuple(event for event in told if event.point is not None),
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
