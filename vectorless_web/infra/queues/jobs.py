"""Background jobs, enqueued by dotted path after the commit in turns between people; their worker; lost jobs.

Rows in the database are the line. Of each person at most one waiting row has a job in the queue,
the oldest; the next gets its job, behind those of the others, when that one is taken or has ended.
The queue's own order is then one turn for each person. With several workers one person never holds
all of them. All is read anew each time, so a lost job, an emptied Redis or a doubled call does no harm.
"""

import ctypes
import gc
import importlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

import django_rq
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection, connections, transaction
from django.db import Error as DatabaseTrouble
from django.db.models import Count, F, Min, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError
from rq import Worker
from rq.command import PUBSUB_CHANNEL_TEMPLATE, send_stop_job_command
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.job import Job, JobStatus
from rq.queue import Queue
from rq.utils import as_text, utcparse
from rq.worker_registration import WORKERS_BY_QUEUE_KEY, register

from vectorless_web.infra.site.forking import die_with_parent, name_process
from vectorless_web.infra.site.log_lines import note_work
from vectorless_web.infra.site.patient_redis import redis_breaker

logger = logging.getLogger(__name__)


QUEUE_PAUSED = "vectorless:paused:%s"
"""The key in Redis that is there while an operator has paused the queue of that name."""
SITE_READ_ONLY = "vectorless:read-only"
"""The key in Redis that is there while the whole site is read-only: all queues are held but for READ_ONLY_QUEUES."""
PAUSE_LOOK_SECONDS = 1.0
"""Seconds between two looks of an idle worker at whether its queue goes on."""


def is_paused(redis: Redis, queue: str) -> bool:
    """Whether an operator has paused the queue: no worker begins another job of it."""
    return bool(redis.exists(QUEUE_PAUSED % queue))


def is_held(redis: Redis, queue: str) -> bool:
    """Whether no worker begins another job of the queue: it is paused, or the site is read-only."""
    site = [] if queue in settings.READ_ONLY_QUEUES else [SITE_READ_ONLY]
    return bool(redis.exists(QUEUE_PAUSED % queue, *site))


@dataclass(frozen=True)
class Hold:
    """Why no job of a queue begins at present: in some words, and in a sentence what has it go on."""

    say: Promise
    remedy: Promise


PAUSED = Hold(
    gettext_lazy("Paused by an administrator"), gettext_lazy("It goes on when an administrator resumes the queue.")
)
READ_ONLY = Hold(
    gettext_lazy("Held while the site is read-only"), gettext_lazy("It goes on when an administrator ends that.")
)
NO_WORKER = Hold(
    gettext_lazy("No worker is running"), gettext_lazy("It goes on when whoever runs this site starts one.")
)


def find_hold(queue: str) -> Hold | None:
    """What keeps the queue's next job from beginning; None when a worker takes it in turn, or Redis does not say."""
    try:
        with redis_breaker.guard():
            redis = connection_to(queue)
            if is_held(redis, queue):
                return PAUSED if is_paused(redis, queue) else READ_ONLY
            return None if _count_workers(redis, queue) else NO_WORKER
    except RedisError as error:
        logger.warning("not known whether %s goes on: %s", queue, error)
        return None


