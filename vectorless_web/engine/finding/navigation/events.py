"""What a search yields while it walks, and the search told in short for a step of the trace."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation.pilot import PilotDecision


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
    """A node with its score in [0, 1], the keys walked to it, and why it was or was not taken.

    `leaves` are the keys of the leaves to read there, most promising first (only for sections that were entered).
    """

    key: int
    score: float
    reason: str = ""
    path: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()


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

    `key` is the node concerned (-1 for none), `path` the keys walked to it, and `decision` what the pilot said, where
    it was asked.
    """

    kind: EventKind
    say: str
    key: int = -1
    path: tuple[int, ...] = ()
    score: float = 0.0
    decision: PilotDecision | None = None
    scored: tuple[RankedNode, ...] = ()
    rejected: tuple[RankedNode, ...] = ()
    ranked: tuple[RankedNode, ...] = ()
    stats: SearchStats = SearchStats()


_LONGEST_TITLE = 70
"""Characters of a title in the text of an event: one line of the trace."""


def name_of(tree: Tree, key: int) -> str:
    """The name of a node in a sentence: its title, cut to 70 characters; without one, its kind."""
    node = tree.node(key)
    title = " ".join(node.title.split())
    if len(title) > _LONGEST_TITLE:
        return title[: _LONGEST_TITLE - 1].rstrip() + "…"
    return title or ("the document" if key == 0 else f"an untitled {node.kind.value}")


def describe_place(tree: Tree, key: int) -> str:
    """Name and pages of a node, the pages as people count them: "Leases (pp. 84-86)"."""
    node = tree.node(key)
    first, last = node.page_start + 1, node.page_end + 1
    return f"{name_of(tree, key)} ({f'p. {first}' if first == last else f'pp. {first}-{last}'})"


_ROLES = ("looked", "turned_back", "walked", "read")
"""Least telling first: a node keeps the most telling role it earned."""


def minimap(events: Iterable[SearchEvent]) -> dict[int, str]:
    """The nodes that the events touched, in reading order, with the most telling role that each earned."""
    roles: dict[int, int] = {}
    for event in events:
        marks = [(found.key, "looked") for found in event.scored] + [(row.key, "turned_back") for row in event.rejected]
        if event.kind in (EventKind.CHOOSING, EventKind.JUMPING, EventKind.BACKTRACKING, EventKind.ENTERING):
            marks += [(key, "walked") for key in event.path]
        if event.kind is EventKind.ENTERING:
            marks.append((event.key, "read"))
        for key, role in marks:
            roles[key] = max(roles.get(key, 0), _ROLES.index(role))
    return {key: _ROLES[roles[key]] for key in sorted(roles)}


@dataclass(frozen=True, slots=True)
class SearchReport:
    """`ranked` are the sections entered, best first; `rejected` the branches not taken, the most promising first.

    `marks` are those of `minimap`. `notes` are sentences the reader must see (failed consultations, limits), `log` the
    other sentences in order. `advice` are the events at which the pilot was asked. `engine` names the model if it
    decided anywhere, else `offline`.
    """

    ranked: tuple[RankedNode, ...]
    rejected: tuple[RankedNode, ...]
    marks: dict[int, str]
    notes: tuple[str, ...]
    log: tuple[str, ...]
    engine: str
    stats: SearchStats
    advice: tuple[SearchEvent, ...]


def report(events: Iterable[SearchEvent]) -> SearchReport:
    """Everything a step needs of a search's events; the events are read once."""
    told = tuple(events)
    advice = tuple(event for event in told if event.decision is not None)
    engines = (event.decision.engine for event in advice if event.decision is not None)
    return SearchReport(
        ranked=told[-1].ranked,
        rejected=_collect_rejections(told),
        marks=minimap(told),
        notes=tuple(event.say for event in told if event.kind is EventKind.NOTE),
        log=tuple(event.say for event in told if event.kind not in (EventKind.NOTE, EventKind.FINISHED)),
        engine=next((engine for engine in engines if engine != "offline"), "offline"),
        stats=told[-1].stats,
        advice=advice,
    )


def _collect_rejections(events: Iterable[SearchEvent]) -> tuple[RankedNode, ...]:
    """Each branch once, with its last reason; what was entered after all is not among them."""
    found: dict[int, RankedNode] = {}
    for event in events:
        found.update((rejection.key, rejection) for rejection in event.rejected)
        if event.kind is EventKind.ENTERING:
            for key in event.path:
                found.pop(key, None)
    return tuple(sorted(found.values(), key=lambda rejection: (-rejection.score, rejection.key)))
