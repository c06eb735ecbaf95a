"""What a pilot is shown and says, the pilot without a model, and how a search asks any of them."""

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import Any, TypeVar

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import Cancelled, EngineError
from vectorless_web.engine.finding.ranking.ranker import TreeScorer
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse, title_terms


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


BALANCED = PilotConfig()
_PRESETS = {
    PilotMode.BALANCED: BALANCED,
    PilotMode.HIGH_QUALITY: PilotConfig(PilotMode.HIGH_QUALITY, 5000, 1000, 10, 3, 2, 0.2, 0.4, 20, 14, 5),
    PilotMode.LOW_COST: PilotConfig(PilotMode.LOW_COST, 500, 200, 2, 1, 5, 0.1, 0.2, 8, 6, 2),
    PilotMode.ALGORITHM_ONLY: PilotConfig(PilotMode.ALGORITHM_ONLY, 0, 0, 0, 0),
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
    iteration: int = 0
    best_score: float = 0.0
    is_backtracking: bool = False
    step_reasons: tuple[str | None, ...] | None = None
    scores: tuple[float, ...] = ()

    @classmethod
    def for_start(cls, tree: Tree, query: QueryPlan) -> "SearchState":
        """The state before the first step: nothing walked, nothing to choose from, nothing visited."""
        return cls(tree, query)

    @classmethod
    def below(cls, tree: Tree, query: QueryPlan, start: NodeId = 0) -> "SearchState":
        """The state at a start node, with its child sections to choose from."""
        return cls(tree, query, path=(start,) if start else (), candidates=tuple(tree.child_sections(start)))

    @property
    def depth(self) -> int:
        """Steps walked so far."""
        return len(self.path)

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
    if state.depth > config.max_depth:
        return False
    match state.point:
        case InterventionPoint.START:
            return state.is_fork_point
        case InterventionPoint.BACKTRACK:
            return bool(state.candidates)
        case InterventionPoint.EVALUATE:
            # A section that was entered is judged; an only child is simply walked into.
            return not state.candidates
    is_wide = len(state.candidates) >= config.fork_threshold
    is_weak = max(state.scores, default=state.best_score) < config.low_score
    return is_wide or is_weak or scores_are_close(state.scores, config.closeness_gap)


class Pilot:
    """All that a search asks of a pilot. `name`, `should_intervene` and `decide` are its own; the rest has defaults."""

    name: str
    config = BALANCED
    last_prune: PilotDecision | None = None
    """What the last pruning cost and has to say."""

    def should_intervene(self, state: SearchState) -> bool:
        """Whether advice at this state is worth its cost."""
        raise NotImplementedError

    def decide(self, state: SearchState) -> PilotDecision:
        """Rank the candidates and say where to go; on any error keep their order, never raise."""
        raise NotImplementedError

    @property
    def is_active(self) -> bool:
        """False for a pilot without opinions, or when its budget is spent; then it is not asked at all."""
        return self.config.asks

    def can_intervene(self, state: SearchState) -> bool:
        """Whether the pilot is active and finds this state worth its advice."""
        return self.is_active and self.should_intervene(state)

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision | None:
        """Judge the children of `start_node` before the first step; None for no opinion."""
        state = SearchState.below(tree, query, start_node)
        return self.decide(state) if self.should_intervene(state) else None

    def guide_backtrack(self, state: SearchState) -> PilotDecision | None:
        """Say why the path failed and rank the other branches, which are the candidates."""
        return self.decide(state)

    def binary_prune(self, state: SearchState) -> Sequence[NodeId] | None:
        """The candidates of a wide node worth keeping; None for no opinion."""
        return None

    def reset(self) -> None:
        """Forget this pilot's own caches and counters before a new search; a budget it was given stays."""


class PilotExt:
    """A pilot of somebody's own, which need be no `Pilot`: what it leaves out has the defaults."""

    def __init__(self, pilot: Any) -> None:
        self._pilot = pilot

    def __getattr__(self, member: str) -> Any:
        if hasattr(self._pilot, member):
            return getattr(self._pilot, member)
        default = vars(Pilot)[member]
        return default.__get__(self, PilotExt) if hasattr(default, "__get__") else default


class NoopPilot(Pilot):
    """A pilot that is never active; if asked anyway, it keeps the candidates' order."""

    name = "none"
    is_active = False
    config = PilotConfig.preset(PilotMode.ALGORITHM_ONLY)

    def should_intervene(self, state: SearchState) -> bool:
        return False

    def decide(self, state: SearchState) -> PilotDecision:
        return PilotDecision.preserve_order(state.candidates, point=state.point)


SHARES = ((0.95, "all"), (0.6, "most"), (0.4, "about half"), (0.2, "some"), (0.05, "few"), (0.0, "hardly any"))
"""How a share of words is put in a reason: the least share for which each wording is used."""
_TITLE_SHARE = 0.35
"""How far a title that bears all words of the question closes the gap to certainty. A title is short, so its words may
be there for another reason. Measured: 0.175 and 0.7 change no gold section."""
_LABEL_SHARE = 0.95
"""The same for a section that the question calls by its label: nearly certain."""


class LexicalPilot(Pilot):
    """A pilot without a model: deterministic, without cost or network.

    A candidate's score joins three independent pieces of evidence, s = 1 - (1 - e)(1 - t)(1 - r): the scorer's evidence
    e of its subtree, the share t of the question's words in its title, and r when the question calls it by its label.
    """

    name = "lexical"

    def __init__(self, scorer: TreeScorer, *, config: PilotConfig = BALANCED) -> None:
        self.config, self._scorer = config, scorer

    def should_intervene(self, state: SearchState) -> bool:
        """Wherever there is something to choose: its advice costs nothing."""
        return bool(state.candidates)

    def decide(self, state: SearchState) -> PilotDecision:
        ranked = self._rank(state.tree, state.query, state.candidates)
        return PilotDecision(
            ranked_candidates=ranked,
            confidence=_measure_lead([candidate.score for candidate in ranked]),
            reasoning=_summary(state.tree, ranked),
            intervention_point=state.point,
        )

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision:
        """Rank the children of the start node; jump when the question calls one section below it by its label."""
        decision = self.decide(SearchState.below(tree, query, start_node))
        named = _named_node(tree, query, start_node)
        if named is None:
            return decision
        return replace(
            decision, direction=JumpTo(named), reasoning=f"The question names {tree.node(named).label.strip()}"
        )

    def guide_backtrack(self, state: SearchState) -> PilotDecision:
        """Rank the other branches and say what the failed one lacked."""
        here, reason = state.current_node, "the way so far led nowhere"
        if here is not None:
            title = state.tree.node(here).title or "this section"
            reason = f"{title} holds {say_share(self.coverage(here))} of the question's words"
        return replace(self.decide(state), reasoning=reason)

    def binary_prune(self, state: SearchState) -> list[NodeId] | None:
        """Keep the candidates with any evidence at all; no opinion when that is none or all of them."""
        scored = {c.node: c.score for c in self._rank(state.tree, state.query, state.candidates)}
        kept = [key for key in state.candidates if scored[key] > 0.0]
        return kept if 0 < len(kept) < len(state.candidates) else None

    def coverage(self, key: NodeId) -> float:
        """The share of the question's words that stand in the node's subtree."""
        return self._scorer.evidence(key).coverage

    def measure_standing(self, key: NodeId) -> float:
        """Best score in the node's subtree as a share of the document's best, in [0, 1]."""
        best = self._scorer.evidence(0).best_score
        return self._scorer.evidence(key).best_score / best if best > 0.0 else 0.0

    def most_promising(self, keys: Sequence[NodeId]) -> list[NodeId]:
        scores = dict(zip(keys, self._scorer.scores(keys), strict=True))
        return sorted(keys, key=lambda key: -scores[key])

    def _rank(self, tree: Tree, query: QueryPlan, keys: Sequence[NodeId]) -> tuple[RankedCandidate, ...]:
        wanted = {term.term: term.weight for term in query.terms}
        asked = [token.term for token in query.tokens if token.term]
        found = []
        for key, share in zip(keys, self._scorer.scores(keys), strict=True):
            titled, title_share = _match_title(tree.node(key).title, wanted)
            is_named = names_label(tree, key, asked)
            score = 1.0 - (1.0 - share) * (1.0 - _TITLE_SHARE * title_share) * (1.0 - _LABEL_SHARE * is_named)
            found.append(RankedCandidate(key, score, self._reason(tree, key, titled=titled, is_named=is_named)))
        return tuple(sorted(found, key=lambda candidate: (-candidate.score, candidate.node)))

    def _reason(self, tree: Tree, key: NodeId, *, titled: Sequence[str], is_named: bool) -> str:
        if is_named:
            return "the question calls it by its number"
        parts = [f"its title speaks of {', '.join(titled[:3])}"] if titled else []
        found = self._scorer.evidence(key)
        if found.best_score > 0.0:
            page = tree.node(found.best).page_start + 1
            share = say_share(found.coverage)
            parts.append(f"it holds {share} of the question's words, its best passage is on page {page}")
        return "; ".join(parts) or "nothing in it speaks of the question"


def names_label(tree: Tree, key: NodeId, asked: Sequence[str]) -> bool:
    """Whether the analysed words of a question contain the label of a node ("Note 7", "Item 1A", "3.2") as it stands.

    A node without a label is known by the first two words of its title when the second one has a digit. A bare
    number or word is no label: it may be anything.
    """
    node = tree.node(key)
    label = list(title_terms(node.label))
    if not label:
        label = list(title_terms(node.title))[:2]
        if len(label) < 2 or not any(character.isdigit() for character in label[1]):
            return False
    if len(label) < 2 and not (label and "." in label[0]):
        return False
    return any(list(asked[at : at + len(label)]) == label for at in range(len(asked) - len(label) + 1))


def _named_node(tree: Tree, query: QueryPlan, start: NodeId) -> NodeId | None:
    """The one section below `start` whose label the question names; None when none or several fit."""
    asked = [token.term for token in query.tokens if token.term]
    below = (key for key in range(start + 1, tree.subtree_end(start)) if tree.kind(key) is NodeKind.SECTION)
    found = [key for key in below if tree.node(key).label and names_label(tree, key, asked)]
    return found[0] if len(found) == 1 else None


def _match_title(title: str, wanted: dict[str, float]) -> tuple[list[str], float]:
    """Words of the title that the question has, as written, and their share of the question's weight."""
    total = sum(wanted.values())
    shared = {term: word for word in title.split() for term in analyse(word) if term in wanted}
    return list(dict.fromkeys(shared.values())), sum(wanted[term] for term in shared) / total if total else 0.0


LONGEST_TITLE = 70
"""Characters of a title in a prompt, about 20 tokens, and in a sentence of the trace: one line."""


def shorten_text(text: str, longest: int = LONGEST_TITLE) -> str:
    """The text on one line of at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def say_share(share: float) -> str:
    """The wording of a share in [0, 1], as in "most of the question's words"."""
    return next(words for least, words in SHARES if share >= least)


def _measure_lead(scores: Sequence[float]) -> float:
    """How far the best stands out: 0.5 for a tie, towards 1 as the second falls away; 0 without evidence."""
    if not scores or scores[0] <= 0.0:
        return 0.0
    second = scores[1] if len(scores) > 1 else 0.0
    return 0.5 + 0.5 * (scores[0] - second) / scores[0]


def _summary(tree: Tree, ranked: Sequence[RankedCandidate]) -> str:
    if not ranked or ranked[0].score <= 0.0:
        return "No section speaks of the question"
    best = ranked[0]
    return f"{tree.node(best.node).title or 'An untitled section'} looks most promising: {best.reason}"


Answer = TypeVar("Answer")

FAILURES: tuple[type[Exception], ...] = (
    *(ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, EngineError, ImportError, LookupError),
    *(MemoryError, NameError, OSError, RuntimeError, StopIteration, SyntaxError, TypeError, ValueError, Warning),
)
"""How a pilot, which may be anybody's code, can fail without harm to the run: every built-in kind and the engine's own.

Not every Exception: what a queue or a host throws into the thread to end a job has to get through.
"""


def clamp_share(value: float) -> float:
    """The value brought into [0, 1]; 0 for what is no finite number."""
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


class Guidance:
    """One pilot, asked for one search; it is reset first.

    A pilot that is not active is not asked: the scorer decides alone. `spend_turn` counts a consultation and refuses
    it when no turn is left; `note` receives sentences for the reader.
    """

    def __init__(self, pilot: Any, *, spend_turn: Callable[[], bool], note: Callable[[str], None]) -> None:
        self.pilot = PilotExt(pilot)
        self._spend_turn, self._note = spend_turn, note
        self.consultations = self.tokens = 0
        self.cost_usd = 0.0
        self._safely(lambda: self.pilot.reset())  # noqa: PLW0108 - looking it up may fail too

    @property
    def is_active(self) -> bool:
        """Whether the pilot would be asked. The reader is told once when it no longer is."""
        is_active = bool(self._safely(lambda: self.pilot.is_active))
        if not is_active and self.consultations:
            self._note("The pilot's budget is spent; from here the document's words decide alone.")
        return is_active

    def start(self, state: SearchState) -> PilotDecision | None:
        """The pilot's judgement of the children of the start node; None without an active pilot or an opinion."""
        if not self.is_active:
            return None
        return self._ask(state, lambda: self.pilot.guide_start(state.tree, state.query, state.current_node or 0))

    def decide(self, state: SearchState, *, backtracking: bool = False) -> PilotDecision | None:
        """The pilot's judgement of the candidates; None when it is not asked or its answer is unusable."""
        if not self.is_active or not self._safely(lambda: self.pilot.can_intervene(state)):
            return None
        return self._ask(state, lambda: (self.pilot.guide_backtrack if backtracking else self.pilot.decide)(state))

    def prune(self, state: SearchState) -> set[int] | None:
        """The candidates worth keeping; None for no opinion."""
        if not self._begin():
            return None
        kept = self._safely(lambda: self.pilot.binary_prune(state))
        record = self._safely(lambda: self.pilot.last_prune)
        if record is not None:
            self._accept(record)
        return None if kept is None else set(kept)

    def _ask(self, state: SearchState, question: Callable[[], PilotDecision | None]) -> PilotDecision | None:
        answer = self._safely(question) if self._begin() else None
        return None if answer is None else self._safely(partial(self._check_decision, answer, state))

    def _begin(self) -> bool:
        if not self._spend_turn():
            return False
        self.consultations += 1
        return True

    def _safely(self, question: Callable[[], Answer]) -> Answer | None:
        try:
            return question()
        except Cancelled:
            raise
        except FAILURES as error:
            self._note(f"The pilot failed ({type(error).__name__}); the walk goes on without its advice.")
            return None

    def _check_decision(self, answer: PilotDecision, state: SearchState) -> PilotDecision:
        """The decision with known candidates alone, each once and with a reason, and with shares in [0, 1]."""
        allowed, direction = set(state.candidates) or {state.current_node or 0}, answer.direction
        known: dict[int, RankedCandidate] = {}
        for one in answer.ranked_candidates:
            if one.node in allowed:
                reason = one.reason or answer.reasoning or "the pilot gave no reason"
                known.setdefault(one.node, RankedCandidate(one.node, clamp_share(one.score), reason))
        if isinstance(direction, JumpTo) and direction.target not in state.tree:
            self._note("The pilot pointed to a place that does not exist.")
            direction = GoDeeper()
        confidence = clamp_share(answer.confidence)
        checked = replace(answer, ranked_candidates=tuple(known.values()), direction=direction, confidence=confidence)
        self._accept(checked)
        return checked

    def _accept(self, decision: PilotDecision) -> None:
        self.tokens += decision.tokens
        self.cost_usd += decision.cost_usd
        if decision.note:
            self._note(decision.note)


def scores_of(decision: PilotDecision | None, candidates: Sequence[int]) -> list[RankedCandidate | None]:
    """What the decision says of each candidate, None where it says nothing."""
    said = {candidate.node: candidate for candidate in decision.ranked_candidates} if decision else {}
    return [said.get(key) for key in candidates]
