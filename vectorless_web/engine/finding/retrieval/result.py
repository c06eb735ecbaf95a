"""What a retrieval gives: the items packed, what was left out and why, warnings, and how the scores lie."""

import json
import math
import tomllib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from itertools import pairwise
from statistics import median
from typing import Any

from vectorless_web.engine.finding.retrieval.corpus import CorpusNode, NodeAddress
from vectorless_web.engine.finding.retrieval.expansion import MAX_NODES
from vectorless_web.engine.finding.retrieval.packing import Dropped

WARNINGS_CAP = 8
"""Warnings that one result carries at most; as many as there are kinds of cause."""


class WarningCode(StrEnum):
    """The closed set of warnings; each has a page `docs/warnings/<code>.md` that tells the remedy."""

    COMMUNITY_FILTER_NOOP = "community_filter_noop"
    PPR_NO_SUBSTRATE = "ppr_no_substrate"
    NO_RERANKER = "no_reranker"
    AUTHORED_ADJACENCY_EMPTY = "authored_adjacency_empty"
    BELOW_CONFIDENCE_FLOOR = "below_confidence_floor"
    PPR_SIZE_GATE_SKIPPED = "ppr_size_gate_skipped"
    LANE_EMPTY = "lane_empty"
    NON_FINITE_SCORE = "non_finite_score"
    WARNINGS_TRUNCATED = "warnings_truncated"


