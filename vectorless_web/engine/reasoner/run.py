"""What one run has done and spent so far, and when it must stop."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from vectorless_web.engine.errors import Cancelled, LimitReached
from vectorless_web.engine.reasoner.events import Checked, ClaimEvent, Confidence, StepEvent
from vectorless_web.engine.reasoner.limits import Cancelling, Limits
from vectorless_web.engine.reasoner.planner import AnswerDraft
from vectorless_web.engine.reasoner.selection import Selected
from vectorless_web.engine.reasoner.walk import Walk


@dataclass
class Run:
    """The state of a run. Only the orchestrator's own thread changes it."""

    limits: Limits
    clock: Callable[[], float]
    cancelling: Cancelling
    engine: str
    walks: list[Walk] = field(default_factory=list)
    passed_over: list[Selected] = field(default_factory=list)
    claims: list[ClaimEvent] = field(default_factory=list)
    draft: AnswerDraft = field(default_factory=AnswerDraft)
    confidence: Confidence | None = None
    read_as: str = ""
    """A follow-up as it was completed; "" for a question that stands by itself."""
    known: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Nodes read by the run before in the thread, by document."""
    steps: int = 0
    outside: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    started: float = 0.0

    def __post_init__(self) -> None:
        self.started = self.clock()

    def seconds(self) -> float:
        """Seconds since the run began."""
        return self.clock() - self.started

    def seconds_left(self) -> float:
        """Seconds until the wall clock limit; negative once it has passed."""
        return self.limits.wall_seconds - self.seconds()

    def stop_if_asked(self) -> None:
        """Cancelled when somebody asked for it."""
        if self.cancelling():
            raise Cancelled("The run was stopped.")

    def checkpoint(self) -> None:
        """Before every step of a walk: Cancelled when asked to, LimitReached when steps or time are spent."""
        self.stop_if_asked()
        if self.steps >= self.limits.max_run_steps:
            raise LimitReached(f"The run has taken its {self.limits.max_run_steps} steps.", limit="steps")
        if self.seconds_left() <= 0:
            raise LimitReached(f"The run has used its {self.limits.wall_seconds:g} seconds.", limit="time")

    def told(self, step: StepEvent) -> StepEvent:
        """Count a finished step; one outside a walk gets its index."""
        if step.walk == 0:
            step = replace(step, index=self.outside)
            self.outside += 1
        else:
            self.steps += 1
        self.spend(step.tokens, step.cost_usd)
        return step

    def spend(self, tokens: int, cost_usd: float) -> None:
        """Add what a model call cost."""
        self.tokens += tokens
        self.cost_usd += cost_usd

    def nothing_found(self) -> bool:
        """Whether no walk brought any fact."""
        return not any(walk.facts for walk in self.walks)

    def checked(self) -> tuple[Checked, ...]:
        """Sections that were looked at and did not answer, in the order of the walks."""
        return tuple(checked for walk in self.walks for checked in walk.checked)
