"""A way through the tree and its score, and how pilot and scorer are merged."""

from collections.abc import Sequence
from dataclasses import dataclass

BEAM_PILOT_SHARE = 0.7
MCTS_PILOT_SHARE = 0.5
RECENCY = 2.0


def merge(pilot: float | None, scorer: float, *, confidence: float, share: float) -> float:
    """(w c p + (1 - w) s) / (w c + 1 - w): the pilot counts as much as it is sure; None leaves the scorer alone."""
    if pilot is None:
        return scorer
    trust = share * confidence
    return (trust * pilot + (1.0 - share) * scorer) / (trust + 1.0 - share)


def mean(scores: Sequence[float]) -> float:
    """The weighted mean of a way's steps, each counting RECENCY times the one before it; 0 for none.

    The last steps know most: a branch is as good as what it leads to, and all sections
    below one good chapter share that chapter's score.
    """
    weights = [RECENCY**place for place in range(len(scores))]
    return sum(weight * score for weight, score in zip(weights, scores, strict=True)) / sum(weights) if scores else 0.0


@dataclass(frozen=True, slots=True)
class Route:
    """The keys walked, the merged score of each step, and why each was taken.

    `own` marks a section that is to be read for its own leaves only, its subsections
    being walked on their own.
    """

    keys: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    reasons: tuple[str | None, ...] = ()
    own: bool = False

    @property
    def score(self) -> float:
        """The mean over the steps: a deep way has no advantage over a short one."""
        return mean(self.scores)

    @property
    def key(self) -> int:
        """The node the way leads to; the root for the empty way."""
        return self.keys[-1] if self.keys else 0

    @property
    def reason(self) -> str:
        """Why the last step was taken."""
        return (self.reasons[-1] or "") if self.reasons else ""

    @property
    def order(self) -> tuple[float, int, bool]:
        """Sorting key: best first, ties in reading order."""
        return (-self.score, self.key, self.own)

    def extended(self, key: int, score: float, reason: str | None) -> "Route":
        """This way with one more step."""
        return Route((*self.keys, key), (*self.scores, score), (*self.reasons, reason))

    def reading_itself(self, score: float) -> "Route":
        """This way, ending at its last node's own leaves, which score so."""
        return Route(self.keys, (*self.scores[:-1], score), self.reasons, own=True)


def by_merit(route: Route) -> tuple[float, int, bool]:
    """Sorting key of ways: best first, ties in reading order."""
    return route.order