class StoppableWorker(Worker):
    """A worker that, told to stop, lets its job finish for VECTORLESS_STOP_SECONDS and then hands it back.

    While its queue is held it begins no job; one that it took just then goes back to the head of the queue.

    A job that is handed back was killed, as in a crash: what it stored under its lease stands, and
    the next worker goes on from there.

    Of a queue in WORKER_GOES_ON its work-horse takes the next jobs too for so many seconds: to fork one and let it
    connect and read what all jobs need takes longer than a short job. What is lost with it is the job under way.
    """

    _overdue = False

    def procline(self, message: str) -> None:
        """Leave the name as it is: RQ's own would hide which program this is."""

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Give a sign of life; a worker whose entry Redis has lost (emptied, restored) writes it again."""
        if self.birth_date and not self.connection.hexists(self.key, "birth"):
            self.connection.hset(self.key, mapping=self.serialize())
            register(self)
        super().heartbeat(timeout, pipeline)

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """The next job of a queue that is not held; without `timeout`, as in bursts, none while it is held."""
        while True:
            while self._is_held():
                if timeout is None:
                    return None
                self.heartbeat()
                time.sleep(PAUSE_LOOK_SECONDS)
            taken = super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)
            if taken is None or not is_held(self.connection, taken[1].name):
                return taken
            job, queue = taken
            queue.push_job_id(job.id, at_front=True)
            queue.intermediate_queue.remove(job.id)

    def _is_held(self) -> bool:
        return any(is_held(self.connection, name) for name in self.queue_names())

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """Run the job in the work-horse, which the kernel ends as soon as its worker ends."""
        die_with_parent(signal.SIGKILL)
        if os.getppid() != self.pid:  # The worker ended before this could be asked for.
            os._exit(1)
        super().main_work_horse(job, queue)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Run the job in the work-horse, and behind it those that come within the queue's time; whether all ended."""
        until = time.monotonic() + settings.WORKER_GOES_ON.get(queue.name, 0.0)
        done = self._perform(job, queue)
        while done and time.monotonic() < until and (following := self._take_next(queue)):
            self.prepare_execution(following)
            done = self._perform(following, queue)
        return done

    def _perform(self, job: Job, queue: Queue) -> bool:
        name_process(f"job {job.id}")
        note_work(job=job.id)
        return super().perform_job(job, queue)

    def _take_next(self, queue: Queue) -> Job | None:
        """The queue's next job; None when none waits, the queue is held or the worker was told to stop."""
        if self._is_held() or self.connection.hexists(self.key, "shutdown_requested_date"):
            return None
        taken = self.queue_class.dequeue_any([queue], None, connection=self.connection)
        return taken[0] if taken else None

    def handle_warm_shutdown_request(self) -> None:
        """Called when the worker is told to stop: the job under way gets its last seconds."""
        if self.horse_pid:
            timer = threading.Timer(settings.STOP_SECONDS, self._end_overdue)
            timer.daemon = True
            timer.start()

    def monitor_work_horse(self, job: Job, queue: Queue) -> None:
        """Wait for the work-horse; hand the job that it was at back if it had to be killed."""
        super().monitor_work_horse(job, queue)
        if self._overdue:
            hand_back(self.get_current_job() or job)

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


_preloaded: set[str] = set()


def preload(*queues: str, besides: Iterable[str] = ()) -> None:
    """Import and load what the queues' jobs need and the modules `besides`, and leave no connection open: forks follow.

    A fork that preloads what its parent did touches none of it: a collection alone would copy 22 MB.
    """
    names = [*besides, *(name for queue in queues for name in settings.WORKER_PRELOAD[queue])]
    missing = [name for name in dict.fromkeys(names) if name not in _preloaded]
    for name in missing:
        module = importlib.import_module(name)
        if hasattr(module, "warm_up"):
            module.warm_up()
    connections.close_all()
    if missing:
        _preloaded.update(missing)
        freeze_memory()


def freeze_memory() -> None:
    """Keep what is loaded now out of all collections, so that forks share its pages, and collect more seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)


def give_back_memory() -> None:
    """Collect everything that is not frozen, and give what became free back to the system (glibc only)."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


ALIVE = ("queued", "started", "deferred", "scheduled")
"""States of a job that waits or runs."""
EVER = tuple(state.value for state in JobStatus)
"""Every state of a job that Redis knows of."""
AT_ONCE = 500
"""Jobs asked for in one request to Redis; bounds the size of a reply."""
WORKER_TTL_SECONDS, BUSY_SIGN_SECONDS = 20, 5
"""An idle worker gives a sign of life 15 s before the first is over, a busy one each time the second is: one that is
stopped is noticed within SILENT_SECONDS."""
SILENT_SECONDS = 15.0
"""A worker gives a sign of life every 5 s, idle or busy; one of which three are missing counts as away."""
RESULT_SECONDS = 600
"""Seconds that Redis keeps a finished job: results are rows, and no page shows it. An hour of them took 2 MB more."""
FAILURE_SECONDS = 7 * 24 * 3600
"""The same for a failed job: a week, so that a failure of Friday can be looked at."""


