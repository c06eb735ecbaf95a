"""What a pilot is shown and says, and its consultation: each answer is checked, each failure becomes a note."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import Cancelled, EngineError
from vectorless_web.engine.questions.plan import QueryPlan


class PilotMode(StrEnum):
    """The presets. ALGORITHM_ONLY never asks a pilot."""

    BALANCED = "balanced"
    HIGH_QUALITY = "high_quality"
    LOW_COST = "low_cost"
    ALGORITHM_ONLY = "algorithm_only"


@dataclass(frozen=True, slots=True)
class PilotConfig:
    """Limits and thresholds of one pilot; `PilotConfig.preset(mode)` gives those of a mode.

    Wide nodes are cut twice: to the `prefilter` best-scored children, and where these still are more than
    `prune_above`, by the pilot's yes or no to each. "Measured" is said of the figures in `engine.finding.navigation`.
    """

    mode: PilotMode = PilotMode.BALANCED
    tokens_per_query: int = 2000
    """Candidates and replies of all calls together, without the fixed instructions. Measured: 1,000 reach 50, 58 and
    60; 1,294 are used."""
    tokens_per_call: int = 500
    """Candidates and reply of one call; what does not fit is left out and said. Measured: 250 reach 48, 57 and 60."""
    calls_per_query: int = 5
    """Calls of all searches for one question. Measured: 2 reach 53, 57 and 59, 10 reach 50, 58 and 60."""
    calls_per_level: int = 2
    """Calls at one depth of the tree. Measured: 1 loses one gold section at 1, 4 none."""
    fork_threshold: int = 3
    """The fewest candidates that make a fork worth asking about. Measured: 2 changes nothing, 6 gains one at 5."""
    closeness_gap: float = 0.15
    """The two best scores closer than this are too close to call. Measured: 0.075 and 0.3 change no gold section."""
    low_score: float = 0.3
    """A best score below this is too weak to follow unasked. Measured: 0.15 loses one at 3, 0.6 none."""
    prefilter: int = 15
    """Children, the best-scored ones, that go before the pilot. Measured: 8 and 30 gain one gold section at 1."""
    prune_above: int = 10
    """More children than this are pruned before the pilot ranks them."""
    prune_keep: int = 3
    """Children that pruning keeps at least. Measured: 1 loses one gold section at each of 1, 3 and 5, 6 none."""
    max_depth: int = 12
    """Depth of the tree below which no advice is asked for. Measured: 6 and 24 change nothing."""
    guide_start: bool = True
    guide_backtrack: bool = True
    call_seconds: float = 20.0
    """Seconds one call may take before it counts as failed: those of a whole search."""

    @classmethod
    def preset(cls, mode: PilotMode | str) -> "PilotConfig":
        """The configuration of a mode. Raises ValueError for an unknown name."""
        return _PRESETS[PilotMode(mode)]

    @property
    def asks(self) -> bool:
        """Whether this configuration ever asks a pilot."""
        return self.mode is not PilotMode.ALGORITHM_ONLY


_PRESETS = {
    PilotMode.BALANCED: PilotConfig(),
    PilotMode.HIGH_QUALITY: PilotConfig(
        mode=PilotMode.HIGH_QUALITY,
        tokens_per_query=5000,
        tokens_per_call=1000,
        calls_per_query=10,
        calls_per_level=3,
        fork_threshold=2,
        closeness_gap=0.2,
        low_score=0.4,
        prefilter=20,
        prune_above=14,
        prune_keep=5,
    ),
    PilotMode.LOW_COST: PilotConfig(
        mode=PilotMode.LOW_COST,
        tokens_per_query=500,
        tokens_per_call=200,
        calls_per_query=2,
        calls_per_level=1,
        fork_threshold=5,
        closeness_gap=0.1,
        low_score=0.2,
        prefilter=8,
        prune_above=6,
        prune_keep=2,
    ),
    PilotMode.ALGORITHM_ONLY: PilotConfig(
        mode=PilotMode.ALGORITHM_ONLY, tokens_per_query=0, tokens_per_call=0, calls_per_query=0, calls_per_level=0
    ),
}
"""Only "balanced" was measured; the others trade tokens for advice as the specification of the pilot states them."""


NodeId = int
"""A tree key: the pre-order number of a node, valid within one document version."""


class InterventionPoint(StrEnum):
    """Points of a search at which the pilot is asked, in order of precedence; PRUNE, for wide nodes, is separate."""

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

    `confidence` in [0, 1] weighs the scores against the scorer's. `note` tells the reader of the trace what went
    wrong or was left out. `engine` names who decided: `offline` or the model. `tokens` and `cost_usd` (US dollars)
    are what this answer cost.
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
        cls, candidates: Sequence[NodeId], *, point: InterventionPoint = InterventionPoint.EVALUATE, note: str = ""
    ) -> "PilotDecision":
        """The candidates as they stand, scored 1, 1/2, 1/3, ...; confidence 0, so that the scorer alone decides."""
        ranked = tuple(
            RankedCandidate(key, 1.0 / place, "the pilot has no opinion") for place, key in enumerate(candidates, 1)
        )
        return cls(ranked_candidates=ranked, intervention_point=point, note=note)


_LARGEST_NUMBER = 1e9
"""A number of a pilot beyond this, in either direction, is taken for a mistake."""


def as_number(value: object) -> float | None:
    """The value as float; None for text, a truth value, not-a-number, infinity or a size above a thousand million."""
    if isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER:
        return float(value)
    return None


def as_share(value: object) -> float | None:
    """A number brought into [0, 1], or None."""
    number = as_number(value)
    return None if number is None else min(max(number, 0.0), 1.0)


@dataclass(frozen=True)
class SearchState:
    """What a pilot is shown: where a search stands and what it can choose from.

    `path` are the keys walked, without the root. `candidates` are the keys to choose from and `scores` what the
    scorer gave them, in the same order (empty when unscored). `step_reasons` says for each step of the path why it
    was taken, or None. `best_score` in [0, 1] is the best that the search has seen so far.
    """

    tree: Tree
    query: QueryPlan
    path: tuple[NodeId, ...] = ()
    candidates: tuple[NodeId, ...] = ()
    visited: Set[NodeId] = frozenset()
    depth: int = -1
    """The length of the path unless given."""
    iteration: int = 0
    best_score: float = 0.0
    is_backtracking: bool = False
    step_reasons: tuple[str | None, ...] | None = None
    _: KW_ONLY
    scores: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", tuple(self.path))
        object.__setattr__(self, "candidates", tuple(self.candidates))
        if self.depth < 0:
            object.__setattr__(self, "depth", len(self.path))

    @classmethod
    def for_start(cls, tree: Tree, query: QueryPlan) -> "SearchState":
        """The state before the first step: nothing walked, nothing to choose from, nothing visited."""
        return cls(tree, query)

    @classmethod
    def below(cls, tree: Tree, query: QueryPlan, start: NodeId = 0) -> "SearchState":
        """The state at a start node, with its child sections to choose from."""
        return cls(tree, query, path=(start,) if start else (), candidates=tuple(tree.child_sections(start)))

    @property
    def is_at_root(self) -> bool:
        """Whether nothing has been walked yet."""
        return not self.path

    @property
    def is_fork_point(self) -> bool:
        """Whether there is anything to choose."""
        return len(self.candidates) > 1

    @property
    def current_node(self) -> NodeId | None:
        """The last node of the path; None at the root."""
        return self.path[-1] if self.path else None

    @cached_property
    def point(self) -> InterventionPoint:
        """START (at the root or in iteration 0) before BACKTRACK before FORK before EVALUATE."""
        if self.is_at_root or self.iteration == 0:
            return InterventionPoint.START
        if self.is_backtracking:
            return InterventionPoint.BACKTRACK
        return InterventionPoint.FORK if self.is_fork_point else InterventionPoint.EVALUATE


def scores_are_close(scores: Sequence[float], gap: float) -> bool:
    """Whether the two best scores lie closer together than `gap`; false for fewer than two."""
    best = sorted(scores, reverse=True)[:2]
    return len(best) == 2 and best[0] - best[1] < gap


def is_worth_asking(state: SearchState, config: PilotConfig) -> bool:
    """Whether advice is worth a call: by point and depth, and by how many, how close or how weak the candidates are."""
    if not config.asks or state.depth > config.max_depth:
        return False
    if state.point is InterventionPoint.START:
        return config.guide_start and state.is_fork_point
    if state.point is InterventionPoint.BACKTRACK:
        return config.guide_backtrack and bool(state.candidates)
    if state.point is InterventionPoint.EVALUATE:
        # A section that was entered is judged; an only child is simply walked into.
        return not state.candidates
    is_wide = len(state.candidates) >= config.fork_threshold
    is_weak = max(state.scores, default=state.best_score) < config.low_score
    return is_wide or is_weak or scores_are_close(state.scores, config.closeness_gap)


def needs_prefilter(count: int, config: PilotConfig) -> bool:
    """Whether so many candidates are cut to the best-scored before they go before the pilot."""
    return count > config.prefilter


def needs_pruning(count: int, config: PilotConfig) -> bool:
    """Whether so many candidates, after the pre-filter, are pruned by the pilot before it ranks them."""
    return config.asks and count > config.prune_above


class Pilot(Protocol):
    """All that a search may ask of a pilot. What has a body here is the default of a pilot that leaves it out."""

    name: str
    config: PilotConfig
    last_prune: PilotDecision | None = None
    """What the last pruning cost and has to say."""

    def should_intervene(self, state: SearchState) -> bool:
        """Whether advice at this state is worth its cost."""
        ...

    def decide(self, state: SearchState) -> PilotDecision:
        """Rank the candidates and say where to go; on any error keep their order, never raise."""
        ...

    @property
    def is_active(self) -> bool:
        """False for a pilot without opinions, or when its budget is spent."""
        return self.config.asks

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision | None:
        """Judge the children of `start_node` before the first step; None for no opinion."""
        state = SearchState.below(tree, query, start_node)
        return self.decide(state) if self.is_active and self.should_intervene(state) else None

    def guide_backtrack(self, state: SearchState) -> PilotDecision | None:
        """Say why the path failed and rank the other branches, which are the candidates."""
        return self.decide(state) if self.is_active and self.should_intervene(state) else None

    def binary_prune(self, state: SearchState) -> Sequence[NodeId] | None:
        """The candidates of a wide node worth keeping; None for no opinion."""
        return None

    def reset(self) -> None:
        """Forget this pilot's own caches and counters before a new search; a budget it was given stays."""
        return


