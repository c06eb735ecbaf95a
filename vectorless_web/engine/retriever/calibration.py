"""Scale-free summaries of one result's scores. What people see as confidence is defined elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from vectorless_web.engine.retriever.ranking import finite

SHAPE_MINIMUM = 8
"""Fewer scores than this have no shape worth a name."""


def confidence(scores: Sequence[float]) -> float:
    """clamp(1 - max(last, 0) / first) in [0, 1] over scores best first: how far the best stands out.

    0 for fewer than two scores or a first that is not positive. Source: a measure of this
    package; the confidence that people see is another one.
    """
    if len(scores) < 2 or not scores[0] > 0:
        return 0.0
    return min(max(1.0 - max(scores[-1], 0.0) / scores[0], 0.0), 1.0)


def quantiles(scores: Sequence[float]) -> list[float]:
    """(K - 1 - i) / (K - 1) for rank i of K: 1 for the best, 0 for the last; a single score is 1.

    As many values as scores, which stand best first; only their number counts. Source: rank
    normalisation.
    """
    count = len(scores)
    return [(count - 1 - i) / (count - 1) for i in range(count)] if count > 1 else [1.0] * count


class Shape(StrEnum):
    """How scores are spread."""

    BIMODAL = "bimodal"
    LONG_TAIL = "long-tail"
    UNIFORM = "uniform"
    INSUFFICIENT = "insufficient-samples"


@dataclass(frozen=True, slots=True)
class Distribution:
    """Minimum, maximum, median (upper of the middle two), interquartile range and shape; zeros when insufficient."""

    min: float = 0.0
    max: float = 0.0
    median: float = 0.0
    iqr: float = 0.0
    shape: Shape = Shape.INSUFFICIENT


def score_shape(scores: Sequence[float]) -> Distribution:
    """Shape of eight or more finite scores, in any order.

    Bimodal when one gap with at least two scores on each side exceeds half the range;
    else long-tail when max - median > 2 x iqr; else uniform. Quartiles are the entries
    at n // 4 and 3n // 4 of the sorted scores. Scores that are not finite do not count.
    Source: this package's rules, in the manner of Tukey, Exploratory Data Analysis, 1977.
    """
    ordered = sorted(score for _, score in finite(("", score) for score in scores))
    count = len(ordered)
    if count < SHAPE_MINIMUM:
        return Distribution()
    low, high, middle = ordered[0], ordered[-1], ordered[count // 2]
    iqr = ordered[3 * count // 4] - ordered[count // 4]
    gaps = [above - below for below, above in pairwise(ordered)][1:-1]
    if max(gaps) > (high - low) / 2:
        shape = Shape.BIMODAL
    else:
        shape = Shape.LONG_TAIL if high - middle > 2 * iqr else Shape.UNIFORM
    return Distribution(low, high, middle, iqr, shape)
