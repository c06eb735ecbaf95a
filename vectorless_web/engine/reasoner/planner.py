"""What plans a walk and drafts an answer, and the values it exchanges with the executor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from vectorless_web.engine.llm.model import Usage
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.corpus import DocumentEntry
from vectorless_web.engine.reasoner.events import StepEvent, StepKind


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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node found for the question. `fit` in [0, 1] is the share of the attainable query weight it holds."""

    key: int
    fit: float
    score: float


@dataclass(frozen=True, slots=True)
class Figure:
    """One table cell that states a figure, with everything needed to read it.

    `amount` is the number as printed (parentheses negative); `scale` multiplies it into
    units (1000000 for a table in millions). `start`/`end` delimit the whole row in the
    node's text and `quote` is that row, verbatim. `need` is the index of the figure
    wanted (`QueryPlan.figures`), or -1. `fit` in [0, 1] says how well item, period and
    statement agree with the question.
    """

    document: str
    key: int
    page_index: int
    label: str
    column: str
    period: str
    amount: Decimal
    scale: Decimal
    currency: str
    percent: bool
    per_share: bool
    quote: str
    start: int
    end: int
    where: str
    fit: float
    need: int = -1

    @property
    def value(self) -> Decimal:
        """The figure in units: amount x scale."""
        return self.amount * self.scale


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, list item or table row copied word for word.

    `fit` in [0, 1] orders passages; `said` is the share of the question that it says,
    what stands around it included. `lead` puts it better for a reader: a row's cell first.
    """

    document: str
    key: int
    page_index: int
    quote: str
    start: int
    end: int
    where: str
    fit: float
    said: float = 0.0
    lead: str = ""


Fact = Figure | Passage


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of a walk: steps, context tokens, seconds, model calls; and the tokens of the answer's context."""

    steps: int
    tokens: int
    seconds: float
    calls: int = 30
    answer: int = 8000


@dataclass(frozen=True, slots=True)
class WalkContext:
    """Everything a planner may know when it chooses the next step of a walk; a fresh value at every step.

    `outline` is the tree summary (keys, titles, sizes, hints); `position` the node the
    walk stands at; `queue` the best nodes not read yet, best first; `gaps` what the
    question still lacks, in words; `passages` what was read, as
    rendered; `known` the nodes read for the question before.
    """

    plan: QueryPlan
    document: DocumentEntry
    outline: str
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
    budget: Budget


@dataclass(frozen=True, slots=True)
class DraftQuote:
    """A quote before it is checked: a node and words said to stand in it. `start` is where they were seen, or -1."""

    document: str
    key: int
    quote: str
    start: int = -1
    where: str = ""


@dataclass(frozen=True, slots=True)
class DraftOperand:
    """An operand of a drafted calculation; `quote` is the index of the claim's quote that states it, -1 for none."""

    name: str
    value: str
    unit: str = ""
    quote: int = -1


@dataclass(frozen=True, slots=True)
class DraftCalculation:
    """A calculation as drafted: the program recomputes `expression` and compares it with `result`."""

    expression: str
    operands: tuple[DraftOperand, ...]
    result: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One sentence of the answer with its quotes.

    A claim read from table rows says how well they agree with the figures needed (`fit`,
    in [0, 1]) and which of those it used (`needs`, indexes).
    """

    text: str
    quotes: tuple[DraftQuote, ...] = ()
    calculation: DraftCalculation | None = None
    fit: float | None = None
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """A drafted answer: claims in order, the one number it stands for, and what is still missing."""

    claims: tuple[DraftClaim, ...] = ()
    value: str = ""
    missing: tuple[str, ...] = ()
    engine: str = "offline"
    tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class SynthesisContext:
    """What a draft is written from: the packed context of all walks, their facts and the budget for the prompt.

    `left_out` counts the nodes read that did not fit among `passages`.
    """

    plan: QueryPlan
    facts: tuple[Fact, ...]
    passages: tuple["PackedNode", ...]
    names: Mapping[str, str]
    tokens: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class PackedNode:
    """A node as it entered the context: its document, key, rendered text and page index."""

    document: str
    key: int
    page_index: int
    rendered: str


class Planner(Protocol):
    """Chooses steps and drafts answers. Stateless: everything it knows is in its arguments."""

    name: str

    def spent(self) -> Usage:
        """What its calls have cost so far, failed ones included; nothing without a model."""
        ...

    def next_step(self, context: WalkContext) -> PlannedStep:
        """The next step of the walk; SYNTHESIZE ends it."""
        ...

    def synthesise(self, context: SynthesisContext, steps: Sequence[StepEvent]) -> AnswerDraft:
        """A draft from what was found; no claims means that nothing was found."""
        ...

    def requote(self, context: SynthesisContext, claim: DraftClaim, because: str) -> AnswerDraft:
        """The claim once more after a quote of it was not found: a draft of one claim, or of none."""
        ...
