"""What the sweep mends: versions whose job or worker was lost."""

from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from vectorless_web.documents.announcements import announce
from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.line import UPLOADS
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services.compile_queue import enqueue_compile
from vectorless_web.documents.services.compiling import end_as_failed
from vectorless_web.documents.services.leases import READINGS

LOST = CompileFailed(
    "Reading this file was interrupted twice. Retry; if it happens again, ask your administrator to look at "
    "the worker.",
    code="reader_lost",
    retryable=True,
)


def requeue_lost_versions() -> int:
    """Queue again what lost its job; end or queue again what lost its worker. How many rows were touched."""
    stalled = READINGS.select_expired().select_related("document")
    forgive, give_up = partial(_queue_again, requeued=True), partial(end_as_failed, failure=LOST)
    return UPLOADS.admit_all() + READINGS.recover(stalled, requeue=forgive, give_up=give_up)


def hand_back_version(version_id: int, job: str) -> bool:
    """Queue a version again whose reading was ended because the site stops; false unless `job` is its present attempt.

    It does not count as an interruption: those end a version the second time.
    """
    active = DocumentVersion.objects.filter(pk=version_id, status__in=DocumentVersion.ACTIVE)
    version = active.select_related("document").first()
    if version is None or version.job_id != job:
        return False
    return _queue_again(READINGS.select_held(version.pk, version.lease), version, requeued=version.requeued)


def _queue_again(rows: QuerySet[DocumentVersion], version: DocumentVersion, *, requeued: bool) -> bool:
    with transaction.atomic():
        queued = rows.update(**READINGS.make_requeued_values(), requeued=requeued)
        if queued:
            version.refresh_from_db()
            enqueue_compile(version)
            announce(version.document.workspace_id, version.document_id)
    return bool(queued)
