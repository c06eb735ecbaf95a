"""Leases of runs: claiming and ending one, stopping it, and recovering one whose worker died or whose job was lost."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.module_loading import import_string

from vectorless_web.infra import happenings
from vectorless_web.infra.leases import Lease, LeaseRule
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import notify
from vectorless_web.runs.line import admit_after, admit_runs, announce, enqueue, job_id, line_of, stop_job
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import may_stop
from vectorless_web.workspaces.selectors import User, may_in
from vectorless_web.workspaces.services import record

RUN_LEASES = LeaseRule(
    model=Run,
    waiting=Run.Status.QUEUED,
    working=(Run.Status.RUNNING,),
    seconds=lambda: settings.RUN_LEASE_SECONDS,
    renewed="lease_until",
    is_end=True,
    asked_to_stop="cancel_requested",
    may_retry=lambda run: not run.cancel_requested and run.attempt < settings.RUN_ATTEMPTS,
)


@dataclass(frozen=True, slots=True)
class RunLease(Lease[Run]):
    """The right to write to one attempt of a run."""

    attempt: int

    @property
    def run_id(self) -> int:
        """The run's primary key."""
        return self.pk


def claim(run_id: int) -> RunLease | None:
    """Take a queued run in one conditional UPDATE; None when it is not waiting (any more) or not its person's turn."""
    run = Run.objects.only("purpose").filter(pk=run_id).first()
    if run is None:
        return None
    token = RUN_LEASES.claim(run_id, take=line_of(run).take, started_at=Coalesce(F("started_at"), timezone.now()))
    if token is None:
        return None
    attempt = Run.objects.values_list("attempt", flat=True).get(pk=run_id)
    return RunLease(RUN_LEASES, run_id, token, attempt)


def end_run(lease: RunLease, status: str, **values: object) -> bool:
    """Write the run's end state and give the lease back; false when it was not held any more."""
    ending = {"status": status, **RUN_LEASES.make_released_values(), "finished_at": timezone.now(), **values}
    with transaction.atomic():
        ended = bool(lease.select_held().update(**ending))
        if ended:
            admit_after(lease.run_id)
            _tell_end(lease.run_id)
    return ended


def _tell_end(run_id: int) -> None:
    """Give the asker a notice that the run has ended, or tell the app whose cell or evaluation it is.

    The asker's open page of the run takes the notice back when it shows that. Who never signed in, as the demo's
    account before its first day, has left no page.
    """
    run = Run.objects.select_related("asked_by").get(pk=run_id)
    if run.purpose in settings.RUN_ENDED:
        tell: Any = import_string(settings.RUN_ENDED[run.purpose])
        tell(run)
        return
    about = {"run": run.pk, "thread": run.thread_id, "status": run.status}
    happenings.tell("run.finished", workspace_id=run.workspace_id, about=about)
    if run.asked_by is not None and run.asked_by.last_login is not None and run.status != Run.Status.CANCELLED:
        notify(people=[run.asked_by.pk], kind=Kind.RUN_ENDED, workspace_id=run.workspace_id, about=run_id)


REASON = "Stopped before it was done."


def stop_run(*, user: User, run: Run) -> bool:
    """Ask a run to stop for a member of its workspace; PermissionDenied unless it is their own or they edit here."""
    if not may_stop(may_in(run.workspace), mine=run.asked_by_id == user.pk):
        raise PermissionDenied("Only who asked this, an editor or an owner can stop it.")
    return cancel_run(user=user, run=run)


def cancel_run(*, user: User, run: Run) -> bool:
    """Ask a run to stop; false when it has ended already.

    One that waits, or whose worker is gone, ends at once. A working one is told: its
    worker notices within a quarter of a second and ends its own process if need be.
    """
    asked = Run.objects.filter(pk=run.pk, status__in=Run.OPEN, cancel_requested=False).update(
        cancel_requested=True, stopped_by=user.pk
    )
    if not asked:
        return False
    record(actor=user, verb="run.stopped", workspace=run.workspace, target=run)
    if end_abandoned(run.pk):
        stop_job(run.pk, run.attempt)
    announce(run.pk)
    return True


def end_abandoned(run_id: int) -> bool:
    """End a stopped run that nobody works on; false when somebody does."""
    nobody = Q(status=Run.Status.QUEUED) | RUN_LEASES.is_expired()
    with transaction.atomic():
        ended = Run.objects.filter(nobody, pk=run_id, cancel_requested=True).update(
            **RUN_LEASES.make_released_values(), status=Run.Status.CANCELLED, finished_at=timezone.now(), reason=REASON
        )
        if ended:
            admit_after(run_id)
            _tell_end(run_id)
    return bool(ended)


def recover_runs() -> int:
    """Give every abandoned run a next attempt or an end; how many were touched.

    Each change is one conditional UPDATE, so any number of sweeps may run at once.
    """
    return RUN_LEASES.recover(RUN_LEASES.select_expired(), requeue=_requeue, give_up=_give_up) + admit_runs()


def hand_back_run(run_id: int, job: str) -> bool:
    """Requeue a run whose process was ended because the site stops; false unless `job` is the attempt it is at.

    Stopping the site is no failure of the run: it is never the reason to give it up.
    """
    run = Run.objects.filter(pk=run_id, status=Run.Status.RUNNING).first()
    if run is None or job_id(run.pk, run.attempt) != job:
        return False
    held = RUN_LEASES.select_held(run.pk, run.lease)
    if run.cancel_requested:
        return bool(held.update(lease_until=timezone.now()))
    with transaction.atomic():
        taken = held.update(**RUN_LEASES.make_requeued_values())
        if taken:
            run.attempt += 1
            enqueue(run)
    announce(run.pk)
    return bool(taken)


def _requeue(abandoned: QuerySet[Run], run: Run) -> bool:
    with transaction.atomic():
        taken = abandoned.update(**RUN_LEASES.make_requeued_values())
        if taken:
            admit_after(run.pk)
    return _tell(run) if taken else False


def _give_up(abandoned: QuerySet[Run], run: Run) -> bool:
    """The run is ended as stopped when that was asked, and as failed when its attempts are used up."""
    if run.cancel_requested:
        return _tell(run) if end_abandoned(run.pk) else False
    with transaction.atomic():
        failed = abandoned.update(
            **RUN_LEASES.make_released_values(),
            status=Run.Status.FAILED,
            finished_at=timezone.now(),
            error_code="lease_lost",
            retryable=True,
            reason=f"The process that worked on this died {run.attempt} times.",
        )
        if failed:
            _tell_end(run.pk)
    return _tell(run) if failed else False


def _tell(run: Run) -> bool:
    """A worker that was only suspended must not keep its slot for work that is no longer its own."""
    stop_job(run.pk, run.attempt)
    announce(run.pk)
    return True