class PilotExt:
    """A pilot of the first four members of `Pilot`, completed with the defaults of the others."""

    def __init__(self, pilot: Any) -> None:
        self._pilot = pilot

    def __getattr__(self, member: str) -> Any:
        if member in vars(Pilot) and not hasattr(self._pilot, member):
            default = vars(Pilot)[member]
            return default.__get__(self, PilotExt) if hasattr(default, "__get__") else default
        return getattr(self._pilot, member)

    @property
    def config(self) -> PilotConfig:
        """The pilot's own configuration; the balanced preset if it brings none."""
        config = getattr(self._pilot, "config", None)
        return config if isinstance(config, PilotConfig) else PilotConfig()

    def can_intervene(self, state: SearchState) -> bool:
        """Whether the pilot is active and finds this state worth its advice."""
        return bool(self.is_active) and bool(self.should_intervene(state))

    @staticmethod
    def intervention_point(state: SearchState) -> InterventionPoint:
        """The point at which a pilot asked in this state intervenes."""
        return state.point


class NoopPilot(Pilot):
    """A pilot that is never active; if asked anyway, it keeps the candidates' order."""

    name = "none"
    is_active = False

    def __init__(self, config: PilotConfig | None = None) -> None:
        self.config = config or PilotConfig.preset(PilotMode.ALGORITHM_ONLY)

    def should_intervene(self, state: SearchState) -> bool:
        return False

    def decide(self, state: SearchState) -> PilotDecision:
        return PilotDecision.preserve_order(state.candidates, point=state.point)


