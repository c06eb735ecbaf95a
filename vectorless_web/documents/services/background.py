"""Work on documents in the background: leased by rules of its own, one document after the other, paused by trouble."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from vectorless_web.documents.background import Work
from vectorless_web.documents.models import (
    DocumentVersion,
    EmbeddingChoice,
    SectionSummaries,
    SummaryChoice,
    VectorFile,
)
from vectorless_web.engine.errors import EngineError, ModelError, ModelInvalidReply
from vectorless_web.infra.leases import Lease, LeaseLost, LeaseRule
from vectorless_web.infra.outages import outage_of, retry_through_outage
from vectorless_web.infra.queues import jobs
from vectorless_web.workspaces.storage import SecretUnreadable

Status = DocumentVersion.Status
EMBEDDING_TRIES_SECONDS = 5
"""A call for embeddings may take this many times MODEL_SECONDS for each try, with its pauses."""

READINGS = LeaseRule(
    model=DocumentVersion,
    waiting=Status.QUEUED,
    working=DocumentVersion.ACTIVE,
    seconds=lambda: settings.COMPILE_LEASE_SECONDS,
    may_retry=lambda version: not version.requeued,
)
REPAIRS = LeaseRule(
    model=DocumentVersion,
    status="repair",
    waiting=Status.QUEUED,
    working=DocumentVersion.ACTIVE,
    seconds=lambda: settings.COMPILE_LEASE_SECONDS,
    wanted=Q(status=Status.READY),
)
EMBEDDINGS = LeaseRule(
    model=VectorFile,
    waiting=VectorFile.Status.QUEUED,
    working=(VectorFile.Status.WORKING,),
    seconds=lambda: settings.MODEL_SECONDS * EMBEDDING_TRIES_SECONDS * (settings.MODEL_RETRIES + 1),
    wanted=Q(choice__enabled=True, version__document__deleted_at=None),
)
SUMMARIES = LeaseRule(
    model=SectionSummaries,
    waiting=SectionSummaries.Status.QUEUED,
    working=(SectionSummaries.Status.WORKING,),
    # A call may be repaired once, and each of the two tried several times.
    seconds=lambda: 2 * settings.MODEL_SECONDS * EMBEDDING_TRIES_SECONDS * (settings.MODEL_RETRIES + 1),
    wanted=Q(version__document__workspace__summary_choice__enabled=True, version__document__deleted_at=None),
)


def compile_lease(version: DocumentVersion) -> Lease[DocumentVersion]:
    """The right to write to a version that its worker claimed, for a first reading or for a repair."""
    return Lease(REPAIRS if version.is_being_repaired else READINGS, version.pk, version.lease)


logger = logging.getLogger(__name__)

JOB_SECONDS = 3600
"""Seconds that a job may take for one document; a lease ends earlier when the worker falls silent."""
LONGEST_PAUSE = timedelta(hours=1)
"""What lies further ahead was written before the clock was set back, and holds nothing up."""
LOST_SECONDS = 30
"""A row whose job is gone counts as lost when its worker has been silent for this long."""
SOON, LATER = timedelta(minutes=1), timedelta(minutes=15)
"""When a server is asked again: after trouble that passes by itself, after any other."""
INTERNAL = "Something went wrong inside the program; the log has the details. Try again."
UNREADABLE = "The key was stored under another encryption key and cannot be read. Type it again under Models."
NO_PAUSE: dict[str, Any] = {"paused_until": None, "pause_code": "", "pause_message": ""}


@dataclass(frozen=True, kw_only=True)
class BackgroundWork(Generic[Work]):
    """One kind of background work. A row stands for the work on one version, a choice for a workspace that wants it."""

    rule: LeaseRule[Work]
    job: str
    """The dotted path of the job, which gets the key of a row."""
    choices: type[EmbeddingChoice] | type[SummaryChoice]
    rows_of: Callable[[int], QuerySet[Work]]
    """The rows of a workspace that may be worked on."""
    queue_missing: Callable[[Any], int]
    """Makes the rows that a choice still lacks, and says how many."""

    def start_next(self, workspace_id: int) -> bool:
        """Enqueue the job of the next waiting row unless one is under way or the server is being spared."""
        now = timezone.now()
        spared = Q(paused_until__gt=now, paused_until__lte=now + LONGEST_PAUSE)
        free = self.choices.objects.filter(Q(paused_until=None) | ~spared, workspace=workspace_id, enabled=True)
        if not free.exists() or self.rows_of(workspace_id).filter(status__in=self.rule.working).exists():
            return False
        row = self._next_waiting(workspace_id)
        if row is None:
            return False
        jobs.enqueue(self.job, row.pk, queue="documents", job_id=row.job_id, seconds=JOB_SECONDS)
        return True

    def want(self, workspace_id: int) -> None:
        """Queue what a workspace still lacks, if it wants the work at all; begin when nothing is under way."""
        choice = self.choices.objects.filter(workspace=workspace_id, enabled=True).first()
        if choice is not None and self.queue_missing(choice):
            self.start_next(workspace_id)

    def resume(self) -> int:
        """Recover rows whose worker died, queues without a job and overlooked documents; how many were queued."""
        touched = self._requeue_lost()
        for choice in self.choices.objects.filter(enabled=True):
            touched += self.queue_missing(choice)
            row = self._next_waiting(choice.workspace_id)
            if row is not None and not self._has_job(row):
                self.start_next(choice.workspace_id)
        return touched

    def retry_failed(self, rows: QuerySet[Work], workspace_id: int) -> int:
        """Queue those of the rows that failed once more, and end the pause; how many."""
        failed = rows.filter(status=rows.model.Status.FAILED)
        again = failed.update(status=self.rule.waiting, attempt=F("attempt") + 1, error_code="", error_message="")
        self.end_pause(workspace_id)
        return again

    def run(self, row: Work, work: Callable[[], None]) -> None:
        """Do the work on a row that was claimed, note what ended it, and begin the next.

        Trouble with the server, a refused key, a spent budget or an outage of our own pauses the workspace's work and
        gives the row back to the queue: nothing is skipped for it, and what came is kept.
        """
        try:
            work()
        except LeaseLost:
            return
        except SecretUnreadable:
            self.pause(row, "secret_unreadable", UNREADABLE)
        except ModelInvalidReply as error:
            self.fail(row, error.code, error.message)
        except ModelError as error:
            self.pause(row, error.code, error.message, SOON if error.retryable else LATER)
        except EngineError as error:
            self.fail(row, error.code, error.message)
        except Exception as error:
            outage = outage_of(error)
            if outage is None:
                logger.exception("%s %d could not be made", row._meta.verbose_name, row.pk)
                self.fail(row, "internal_error", INTERNAL)
                raise
            logger.warning("%s %d waits: %s", row._meta.verbose_name, row.pk, error)
            self.pause(row, outage.code, outage.message, SOON)
        finally:
            retry_through_outage(lambda: self.start_next(row.version.document.workspace_id))

    def lease_of(self, row: Work) -> Lease[Work]:
        """The right to write to a row that its worker claimed."""
        return Lease(self.rule, row.pk, row.lease)

    def renew(self, row: Work, **values: Any) -> None:
        """Write values and renew the lease; LeaseLost when the row is no longer ours."""
        retry_through_outage(lambda: self.lease_of(row).renew(**values))

    def update_held(self, row: Work, **values: Any) -> bool:
        """Write values that may end the lease; false when the row is no longer ours."""
        return bool(retry_through_outage(lambda: self.lease_of(row).select_held().update(**values)))

    def pause(self, row: Work, code: str, message: str, pause: timedelta = LATER) -> None:
        """Give the row back to the queue, and begin none of its workspace before the pause is over."""
        if self.update_held(row, **self.rule.make_requeued_values()):
            self.choices.objects.filter(workspace=row.version.document.workspace_id).update(
                paused_until=timezone.now() + pause, pause_code=code, pause_message=message
            )

    def end_pause(self, workspace_id: int) -> None:
        """Let the next document be begun at once."""
        self.choices.objects.filter(workspace=workspace_id).update(**NO_PAUSE)

    def fail(self, row: Work, code: str, message: str) -> None:
        """End the work on a row with a reason; it can be tried again."""
        self.update_held(row, status=row.Status.FAILED, error_code=code, error_message=message, lease="")

    def _next_waiting(self, workspace_id: int) -> Work | None:
        return self.rows_of(workspace_id).filter(status=self.rule.waiting).order_by("attempt", "pk").first()

    def _has_job(self, row: Work) -> bool:
        return jobs.exists(row.job_id, queue="documents")

    def _requeue_lost(self) -> int:
        """Rows whose worker has been silent for longer than any call takes, or whose job is gone; how many."""
        lost = set(self.rule.select_expired())
        lost |= {row for row in self.rule.select_expired(LOST_SECONDS) if not self._has_job(row)}
        return sum(self.rule.as_seen(row).update(**self.rule.make_requeued_values()) for row in lost)
