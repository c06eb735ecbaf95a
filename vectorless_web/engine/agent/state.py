"""One run under way: what it was given, what it has done and spent, and the events it makes."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.agent.events import (
    CompleteEvent,
    NodeRef,
    Outcome,
    PlannedStep,
    StepEvent,
    StepKind,
    StepResult,
)
from vectorless_web.engine.agent.limits import Cancelling, Deadline, Late, Limits, Place
from vectorless_web.engine.errors import Cancelled
from vectorless_web.engine.finding.navigation import PilotBudget, PilotConfig
from vectorless_web.engine.finding.retrieval.packing import SUMMARY_CAP
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.embedding import RecordedEmbedder
from vectorless_web.engine.llm.model import Usage, serve_place
from vectorless_web.engine.passages.find import NearLeaves, NearnessSearch, Passage
from vectorless_web.engine.questions.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand

OFFLINE = "offline"
"""The name of who decided where no model did."""

OUTSIDE_WALK, CONVERSATION = 0, 1
"""Numbers of walks: steps before and after the conversation, and those of the conversation itself."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run, as a workspace or the ask box gives them; each can be set in the product.

    `pilot`: balanced, high_quality, low_cost or algorithm_only. `strategy`: beam, greedy or mcts. `route_mode`: fast,
    balanced or precise. `fusion`: rrf, weighted_rrf or convex. `graph_expand`: "", decay or ppr adds what passages
    refer to, `community` the rest of their sections; `min_confidence` is the least share of the best score. `label`
    (kind of node), `where` (properties, such as page 3) and the days `created_after` (included) and `created_before`
    (not included) filter what is searched; `summary_cap` cuts nodes as they are packed. `verify`: whether the second,
    independent call is made. `pictures`: pages that a model may look at. `context`: tokens that the model takes at
    once, 0 when unknown.
    `native_tools`: whether the model's self-test found native function calls.
    """

    pilot: str = "balanced"
    strategy: str = "beam"
    route_mode: str = "balanced"
    fusion: str = "rrf"
    verify: bool = True
    expand: bool = True
    graph_expand: str = ""
    community: bool = False
    min_confidence: float | None = None
    summary_cap: int = SUMMARY_CAP
    label: str = ""
    where: Mapping[str, str | int] = field(default_factory=dict)
    created_after: str = ""
    created_before: str = ""
    pictures: int = 0
    context: int = 0
    native_tools: bool = False

    @property
    def has_filters(self) -> bool:
        """Whether parts of the documents are left out of the search."""
        return bool(self.label or self.where or self.created_after or self.created_before)


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that an earlier answer cited, verbatim: the document's corpus id, the node, and its quote."""

    document: str
    key: int
    page_index: int
    quote: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question of the thread in its own words, its answer as text, and the passages that answer cited."""

    question: str
    answer: str
    cited: tuple[CitedPassage, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """The exchanges before the question, oldest first; empty for a question that stands by itself."""

    exchanges: tuple[Exchange, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """Corpus ids of the documents cited before, the latest first, each once."""
        cited = [passage.document for exchange in reversed(self.exchanges) for passage in exchange.cited]
        return tuple(dict.fromkeys(cited))


@dataclass(kw_only=True, eq=False)
class Means:
    """Models, lexicon, settings and clock of a run. Without a `caller` no model is asked; `clock` gives seconds."""

    settings: Settings = field(default_factory=Settings)
    lexicon: Lexicon = field(default_factory=default_lexicon)
    caller: Caller | None = None
    verifier: Caller | None = None
    """Makes the second, independent call; None uses `caller`."""
    clock: Callable[[], float] = time.monotonic
    late: Collection[Late] | None = None
    """Where time was up in the run that is replayed; None reads the clock."""
    embedder: RecordedEmbedder | None = None
    """The owner's embedding model for documents that have vectors."""


