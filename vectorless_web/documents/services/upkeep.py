"""What the sweep mends: versions whose job or worker was lost."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from vectorless_web.documents.announcements import announce
from vectorless_web.documents.compile_process import CompileFailed
from vectorless_web.documents.line import UPLOADS
from vectorless_web.documents.models import DocumentVersion, SnapshotState, VectorFile
from vectorless_web.documents.services.compiling import fail_version
from vectorless_web.documents.services.uploads import enqueue_compile
from vectorless_web.documents.storage import delete_stored, stored_before

Status = DocumentVersion.Status

ORPHAN_HOURS = 24
STORED: tuple[tuple[str, type[DocumentVersion] | type[SnapshotState] | type[VectorFile], str], ...] = (
    ("uploads", DocumentVersion, "file"),
    ("compiled", DocumentVersion, "artefact"),
    ("snapshots", SnapshotState, "file"),
    ("vectors", VectorFile, "file"),
)
"""Folders of default storage, and the rows whose field names what is in them."""
LOST = CompileFailed(
    "Reading this file was interrupted twice. Retry; if it happens again, ask your administrator to look at "
    "the worker.",
    code="reader_lost",
    retryable=True,
)


def requeue_lost_versions() -> int:
    """Queue again what lost its job; end or queue again what lost its worker. How many rows were touched."""
    return UPLOADS.admit_all() + _recover_stalled()


def drop_orphans() -> int:
    """Remove stored files that no row names, left by a process killed between storing and committing; how many.

    Files of the last day are let be: their row may be about to come.
    """
    before = timezone.now() - timedelta(hours=ORPHAN_HOURS)
    dropped = 0
    for folder, model, field in STORED:
        named = set(model.objects.values_list(field, flat=True))
        for name in stored_before(folder, before):
            if name not in named:
                delete_stored(name)
                dropped += 1
    return dropped


def _recover_stalled() -> int:
    """Versions whose heartbeat is older than their lease: queued again once, then failed."""
    before = timezone.now() - timedelta(seconds=settings.COMPILE_LEASE_SECONDS)
    active = [Status.PARSING, Status.OUTLINING, Status.INDEXING]
    stalled = DocumentVersion.objects.filter(
        Q(heartbeat_at__lt=before) | Q(heartbeat_at=None), status__in=active
    ).select_related("document")
    return sum(_recover(version) for version in stalled)


def _recover(version: DocumentVersion) -> bool:
    if version.requeued:
        return fail_version(version, LOST)
    with transaction.atomic():
        # The lease and heartbeat seen above: a worker that has beaten since keeps its version.
        requeued = DocumentVersion.objects.filter(
            pk=version.pk, lease=version.lease, heartbeat_at=version.heartbeat_at, status=version.status
        ).update(status=Status.QUEUED, requeued=True, attempt=version.attempt + 1, lease="", heartbeat_at=None)
        if requeued:
            version.refresh_from_db()
            enqueue_compile(version)
            announce(version.document.workspace_id, version.document_id)
    return bool(requeued)
