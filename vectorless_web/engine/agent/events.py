"""What the reasoner yields while it works: steps, claims, the outcome; and what a step hands back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from vectorless_web.engine.agent.limits import Late
from vectorless_web.engine.answers.claims import ClaimEvent, Evidence, Verdict
from vectorless_web.engine.answers.outcome import Outcome as Outcome


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


CONCLUDED = (Outcome.ANSWERED, Outcome.PARTIAL, Outcome.PASSAGES, Outcome.NOT_FOUND)
"""Outcomes of runs that came to their end: neither failed nor stopped."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """What was planned before a step was taken: by a model with its `thought` and tokens, or by the program.

    `engine` names who decided: `offline` or the model; `arguments` hold JSON values.
    """

    thought: str = ""
    action: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 0
    cost_usd: float = 0.0
    engine: str = "offline"


@dataclass(frozen=True, slots=True)
class StepResult(PlannedStep):
    """What a step did: the plain sentence for its card, JSON values observed, nodes touched, branches not taken.

    `confidence` is the score of the best document or section, from 0 to 1, or None where nothing is scored. `engine`,
    `tokens` and `cost_usd` tell who decided inside the step, and what that cost. `documents` are the corpus ids of
    those that the step is about beside the documents of `refs`.
    """

    say: str
    observation: dict[str, Any] = field(default_factory=dict)
    refs: tuple[NodeRef, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    confidence: float | None = None
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEvent(StepResult):
    """One finished step, with what was planned. `documents` are all that it is about, in the order touched.

    `walk` is 0 for ROUTE before the first turn, VERIFY and FINALIZE, 1 for the turns of the conversation, and 2.. for
    the child conversations of `for_each`; `index` counts from 0 inside a walk.
    """

    walk: int
    index: int
    kind: StepKind
    latency_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class CompleteEvent:
    """The end of a run: outcome, reason in one sentence, answer and totals.

    `value` is the one number the answer stands for, with unit words, or "". `verdict` is the word for how far it was
    checked, None without an answer. `missing` says what a partial answer lacks; `passages` are those that come closest,
    best first, each with its whole passage; `unknown_words` are words of the question that stand nowhere in scope.
    `checked` are sections that were looked at and did not answer, where nothing was found; each has its `ref`.
    `note` is one sentence on what went otherwise than asked ("The model could not be reached"). `error_code` is set
    when failed.
    """

    outcome: Outcome
    reason: str
    answer: str = ""
    value: str = ""
    verdict: Verdict | None = None
    grounded: bool = False
    missing: tuple[str, ...] = ()
    checked: tuple[Rejected, ...] = ()
    passages: tuple[Evidence, ...] = ()
    unknown_words: tuple[str, ...] = ()
    note: str = ""
    steps: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    engine: str = "offline"
    error_code: str = ""
    retryable: bool = False
    late: tuple[Late, ...] = ()
    """Where the wall clock decided; a replay takes them as they are."""


ReasoningEvent = StepEvent | ClaimEvent | CompleteEvent
