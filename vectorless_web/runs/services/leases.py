"""The lease of a run: claimed in fair turns, ended by a stop, renewed for a few attempts."""

from dataclasses import dataclass

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from vectorless_web.infra.leases import Lease, LeaseRule
from vectorless_web.runs.line import RUNS
from vectorless_web.runs.models import Run
from vectorless_web.runs.services.queueing import admit_after

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
    token = RUN_LEASES.claim(run_id, take=RUNS.take, started_at=Coalesce(F("started_at"), timezone.now()))
    if token is None:
        return None
    attempt = Run.objects.values_list("attempt", flat=True).get(pk=run_id)
    return RunLease(RUN_LEASES, run_id, token, attempt)


def end_run(lease: RunLease, status: str, **values: object) -> bool:
    """Write the run's end state and give the lease back; false when it was not held any more."""
    ending = {"status": status, **RUN_LEASES.make_released_values(), "finished_at": timezone.now(), **values}
    ended = bool(lease.select_held().update(**ending))
    if ended:
        admit_after(lease.run_id)
    return ended
