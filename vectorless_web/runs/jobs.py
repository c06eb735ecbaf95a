"""The job that works on one run: an id in, wiring, one service."""

import logging
import threading
import time
from contextlib import suppress

from channels.layers import get_channel_layer
from django.db import DatabaseError

from vectorless_web import wiring
from vectorless_web.documents.background import embedding_in_use
from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.llm.calls import OnCall
from vectorless_web.infra.leases import LeaseLost
from vectorless_web.infra.outages import DATABASE_AWAY, outage_of, retry_through_outage
from vectorless_web.infra.site.log_lines import note_work
from vectorless_web.runs import line, selectors, services
from vectorless_web.runs.demo import cassette_of
from vectorless_web.runs.models import Replay, Run, RunInputs
from vectorless_web.workspaces.selectors import OFFLINE, model_chosen, provider_chosen
from vectorless_web.workspaces.storage import SecretUnreadable

logger = logging.getLogger(__name__)

INTERNAL = "Something went wrong inside the program; the log has the details."
FAILED_REPLAY = "The replay failed inside the program; the log has the details."
UNREADABLE = (
    "The key of this workspace's model was stored under another encryption key and cannot be read. "
    "An owner can type it again, or switch the model off, in the settings under Models."
)


def execute_run(run_id: int) -> None:
    """Claim the run and work on it; do nothing when the job is delivered a second time.

    Every failure is written to the run, so that no page waits for it without end. While
    the database or the storage is away the run waits in its place and begins again under
    the same lease, with the steps and calls that it has stored. A database that stays away
    leaves the run to the sweep.
    """
    note_work(run=run_id)
    lease = services.claim_run(run_id)
    if lease is None:
        return
    try:
        retry_through_outage(lambda: _work_on(lease))
    except LeaseLost:
        logger.info("run %d belongs to another attempt by now", run_id)
    except Exception as error:
        logger.exception("run %d failed", run_id)
        outage = outage_of(error)
        if outage is None:
            services.fail_run(lease, code="internal_error", message=INTERNAL, retryable=True)
        elif outage is not DATABASE_AWAY:
            services.fail_run(lease, code=outage.code, message=outage.message, retryable=True)
        raise


TURN_SECONDS, ALONE_SECONDS = 2.0, 10.0
"""After the first another person's turn begins, if somebody waits; after the second always, so that a worker that is
told to stop ends within its 20 s. Half of the first makes a process for every fourth cell of a grid without a model
(0.15 s each, 0.15 s to begin a process), on a crowded machine for each; twice makes the others wait longer."""


def execute_turn(run_id: int) -> None:
    """Work on a run of a grid or an evaluation, and on the next ones of its person until their turn is over."""
    began, following = time.monotonic(), run_id
    while following:
        execute_run(following)
        lasted = time.monotonic() - began
        is_over = lasted >= ALONE_SECONDS or (lasted >= TURN_SECONDS and line.is_waited_behind(run_id))
        following = 0 if is_over else (line.next_in_turn(run_id) or 0)


def _work_on(lease: services.RunLease) -> None:
    """One try at the run, from its stored calls onwards; what is known to go wrong becomes its outcome."""
    stop = threading.Event()
    try:
        run, log = selectors.run_to_execute(lease.run_id), services.CallLog(lease)
        inputs = services.inputs_of(run, lease)
        answerer = run.settings.get("answerer", "")
        calls = wiring.Calls(
            stored=log.stored,
            keep=log,
            cost_budget=services.RunCostBudget(run),
            limits=services.limits_of(run),
            settings=services.settings_of(run),
            lexicon=services.load_kept_lexicon(inputs),
            offline=answerer == OFFLINE,
            embedding=embedding_in_use(run.workspace),
            second_reader=provider_chosen(run.workspace, run.settings.get("second_reader", "")),
            cassette=cassette_of(run),
            stopping=stop.is_set,
        )
        engine = wiring.engine_for(model_chosen(run.workspace, answerer), calls)
        services.execute_run(lease, engine=engine, inputs=inputs, stop=stop)
        services.note_last_calls(run)
    except SecretUnreadable:
        services.fail_run(lease, code="secret_unreadable", message=UNREADABLE, retryable=False)
    except EngineError as error:
        services.fail_run(lease, code=error.code, message=error.message, retryable=error.retryable)


def hand_back_run(job_id: str, run_id: int) -> None:
    """Called by a worker that had to end this job because it stops itself."""
    services.hand_back_run(run_id, job_id)


def replay_run(run_id: int) -> None:
    """Replay a run whose page asked for it, and keep the verdict; a second delivery of the job exits quietly."""
    run = selectors.run_to_execute(run_id)
    if services.is_waited_for(run):
        verdict_of(run)


def verdict_of(run: Run) -> services.Found:
    """Replay a run and store the verdict; a failure of the replay is a verdict too."""
    try:
        found = retry_through_outage(lambda: find_replay_result(run))
    except Exception as error:
        logger.exception("run %d could not be replayed", run.pk)
        outage = outage_of(error)
        found = services.Found(Replay.Verdict.IMPOSSIBLE, FAILED_REPLAY if outage is None else outage.message)
    retry_through_outage(lambda: services.keep_verdict(run, found))
    return found


def find_replay_result(run: Run) -> services.Found:
    """What a replay of the run finds, from its own rows and stored calls alone. Writes nothing."""
    return services.replay(run, wire=_build_replay_engine)


def _build_replay_engine(run: Run, inputs: RunInputs, keep: OnCall) -> wiring.Engine:
    calls = wiring.Calls(
        stored=services.stored_calls(run.pk),
        keep=keep,
        settings=services.settings_of(run),
        lexicon=services.load_kept_lexicon(inputs),
        late=services.kept_late(inputs),
    )
    return wiring.replaying_engine(run.model, inputs.reasoner, calls)


def warm_up() -> None:
    """Called once in the worker before it forks: what a job would otherwise import or load by itself.

    No connection outlives it: the worker closes those of the database, the channel
    layer opens its own in the job.
    """
    wiring.warm_up()
    services.program_digest()
    get_channel_layer()
    with suppress(DatabaseError, Run.DoesNotExist):
        selectors.run_to_execute(0)
