"""Background jobs, enqueued by dotted path after the commit, and their worker; a lost job is enqueued again."""

import gc
import importlib
import logging
import os
import signal
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import django_rq
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from django.utils.module_loading import import_string
from redis import Redis
from redis.exceptions import RedisError
from rq import Worker
from rq.command import send_stop_job_command
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.job import Job, JobStatus
from rq.queue import Queue

from vectorless_web.infra.patient_redis import redis_breaker
from vectorless_web.infra.site.forking import die_with_parent, name_process

logger = logging.getLogger(__name__)


class StoppableWorker(Worker):
    """A worker that, told to stop, lets its job finish for VECTORLESS_STOP_SECONDS and then hands it back.

    A job that is handed back was killed, as in a crash: what it stored under its lease stands, and
    the next worker goes on from there.
    """

    _overdue = False

    def procline(self, message: str) -> None:
        """Leave the name as it is: RQ's own would hide which program this is."""

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """Run the job in the work-horse, which the kernel ends as soon as its worker ends."""
        die_with_parent(signal.SIGKILL)
        if os.getppid() == 1:  # The worker ended before this could be asked for.
            os._exit(1)
        name_process(f"job {job.id}")
        super().main_work_horse(job, queue)

    def handle_warm_shutdown_request(self) -> None:
        """Called when the worker is told to stop: the job under way gets its last seconds."""
        if self.horse_pid:
            timer = threading.Timer(settings.STOP_SECONDS, self._end_overdue)
            timer.daemon = True
            timer.start()

    def monitor_work_horse(self, job: Job, queue: Queue) -> None:
        """Wait for the work-horse; hand its job back if it had to be killed."""
        super().monitor_work_horse(job, queue)
        if self._overdue:
            hand_back(job)

    def _end_overdue(self) -> None:
        if self.horse_pid:
            self._overdue = True
            self.kill_horse()


def hand_back(job: Job) -> None:
    """Let another worker take the job's work at once. What cannot be handed back waits for the end of its lease."""
    path = settings.WORKER_HAND_BACK.get(job.func_name or "")
    if path is None:
        return
    give: Any = import_string(path)
    try:
        give(job.id, *job.args)
    except DatabaseError as error:
        logger.warning("job %s waits for the end of its lease: %s", job.id, error)
    finally:
        connections.close_all()


COLLECTING = (20_000, 20, 20)
"""Objects made between collections: a run makes some ten thousand that stay to its end, and 700 looks at them often."""


def preload(queue: str) -> None:
    """Import and load what the queue's jobs need, and leave no connection open: forks follow."""
    for name in settings.WORKER_PRELOAD[queue]:
        module = importlib.import_module(name)
        if hasattr(module, "warm_up"):
            module.warm_up()
    connections.close_all()
    freeze_memory()


def freeze_memory() -> None:
    """Keep what is loaded now out of all collections, so that forks share its pages, and collect more seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)


ALIVE = ("queued", "started", "deferred", "scheduled")
"""States of a job that waits or runs."""
EVER = tuple(state.value for state in JobStatus)
"""Every state of a job that Redis knows of."""
AT_ONCE = 500
"""Jobs asked for in one request to Redis; bounds the size of a reply."""
WORKER_TTL_SECONDS = 30
"""An idle worker gives a sign of life 15 s before this is over, so that its death is noticed within a minute."""
RESULT_SECONDS = 3600
"""Seconds that Redis keeps a finished job. Nothing reads it: results are rows. It lets an operator look."""
FAILURE_SECONDS = 7 * 24 * 3600
"""The same for a failed job: a week, so that a failure of Friday can be looked at."""


def enqueue(path: str, *args: Any, queue: str, job_id: str, seconds: int | None = None) -> None:
    """Enqueue the function at `path` once the current transaction commits.

    `job_id` names the work and its attempt, so a doubled call replaces a job instead of
    adding one. With Redis down the job is left to the sweep, which finds the queued row.
    """
    transaction.on_commit(partial(_enqueue_now, path, args, queue, job_id, seconds))


def _enqueue_now(path: str, args: tuple[Any, ...], queue: str, job_id: str, seconds: int | None) -> None:
    try:
        with redis_breaker.guard():
            django_rq.get_queue(queue).enqueue_call(
                func=path,
                args=args,
                job_id=job_id,
                timeout=seconds,
                result_ttl=RESULT_SECONDS,
                failure_ttl=FAILURE_SECONDS,
            )
    except RedisError as error:
        logger.warning("job %s waits for the sweep: %s", job_id, error)


def connection_to(queue: str) -> Redis:
    """The connection to the Redis that holds the queue."""
    connection: Redis = django_rq.get_connection(queue)
    return connection


def stop(job_id: str, *, queue: str) -> None:
    """Take a waiting job out of its queue, or kill the work-horse of a running one; quiet when there is none."""
    connection = django_rq.get_connection(queue)
    with suppress(NoSuchJobError, RedisError), redis_breaker.guard():
        job = Job.fetch(job_id, connection=connection)
        try:
            send_stop_job_command(connection, job_id)
        except InvalidJobOperation:
            job.cancel()


def exists(job_id: str, *, queue: str) -> bool:
    """Whether the job is waiting or running; false when it ended, was never enqueued, or Redis is down."""
    with suppress(NoSuchJobError, RedisError), redis_breaker.guard():
        status = Job.fetch(job_id, connection=django_rq.get_connection(queue)).get_status()
        return status in ALIVE
    return False


def find_lost_jobs(job_ids: Sequence[str], *, queue: str, alive: Collection[str] = ALIVE) -> set[str]:
    """Those of the jobs whose state is none of `alive`: ended, or never enqueued. None of them when Redis is down.

    Asked in few messages, however many they are.
    """
    gone: set[str] = set()
    try:
        connection = django_rq.get_connection(queue)
        for first in range(0, len(job_ids), AT_ONCE):
            asked = job_ids[first : first + AT_ONCE]
            with redis_breaker.guard(), connection.pipeline(transaction=False) as pipeline:
                for job_id in asked:
                    pipeline.hget(Job.key_for(job_id), "status")
                states = pipeline.execute()
            gone |= {
                job_id for job_id, state in zip(asked, states, strict=True) if (state or b"").decode() not in alive
            }
    except RedisError as error:
        logger.warning("jobs not looked for: %s", error)
        return set()
    return gone


def queue_is_up() -> bool:
    """Whether the Redis that holds the queues answers."""
    try:
        with redis_breaker.guard():
            return bool(django_rq.get_connection("runs").ping())
    except RedisError:
        return False


def work(queue: str, *, burst: bool = False) -> None:
    """Work on the queue's jobs, each in a forked work-horse, until stopped (or, with `burst`, until it is empty)."""
    worker = django_rq.get_worker(queue, worker_class=StoppableWorker, worker_ttl=WORKER_TTL_SECONDS)
    worker.work(burst=burst, logging_level="WARNING")