def enqueue(path: str, *args: Any, queue: str, job_id: str, seconds: int | None = None, at_front: bool = False) -> None:
    """Enqueue the function at `path` once the current transaction commits, `at_front` before all others.

    `job_id` names the work and its attempt, so a doubled call replaces a job instead of
    adding one. With Redis down the job is left to the sweep, which finds the queued row.
    """
    transaction.on_commit(partial(_enqueue_now, path, args, queue, job_id, seconds=seconds, at_front=at_front))


def _enqueue_now(
    path: str, args: tuple[Any, ...], queue: str, job_id: str, *, seconds: int | None, at_front: bool
) -> None:
    try:
        with redis_breaker.guard():
            django_rq.get_queue(queue, connection=connection_to(queue)).enqueue_call(
                func=path,
                args=args,
                job_id=job_id,
                timeout=seconds,
                at_front=at_front,
                result_ttl=RESULT_SECONDS,
                failure_ttl=FAILURE_SECONDS,
            )
    except RedisError as error:
        logger.warning("job %s waits for the sweep: %s", job_id, error)


def connection_to(queue: str) -> Redis:
    """The client of the Redis that holds the queue, which keeps its connections: each new one takes 2 ms."""
    return _connection_to(settings.RQ_QUEUES[queue]["URL"])


@cache
def _connection_to(url: str) -> Redis:
    return Redis.from_url(url)


def stop(job_id: str, *, queue: str) -> None:
    """Take a waiting job out of its queue, or kill the work-horse of a running one; quiet when there is none."""
    connection = connection_to(queue)
    with suppress(NoSuchJobError, RedisError), redis_breaker.guard():
        job = Job.fetch(job_id, connection=connection)
        try:
            send_stop_job_command(connection, job_id)
        except InvalidJobOperation:
            job.cancel()


def exists(job_id: str, *, queue: str) -> bool:
    """Whether the job is waiting or running; false when it ended, was never enqueued, or Redis is down."""
    with suppress(NoSuchJobError, RedisError), redis_breaker.guard():
        status = Job.fetch(job_id, connection=connection_to(queue)).get_status()
        return status in ALIVE
    return False


def find_lost_jobs(job_ids: Sequence[str], *, queue: str, alive: Collection[str] = ALIVE) -> set[str]:
    """Those of the jobs whose state is none of `alive`: ended, or never enqueued. None of them when Redis is down.

    Asked in few messages, however many they are.
    """
    gone: set[str] = set()
    try:
        connection = connection_to(queue)
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


def work_behind_others() -> None:
    """Called once in a worker whose jobs should have the processor only while nobody else wants it."""
    os.nice(BACKGROUND_NICENESS)


BACKGROUND_NICENESS = 10
"""Of 19: about a tenth of a processor that a question wants too."""


def queue_is_up() -> bool:
    """Whether the Redis that holds the queues answers."""
    try:
        with redis_breaker.guard():
            return bool(connection_to("runs").ping())
    except RedisError:
        return False


def work(queue: str, *, burst: bool = False) -> None:
    """Work on the queue's jobs, each in a forked work-horse, until stopped (or, with `burst`, until it is empty)."""
    worker = django_rq.get_worker(
        queue,
        worker_class=StoppableWorker,
        worker_ttl=WORKER_TTL_SECONDS,
        job_monitoring_interval=BUSY_SIGN_SECONDS,
    )
    worker.work(burst=burst, logging_level="WARNING")


Rows = Callable[[], QuerySet[Any]]

STARTING_SECONDS = 10.0
"""A job that a worker took this long ago and whose row still waits was lost with its worker: work begins within a
second of it, several on a crowded machine. Half of it doubles deliveries there; twice delays a recovery."""
ADMITTING_KEY = "vectorless:admitting:%s"
"""The key in Redis that is there while somebody gives the row of that job its job."""
ADMITTING_MILLISECONDS = 1000
"""How long one who gave a row its job keeps others from doing the same: two calls at one moment see the same line."""


