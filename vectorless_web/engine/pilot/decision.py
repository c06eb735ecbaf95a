"""What a pilot says: a ranking, a direction, and how sure it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

NodeId = int
"""A tree key: the pre-order number of a node, valid within one document version."""


class InterventionPoint(StrEnum):
    """Where in a walk the pilot is asked, in order of precedence; PRUNE is asked beside them, for wide nodes."""

    START = "start"
    BACKTRACK = "backtrack"
    FORK = "fork"
    EVALUATE = "evaluate"
    PRUNE = "prune"


@dataclass(frozen=True, slots=True)
class GoDeeper:
    """Walk on into the best candidates."""


@dataclass(frozen=True, slots=True)
class ExploreSiblings:
    """Leave the candidates; look at the siblings of the current node instead."""


@dataclass(frozen=True, slots=True)
class Backtrack:
    """Give this branch up and take up the best one that was put aside."""


@dataclass(frozen=True, slots=True)
class JumpTo:
    """Go straight to another node of the tree."""

    target: NodeId


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The answer is here: stop searching. `confidence` in [0, 1]."""

    confidence: float


SearchDirection = GoDeeper | ExploreSiblings | Backtrack | JumpTo | FoundAnswer
"""What the algorithm does next; the algorithms obey it."""


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """One candidate with the pilot's score in [0, 1] and its reason in plain words."""

    node: NodeId
    score: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PilotDecision:
    """One answer of a pilot. `PilotDecision()` is valid: no opinion, walk on.

    `confidence` in [0, 1] weighs the scores against the scorer's. `note` is for the
    reader of the trace: what went wrong or was left out. `engine` names who decided:
    `offline` or the model. `tokens` and `cost_usd` are what this answer cost.
    """

    ranked_candidates: tuple[RankedCandidate, ...] = ()
    direction: SearchDirection = GoDeeper()
    confidence: float = 0.0
    reasoning: str = ""
    intervention_point: InterventionPoint = InterventionPoint.EVALUATE
    note: str = ""
    engine: str = "offline"
    tokens: int = 0
    cost_usd: float = 0.0

    @classmethod
    def preserve_order(
        cls,
        candidates: Sequence[NodeId],
        *,
        point: InterventionPoint = InterventionPoint.EVALUATE,
        note: str = "",
    ) -> "PilotDecision":
        """The candidates as they stand, scored 1, 1/2, 1/3, ..., with confidence 0: nothing the merge would heed."""
        ranked = tuple(RankedCandidate(key, 1.0 / place) for place, key in enumerate(candidates, start=1))
        return cls(ranked_candidates=ranked, intervention_point=point, note=note)


def as_number(value: object) -> float | None:
    """A number that can be worked with, else None: no text, truth value, infinity, not-a-number or absurd size."""
    if isinstance(value, int | float) and not isinstance(value, bool) and -1e9 <= value <= 1e9:
        return float(value)
    return None


def as_share(value: object) -> float | None:
    """A number brought into [0, 1], or None."""
    number = as_number(value)
    return None if number is None else min(max(number, 0.0), 1.0)
