"""From a question to a checked answer: understand, route, select, walk, pack, synthesise, verify, conclude."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from vectorless_web.engine.agent.conclusion import answer_events, conclude, conclude_cancelled, conclude_failed
from vectorless_web.engine.agent.context.outline import join_names, shorten_title
from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.agent.events import ReasoningEvent
from vectorless_web.engine.agent.executor import Walking, walk_all
from vectorless_web.engine.agent.limits import Cancelling, Late, Limits
from vectorless_web.engine.agent.steps.follow import Following
from vectorless_web.engine.agent.steps.route import Routing, route_step
from vectorless_web.engine.agent.walk import RunState
from vectorless_web.engine.errors import ArtefactDamaged, Cancelled, EngineError, InvalidInput
from vectorless_web.engine.questions.focus import without_page
from vectorless_web.engine.questions.followup import Previous, complete_question
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.plan import QueryPlan, check_question
from vectorless_web.engine.questions.understand import understand


def never_stop() -> bool:
    """Nobody asked the run to stop."""
    return False


class Orchestrator:
    """The one entry to the reasoner. Without arguments it works offline, with no model.

    `routing` narrows the documents, `walking` makes planners, pilots and handlers for the
    walks. `clock` gives seconds and may be a fake. A replay gives `late`, where
    time was up in the run it repeats, and is held up by no clock.
    """

    def __init__(
        self,
        *,
        lexicon: Lexicon | None = None,
        expand: bool = True,
        routing: Routing | None = None,
        walking: Walking | None = None,
        clock: Callable[[], float] = time.monotonic,
        late: Collection[Late] | None = None,
    ) -> None:
        self._lexicon = lexicon
        self._expand = expand
        self._routing = routing or Routing()
        self._walking = walking or Walking(clock=clock)
        self._clock = clock
        self._late = late

    def run(
        self,
        question: str,
        corpus: Corpus,
        limits: Limits,
        *,
        cancelling: Cancelling = never_stop,
        previous: Previous | None = None,
    ) -> Iterator[ReasoningEvent]:
        """Events of one run; the last is always a CompleteEvent with a stated outcome.

        `previous` is the run before in a thread: a follow-up takes from its question what it
        leaves out, and starts with what was read. Errors of the engine become the outcome
        `failed`; errors of the code are raised.
        """
        run = RunState(
            limits=limits,
            clock=self._clock,
            cancelling=cancelling,
            engine=self._walking.planner.name,
            spent=self._walking.spent,
            lexicon=self._lexicon,
            expand=self._expand,
            late=self._late,
        )
        try:
            yield from self._reason(run, question, corpus, previous)
        except Cancelled:
            yield conclude_cancelled(run)
        except EngineError as error:
            yield conclude_failed(run, error)

    def _reason(
        self, run: RunState, question: str, corpus: Corpus, previous: Previous | None
    ) -> Iterator[ReasoningEvent]:
        run.stop_if_asked()
        plan = self._understand_question(run, question, corpus, previous)
        chosen, step = route_step(run, plan, corpus, self._routing)
        yield run.count_step(step)
        if run.left_out and not chosen:
            raise _all_left_out(run)
        yield from walk_all(run, run.each or plan, corpus, chosen, self._walking)
        if run.gaps() and run.passed_over and run.each is None and run.may_go_on():
            again, step = route_step(run, plan, corpus, self._routing)
            yield run.count_step(step)
            yield from walk_all(run, plan, corpus, again, self._walking)
        run.stop_if_asked()
        yield from answer_events(run, plan, self._walking, Following(corpus, self._routing))
        yield from conclude(run, plan)

    def _understand_question(
        self, run: RunState, question: str, corpus: Corpus, previous: Previous | None
    ) -> QueryPlan:
        text = check_question(" ".join(question.split()))
        if not corpus.entries():
            raise InvalidInput("There is no document to read. Add one, then ask again.", code="no_documents")
        plan = self._read(text)
        if previous is None:
            return plan
        run.known = dict(previous.read)
        whole = complete_question(text, plan, self._read(previous.question), understand=self._read)
        run.read_as = whole if whole != text else ""
        return self._read(whole) if run.read_as else plan

    def _read(self, text: str) -> QueryPlan:
        # A page that is named says where to look; its words must not be looked for.
        plan = understand(without_page(text), lexicon=self._lexicon, expand=self._expand)
        return replace(plan, question=text)


def _all_left_out(run: RunState) -> ArtefactDamaged:
    """Why there is nothing to read: every document that speaks of the question is being repaired."""
    titles = [shorten_title(title) for title in run.left_out.values()]
    verb = "is" if len(titles) == 1 else "are"
    error = ArtefactDamaged(
        f"{join_names(titles)} {verb} being read again and cannot be asked now. Ask again in a moment."
    )
    error.retryable = True
    return error
