"""What plans a walk and drafts an answer, and the values it exchanges with the executor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.answers.claims import AnswerDraft, Fact, Objected, PackedNode, SynthesisContext
from vectorless_web.engine.llm.model import Message, Usage
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.finder import Candidate


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step a planner wants taken: why (`thought`), what (`action`) and with which arguments (JSON values)."""

    kind: StepKind
    thought: str
    action: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "offline"
    tokens: int = 0
    cost_usd: float = 0.0
    also: tuple["PlannedStep", ...] = ()
    """Steps that were planned together with this one, to be taken after it without asking again."""
    dialogue: tuple[Message, ...] = ()
    """The conversation with the model up to its reply that planned this step; () when nobody was asked."""
    draft: AnswerDraft | None = None
    note: str = ""
    """What the trace and the model are told of the plan itself, such as calls that were too many."""
    """The answer that the model gave instead of walking on."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one step of a turn brought: its event and the nodes that it fetched, in the order fetched."""

    step: StepEvent
    passages: tuple[PackedNode, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class PictureOffer:
    """How many pages may still be looked at as pictures, and which pages have no text (indexes from 0)."""

    left: int
    textless: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WalkBudget:
    """What is left of a walk: steps, context tokens, seconds, model calls and the tokens they may take together.

    `answer` is the most tokens of the answer's context.
    """

    steps: int
    tokens: int
    seconds: float
    calls: int = 30
    answer: int = 8000
    model_tokens: int = 30_000


@dataclass(frozen=True, slots=True)
class WalkContext:
    """Everything a planner may know when it chooses the next step of a walk; a fresh value at every step.

    `sections` is the number of sections that the document has; `position` the node the
    walk stands at; `queue` the best nodes that steps brought and nobody read yet, best first; `gaps` what the
    question still lacks, in words; `passages` what was read;
    `known` the nodes read for the question before.
    """

    plan: QueryPlan
    document: DocumentEntry
    sections: int
    position: int
    steps: tuple[StepEvent, ...]
    queue: tuple[Candidate, ...]
    read: tuple[int, ...]
    facts: tuple[Fact, ...]
    rejected: tuple[str, ...]
    gaps: tuple[str, ...]
    references: tuple[tuple[str, int], ...]
    passages: tuple["PackedNode", ...]
    known: tuple[int, ...]
    budget: WalkBudget
    tables: tuple[int, ...] = ()
    """Tables that steps brought and whose rows nobody compared with the question yet."""
    unopened_tables: int = 0
    """How many more tables may state what is asked."""
    places: tuple[int, ...] = ()
    """Nodes that no step brought in which documents say what is asked: a section to be summed up, the parties."""
    idle: frozenset[str] = frozenset()
    """Actions that would have changed nothing, so that they were not taken."""
    walks: int = 1
    """How many documents are walked at the same time, this one among them."""
    dialogue: tuple[Message, ...] = ()
    """The conversation with the model so far; its last message is the model's."""
    results: tuple[ToolResult, ...] = ()
    """What was done since the model's last reply."""
    reader: "Reader | None" = None
    """Shows more of the document than was fetched."""
    pictures: PictureOffer | None = None
    """None for a model that reads no images, and for a document without drawn pages."""


class Reader(Protocol):
    """The document as a planner may look into it before it plans anything."""

    tokens: int
    """Tokens of the whole document."""

    def packed_node(self, key: int) -> PackedNode:
        """A node with its headings; a table with its units and periods."""
        ...

    def outline(self, tokens: int) -> str:
        """Sections with what they say, one a line, in at most so many tokens."""
        ...

    def whole(self) -> tuple[PackedNode, ...]:
        """Every passage in reading order, those left out that say nothing."""
        ...

    def nearest(self) -> tuple[PackedNode, ...]:
        """The passages that come nearest to the question, best first."""
        ...


class Planner(Protocol):
    """Chooses steps and drafts answers. Stateless: everything it knows is in its arguments."""

    name: str
    pictures: int
    """Pages of a document that it may look at as pictures; 0 without a model that reads images."""

    def sum_spending(self) -> Usage:
        """What its calls have cost so far, failed ones included; nothing without a model."""
        ...

    def next_step(self, context: WalkContext) -> PlannedStep:
        """The next step of the walk; SYNTHESIZE ends it."""
        ...

    def synthesise(self, context: SynthesisContext, steps: Sequence[StepEvent]) -> AnswerDraft:
        """A draft from what was found; no claims means that nothing was found."""
        ...

    def redraft(self, context: SynthesisContext, draft: AnswerDraft, objected: Sequence[Objected]) -> AnswerDraft:
        """The claims that were objected to once more: mended ones in their order, withdrawn ones left out."""
        ...
