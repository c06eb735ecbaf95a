"""Recovering: runs whose worker died are made to go on; runs whose job was lost are enqueued again."""

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from vectorless_web.runs.line import job_id
from vectorless_web.runs.models import Run
from vectorless_web.runs.services.leases import without_holder
from vectorless_web.runs.services.queueing import admit_after, admit_runs, announce, enqueue, stop_job
from vectorless_web.runs.services.stopping import end_abandoned


def recover_runs() -> int:
    """Give every abandoned run a next attempt or an end; how many were touched.

    Each change is one conditional UPDATE, so any number of sweeps may run at once.
    """
    return sum(_recover(run) for run in _expired()) + admit_runs()


def hand_back_run(run_id: int, job: str) -> bool:
    """Requeue a run whose process was ended because the site stops; false unless `job` is the attempt it is at.

    Stopping the site is no failure of the run: it is never the reason to give it up.
    """
    run = Run.objects.filter(pk=run_id, status=Run.Status.RUNNING).first()
    if run is None or job_id(run.pk, run.attempt) != job:
        return False
    held = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, lease=run.lease, attempt=run.attempt)
    if run.cancel_requested:
        return bool(held.update(lease_until=timezone.now()))
    with transaction.atomic():
        taken = held.update(status=Run.Status.QUEUED, attempt=run.attempt + 1, lease="", lease_until=None)
        if taken:
            run.attempt += 1
            enqueue(run)
    announce(run.pk)
    return bool(taken)


def _expired() -> list[Run]:
    return list(Run.objects.filter(without_holder(), status=Run.Status.RUNNING))


def _recover(run: Run) -> bool:
    """The run is requeued under a new attempt, ended as stopped, or failed when its attempts are used up."""
    if run.cancel_requested:
        changed = end_abandoned(run.pk)
    elif run.attempt >= settings.RUN_ATTEMPTS:
        changed = _give_up(run)
    else:
        changed = _requeue(run)
    if changed:
        # A worker that was only suspended must not keep its slot for work that is no longer its own.
        stop_job(run.pk, run.attempt)
        announce(run.pk)
    return changed


def _requeue(run: Run) -> bool:
    with transaction.atomic():
        taken = _still_abandoned(run).update(
            status=Run.Status.QUEUED, attempt=run.attempt + 1, lease="", lease_until=None
        )
        if taken:
            admit_after(run.pk)
    return bool(taken)


def _give_up(run: Run) -> bool:
    failed = _still_abandoned(run).update(
        status=Run.Status.FAILED,
        lease="",
        lease_until=None,
        finished_at=timezone.now(),
        error_code="lease_lost",
        retryable=True,
        reason=f"The process that worked on this died {run.attempt} times. The steps it took are kept; ask again.",
    )
    return bool(failed)


def _still_abandoned(run: Run) -> QuerySet[Run]:
    return Run.objects.filter(
        without_holder(), pk=run.pk, status=Run.Status.RUNNING, lease=run.lease, attempt=run.attempt
    )
