"""How a run gets to a worker: one job for each attempt, named so that a doubled call adds nothing."""

from collections.abc import Collection, Iterable

from vectorless_web.lib import jobs
from vectorless_web.lib.live import publish
from vectorless_web.runs.models import Replay, Run

QUEUE = "runs"
JOB = "vectorless_web.runs.jobs.execute_run"
JOB_SECONDS = 900
REPLAY_QUEUE = "documents"
"""Replays wait with the uploads: no question waits behind one."""
REPLAY_JOB = "vectorless_web.runs.jobs.replay_run"
REPLAY_JOB_SECONDS = 300


def job_id(run_id: int, attempt: int) -> str:
    """The name of the job that makes one attempt at a run."""
    return f"run-{run_id}-{attempt}"


def enqueue(run: Run) -> None:
    """Enqueue the run's present attempt once the transaction commits; with Redis down the sweep does it later."""
    jobs.enqueue(JOB, run.pk, queue=QUEUE, job_id=job_id(run.pk, run.attempt), seconds=JOB_SECONDS)


def replay_job_id(replay: Replay) -> str:
    """The name of the job that makes this replay; one that is asked for later has another."""
    return f"replay-{replay.run_id}-{int(replay.asked_at.timestamp() * 1000)}"


def enqueue_replay(replay: Replay) -> None:
    """Enqueue a replay once the transaction commits; with Redis down the sweep does it later."""
    jobs.enqueue(
        REPLAY_JOB, replay.run_id, queue=REPLAY_QUEUE, job_id=replay_job_id(replay), seconds=REPLAY_JOB_SECONDS
    )


def never_enqueued(replays: Iterable[Replay]) -> list[Replay]:
    """Those whose job Redis knows nothing of; none when it is down."""
    return _among(replays, jobs.EVER)


def without_worker(replays: Iterable[Replay]) -> list[Replay]:
    """Those whose job neither waits nor runs; none when Redis is down."""
    return _among(replays, jobs.ALIVE)


def _among(replays: Iterable[Replay], states: Collection[str]) -> list[Replay]:
    named = {replay_job_id(replay): replay for replay in replays}
    gone = jobs.lost(list(named), queue=REPLAY_QUEUE, alive=states)
    return [replay for name, replay in named.items() if name in gone]


def without_job(runs: Iterable[Run]) -> list[Run]:
    """Those of the runs whose present attempt does not wait in the queue; none when Redis is down.

    A job that a worker took does not count: a queued row means that it died before it
    claimed the run. Should it still be about to, the second delivery exits quietly.
    """
    named = {job_id(run.pk, run.attempt): run for run in runs}
    lost = jobs.lost(list(named), queue=QUEUE, alive=("queued",))
    return [run for name, run in named.items() if name in lost]


def stop_job(run_id: int, attempt: int) -> None:
    """Take the attempt's job out of the queue, or kill the process that works on it."""
    jobs.stop(job_id(run_id, attempt), queue=QUEUE)


def announce(run_id: int, sequence: int = 0) -> None:
    """Tell every open page to look at the run's rows again: a hint, which may be lost."""
    publish(group_of(run_id), {"type": "run.changed", "sequence": sequence})


def group_of(run_id: int) -> str:
    """The channel group that the run's pages listen to."""
    return f"run-{run_id}"