Answer = TypeVar("Answer")

FAILURES: tuple[type[Exception], ...] = (
    *(ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, EngineError, ImportError, LookupError),
    *(MemoryError, NameError, OSError, RuntimeError, StopIteration, SyntaxError, TypeError, ValueError, Warning),
)
"""How a pilot, which may be anybody's code, can fail without harm to the run: every built-in kind and the engine's own.

Not every Exception: what a queue or a host throws into the thread to end a job has to get through.
"""


class Guidance:
    """One pilot, asked for one search; it is reset first.

    A pilot that is not active is not asked: the scorer decides alone. `spend_turn` counts a consultation and refuses
    it when no turn is left; `note` receives sentences for the reader; `account` each decision given.
    """

    def __init__(
        self,
        pilot: Any,
        *,
        spend_turn: Callable[[], bool],
        note: Callable[[str], None],
        account: Callable[[PilotDecision], None],
    ) -> None:
        self._pilot = PilotExt(pilot)
        self._spend_turn, self._note, self._account = spend_turn, note, account
        self.consultations = 0
        self._safely(self._pilot.reset, otherwise=None)

    @property
    def config(self) -> PilotConfig:
        """The pilot's configuration."""
        return self._safely(lambda: self._pilot.config, otherwise=PilotConfig())

    @property
    def is_active(self) -> bool:
        """Whether the pilot would be asked. The reader is told once when it no longer is."""
        is_active = bool(self._safely(lambda: self._pilot.is_active, otherwise=False))
        if not is_active and self.consultations:
            self._note("The pilot's budget is spent; from here the document's words decide alone.")
        return is_active

    def start(self, state: SearchState, start: NodeId) -> PilotDecision | None:
        """The pilot's judgement of the children of the start node; None without an active pilot or a usable answer."""
        if not self.is_active:
            return None
        return self._check_decision(
            self._ask_pilot(partial(self._pilot.guide_start, state.tree, state.query, start)), state
        )

    def decide(self, state: SearchState) -> PilotDecision | None:
        """The pilot's judgement of the candidates; None when it is not asked or its answer is unusable."""
        return self._judge(state, self._pilot.decide)

    def backtrack(self, state: SearchState) -> PilotDecision | None:
        """The pilot's judgement of the branches put aside; None when it is not asked or its answer is unusable."""
        return self._judge(state, self._pilot.guide_backtrack)

    def prune(self, state: SearchState) -> list[NodeId] | None:
        """The candidates worth keeping, in their order; None for no opinion."""
        if not self.is_active:
            return None
        kept = self._ask_pilot(partial(self._pilot.binary_prune, state))
        record = self._safely(lambda: self._pilot.last_prune, otherwise=None)
        if isinstance(record, PilotDecision):
            self._accept(record)
        if not isinstance(kept, list | tuple | set | frozenset):
            return None
        wanted = {key for key in kept if isinstance(key, int)}
        return [key for key in state.candidates if key in wanted]

    def _judge(
        self, state: SearchState, question: Callable[[SearchState], PilotDecision | None]
    ) -> PilotDecision | None:
        if not self.is_active or not self._safely(partial(self._pilot.should_intervene, state), otherwise=False):
            return None
        return self._check_decision(self._ask_pilot(partial(question, state)), state)

    def _ask_pilot(self, question: Callable[[], Answer]) -> Answer | None:
        if not self._spend_turn():
            return None
        self.consultations += 1
        return self._safely(question, otherwise=None)

    def _safely(self, question: Callable[[], Answer], *, otherwise: Answer) -> Answer:
        try:
            return question()
        except Cancelled:
            raise
        except FAILURES as error:
            self._note(f"The pilot failed ({type(error).__name__}); the walk goes on without its advice.")
            return otherwise

    def _check_decision(self, answer: object, state: SearchState) -> PilotDecision | None:
        if answer is None:
            return None
        decision = self._safely(lambda: _mend_decision(answer, state), otherwise=None)
        if decision is None:
            self._note("The pilot's answer was unusable; the walk goes on without it.")
            return None
        self._accept(decision)
        return decision

    def _accept(self, decision: PilotDecision) -> None:
        self._account(decision)
        if decision.note:
            self._note(decision.note)