@dataclass(frozen=True)
class WaitingLine:
    """Rows that wait for the workers of a queue, in turns between people.

    `waiting` and `working` give the rows in either state (`working` is None where rows do not
    show it), `person` is the field that holds whose they are, `job_id` names the job of a
    row's present attempt and `enqueue` enqueues it.
    """

    queue: str
    person: str
    waiting: Rows
    working: Rows | None
    job_id: Callable[[Any], str]
    enqueue: Callable[[Any], None]
    has_short_turns: bool = False
    """Whether the others wait so shortly that one person may have all workers while nobody else waits."""

    def admit(self, person: int | None) -> None:
        """Enqueue the job of the person's oldest waiting row, if it is their turn, once the transaction commits."""
        transaction.on_commit(partial(self._admit, person))

    def admit_all(self) -> int:
        """Give everybody's oldest waiting row its job where it has none, as after an outage of Redis; how many."""
        share = self.share()
        busy = dict(self._select_working().order_by().values_list(self.person).annotate(n=Count("pk")))
        oldest = self.waiting().order_by().values_list(self.person).annotate(first=Min("pk"))
        heads = [pk for person, pk in oldest if share is None or busy.get(person, 0) < share]
        rows = list(self.waiting().filter(pk__in=heads).order_by("pk"))
        return self._enqueue_jobless(rows, patient=False)

    def take(self, row: QuerySet[Any], **values: Any) -> bool:
        """Turn one waiting row into a working one by a conditional UPDATE, and admit its person's next.

        False when somebody else has it, or when its person already holds all that one may: it goes on waiting.
        """
        share, person = self.share(), row.values_list(self.person, flat=True).first()
        with transaction.atomic():
            if share is not None and person is not None:
                # Two workers that take two rows of one person must count one after the other.
                list(get_user_model()._default_manager.select_for_update(no_key=True).filter(pk=person))
            taken = self._has_room(person, share) and bool(row.update(**values))
        if not taken:
            self._forget_delivery(row)
        self.admit(person)
        return taken

    def share(self) -> int | None:
        """How many workers one person may hold at once: all but one. None for any number, or no worker known of.

        When all seem silent, a clock jumped or their machine was suspended: those that are connected will go on.
        """
        if self.has_short_turns:
            return None
        workers = count_workers(self.queue) or count_workers(self.queue, silent_for=float("inf"))
        return max(1, workers - 1) if workers else None

    def places(self, ids: Iterable[int]) -> dict[int, int]:
        """For each of the rows that waits, its place in the line of all, from 1: first everybody's oldest, and so on.

        One query, however long the line.
        """
        wanted = list(ids)
        if not wanted:
            return {}
        turn = Window(RowNumber(), partition_by=[self.person], order_by="pk")
        line = self.waiting().order_by().annotate(row=F("pk"), turn=turn).values("row", "turn")
        inner, values = line.query.sql_with_params()
        holes = ", ".join(["%s"] * len(wanted))
        # Only the names of columns and as many holes as there are numbers are put together here.
        query = (
            'SELECT place."row", place.place FROM ('  # noqa: S608
            'SELECT turns."row", ROW_NUMBER() OVER (ORDER BY turns."turn", turns."row") AS place '
            f'FROM ({inner}) AS turns) AS place WHERE place."row" IN ({holes})'
        )
        with connection.cursor() as cursor:
            cursor.execute(query, [*values, *wanted])
            return dict(cursor.fetchall())

    def _admit(self, person: int | None) -> None:
        try:
            if self._has_room(person, self.share()):
                first = self.waiting().filter(**{self.person: person}).order_by("pk").first()
                self._enqueue_jobless([first] if first else [], patient=True)
        except DatabaseTrouble as error:
            logger.warning("the next of person %s in %s waits for the sweep: %s", person, self.queue, error)

    def _forget_delivery(self, refused: QuerySet[Any]) -> None:
        """Have the job of a row that goes on waiting count as ended already, so that the row may have another at once.

        It was given out just before its person's share was full. Were it alive until its process ends, whoever makes
        room meanwhile would leave the row to it.
        """
        row = refused.first()
        if row is None:
            return
        name, redis = self.job_id(row), connection_to(self.queue)
        try:
            with redis_breaker.guard():
                if redis.exists(Job.key_for(name)):  # Redis may have been emptied; half a job would stay for ever.
                    redis.hset(Job.key_for(name), "status", JobStatus.FINISHED.value)
                redis.delete(ADMITTING_KEY % name)
        except RedisError as error:
            logger.warning("job %s waits for the sweep: %s", name, error)

    def _select_working(self) -> QuerySet[Any]:
        return self.working() if self.working else self.waiting().none()

    def _has_room(self, person: int | None, share: int | None) -> bool:
        return share is None or self._select_working().filter(**{self.person: person}).count() < share

    def _enqueue_jobless(self, rows: list[Any], *, patient: bool) -> int:
        """Enqueue the rows whose job neither waits nor begins; `patient` leaves every begun one to the sweep."""
        seconds = float("inf") if patient or self.working is None else STARTING_SECONDS
        jobless = _find_jobless({self.job_id(row): row for row in rows}, self.queue, begun_within=seconds)
        for row in jobless:
            self.enqueue(row)
        return len(jobless)