_TOLD = tomllib.loads(resources.files(__package__).joinpath("warnings.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class RetrievalWarning:
    """One warning: its code, the knob it is about and a constant message. User text never enters it."""

    code: WarningCode

    @property
    def knob(self) -> str:
        """The setting to change."""
        return str(_TOLD[self.code]["knob"])

    @property
    def message(self) -> str:
        """The sentence shown; the same for every request."""
        return str(_TOLD[self.code]["message"])

    @property
    def remedy(self) -> str:
        """What to do, in a sentence."""
        return str(_TOLD[self.code]["remedy"])

    @property
    def remediation_ref(self) -> str:
        """Path of the page that tells the remedy, from the root of the repository."""
        return f"docs/warnings/{self.code.value}.md"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What was asked for and what there was to do it with: counts, never guesses.

    `authored_edges`, `vectors` and `ppr_nodes` are sizes of the corpus; `graph_expand` is whether expansion was asked
    for at all, `ppr` whether by PageRank.
    """

    rerank: bool = False
    reranker_available: bool = False
    community: bool = False
    ppr: bool = False
    ppr_opt_in: bool = False
    graph_expand: bool = False
    authored_edges: int = 0
    vectors: int = 0
    ppr_nodes: int = 0

    def warnings(self) -> list[RetrievalWarning]:
        """The warnings that hold: rerank, community, PageRank, expansion, then the size gate."""
        nothing_linked = self.authored_edges == 0 and self.vectors == 0
        held = (
            (WarningCode.NO_RERANKER, self.rerank and not self.reranker_available),
            (WarningCode.COMMUNITY_FILTER_NOOP, self.community and nothing_linked),
            (WarningCode.PPR_NO_SUBSTRATE, self.ppr and nothing_linked),
            (WarningCode.AUTHORED_ADJACENCY_EMPTY, self.graph_expand and self.authored_edges == 0),
            (WarningCode.PPR_SIZE_GATE_SKIPPED, self.ppr and self.ppr_nodes > MAX_NODES and not self.ppr_opt_in),
        )
        return [RetrievalWarning(code) for code, holds in held if holds]


def cap_warnings(warnings: Sequence[RetrievalWarning]) -> list[RetrievalWarning]:
    """Up to WARNINGS_CAP warnings unchanged; of more, the first WARNINGS_CAP - 1 and `warnings_truncated`."""
    if len(warnings) <= WARNINGS_CAP:
        return list(warnings)
    return [*warnings[: WARNINGS_CAP - 1], RetrievalWarning(WarningCode.WARNINGS_TRUNCATED)]


class Lane(StrEnum):
    """Where a score comes from, in the order in which the lanes run and an item lists them."""

    VECTOR = "vector"
    SPARSE = "sparse"
    LEXICAL = "lexical"
    STRUCTURE = "structure"
    GRAPH = "graph_expand"
    RERANK = "rerank"


PLAIN = frozenset({str, int, float, bool, type(None)})


def tag_types(value: Any) -> Any:
    """The value as JSON that tells types apart: every value beside the name of its type."""
    if isinstance(value, NodeAddress):
        value = str(value)  # Fingerprints of stored runs were taken over written ids.
    if type(value) in PLAIN:  # Nearly all values are, and a Mapping is the slowest to ask for.
        return [type(value).__name__, repr(value)]
    if isinstance(value, Mapping):
        return ["map", sorted(([str(key), tag_types(item)] for key, item in value.items()), key=lambda pair: pair[0])]
    if isinstance(value, frozenset):
        return ["set", sorted(map(repr, value))]
    if isinstance(value, list | tuple):
        return [tag_types(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if hasattr(value, "__dataclass_fields__"):
        return [type(value).__name__, {name: tag_types(getattr(value, name)) for name in value.__dataclass_fields__}]
    if hasattr(value, "version") or hasattr(value, "name"):
        return [type(value).__name__, getattr(value, "version", None) or getattr(value, "name", "")]
    return [type(value).__name__, repr(value)]


@dataclass(frozen=True, slots=True)
class RetrievedItem:
    """A packed node: as stored, as the model reads it, its tokens, final score and the native score of each lane."""

    node: CorpusNode
    rendered: str
    tokens: int
    score: float
    lane_scores: tuple[tuple[Lane, float], ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What was packed and what was not.

    `len(items) + dropped == candidates_seen`; `left_out` names each dropped candidate with its reason. `tokens_budget`
    is None when unset. Equal fingerprints mean equal bytes.
    """

    items: tuple[RetrievedItem, ...]
    tokens_used: int
    tokens_budget: int | None
    dropped: int
    candidates_seen: int
    warnings: tuple[RetrievalWarning, ...]
    fingerprint: str
    left_out: tuple[Dropped, ...] = ()

    def canonical(self) -> bytes:
        """The whole result as ASCII JSON; equal requests must give equal bytes."""
        return json.dumps(tag_types(self), ensure_ascii=True, sort_keys=True).encode()


SHAPE_MINIMUM = 8
"""Fewer scores than this have no shape: with eight each quartile holds two."""


def confidence(scores: Sequence[float]) -> float:
    """clamp(1 - max(last, 0) / first) in [0, 1] over scores best first: how far the best stands out.

    0 for fewer than two scores or a first that is not positive. Source: this package.
    """
    if len(scores) < 2 or not scores[0] > 0:
        return 0.0
    return min(max(1.0 - max(scores[-1], 0.0) / scores[0], 0.0), 1.0)


def quantiles(scores: Sequence[float]) -> list[float]:
    """(K - 1 - i) / (K - 1) for rank i of K: 1 for the best, 0 for the last; a single score is 1.

    As many values as scores, which stand best first; only their number counts. Source: rank normalisation.
    """
    count = len(scores)
    return [(count - 1 - i) / (count - 1) for i in range(count)] if count > 1 else [1.0] * count


class Shape(StrEnum):
    """How the scores of a list are spread (see `score_shape`)."""

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

    Bimodal when one gap with at least two scores on each side exceeds half the range; else long-tail when max - median
    > 2 x iqr; else uniform. Quartiles are the entries at n // 4 and 3n // 4 of the sorted scores. Scores that are not
    finite do not count. Source: this package's rules, in the manner of Tukey, Exploratory Data Analysis, 1977.
    """
    ordered = sorted(filter(math.isfinite, scores))
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


WINDOW = 128
"""Values kept of one session, the last ones. Chosen by hand, like the three below; no run of the workspace uses
them."""
WARM_UP = 12
"""Values from which a session has a median: of fewer, one odd value moves it far."""
IDLE_SECONDS = 3600.0
"""Seconds after its last value from which a session may be dropped."""
MAX_SESSIONS = 10 * WINDOW
"""Sessions kept; with WINDOW it bounds the memory to about 164,000 numbers."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """What one sweep removed: idle sessions, then the oldest above the cap; `active` are left."""

    evicted_ttl: int
    evicted_cap: int
    active: int


@dataclass(slots=True)
class SessionReservoir:
    """The last `window` values of each session; time is passed in, in seconds, so nothing depends on a clock.

    Its median may change a confidence that is shown, never an order. Source: a sliding window with a robust centre (the
    sample median).
    """

    window: int = WINDOW
    warm_up: int = WARM_UP
    idle_seconds: float = IDLE_SECONDS
    max_sessions: int = MAX_SESSIONS
    _values: dict[str, deque[float]] = field(default_factory=dict)
    _last: dict[str, float] = field(default_factory=dict)

    def observe(self, session: str, value: float, *, at: float) -> None:
        """Record a value of the session; one that is not finite is ignored."""
        if math.isfinite(value):
            self._values.setdefault(session, deque(maxlen=self.window)).append(value)
            self._last[session] = max(self._last.get(session, at), at)

    def is_warming_up(self, session: str) -> bool:
        """Whether the session has fewer than `warm_up` observations."""
        return len(self._values.get(session, ())) < self.warm_up

    def median(self, session: str) -> float | None:
        """Median of the window, the mean of the middle two when even; None while warming up."""
        return None if self.is_warming_up(session) else float(median(self._values[session]))

    def evict(self, *, now: float) -> Eviction:
        """Drop sessions idle for more than `idle_seconds`, then the longest idle above `max_sessions`."""
        idle = [name for name, last in self._last.items() if now - last > self.idle_seconds]
        kept = sorted((last, name) for name, last in self._last.items() if now - last <= self.idle_seconds)
        oldest = [name for _, name in kept[: max(len(kept) - self.max_sessions, 0)]]
        for name in (*idle, *oldest):
            del self._values[name], self._last[name]
        return Eviction(len(idle), len(oldest), len(self._values))
