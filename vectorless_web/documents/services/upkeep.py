"""What the sweep mends: versions whose job or worker was lost."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from vectorless_web.documents.announcements import announce
from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.line import UPLOADS, is_past
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services.compile_queue import enqueue_compile
from vectorless_web.documents.services.compiling import fail_version

Status = DocumentVersion.Status

ACTIVE = (Status.PARSING, Status.OUTLINING, Status.INDEXING)
LOST = CompileFailed(
    "Reading this file was interrupted twice. Retry; if it happens again, ask your administrator to look at "
    "the worker.",
    code="reader_lost",
    retryable=True,
)


def requeue_lost_versions() -> int:
    """Queue again what lost its job; end or queue again what lost its worker. How many rows were touched."""
    return UPLOADS.admit_all() + _recover_stalled()


def hand_back_version(version_id: int, job: str) -> bool:
    """Queue a version again whose reading was ended because the site stops; false unless `job` is its present attempt.

    It does not count as an interruption: those end a version the second time.
    """
    version = DocumentVersion.objects.select_related("document").filter(pk=version_id, status__in=ACTIVE).first()
    if version is None or version.job_id != job:
        return False
    return _queue_again(version, requeued=version.requeued)


def _recover_stalled() -> int:
    """Versions whose heartbeat is older than their lease: queued again once, then failed."""
    before = timezone.now() - timedelta(seconds=settings.COMPILE_LEASE_SECONDS)
    silent = Q(heartbeat_at=None) | is_past("heartbeat_at", before)
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
