"""What a step's handler hands back to the executor."""

from dataclasses import dataclass, field
from typing import Any

from vectorless_web.engine.reasoner.events import NodeRef, Rejected


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step did: the sentence for its card, JSON values observed, nodes touched, branches not taken.

    `confidence` in [0, 1] is measured (a share of the question's weight), or None where nothing is.
    `engine`, `tokens` and `cost_usd` tell who decided inside the step, and what that cost.
    """

    say: str
    observation: dict[str, Any] = field(default_factory=dict)
    refs: tuple[NodeRef, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    confidence: float | None = None
    engine: str = "offline"
    tokens: int = 0
    cost_usd: float = 0.0


def refused(message: str) -> StepResult:
    """A step that could not be taken as asked; it costs its turn, and the planner reads why."""
    return StepResult(say=message, observation={"error": message})
