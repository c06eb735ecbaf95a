"""Stopping: steps so far are kept, and the job ends within two seconds."""

from django.db.models import Q
from django.utils import timezone

from vectorless_web.runs.models import Run
from vectorless_web.runs.services.leases import without_holder
from vectorless_web.runs.services.queueing import announce, stop_job
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

REASON = "Stopped before it was done. What was found is kept."


def cancel_run(*, user: User, run: Run) -> bool:
    """Ask a run to stop; false when it has ended already.

    One that waits, or whose worker is gone, ends at once. A working one is told: its
    worker notices within a quarter of a second and ends its own process if need be.
    """
    asked = Run.objects.filter(pk=run.pk, status__in=Run.OPEN, cancel_requested=False).update(cancel_requested=True)
    if not asked:
        return False
    record(actor=user, verb="run.stopped", workspace=run.workspace, target=run)
    if end_abandoned(run.pk):
        stop_job(run.pk, run.attempt)
    announce(run.pk)
    return True


def end_abandoned(run_id: int) -> bool:
    """End a stopped run that nobody works on; false when somebody does."""
    now = timezone.now()
    nobody = Q(status=Run.Status.QUEUED) | Q(without_holder(), status=Run.Status.RUNNING)
    ended = Run.objects.filter(nobody, pk=run_id, cancel_requested=True).update(
        status=Run.Status.CANCELLED, lease="", lease_until=None, finished_at=now, reason=REASON
    )
    return bool(ended)
