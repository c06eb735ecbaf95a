"""Walks the chosen documents, one after the other offline, side by side when a model makes them wait."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from vectorless_web.engine.errors import LimitReached
from vectorless_web.engine.llm.model import Usage
from vectorless_web.engine.pilot import LexicalPilot
from vectorless_web.engine.pilot.protocol import MinimalPilot
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.corpus import Corpus
from vectorless_web.engine.reasoner.events import StepEvent, StepKind
from vectorless_web.engine.reasoner.executor import Handler, ReasoningExecutor
from vectorless_web.engine.reasoner.extracting import extract
from vectorless_web.engine.reasoner.finder import Finder
from vectorless_web.engine.reasoner.meaning import Meaning, lane_for
from vectorless_web.engine.reasoner.navigating import Navigator
from vectorless_web.engine.reasoner.offline import OfflinePlanner
from vectorless_web.engine.reasoner.planner import Planner
from vectorless_web.engine.reasoner.retrieving import retrieve
from vectorless_web.engine.reasoner.run import Run
from vectorless_web.engine.reasoner.scanning import scan
from vectorless_web.engine.reasoner.selection import Selected
from vectorless_web.engine.reasoner.sidebyside import side_by_side
from vectorless_web.engine.reasoner.subject import foreign_names
from vectorless_web.engine.reasoner.synthesizing import synthesize
from vectorless_web.engine.reasoner.walk import Walk

PilotFor = Callable[[Walk], MinimalPilot]


def lexical_pilot(walk: Walk) -> MinimalPilot:
    """The offline pilot over the words of the walk's question."""
    return LexicalPilot(walk.finder.scorer)


class Walking:
    """What walks are made of: the planner, the one that steps in for it, the pilot, the step handlers.

    `meaning` embeds what is searched for, for the vector lane; None leaves the lane out.
    `spent` is what all models of the run have cost, the planner's unless given.
    """

    def __init__(
        self,
        *,
        planner: Planner | None = None,
        pilot_for: PilotFor = lexical_pilot,
        clock: Callable[[], float] = time.monotonic,
        at_once: int = 1,
        meaning: Meaning | None = None,
        spent: Callable[[], Usage] | None = None,
    ) -> None:
        self.fallback: Planner = OfflinePlanner()
        self.planner: Planner = planner or self.fallback
        self.spent = spent or self.planner.spent
        self.meaning = meaning
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

    def executor(self, run: Run) -> ReasoningExecutor:
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
    run: Run, plan: QueryPlan, corpus: Corpus, chosen: Sequence[Selected], walking: Walking
) -> Iterator[StepEvent]:
    """Steps of all walks as they happen; the walks stand in `run.walks` in the order chosen, whatever the timing."""
    limits = replace(run.limits, max_steps=run.allowance(len(chosen))) if walking.at_once > 1 else run.limits
    first = len(run.walks) + 1
    walks = [
        replace(_walk(run, plan, corpus, selected, first + turn), limits=limits, turn=(turn, len(chosen)))
        for turn, selected in enumerate(chosen)
    ]
    for walk in walks:
        walk.lane = lane_for(walking.meaning, corpus, walk.entry.id)
    run.walks.extend(walks)
    streams = [walking.executor(run).run(walk) for walk in walks]
    steps = side_by_side(streams, at_once=walking.at_once) if walking.at_once > 1 else _in_turn(streams)
    try:
        for step in steps:
            yield run.told(step)
    except LimitReached:
        return


def _in_turn(streams: Sequence[Iterator[StepEvent]]) -> Iterator[StepEvent]:
    for stream in streams:
        yield from stream


def _walk(run: Run, plan: QueryPlan, corpus: Corpus, selected: Selected, number: int) -> Walk:
    document = corpus.open(selected.entry.id)
    return Walk(
        number=number,
        plan=plan,
        entry=selected.entry,
        document=document,
        limits=run.limits,
        finder=Finder(document, plan, lexicon=run.lexicon),
        known=tuple(key for key in run.known.get(selected.entry.id, ()) if key in document.tree),
        foreign=foreign_names(plan, selected.entry, document.card),
        deadline=run.deadline,
    )
