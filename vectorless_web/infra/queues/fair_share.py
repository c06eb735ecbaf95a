"""Fair queues: people take turns, so that many questions of one person do not delay the others.

Rows in the database are the line. Of each person at most one waiting row has a job in the queue,
the oldest; the next gets its job, behind those of the others, when that one is taken or has ended.
The queue's own order is then one turn for each person. With several workers one person never holds
all of them. All is read anew each time, so a lost job, an emptied Redis or a doubled call does no harm.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.db import Error as DatabaseTrouble
from django.db import connection, transaction
from django.db.models import Count, F, Min, QuerySet, Window
from django.db.models.functions import RowNumber
from redis.exceptions import RedisError
from rq.command import PUBSUB_CHANNEL_TEMPLATE
from rq.job import Job
from rq.utils import as_text, utcparse
from rq.worker import Worker
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

from vectorless_web.infra.patient_redis import redis_breaker
from vectorless_web.infra.queues import jobs

logger = logging.getLogger(__name__)

Rows = Callable[[], QuerySet[Any]]

STARTING_SECONDS = 10.0
"""A job that a worker took this long ago and whose row still waits was lost with its worker: work begins within a
second of it, several on a crowded machine. Half of it doubles deliveries there; twice delays a recovery."""
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
        if taken:
            self.admit(person)
        return taken

    def share(self) -> int | None:
        """How many workers one person may hold at once: all but one. None when no worker is known of."""
        workers = count_workers(self.queue)
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


def count_workers(queue: str) -> int:
    """How many workers on all machines are connected and work on a queue; 0 also when Redis does not say.

    A worker that was killed stays in its list for minutes, but its subscription ends with its connection.
    """
    try:
        with redis_breaker.guard():
            redis = jobs.connection_to(queue)
            keys = [as_text(key) for key in redis.smembers(WORKERS_BY_QUEUE_KEY % queue)]
            names = [key.removeprefix(Worker.redis_worker_namespace_prefix) for key in keys]
            channels = [PUBSUB_CHANNEL_TEMPLATE % name for name in names]
            return sum(count > 0 for _, count in redis.pubsub_numsub(*channels)) if channels else 0
    except RedisError as error:
        logger.warning("workers of %s not counted: %s", queue, error)
        return 0


def _find_jobless(named: dict[str, Any], queue: str, *, begun_within: float) -> list[Any]:
    """Those of the rows (by their job's name) whose job neither waits nor began that lately; none without Redis."""
    try:
        redis = jobs.connection_to(queue)
        with redis_breaker.guard(), redis.pipeline(transaction=False) as pipeline:
            for name in named:
                pipeline.hmget(Job.key_for(name), "status", "started_at")
            states = dict(zip(named, pipeline.execute(), strict=True))
        missing = [name for name, (status, began) in states.items() if not _is_alive(status, began, begun_within)]
        return [
            named[name]
            for name in missing
            if redis.set(f"vectorless:admitting:{name}", 1, nx=True, px=ADMITTING_MILLISECONDS)
        ]
    except RedisError as error:
        logger.warning("jobs in %s wait for the sweep: %s", queue, error)
        return []


def _is_alive(status: bytes | None, began: bytes | None, begun_within: float) -> bool:
    state = (status or b"").decode()
    if state != "started" or begun_within == float("inf"):
        return state in jobs.ALIVE
    if not began:
        return False
    age = datetime.now(UTC) - utcparse(began.decode())
    return 0 <= age.total_seconds() < begun_within
