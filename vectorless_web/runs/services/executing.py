"""Executing a run: the engine reasons, one recorder stores the events under the run's lease."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from threading import Event
from typing import Any, Protocol

from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.agent.events import CompleteEvent, ReasoningEvent, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Settings
from vectorless_web.engine.agent.state import Conversation
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.errors import Cancelled, EngineError
from vectorless_web.infra.leases import LeaseLost, Watch, write_under_lease
from vectorless_web.infra.outages import retry_through_outage
from vectorless_web.runs.corpus import WorkspaceCorpus
from vectorless_web.runs.line import announce, stop_job
from vectorless_web.runs.models import Run, RunInputs
from vectorless_web.runs.selectors import last_calls
from vectorless_web.runs.services.leases import RunLease, claim, end_run
from vectorless_web.runs.services.recording import (
    Recorder,
    inputs_of,
    load_kept_conversation,
    load_kept_routes,
    other_factory,
)
from vectorless_web.workspaces.services import note_last_call

logger = logging.getLogger(__name__)


class Reasoner(Protocol):
    """What the engine offers: an iterator of events, ending with one CompleteEvent."""

    def run(
        self,
        question: str,
        corpus: Corpus,
        limits: Limits,
        *,
        cancelling: Callable[[], bool] = ...,
        conversation: Conversation = ...,
    ) -> Iterator[ReasoningEvent]:
        """Reason about the question over the corpus; `conversation` is what its thread asked and answered before."""
        ...


class Engine(Protocol):
    """A reasoner and what the pages call it: `name` is `offline` or `model`, `model` the model's name or "".

    `facts` tell how it was set up, in JSON values: a replay sets it up the same.
    """

    @property
    def reasoner(self) -> Reasoner: ...
    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...


def claim_run(run_id: int) -> RunLease | None:
    """Take a queued run; None for one that another worker has or that has ended: a doubled delivery exits quietly."""
    lease = claim(run_id)
    if lease is not None:
        announce(run_id)
    return lease


def execute_run(lease: RunLease, *, engine: Engine, inputs: RunInputs | None = None, stop: Event | None = None) -> None:
    """Work on a claimed run until it ends, storing every event before announcing it.

    Whatever the engine says of itself (an EngineError, a CompleteEvent) becomes the
    run's stated outcome; a lost lease ends the work silently, because the run is
    somebody else's by then. `inputs` are read here unless given; `stop` is set as soon as
    the run should end.
    """
    run = Run.objects.select_related("workspace").get(pk=lease.run_id)
    if run.cancel_requested:
        _end_cancelled(lease)
        return
    try:
        with Watch(lease, stop=stop, on_overdue=lambda: _end_overdue(lease)) as watch:
            _work(run, lease, engine, inputs or inputs_of(run, lease), watch)
    except LeaseLost:
        logger.info("run %d: attempt %d lost its lease and wrote nothing more", lease.run_id, lease.attempt)


def fail_run(lease: RunLease, *, code: str, message: str, retryable: bool) -> None:
    """Write that a run failed, if the lease is still held; a database that is away is waited for."""
    if retry_through_outage(
        lambda: end_run(lease, Run.Status.FAILED, error_code=code, reason=message, retryable=retryable)
    ):
        announce(lease.run_id)


def note_last_calls(run: Run) -> None:
    """Have the settings of the models that a run asked say whether their last calls were answered."""
    for provider, call in last_calls(run):
        note_last_call(provider=provider, at=call.created_at, code=call.error_code, message=call.error)


def _work(run: Run, lease: RunLease, engine: Engine, inputs: RunInputs, watch: Watch) -> None:
    corpus = WorkspaceCorpus(run, routes=load_kept_routes(inputs))
    with write_under_lease(lease):
        Run.objects.filter(pk=run.pk).update(
            engine=engine.name, model=engine.model, corpus_fingerprint=corpus.fingerprint, asked_model_at=None
        )
        RunInputs.objects.filter(pk=inputs.pk).update(reasoner=dict(engine.facts), factory=other_factory())
    pays_nobody = engine.name == "offline" and "embedding" not in engine.facts
    recorder = Recorder(lease, corpus, is_watched=run.purpose == Run.Purpose.QUESTION or not pays_nobody)
    conversation = load_kept_conversation(inputs)
    events = engine.reasoner.run(
        run.question, corpus, limits_of(run), cancelling=watch.is_stopping, conversation=conversation
    )
    try:
        ended = _record_all(events, recorder)
    except Cancelled:
        ended = _end_cancelled(lease)
    except EngineError as error:
        recorder.fail(code=error.code, message=error.message, retryable=error.retryable)
        return
    if not ended:
        recorder.fail(code="internal_error", message="The reasoner stopped without a result.", retryable=True)


def _record_all(events: Iterator[ReasoningEvent], recorder: Recorder) -> bool:
    """Store events in the order they come; true when one of them ended the run."""
    try:
        for event in events:
            match event:
                case StepEvent():
                    recorder.step(event)
                case ClaimEvent():
                    recorder.claim(event)
                case CompleteEvent():
                    recorder.complete(event)
                    return True
    finally:
        recorder.flush()
    return False


def limits_of(run: Run) -> Limits:
    """The limits that were set when the question was asked."""
    kept = ("max_steps", "max_walks", "token_budget", "model_tokens", "money_usd")
    return Limits(**{name: run.settings[name] for name in kept if name in run.settings})


def settings_of(run: Run) -> Settings:
    """How the workspace and who asked wanted the run to work."""
    kept = {field.name for field in fields(Settings)} & set(run.settings)
    return Settings(**{name: run.settings[name] for name in kept})


def _end_cancelled(lease: RunLease) -> bool:
    if end_run(lease, Run.Status.CANCELLED, reason="Stopped before it was done."):
        announce(lease.run_id)
    return True


def _end_overdue(lease: RunLease) -> None:
    """The engine did not react to a stop in time: write the end for it and end its process.

    A run that has just ended by itself gives its lease back, too; what follows its end may take a while on a crowded
    machine and is left to finish.
    """
    ended = Run.objects.filter(pk=lease.run_id, attempt=lease.attempt, status__in=Run.ENDED, cancel_requested=False)
    if ended.exists():
        return
    _end_cancelled(lease)
    stop_job(lease.run_id, lease.attempt)