def count_workers(queue: str, *, silent_for: float = SILENT_SECONDS) -> int:
    """How many workers on all machines are connected and work on a queue; 0 also when Redis does not say.

    A worker that was killed stays in its list for minutes, but its subscription ends with its connection. One that is
    frozen keeps its connection, but gives no sign of life: it counts for `silent_for` seconds.
    """
    try:
        with redis_breaker.guard():
            return _count_workers(connection_to(queue), queue, silent_for)
    except RedisError as error:
        logger.warning("workers of %s not counted: %s", queue, error)
        return 0


def _count_workers(redis: Redis, queue: str, silent_for: float = SILENT_SECONDS) -> int:
    keys = [as_text(key) for key in redis.smembers(WORKERS_BY_QUEUE_KEY % queue)]
    names = [key.removeprefix(Worker.redis_worker_namespace_prefix) for key in keys]
    if not keys:
        return 0
    with redis.pipeline(transaction=False) as pipeline:
        for key in keys:
            pipeline.hget(key, "last_heartbeat")
        pipeline.pubsub_numsub(*(PUBSUB_CHANNEL_TEMPLATE % name for name in names))
        *heard, connected = pipeline.execute()
    return sum(count > 0 and age_of(stamp) <= silent_for for stamp, (_, count) in zip(heard, connected, strict=True))


def age_of(stamp: bytes | None, *, unknown: float = float("inf")) -> float:
    """Seconds since a moment that RQ wrote down; `unknown` where it wrote none."""
    return unknown if not stamp else (datetime.now(UTC) - utcparse(as_text(stamp))).total_seconds()


def _find_jobless(named: dict[str, Any], queue: str, *, begun_within: float) -> list[Any]:
    """Those of the rows (by their job's name) whose job neither waits nor began that lately; none without Redis."""
    try:
        redis = connection_to(queue)
        with redis_breaker.guard(), redis.pipeline(transaction=False) as pipeline:
            for name in named:
                pipeline.hmget(Job.key_for(name), "status", "started_at")
            states = dict(zip(named, pipeline.execute(), strict=True))
        missing = [name for name, (status, began) in states.items() if not _is_alive(status, began, begun_within)]
        return [
            named[name] for name in missing if redis.set(ADMITTING_KEY % name, 1, nx=True, px=ADMITTING_MILLISECONDS)
        ]
    except RedisError as error:
        logger.warning("jobs in %s wait for the sweep: %s", queue, error)
        return []


def _is_alive(status: bytes | None, began: bytes | None, begun_within: float) -> bool:
    state = (status or b"").decode()
    if state != "started" or begun_within == float("inf"):
        return state in ALIVE
    if not began:
        return False
    return 0 <= age_of(began) < begun_within
