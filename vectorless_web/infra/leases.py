"""Leases: who may work on a row, proved by a token and renewed while the work goes on.

A worker takes a waiting row by one conditional UPDATE and writes a fresh token into it. Whatever it
writes later names that token, so a worker that lost the row writes nothing more. A row whose lease
is no longer renewed is found by the sweep and given back to the queue or ended.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic, Self, TypeVar
from uuid import uuid4

from django.db import Error as DatabaseTrouble
from django.db import connection, transaction
from django.db.models import F, Model, Q, QuerySet
from django.utils import timezone

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Model)
Take = Callable[..., int]
"""Changes the waiting row by a conditional UPDATE of the values: `QuerySet.update` or a line's `take`."""

WATCH_SECONDS = 0.25
"""Seconds between two looks whether the work was stopped or its lease is due. Half of it doubles the wake-ups of every
worker; twice delays a stop by as much."""
STOP_GRACE_SECONDS = 1.0
"""How long the work may take to notice a stop by itself before it is declared overdue."""


class LeaseLost(Exception):
    """Raised when a write finds that the row belongs to another worker, or to nobody, by now."""


@dataclass(frozen=True, kw_only=True)
class LeaseRule(Generic[Row]):
    """How the rows of one model are leased: the fields that tell, and how long a silent holder keeps a row.

    The model has the fields `lease` (the holder's token, empty without one) and `attempt` (counted up when a row
    goes back to the queue).
    """

    model: type[Row]
    waiting: str
    working: tuple[str, ...]
    """The values of `status` in which a worker holds the row; a claim writes the first."""
    seconds: Callable[[], float]
    """A holder that has not renewed its lease for this long has lost it."""
    status: str = "status"
    renewed: str = "heartbeat_at"
    """The field that holds when the lease was renewed, or with `is_end` when it runs out."""
    is_end: bool = False
    wanted: Q = field(default_factory=Q)
    """What else must be true of a row for a worker to take it and to write to it."""
    asked_to_stop: str = ""
    """The field by which the holder is asked to stop; empty when there is none."""
    may_retry: Callable[[Row], bool] = lambda _row: True
    """Whether a row whose holder was lost goes back to the queue, or has come to its end."""

    def claim(self, pk: int, *, only: Q | None = None, take: Take = QuerySet.update, **values: Any) -> str | None:
        """Take a waiting row and write `values` with it; its token, or None when it is not there to be taken.

        `only` narrows which rows may be taken now.
        """
        token = uuid4().hex
        working = {self.status: self.working[0], "lease": token, self.renewed: self.moment()}
        taken = take(self._one(pk, self.wanted & (only or Q()), **{self.status: self.waiting}), **working, **values)
        return token if taken else None

    def select_held(self, pk: int, token: str) -> QuerySet[Row]:
        """The row while the worker with this token holds it; empty otherwise."""
        return self._one(pk, self.wanted, lease=token, **{f"{self.status}__in": self.working})

    def moment(self) -> datetime:
        """What a renewal writes now."""
        return timezone.now() + (timedelta(seconds=self.seconds()) if self.is_end else timedelta())

    def make_released_values(self) -> dict[str, Any]:
        """The values of a row that nobody holds."""
        return {"lease": "", self.renewed: None}

    def make_requeued_values(self) -> dict[str, Any]:
        """The values that give a row back to the queue, for its next attempt."""
        return {**self.make_released_values(), self.status: self.waiting, "attempt": F("attempt") + 1}

    def is_expired(self, seconds: float | None = None) -> Q:
        """Rows that no living worker renews: silent for `seconds`, never renewed, or renewed in the future.

        The last is left by a worker that died before the clock was set back; one that lives
        renews its lease by the new clock within seconds.
        """
        term = timedelta(seconds=self.seconds() if seconds is None else seconds)
        middle = self.moment()
        silent = Q(**{self.renewed: None}) | Q(**{f"{self.renewed}__lt": middle - term})
        ahead = Q(**{f"{self.renewed}__gt": middle + term})
        return (silent | ahead) & Q(**{f"{self.status}__in": self.working})

    def select_expired(self, seconds: float | None = None) -> QuerySet[Row]:
        """The rows that lost their worker."""
        return self.model._default_manager.filter(self.is_expired(seconds))

    def as_seen(self, row: Row) -> QuerySet[Row]:
        """The row unless its lease was renewed, lost or given back since it was read."""
        seen = {name: getattr(row, name) for name in ("pk", "lease", self.renewed, self.status)}
        return self.model._default_manager.filter(**seen)

    def recover(
        self,
        rows: QuerySet[Row],
        *,
        give_up: Callable[[QuerySet[Row], Row], bool],
        requeue: Callable[[QuerySet[Row], Row], bool] | None = None,
    ) -> int:
        """Give each of the expired rows a next attempt while it may have one, an end after that; how many were changed.

        Both acts get the row and a query that is empty as soon as anybody changed its lease: as
        each writes through that query alone, any number of sweeps may run at once.
        """
        return sum((requeue if requeue and self.may_retry(row) else give_up)(self.as_seen(row), row) for row in rows)

    def _one(self, pk: int, wanted: Q, **values: Any) -> QuerySet[Row]:
        """The row by conditions that PostgreSQL checks again after it waited for another worker's write.

        Conditions on other tables stand in a subquery beside them: joined, Django would move them all into one,
        which sees the row as it was before that wait, so that two workers could take it.
        """
        rows = self.model._default_manager
        one = rows.filter(pk=pk, **values)
        return one.filter(pk__in=rows.order_by().filter(wanted, pk=pk).values("pk")) if wanted else one