def _mend_decision(answer: object, state: SearchState) -> PilotDecision | None:
    """The decision with foreign keys, doubles and impossible numbers taken out, and the reader told."""
    if not isinstance(answer, PilotDecision):
        return None
    direction = _check_direction(answer.direction, state.tree)
    lost = "" if direction is not None else "The pilot pointed to a place that does not exist."
    point = answer.intervention_point
    return replace(
        answer,
        ranked_candidates=_select_usable(
            answer.ranked_candidates, set(state.candidates) or {state.current_node or 0}, _clean_text(answer.reasoning)
        ),
        direction=direction or GoDeeper(),
        confidence=as_share(answer.confidence) or 0.0,
        reasoning=_clean_text(answer.reasoning),
        intervention_point=point if isinstance(point, InterventionPoint) else state.point,
        note=" ".join(part for part in (_clean_text(answer.note), lost) if part),
        engine=_clean_text(answer.engine) or "offline",
        tokens=int(max(as_number(answer.tokens) or 0.0, 0.0)),
        cost_usd=max(as_number(answer.cost_usd) or 0.0, 0.0),
    )


def _select_usable(
    candidates: Iterable[RankedCandidate], allowed: set[NodeId], reasoning: str
) -> tuple[RankedCandidate, ...]:
    """The candidates that are known, each once; one without a reason gets the decision's own."""
    found: dict[NodeId, RankedCandidate] = {}
    for candidate in candidates:
        if not isinstance(candidate, RankedCandidate) or not isinstance(candidate.node, int):
            continue
        score = as_share(candidate.score)
        if candidate.node in allowed and score is not None:
            reason = _clean_text(candidate.reason) or reasoning or "the pilot gave no reason"
            found.setdefault(candidate.node, RankedCandidate(candidate.node, score, reason))
    return tuple(found.values())


def _check_direction(direction: SearchDirection, tree: Tree) -> SearchDirection | None:
    if isinstance(direction, JumpTo):
        is_key = isinstance(direction.target, int) and not isinstance(direction.target, bool)
        return direction if is_key and direction.target in tree else None
    if isinstance(direction, FoundAnswer):
        return FoundAnswer(as_share(direction.confidence) or 0.0)
    return direction if isinstance(direction, GoDeeper | ExploreSiblings | Backtrack) else None


_LONGEST_REMARK = 400
"""Characters kept of a text that a pilot gives, such as a reason or a note: any code may be a pilot."""


def _clean_text(value: object) -> str:
    return " ".join(value.split())[:_LONGEST_REMARK] if isinstance(value, str) else ""


def scores_of(decision: PilotDecision | None, candidates: Sequence[NodeId]) -> list[RankedCandidate | None]:
    """What the decision says of each candidate, None where it says nothing."""
    said = {candidate.node: candidate for candidate in decision.ranked_candidates} if decision else {}
    return [said.get(key) for key in candidates]
