"""The lease: who may write to a run. A worker that lost it can write nothing more."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self
from uuid import uuid4

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from vectorless_web.runs.line import RUNS
from vectorless_web.runs.models import Run
from vectorless_web.runs.services.queueing import admit_after

logger = logging.getLogger(__name__)

WATCH_SECONDS = 0.25
STOP_GRACE_SECONDS = 1.0
"""How long the engine may take to notice a stop by itself before its process is ended."""


class LeaseLost(Exception):
    """Raised when a write finds that the run belongs to another worker, or to nobody, by now."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to one attempt of a run, proved by `token`."""

    run_id: int
    attempt: int
    token: str


def lease_end() -> datetime:
    """When a lease taken or renewed now runs out."""
    return timezone.now() + timedelta(seconds=settings.RUN_LEASE_SECONDS)


def without_holder() -> Q:
    """Runs whose lease no living worker has: it ran out, or reaches further ahead than any lease can.

    The latter is left by a worker that died before the clock was set back; one that lives
    renews its lease by the new clock within seconds.
    """
    now = timezone.now()
    beyond = now + 2 * timedelta(seconds=settings.RUN_LEASE_SECONDS)
    return Q(lease_until__lt=now) | Q(lease_until__gt=beyond)


def claim(run_id: int) -> Lease | None:
    """Take a queued run in one conditional UPDATE; None when it is not waiting (any more) or not its person's turn."""
    token = uuid4().hex
    claimed = RUNS.take(
        Run.objects.filter(pk=run_id, status=Run.Status.QUEUED),
        status=Run.Status.RUNNING,
        lease=token,
        lease_until=lease_end(),
        started_at=Coalesce(F("started_at"), timezone.now()),
    )
    if not claimed:
        return None
    attempt = Run.objects.values_list("attempt", flat=True).get(pk=run_id)
    return Lease(run_id, attempt, token)


@contextmanager
def fenced(lease: Lease) -> Iterator[None]:
    """One short transaction whose writes stand only if the lease is still held; LeaseLost otherwise.

    The conditional UPDATE comes first: it locks the row (SQLite: the database), so no
    other worker can take the run between the check and the writes. It renews the lease too.
    """
    with transaction.atomic():
        if not _held(lease).update(lease_until=lease_end()):
            raise LeaseLost
        yield


def end_run(lease: Lease, status: str, **values: object) -> bool:
    """Write the run's end state and give the lease back; false when it was not held any more."""
    ending = {"status": status, "lease": "", "lease_until": None, "finished_at": timezone.now(), **values}
    ended = bool(_held(lease).update(**ending))
    if ended:
        admit_after(lease.run_id)
    return ended


class Watch:
    """A thread with its own connection that renews the lease and notices a stop while the engine works.

    `stop` is an event that others may wait for too.
    """

    def __init__(self, lease: Lease, *, on_overdue: Callable[[], None], stop: threading.Event | None = None) -> None:
        self._lease = lease
        self._on_overdue = on_overdue
        self._finished = threading.Event()
        self._stopping = stop or threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"lease-{lease.run_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._finished.set()
        self._thread.join(timeout=5)

    def stopping(self) -> bool:
        """Whether the run should end: somebody asked for it, or the lease is gone."""
        return self._stopping.is_set()

    def _run(self) -> None:
        try:
            self._watch()
        finally:
            connection.close()

    def _watch(self) -> None:
        ticks_between_renewals = max(1, int(settings.RUN_LEASE_SECONDS / 3 / WATCH_SECONDS))
        tick = 0
        while not self._finished.wait(WATCH_SECONDS):
            tick += 1
            if self._should_stop(renew=tick % ticks_between_renewals == 0):
                self._stopping.set()
                if not self._finished.wait(STOP_GRACE_SECONDS):
                    self._on_overdue()
                return

    def _should_stop(self, *, renew: bool) -> bool:
        """An outage of the database is no reason to stop: the fence decides at the next write."""
        try:
            if renew and not _held(self._lease).update(lease_until=lease_end()):
                return True
            asked = _held(self._lease).values_list("cancel_requested", flat=True).first()
        except DatabaseTrouble as error:
            logger.warning("run %d: the lease could not be looked at: %s", self._lease.run_id, error)
            connection.close()  # A broken one stays broken; the next look opens another.
            return False
        return asked is None or asked


def _held(lease: Lease) -> QuerySet[Run]:
    return Run.objects.filter(pk=lease.run_id, lease=lease.token, status=Run.Status.RUNNING)
