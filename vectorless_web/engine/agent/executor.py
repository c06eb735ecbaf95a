"""Walks the chosen documents step by step: one after the other offline, side by side with a model."""

import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.context.vector_lane import SearchEmbedder, lane_for
from vectorless_web.engine.agent.corpus import Corpus, Selected, foreign_names, is_about_any
from vectorless_web.engine.agent.events import StepEvent, StepKind, StepResult, refuse_step
from vectorless_web.engine.agent.offline_planner import OfflinePlanner
from vectorless_web.engine.agent.planner import PlannedStep, Planner, ToolResult
from vectorless_web.engine.agent.steps.extract import extract, synthesize
from vectorless_web.engine.agent.steps.navigate import Navigator, retrieve, scan
from vectorless_web.engine.agent.walk import RunState, Walk
from vectorless_web.engine.errors import LimitReached, ModelError, ModelInvalidReply, NotFound
from vectorless_web.engine.llm.embedding import RecordedNearness
from vectorless_web.engine.llm.model import Usage, serve_place
from vectorless_web.engine.navigation.pilots import NoopPilot
from vectorless_web.engine.navigation.pilots.pilot import MinimalPilot
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.finder import Finder

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
            with serve_place(walk.number, len(walk.steps)):
                event = self._step(walk)
            walk.steps.append(event)
            yield event
            if event.kind in ENDING:
                return

    def _step(self, walk: Walk) -> StepEvent:
        started = self._clock()
        planned, note = (walk.pending.pop(0), "") if walk.pending else self._plan_step(walk)
        note = note or planned.note
        if planned.dialogue:
            walk.dialogue, walk.results = planned.dialogue, []
            walk.shown |= {picture.place for message in planned.dialogue for picture in message.pictures}
        walk.pending.extend(planned.also)
        walk.draft = planned.draft
        before, seen, known = len(walk.packed), len(walk.seen), len(walk.opened)
        result = self._take_step(walk, planned)
        while result.is_idle and planned.engine == self._fallback.name and planned.action not in walk.idle:
            # What would change nothing is no step.
            walk.idle.add(planned.action)
            planned = self._fallback.next_step(walk.context())
            result = self._take_step(walk, planned)
        opened = list(walk.opened)[known:]
        told = {"opened": opened, "note": note}
        observation = {**result.observation, **{name: value for name, value in told.items() if value}}
        event = StepEvent(
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
        walk.results.append(ToolResult(event, tuple(walk.packed[before:]), tuple(walk.seen[seen:])))
        return event

    def _plan_step(self, walk: Walk) -> tuple[PlannedStep, str]:
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

    def _take_step(self, walk: Walk, planned: PlannedStep) -> StepResult:
        kind = StepKind.SYNTHESIZE if planned.kind in ENDING else planned.kind
        handler = self._handlers.get(kind)
        if handler is None:
            return refuse_step(f"Could not take a step of kind {planned.kind.value} inside a walk.")
        earlier = _same_step(walk, kind, planned.arguments)
        if earlier is not None:
            return refuse_step(f"Had taken this very step before, as step {earlier + 1}; nothing new to see.")
        try:
            return handler(walk, planned.arguments)
        except NotFound as error:
            return refuse_step(error.message)


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


_Arrivals = queue.SimpleQueue[StepEvent | Future[None]]


def interleave_streams(streams: Sequence[Iterator[StepEvent]], *, at_once: int) -> Iterator[StepEvent]:
    """Steps of all streams, at most `at_once` running, each stream's in its order.

    Once every stream has stopped, the error of the first stream that has one is raised:
    which of several it is does not depend on timing. When nobody takes further steps,
    the streams stop after the step they are in.
    """
    arrived: _Arrivals = queue.SimpleQueue()
    unwanted = threading.Event()
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        futures = [pool.submit(_drain_stream, stream, arrived, unwanted) for stream in streams]
        for future in futures:
            future.add_done_callback(arrived.put)
        running = len(futures)
        try:
            while running:
                item = arrived.get()
                if isinstance(item, StepEvent):
                    yield item
                else:
                    running -= 1
        finally:
            unwanted.set()
    for future in futures:
        future.result()


def _drain_stream(stream: Iterator[StepEvent], arrived: _Arrivals, unwanted: threading.Event) -> None:
    for step in stream:
        arrived.put(step)
        if unwanted.is_set():
            return


PilotFor = Callable[[Walk], MinimalPilot]


def no_pilot(walk: Walk) -> MinimalPilot:
    """Nobody's judgement: the search's own scores decide. With a pilot by words it reads as many leaves."""
    return NoopPilot()


class Walking:
    """What walks are made of: the planner, the one that steps in for it, the pilot, the step handlers.

    `search_embedder` embeds what is searched for, for the vector lane; None leaves the lane out.
    `spent` is what all models of the run have cost, the planner's unless given.
    """

    nearness: RecordedNearness | None = None
    """Measures sentences by a local model of meaning; set by whoever has one."""

    def __init__(
        self,
        *,
        planner: Planner | None = None,
        pilot_for: PilotFor = no_pilot,
        clock: Callable[[], float] = time.monotonic,
        at_once: int = 1,
        search_embedder: SearchEmbedder | None = None,
        spent: Callable[[], Usage] | None = None,
    ) -> None:
        self.fallback: Planner = OfflinePlanner()
        self.planner: Planner = planner or self.fallback
        self.spent = spent or self.planner.sum_spending
        self.search_embedder = search_embedder
        self.at_once = at_once
        self.clock = clock
        self._navigator = Navigator(pilot_for=pilot_for)

    def handlers(self) -> Mapping[StepKind, Handler]:
        """The table of step kinds that a walk can take."""
        return {
            StepKind.SCAN: scan,
            StepKind.RETRIEVE: retrieve,
            StepKind.NAVIGATE: self._navigator.navigate,
            StepKind.EXTRACT: extract,
            StepKind.SYNTHESIZE: synthesize,
        }

    def executor(self, run: RunState) -> ReasoningExecutor:
        """The loop for one walk of a run."""
        return ReasoningExecutor(
            planner=self.planner,
            fallback=self.fallback,
            handlers=self.handlers(),
            clock=self.clock,
            # Walks side by side have their steps shared out: counting them together would be a race.
            checkpoint=run.checkpoint if self.at_once == 1 else run.stop_if_asked,
        )


def walk_all(
    run: RunState, plan: QueryPlan, corpus: Corpus, chosen: Sequence[Selected], walking: Walking
) -> Iterator[StepEvent]:
    """Steps of all walks as they happen; the walks stand in `run.walks` in the order chosen, whatever the timing."""
    limits = replace(run.limits, max_steps=run.allowance(len(chosen))) if walking.at_once > 1 else run.limits
    first = len(run.walks) + 1
    walks = [
        replace(_walk(run, plan, corpus, selected, first + turn), limits=limits, turn=(turn, len(chosen)))
        for turn, selected in enumerate(chosen)
    ]
    for walk in walks:
        walk.lane = lane_for(walking.search_embedder, corpus, walk.entry.id)
        walk.nearness = walking.nearness.lane(len(chosen)) if walking.nearness else None
        walk.summaries = corpus.summaries(walk.entry.id)
        most = walking.planner.pictures
        if most and corpus.has_pictures(walk.entry.id):
            walk.pictures, walk.most_pictures = corpus, most
    run.walks.extend(walks)
    streams = [walking.executor(run).run(walk) for walk in walks]
    steps = interleave_streams(streams, at_once=walking.at_once) if walking.at_once > 1 else _chain_streams(streams)
    try:
        for step in steps:
            yield run.count_step(step)
    except LimitReached:
        return


def _chain_streams(streams: Sequence[Iterator[StepEvent]]) -> Iterator[StepEvent]:
    for stream in streams:
        yield from stream


def _walk(run: RunState, plan: QueryPlan, corpus: Corpus, selected: Selected, number: int) -> Walk:
    document = corpus.open(selected.entry.id)
    foreign = foreign_names(plan, selected.entry, document.card)
    return Walk(
        number=number,
        plan=plan,
        entry=selected.entry,
        document=document,
        limits=run.limits,
        finder=Finder(document, plan, lexicon=run.lexicon),
        known=tuple(key for key in run.known.get(selected.entry.id, ()) if key in document.tree),
        foreign=foreign,
        is_about=not foreign or is_about_any(document.tree, foreign),
        deadline=run.deadline,
    )
