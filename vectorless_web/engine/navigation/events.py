"""What a search yields while it walks: events for the trace in plain words, the ranked nodes at the end."""

from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.navigation.pilots.decision import InterventionPoint


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
    """What a search looked at and spent."""

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
    scored: tuple[RankedNode, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    ranked: tuple[RankedNode, ...] = ()
    stats: SearchStats | None = None
    engine: str = "offline"
    tokens: int = 0
    cost_usd: float = 0.0


_LONGEST_TITLE = 70
"""Characters of a title in the text of an event; bound by one line of the trace."""


def name_of(tree: Tree, key: int) -> str:
    """What to call a node: its title, cut; else its kind."""
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


def lower_than(tree: Tree, chosen: int) -> str:
    """Why a branch without a reason of its own was not taken."""
    return f"it promises less than {name_of(tree, chosen)}"
