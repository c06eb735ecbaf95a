"""Recovering: runs whose worker died are made to go on; runs whose job was lost are enqueued again."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from vectorless_web.runs.line import job_id
from vectorless_web.runs.models import Run
from vectorless_web.runs.services.leases import RUN_LEASES
from vectorless_web.runs.services.queueing import admit_after, admit_runs, announce, enqueue, stop_job
from vectorless_web.runs.services.stopping import end_abandoned


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
    failed = abandoned.update(
        **RUN_LEASES.make_released_values(),
        status=Run.Status.FAILED,
        finished_at=timezone.now(),
        error_code="lease_lost",
        retryable=True,
        reason=f"The process that worked on this died {run.attempt} times. The steps it took are kept; ask again.",
    )
    return _tell(run) if failed else False


def _tell(run: Run) -> bool:
    """A worker that was only suspended must not keep its slot for work that is no longer its own."""
    stop_job(run.pk, run.attempt)
    announce(run.pk)
    return True
