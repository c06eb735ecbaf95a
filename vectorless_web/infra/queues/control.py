"""What an operator sees of the queues and does to them: jobs, workers, pausing a queue, draining a worker."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError
from rq import Worker
from rq.command import send_shutdown_command
from rq.exceptions import NoSuchJobError
from rq.job import Job, JobStatus
from rq.queue import Queue
from rq.registry import FailedJobRegistry, StartedJobRegistry
from rq.worker.base import BaseWorker

from vectorless_web.infra.queues.jobs import (
    QUEUE_PAUSED,
    SILENT_SECONDS,
    SITE_READ_ONLY,
    STARTING_SECONDS,
    connection_to,
    is_paused,
)

SHOWN = 50
"""Jobs of each state that a page shows."""


@dataclass(frozen=True)
class JobInfo:
    """One job: its function, what it was called with, since when it is as it is, and the error it ended with."""

    name: str
    path: str
    arguments: tuple[Any, ...]
    since: datetime | None
    error: str = ""


@dataclass(frozen=True)
class WorkerInfo:
    """One worker: what it does, since when it lives, when it was last heard of."""

    name: str
    state: str
    job: str
    since: datetime | None
    heard: datetime | None

    @property
    def silent_seconds(self) -> float | None:
        """Seconds since it was last heard of; None when it gave no sign of life yet."""
        return max((datetime.now(UTC) - self.heard).total_seconds(), 0.0) if self.heard else None

    @property
    def is_away(self) -> bool:
        """Whether it has been silent so long that it counts as away: it is frozen, was killed, or is cut off."""
        return self.silent_seconds is not None and self.silent_seconds >= SILENT_SECONDS


@dataclass(frozen=True)
class QueueInfo:
    """One queue with its first jobs of each state; counts are of all."""

    name: str
    paused: bool
    waiting_count: int
    oldest: datetime | None
    waiting: list[JobInfo]
    running: list[JobInfo]
    failed: list[JobInfo]
    workers: list[WorkerInfo]


def describe_queue(name: str) -> QueueInfo:
    """How a queue is. RedisError when Redis is away."""
    redis = connection_to(name)
    queue = Queue(name, connection=redis)
    waiting = _fetch_jobs(queue.get_job_ids(0, SHOWN), redis)
    return QueueInfo(
        name=name,
        paused=is_paused(redis, name),
        waiting_count=queue.count,
        oldest=min((job.since for job in waiting if job.since), default=None),
        waiting=waiting,
        running=_fetch_jobs(StartedJobRegistry(queue=queue).get_job_ids(0, SHOWN), redis),
        failed=_fetch_jobs(FailedJobRegistry(queue=queue).get_job_ids(0, SHOWN, desc=True), redis),
        workers=[_describe_worker(worker) for worker in Worker.all(queue=queue)],
    )


def _fetch_jobs(names: Iterable[str], redis: Redis) -> list[JobInfo]:
    """The jobs that still exist, in the order of their names: one message, however many."""
    found = Job.fetch_many([name.partition(":")[0] for name in names], connection=redis)
    return [_describe_job(job) for job in found if job is not None]


def _describe_job(job: Job) -> JobInfo:
    error = ""
    since = job.ended_at or job.started_at or job.enqueued_at
    if job.get_status(refresh=False) == JobStatus.FAILED:
        with suppress(RedisError):
            result = job.latest_result()
            error = ((result.exc_string or "") if result else "").strip().rpartition("\n")[2]
    return JobInfo(job.id, job.func_name or "", tuple(job.args or ()), _aware(since), error[:300])


def _describe_worker(worker: BaseWorker) -> WorkerInfo:
    job = worker.get_current_job_id() or ""
    return WorkerInfo(
        worker.name, str(worker.get_state()), job, _aware(worker.birth_date), _aware(worker.last_heartbeat)
    )


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def pause_queue(name: str) -> None:
    """Have no worker begin another job of the queue; what is under way goes on."""
    connection_to(name).set(QUEUE_PAUSED % name, 1)


def resume_queue(name: str) -> None:
    """Have the workers of the queue go on within seconds."""
    connection_to(name).delete(QUEUE_PAUSED % name)


def hold_queues(hold: bool) -> None:
    """Have no worker of any queue begin a job while the site is read-only, but for its upkeep; or have them go on."""
    redis = connection_to("runs")
    if hold:
        redis.set(SITE_READ_ONLY, 1)
    else:
        redis.delete(SITE_READ_ONLY)


def give_back_dropped_jobs(after: float = STARTING_SECONDS) -> int:
    """Put jobs back at the head of their queue whose worker ended after it took and before it began them; how many.

    One is put back when it was first seen between the two more than `after` seconds ago.

    RQ looks for such jobs every ten minutes and calls them failed. One that is only slow to begin is delivered
    twice, which does no harm: its row is taken once.
    """
    return sum(_give_back_dropped(Queue(name, connection=connection_to(name)), after) for name in settings.RQ_QUEUES)


def _give_back_dropped(queue: Queue, after: float) -> int:
    taken, count = queue.intermediate_queue, 0
    for name in taken.get_job_ids():
        first_seen = None if taken.set_first_seen(name) else taken.get_first_seen(name)
        if first_seen is None or (datetime.now(UTC) - first_seen).total_seconds() < after:
            continue
        with queue.connection.pipeline() as pipeline:
            pipeline.lrem(taken.key, 1, name)
            pipeline.delete(taken.get_first_seen_key(name))
            queue.push_job_id(name, pipeline=pipeline, at_front=True)
            pipeline.execute()
        count += 1
    return count


def drain_worker(name: str, *, queue: str) -> bool:
    """Tell a worker to finish its job and end; false when there is none of that name."""
    redis = connection_to(queue)
    if name not in {worker.name for worker in Worker.all(queue=Queue(queue, connection=redis))}:
        return False
    send_shutdown_command(redis, name)
    return True


def find_job(name: str) -> JobInfo | None:
    """The job of that name, whichever queue it is in; None when Redis knows of none."""
    try:
        return _describe_job(Job.fetch(name, connection=connection_to("runs")))
    except NoSuchJobError:
        return None


def forget_job(name: str) -> None:
    """Take a job that has ended off the lists; quiet when it is gone."""
    with suppress(NoSuchJobError):
        Job.fetch(name, connection=connection_to("runs")).delete()
