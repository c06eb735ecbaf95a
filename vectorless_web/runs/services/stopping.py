"""Stopping: steps so far are kept, and the job ends within two seconds."""

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.utils import timezone

from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import may_stop
from vectorless_web.runs.services.leases import RUN_LEASES
from vectorless_web.runs.services.queueing import admit_after, announce, stop_job
from vectorless_web.workspaces.selectors import User, may_in
from vectorless_web.workspaces.services import record

REASON = "Stopped before it was done. What was found is kept."


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
    ended = Run.objects.filter(nobody, pk=run_id, cancel_requested=True).update(
        **RUN_LEASES.make_released_values(), status=Run.Status.CANCELLED, finished_at=timezone.now(), reason=REASON
    )
    if ended:
        admit_after(run_id)
    return bool(ended)
