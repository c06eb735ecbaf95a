"""The lines in which questions and replays wait for a worker, in turns between the people who asked."""

from django.db.models import QuerySet

from vectorless_web.infra.queues import jobs
from vectorless_web.infra.queues.fair_share import WaitingLine
from vectorless_web.runs.models import Replay, Run

QUEUE = "runs"
JOB = "vectorless_web.runs.jobs.execute_run"
JOB_SECONDS = 900
"""Seconds that the job of a run may take. A run has limits of its own and ends earlier with a sentence; this ends one
that hangs."""
REPLAY_QUEUE = "documents"
"""Replays wait with the uploads: no question waits behind one."""
REPLAY_JOB = "vectorless_web.runs.jobs.replay_run"
REPLAY_JOB_SECONDS = 300
"""The same for a replay, which is given up after REPLAY_SECONDS by itself."""


def job_id(run_id: int, attempt: int) -> str:
    """The name of the job that makes one attempt at a run."""
    return f"run-{run_id}-{attempt}"


def replay_job_id(replay: Replay) -> str:
    """The name of the job that makes this replay; one that is asked for later has another."""
    return f"replay-{replay.run_id}-{int(replay.asked_at.timestamp() * 1000)}"


def _waiting_runs() -> QuerySet[Run]:
    return Run.objects.filter(status=Run.Status.QUEUED)


def _working_runs() -> QuerySet[Run]:
    return Run.objects.filter(status=Run.Status.RUNNING)


def _open_replays() -> QuerySet[Replay]:
    return Replay.objects.filter(verdict="")


def _enqueue_run(run: Run) -> None:
    jobs.enqueue(JOB, run.pk, queue=QUEUE, job_id=job_id(run.pk, run.attempt), seconds=JOB_SECONDS)


def _enqueue_replay(replay: Replay) -> None:
    name = replay_job_id(replay)
    jobs.enqueue(REPLAY_JOB, replay.run_id, queue=REPLAY_QUEUE, job_id=name, seconds=REPLAY_JOB_SECONDS)


RUNS = WaitingLine(
    queue=QUEUE,
    person="asked_by",
    waiting=_waiting_runs,
    working=_working_runs,
    job_id=lambda run: job_id(run.pk, run.attempt),
    enqueue=_enqueue_run,
)
REPLAYS = WaitingLine(
    queue=REPLAY_QUEUE,
    person="asked_by",
    waiting=_open_replays,
    working=None,
    job_id=replay_job_id,
    enqueue=_enqueue_replay,
)
"""A replay that is being made waits for its verdict like the others: one of each person at a time."""
