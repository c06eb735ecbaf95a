"""What one run has done and spent so far, and when it must stop."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from vectorless_web.engine.agent.corpus import Selected
from vectorless_web.engine.agent.events import Checked, StepEvent
from vectorless_web.engine.agent.limits import FURTHER, Cancelling, Deadline, Late, Limits, Place
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.answers.claims import AnswerDraft, ClaimEvent, Confidence, DraftQuote, Evidence
from vectorless_web.engine.errors import Cancelled, LimitReached
from vectorless_web.engine.llm.model import Usage
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.plan import QueryPlan


@dataclass(frozen=True, slots=True)
class Lead:
    """A sentence that was read, the name it gives, and what is asked of the documents of that name (`targets`).

    `title` is of the document that says it. `before` are the sentences that led to that document, first to last.
    """

    quote: DraftQuote
    page_index: int
    title: str
    name: str
    plan: QueryPlan
    targets: tuple[str, ...]
    before: tuple[DraftQuote, ...] = ()

    @property
    def chain(self) -> tuple[DraftQuote, ...]:
        """All sentences that lead from the question to where it is asked."""
        return (*self.before, self.quote)


@dataclass
class RunState:
    """The state of a run. Only the orchestrator's own thread changes it."""

    limits: Limits
    clock: Callable[[], float]
    cancelling: Cancelling
    engine: str
    spent: Callable[[], Usage]
    lexicon: Lexicon | None = None
    expand: bool = True
    """Whether documents' other wordings were looked for too."""
    walks: list[Walk] = field(default_factory=list)
    passed_over: list[Selected] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Titles, by id, of documents that could not be opened because their compiled file is damaged."""
    claims: list[ClaimEvent] = field(default_factory=list)
    draft: AnswerDraft = field(default_factory=AnswerDraft)
    passages: tuple[Evidence, ...] = ()
    """What comes nearest to the question, when a model found no answer or none of its sentences holds."""
    taken_over: bool = False
    """Whether the offline reasoner answers because no call of the model brought anything in the whole run."""
    struck: int = 0
    """Sentences of a model that do not hold and that it did not withdraw."""
    unwritten: str = ""
    """Why the model that was to answer wrote no answer; "" when it did."""
    confidence: Confidence | None = None
    read_as: str = ""
    """A follow-up as it was completed; "" for a question that stands by itself."""
    each: QueryPlan | None = None
    """What is asked of every document by itself, when the question wants one answer of each."""
    unread: tuple[str, ...] = ()
    """Titles of documents that such a question is about, too, and that were not opened."""
    leads: list[Lead] = field(default_factory=list)
    """What documents said that took the question on to others, in the order followed."""
    is_rerouted: bool = False
    """Whether documents were looked for by what a model's answer lacked."""
    known: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Nodes read by the run before in the thread, by document."""
    steps: int = 0
    outside: int = 0
    started: float = 0.0
    late: Collection[Late] | None = None
    """Of a replay: where time was up in the run that is replayed."""

    def __post_init__(self) -> None:
        self.started = self.clock()
        self.deadline = Deadline(self.clock, self.limits.wall_seconds, told=self.late)

    def seconds(self) -> float:
        """Seconds since the run began."""
        return self.clock() - self.started

    def stop_if_asked(self) -> None:
        """Cancelled when somebody asked for it."""
        if self.cancelling():
            raise Cancelled("The run was stopped.")

    def checkpoint(self) -> None:
        """Before every step of walks that go one after the other: Cancelled when asked to, LimitReached without steps.

        Time is asked for by each walk itself.
        """
        self.stop_if_asked()
        if self.steps >= self.limits.max_run_steps:
            raise LimitReached(f"The run has taken its {self.limits.max_run_steps} steps.", limit="steps")

    def may_go_on(self, place: Place = FURTHER) -> bool:
        """Whether steps and time are left, asked at a place of the run of its own."""
        return self.steps < self.limits.max_run_steps and not self.deadline.is_up(place)

    def tokens_left(self) -> int:
        """Tokens of models that the run has left."""
        spent = self.spent()
        return self.limits.model_tokens - spent.tokens_in - spent.tokens_out

    def allowance(self, walks: int) -> int:
        """Steps that each of so many walks side by side may take.

        Shared out beforehand: what one walk may do must not depend on how fast another is.
        """
        return max(1, min(self.limits.max_steps, (self.limits.max_run_steps - self.steps) // max(1, walks)))

    def count_step(self, step: StepEvent) -> StepEvent:
        """Count a finished step; one outside a walk gets its index."""
        if step.walk == 0:
            step = replace(step, index=self.outside)
            self.outside += 1
        else:
            self.steps += 1
        return step

    def gaps(self) -> tuple[str, ...]:
        """What no walk has found yet: figures needed, else the question itself while there is no fact at all."""
        if not self.walks:
            return ()
        missing = [set(walk.gaps()) for walk in self.walks]
        return tuple(gap for gap in self.walks[0].gaps() if all(gap in gaps for gaps in missing))

    def list_fruitful_documents(self) -> tuple[str, ...]:
        """Documents that brought evidence."""
        return tuple(walk.entry.id for walk in self.walks if walk.facts)

    def list_checked(self) -> tuple[Checked, ...]:
        """Sections that were looked at and did not answer, in the order of the walks."""
        return tuple(checked for walk in self.walks for checked in walk.checked)
