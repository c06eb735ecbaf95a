"""What the reasoner yields while it works: steps, claims, the outcome."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from vectorless_web.engine.document.node import GlyphSpan


class StepKind(StrEnum):
    """The closed set of steps. ROUTE, VERIFY and FINALIZE cost no step of a walk."""

    ROUTE = "route"
    SCAN = "scan"
    RETRIEVE = "retrieve"
    NAVIGATE = "navigate"
    EXTRACT = "extract"
    SYNTHESIZE = "synthesize"
    VERIFY = "verify"
    FINALIZE = "finalize"


class Outcome(StrEnum):
    """How a run ends; every run ends in one of these."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Support(StrEnum):
    """How a claim stands: by its quotes, by a shown calculation, or not at all."""

    SUPPORTED = "supported"
    DERIVED = "derived"
    UNSUPPORTED = "unsupported"


class Check(StrEnum):
    """How a quote was found in its node."""

    EXACT = "exact"
    NORMALISED = "normalised"
    FUZZY = "fuzzy"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node a step touched. `document` is the corpus id; page indexes count from 0, both inclusive.

    `role`: `walked`, `looked`, `turned_back` or `read`, for the map.
    """

    document: str
    key: int
    title: str
    page_start: int
    page_end: int
    role: str = "walked"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A branch or document not taken, with the reason in plain words."""

    label: str
    reason: str
    ref: NodeRef | None = None


@dataclass(frozen=True, slots=True)
class StepEvent:
    """One finished step. `say` is the plain sentence of its card; `observation` and `arguments` hold JSON values.

    `walk` is 0 for steps outside a walk (ROUTE, VERIFY, FINALIZE), else 1..; `index`
    counts from 0 inside a walk. `engine` names who decided: `offline` or the model.
    """

    walk: int
    index: int
    kind: StepKind
    say: str
    thought: str = ""
    action: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    observation: dict[str, Any] = field(default_factory=dict)
    refs: tuple[NodeRef, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    confidence: float | None = None
    latency_ms: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    engine: str = "offline"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote and where it stands. `start`/`end` are characters in the node's text; `spans` its glyphs on the page.

    `where` says in words where it is ("Consolidated Statement of Cash Flows, 2018 column").
    `marker` numbers citations from 1 through the whole answer.
    """

    marker: int
    document: str
    key: int
    page_index: int
    quote: str
    check: Check
    start: int = 0
    end: int = 0
    spans: tuple[GlyphSpan, ...] = ()
    where: str = ""


@dataclass(frozen=True, slots=True)
class Operand:
    """One line of a calculation's account: its name, the figure as used, its unit, and the citation it came from."""

    name: str
    value: str
    unit: str = ""
    marker: int = 0


@dataclass(frozen=True, slots=True)
class Calculation:
    """A shown calculation, recomputed in Decimal: `expression` over operand names gives `result`."""

    expression: str
    operands: tuple[Operand, ...]
    result: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ClaimEvent:
    """One sentence of the answer, first as a draft, then checked. `because` says why it is unsupported."""

    order: int
    text: str
    state: str
    support: Support | None = None
    citations: tuple[Evidence, ...] = ()
    calculation: Calculation | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class Confidence:
    """The three factors, each in [0, 1]; the confidence is their product."""

    claims_held: float
    parts_covered: float
    evidence_fit: float

    @property
    def value(self) -> float:
        """The product of the factors."""
        return self.claims_held * self.parts_covered * self.evidence_fit


@dataclass(frozen=True, slots=True)
class Checked:
    """A section that was looked at and did not answer: shown when nothing was found."""

    document: str
    title: str
    reason: str
    ref: NodeRef | None = None


@dataclass(frozen=True, slots=True)
class CompleteEvent:
    """The end of a run: outcome, reason in one sentence, answer and totals.

    `value` is the one number the answer stands for, with unit words, or "".
    `missing` says what a partial answer lacks. `error_code` is set when failed.
    """

    outcome: Outcome
    reason: str
    answer: str = ""
    value: str = ""
    confidence: Confidence | None = None
    grounded: bool = False
    missing: tuple[str, ...] = ()
    checked: tuple[Checked, ...] = ()
    steps: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    engine: str = "offline"
    error_code: str = ""
    retryable: bool = False
    late: tuple[str, ...] = ()
    """Places where the wall clock decided; a replay takes them as they are."""


ReasoningEvent = StepEvent | ClaimEvent | CompleteEvent