@dataclass(eq=False)
class RunState(Means):
    """One run under way: what it was given, what it has spent, how many steps it took, and whether it must stop."""

    question: str
    corpus: Corpus
    limits: Limits
    conversation: Conversation = field(default_factory=Conversation)
    cancelling: Cancelling = lambda: False

    def __post_init__(self) -> None:
        self.verifier = self.verifier or self.caller
        self.started = self._told_at = self.clock()
        self.found: Sequence[Passage] = ()
        """The passages that steps have found so far: what a run shows that is stopped."""
        self.deadline = Deadline(self.clock, self.limits.wall_seconds, told=self.late)
        self._counted: dict[int, int] = {}
        self._booked = Usage()
        self._most_tokens = self.limits.model_tokens
        self.lent_tokens = 0
        """Tokens that conversations beside the run's own have spent."""
        self._nearness = NearnessSearch(self.embedder, self.corpus.vectors) if self.embedder is not None else None

    @cached_property
    def pilot_budget(self) -> PilotBudget:
        """What the pilots of all searches may spend together."""
        return PilotBudget(PilotConfig.preset(self.settings.pilot))

    @property
    def engine(self) -> str:
        """Who leads the run: the model's name, or `offline`."""
        return self.caller.model.name if self.caller is not None else OFFLINE

    def steps_in(self, walk: int) -> int:
        """Steps of one walk so far; the next one has this index."""
        return self._counted.get(walk, 0)

    def understand(self, question: str, *, expand: bool | None = None) -> QueryPlan:
        """A question by the run's lexicon, widened as its settings say unless `expand` does."""
        return understand(question, lexicon=self.lexicon, expand=self.settings.expand if expand is None else expand)

    def stop_if_asked(self) -> None:
        """Raise Cancelled when somebody asked the run to stop."""
        if self.cancelling():
            raise Cancelled("Stopped before it was done.")

    def tokens_left(self) -> int:
        """Tokens that the conversation under way may still spend."""
        return self._most_tokens - self._count_tokens()

    def _count_tokens(self) -> int:
        spent = self.sum_spending()
        return spent.tokens_in + spent.tokens_out

    @contextmanager
    def lend(self, calls: int, tokens: int) -> Iterator[None]:
        """Calls and tokens for a conversation beside the run's own: they count in its totals, and leave it its own."""
        most, before = self._most_tokens, self._count_tokens()
        self._most_tokens = before + tokens
        budgets = {id(caller.budget): caller.budget for caller in (self.caller, self.verifier) if caller is not None}
        with ExitStack() as stack:
            for budget in budgets.values():
                stack.enter_context(budget.lend(calls, tokens))
            try:
                yield
            finally:
                self._most_tokens = most + self._count_tokens() - before
                self.lent_tokens += self._count_tokens() - before

    def may_step(self, walk: int = CONVERSATION) -> bool:
        """Whether steps and time are left for one more step of a walk; Cancelled when the run was asked to stop."""
        self.stop_if_asked()
        has_steps = self.steps_in(walk) + self.steps_in(OUTSIDE_WALK) < self.limits.max_run_steps
        return has_steps and not self.deadline.is_up(Place(walk, self.steps_in(walk)))

    def find_near(self, text: str, documents: Sequence[str]) -> NearLeaves:
        """The leaves of these documents nearest in meaning to a text, the call booked on the step under way.

        None without an embedding model.
        """
        if self._nearness is None or not documents:
            return NearLeaves()
        with serve_place(CONVERSATION, self.steps_in(CONVERSATION)):
            return self._nearness.find(text, documents)

    def book(self, tokens: int, cost_usd: float) -> None:
        """Count what a call cost that is not made again, since its result is stored."""
        self._booked = Usage(self._booked.tokens_in + tokens, 0, self._booked.cost_usd + cost_usd)

    def sum_spending(self) -> Usage:
        """What all model calls have cost so far; a budget that two callers share is counted once."""
        callers = [caller for caller in (self.caller, self.verifier) if caller is not None]
        spent = [caller.budget for caller in callers] + ([self.embedder.budget] if self.embedder is not None else [])
        budgets = {id(budget): budget for budget in spent}
        usages = [self._booked, *(budget.sum_spending() for budget in budgets.values())]
        return Usage(
            sum(usage.tokens_in for usage in usages),
            sum(usage.tokens_out for usage in usages),
            sum(usage.cost_usd for usage in usages),
        )

    def make_step(
        self,
        kind: StepKind,
        result: StepResult,
        *,
        walk: int = CONVERSATION,
        planned: PlannedStep | None = None,
    ) -> StepEvent:
        """The event of a step just taken, numbered in its walk.

        Its time is all that went by since the step before, so that the times of the steps add up to that of the run.
        """
        planned = planned or PlannedStep()
        index = self.steps_in(walk)
        self._counted[walk] = index + 1
        before, self._told_at = self._told_at, self.clock()
        taken = {part.name: getattr(result, part.name) for part in fields(result)} | {
            "thought": planned.thought or result.thought,
            "action": planned.action or result.action or kind.value,
            "arguments": {**planned.arguments, **result.arguments},
            "documents": tuple(dict.fromkeys((*result.documents, *(ref.document for ref in result.refs)))),
            "tokens": planned.tokens + result.tokens,
            "cost_usd": planned.cost_usd + result.cost_usd,
            "engine": result.engine if planned.engine == OFFLINE else planned.engine,
        }
        return StepEvent(**taken, walk=walk, index=index, kind=kind, latency_ms=(self._told_at - before) * 1000)

    def make_end(self, outcome: Outcome, reason: str, **facts: Any) -> CompleteEvent:
        """The last event of the run, with its totals; `facts` are further fields of the event."""
        spent = self.sum_spending()
        return CompleteEvent(
            outcome,
            reason,
            steps=sum(self._counted.values()),
            tokens=spent.tokens_in + spent.tokens_out,
            cost_usd=spent.cost_usd,
            seconds=self.clock() - self.started,
            engine=self.engine,
            late=self.deadline.late,
            **facts,
        )

    def refer(self, document: str, keys: Iterable[int], role: str) -> tuple[NodeRef, ...]:
        """References to nodes of a document that was opened, for a step's map."""
        tree = self.corpus.open(document).tree
        titles, starts = tree.columns.titles, tree.columns.integers("page_start")
        ends = tree.columns.integers("page_end")
        return tuple(
            NodeRef(document, key, titles[key] or titles[tree.section_of(key)], starts[key], ends[key], role)
            for key in keys
        )