@dataclass(frozen=True, slots=True)
class Lease(Generic[Row]):
    """The right to write to one row, proved by `token`."""

    rule: LeaseRule[Row]
    pk: int
    token: str

    def select_held(self) -> QuerySet[Row]:
        """The row while the lease is held; empty otherwise. What is updated through it may end the lease."""
        return self.rule.select_held(self.pk, self.token)

    def renew(self, **values: Any) -> None:
        """Renew the lease and write `values` with it; LeaseLost when it is not held any more."""
        if not self.select_held().update(**{self.rule.renewed: self.rule.moment()}, **values):
            raise LeaseLost

    def renew_if_reachable(self, **values: Any) -> bool:
        """Renew the lease from time to time; false when the database is away. LeaseLost when it is not held any more.

        An outage is no reason to give up the work: what is written at its end decides.
        """
        try:
            self.renew(**values)
        except DatabaseTrouble as error:
            self._leave_broken(error)
            return False
        return True

    def is_asked_to_stop(self) -> bool:
        """Whether the holder should stop, because somebody asks for it or the lease is gone; not for an outage."""
        try:
            asked = self.select_held().values_list(self.rule.asked_to_stop, flat=True).first()
        except DatabaseTrouble as error:
            self._leave_broken(error)
            return False
        return asked is None or bool(asked)

    def _leave_broken(self, error: DatabaseTrouble) -> None:
        logger.warning("%s %d: the lease could not be looked at: %s", self.rule.model.__name__, self.pk, error)
        connection.close()  # A broken one stays broken; the next look opens another.


@contextmanager
def write_under_lease(lease: Lease[Any]) -> Iterator[None]:
    """One short transaction whose writes stand only if the lease is still held; LeaseLost otherwise.

    The conditional UPDATE comes first: it locks the row (SQLite: the database), so no
    other worker can take it between the check and the writes. It renews the lease too.
    """
    with transaction.atomic():
        lease.renew()
        yield


class Watch:
    """A thread with its own connection that renews a lease and notices a stop while its holder works.

    `stop` is an event that others may wait for too; `on_overdue` is called when the work
    has not ended STOP_GRACE_SECONDS after it.
    """

    def __init__(
        self, lease: Lease[Any], *, on_overdue: Callable[[], None], stop: threading.Event | None = None
    ) -> None:
        self._lease = lease
        self._on_overdue = on_overdue
        self._finished = threading.Event()
        self._stopping = stop or threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"lease-{lease.pk}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._finished.set()
        self._thread.join(timeout=5)

    def is_stopping(self) -> bool:
        """Whether the work should end: somebody asked for it, or the lease is gone."""
        return self._stopping.is_set()

    def _run(self) -> None:
        try:
            self._watch()
        finally:
            connection.close()

    def _watch(self) -> None:
        ticks_between_renewals = max(1, int(self._lease.rule.seconds() / 3 / WATCH_SECONDS))
        tick = 0
        while not self._finished.wait(WATCH_SECONDS):
            tick += 1
            if self._should_stop(renew=tick % ticks_between_renewals == 0):
                self._stopping.set()
                if not self._finished.wait(STOP_GRACE_SECONDS):
                    self._on_overdue()
                return

    def _should_stop(self, *, renew: bool) -> bool:
        try:
            if renew and not self._lease.renew_if_reachable():
                return False
        except LeaseLost:
            return True
        return self._lease.is_asked_to_stop()
