"""How a run gets to a worker: one job for each attempt, named so that a doubled call adds nothing."""

from collections.abc import Iterable

from vectorless_web.lib import jobs
from vectorless_web.lib.live import publish
from vectorless_web.runs.models import Run

QUEUE = "runs"
JOB = "vectorless_web.runs.jobs.execute_run"
JOB_SECONDS = 900
REPLAY_JOB = "vectorless_web.runs.jobs.replay_run"
REPLAY_JOB_SECONDS = 300


def job_id(run_id: int, attempt: int) -> str:
    """The name of the job that makes one attempt at a run."""
    return f"run-{run_id}-{attempt}"


def enqueue(run: Run) -> None:
    """Enqueue the run's present attempt once the transaction commits; with Redis down the sweep does it later."""
    jobs.enqueue(JOB, run.pk, queue=QUEUE, job_id=job_id(run.pk, run.attempt), seconds=JOB_SECONDS)


def enqueue_replay(run: Run) -> None:
    """Enqueue a replay of the run once the transaction commits; a doubled call replaces the job."""
    jobs.enqueue(REPLAY_JOB, run.pk, queue=QUEUE, job_id=f"replay-{run.pk}", seconds=REPLAY_JOB_SECONDS)


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
