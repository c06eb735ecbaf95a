"""The loop of one walk: plan a step, take it, observe, until the planner synthesises or a limit is reached."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vectorless_web.engine.errors import ModelError, ModelInvalidReply, NotFound
from vectorless_web.engine.llm.served import serving
from vectorless_web.engine.reasoner.events import StepEvent, StepKind
from vectorless_web.engine.reasoner.planner import PlannedStep, Planner
from vectorless_web.engine.reasoner.result import StepResult, refused
from vectorless_web.engine.reasoner.walk import Walk

Handler = Callable[[Walk, Mapping[str, Any]], StepResult]
"""Takes a step of one kind: changes the walk, hands back what was observed."""

FAILURES_IN_A_ROW = 3
"""After so many unusable replies the rest of the walk is planned offline."""

ENDING = frozenset({StepKind.SYNTHESIZE, StepKind.FINALIZE})


class ReasoningExecutor:
    """Runs walks. It yields steps; storing, announcing and timing out belong to whoever iterates.

    `handlers` is the table of step kinds; a kind without a handler cannot be taken.
    `checkpoint` is called before every step and raises Cancelled or LimitReached.
    """

    def __init__(
        self,
        *,
        planner: Planner,
        fallback: Planner,
        handlers: Mapping[StepKind, Handler],
        clock: Callable[[], float],
        checkpoint: Callable[[], None],
    ) -> None:
        self._planner = planner
        self._fallback = fallback
        self._handlers = handlers
        self._clock = clock
        self._checkpoint = checkpoint
        self._failures = 0

    def run(self, walk: Walk) -> Iterator[StepEvent]:
        """Steps of the walk, each finished when it is yielded; ends with SYNTHESIZE or when steps or time are spent."""
        while walk.steps_left > 0 and not walk.is_late:
            self._checkpoint()
            with serving(walk.number, len(walk.steps)):
                event = self._step(walk)
            walk.steps.append(event)
            yield event
            if event.kind in ENDING:
                return

    def _step(self, walk: Walk) -> StepEvent:
        started = self._clock()
        planned, note = self._planned(walk)
        result = self._taken(walk, planned)
        observation = {**result.observation, **({"note": note} if note else {})}
        return StepEvent(
            walk=walk.number,
            index=len(walk.steps),
            kind=StepKind.SYNTHESIZE if planned.kind in ENDING else planned.kind,
            say=result.say,
            thought=planned.thought,
            action=planned.action,
            arguments=dict(planned.arguments),
            observation=observation,
            refs=result.refs,
            rejected=result.rejected,
            confidence=result.confidence,
            latency_ms=(self._clock() - started) * 1000,
            tokens=planned.tokens + result.tokens,
            cost_usd=planned.cost_usd + result.cost_usd,
            engine=result.engine if planned.engine == "offline" else planned.engine,
        )

    def _planned(self, walk: Walk) -> tuple[PlannedStep, str]:
        """The next step and, when the model could not plan it, why the offline planner did."""
        context = walk.context()
        if self._failures >= FAILURES_IN_A_ROW:
            return self._fallback.next_step(context), ""
        try:
            planned = self._planner.next_step(context)
        except ModelError as error:
            self._failures = self._failures + 1 if _may_pass(error) else FAILURES_IN_A_ROW
            return self._fallback.next_step(context), f"The model could not plan this step: {error.message}"
        self._failures = 0
        return planned, ""

    def _taken(self, walk: Walk, planned: PlannedStep) -> StepResult:
        kind = StepKind.SYNTHESIZE if planned.kind in ENDING else planned.kind
        handler = self._handlers.get(kind)
        if handler is None:
            return refused(f"Could not take a step of kind {planned.kind.value} inside a walk.")
        earlier = _same_step(walk, kind, planned.arguments)
        if earlier is not None:
            return refused(f"Had taken this very step before, as step {earlier + 1}; nothing new to see.")
        try:
            return handler(walk, planned.arguments)
        except NotFound as error:
            return refused(error.message)


def _may_pass(error: ModelError) -> bool:
    """Whether the next call may go well: not after a refused key or a spent budget."""
    return error.retryable or isinstance(error, ModelInvalidReply)


def _same_step(walk: Walk, kind: StepKind, arguments: Mapping[str, Any]) -> int | None:
    wanted = json.dumps(dict(arguments), sort_keys=True, default=str)
    for step in walk.steps:
        same = step.kind is kind and json.dumps(step.arguments, sort_keys=True, default=str) == wanted
        if same and kind is not StepKind.SYNTHESIZE:
            return step.index
    return None
