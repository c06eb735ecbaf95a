"""What the sweep mends: versions whose job or worker was lost."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from vectorless_web.documents.announcements import announce
from vectorless_web.documents.compile_process import CompileFailed
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services.compile_queue import enqueue_compile
from vectorless_web.documents.services.compiling import fail_version
from vectorless_web.lib import jobs

Status = DocumentVersion.Status

ACTIVE = (Status.PARSING, Status.OUTLINING, Status.INDEXING)
GRACE_SECONDS = 5
"""A version queued more recently than this may not have reached Redis yet."""
CLOCK_SET_BACK = timedelta(minutes=10)
"""What lies further ahead than any wait or heartbeat was written before the clock was set back."""
LOST = CompileFailed(
    "Reading this file was interrupted twice. Retry; if it happens again, ask your administrator to look at "
    "the worker.",
    code="reader_lost",
    retryable=True,
)


def requeue_lost_versions() -> int:
    """Queue again what lost its job; end or queue again what lost its worker. How many rows were touched."""
    return _requeue_unqueued() + _recover_stalled()


def hand_back_version(version_id: int, job: str) -> bool:
    """Queue a version again whose reading was ended because the site stops; false unless `job` is its present attempt.

    It does not count as an interruption: those end a version the second time.
    """
    version = DocumentVersion.objects.select_related("document").filter(pk=version_id, status__in=ACTIVE).first()
    if version is None or version.job_id != job:
        return False
    return _queue_again(version, requeued=version.requeued)


def _requeue_unqueued() -> int:
    """Versions that wait without a job, as after an outage of Redis, or whose wait for storage is over."""
    now = timezone.now()
    waiting = DocumentVersion.objects.filter(
        _is_past("created_at", now - timedelta(seconds=GRACE_SECONDS)),
        Q(retry_at=None) | _is_past("retry_at", now),
        status=Status.QUEUED,
        document__deleted_at=None,
    )
    versions = {version.job_id: version for version in waiting.order_by("pk").only("pk", "attempt")}
    lost = jobs.lost(list(versions), queue="documents")
    for job_id, version in versions.items():
        if job_id in lost:
            enqueue_compile(version)
    return len(lost)


def _is_past(field: str, moment: datetime) -> Q:
    """Whether the field lies before the moment, or so far ahead that the clock was set back since."""
    return Q(**{f"{field}__lt": moment}) | Q(**{f"{field}__gt": timezone.now() + CLOCK_SET_BACK})


def _recover_stalled() -> int:
    """Versions whose heartbeat is older than their lease: queued again once, then failed."""
    before = timezone.now() - timedelta(seconds=settings.COMPILE_LEASE_SECONDS)
    silent = Q(heartbeat_at=None) | _is_past("heartbeat_at", before)
    stalled = DocumentVersion.objects.filter(silent, status__in=ACTIVE).select_related("document")
    return sum(_recover(version) for version in stalled)


def _recover(version: DocumentVersion) -> bool:
    if version.requeued:
        return fail_version(version, LOST)
    return _queue_again(version, requeued=True)


def _queue_again(version: DocumentVersion, *, requeued: bool) -> bool:
    with transaction.atomic():
        # The lease and heartbeat seen above: a worker that has beaten since keeps its version.
        queued = DocumentVersion.objects.filter(
            pk=version.pk, lease=version.lease, heartbeat_at=version.heartbeat_at, status=version.status
        ).update(status=Status.QUEUED, requeued=requeued, attempt=version.attempt + 1, lease="", heartbeat_at=None)
        if queued:
            version.refresh_from_db()
            enqueue_compile(version)
            announce(version.document.workspace_id, version.document_id)
    return bool(queued)
