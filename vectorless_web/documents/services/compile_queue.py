"""Queueing of versions for compiling, and notifications that a document has news."""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from vectorless_web.documents.line import UPLOADS, enqueue_job
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra import live


def documents_group(workspace_id: int) -> str:
    """The channel group of everybody who has the workspace's list of documents open."""
    return f"documents-{workspace_id}"


def announce(workspace_id: int, document_id: int) -> None:
    """Say, once the current transaction commits, that a document has news."""
    message = {"type": "document.changed", "document": document_id}
    transaction.on_commit(partial(live.publish, documents_group(workspace_id), message))


Status = DocumentVersion.Status
Reason = DocumentVersion.RepairReason

REPAIRED: dict[str, Any] = {
    "repair": "",
    "repair_reason": "",
    "repair_tries": 0,
    "repair_after": None,
    "error_code": "",
    "error_message": "",
    "stage_done": 0,
    "stage_total": 0,
    "lease": "",
}
"""The fields of a version that needs no repair."""


def enqueue_compile(version: DocumentVersion) -> None:
    """Have a waiting version read when it is its person's turn, once the transaction commits."""
    UPLOADS.admit(version.added_by_id)


def repair_damaged(*, version: DocumentVersion, **_signal: Any) -> None:
    """Queue a version whose compiled file was found damaged (a receiver of `artefact_damaged`)."""
    queue_repair(version, Reason.DAMAGED)


def queue_repair(version: DocumentVersion, reason: str) -> bool:
    """Have a ready version compiled again, once however many notice; false when nothing new was queued.

    What has failed is left to its next try or to somebody who asks. A version that was compiled
    again since `version` was read is let be.
    """
    if version.is_being_repaired:
        return False
    ready = DocumentVersion.objects.filter(pk=version.pk, status=Status.READY, artefact=version.artefact)
    if reason == Reason.ASKED:
        ready = ready.exclude(repair__in=DocumentVersion.BUSY)
    elif reason == Reason.DAMAGED:
        ready = ready.filter(Q(repair="") | Q(repair=Status.FAILED, repair_reason=Reason.OUTDATED))
    else:
        ready = ready.filter(repair="")
    return start_repair(ready, **REPAIRED | {"repair_reason": reason})


@transaction.atomic
def start_repair(rows: QuerySet[DocumentVersion], **values: Any) -> bool:
    """Queue the one version among `rows` with these values, unless it is no longer among them."""
    version = rows.select_related("document").first()
    if version is None or not rows.update(**values | {"repair": Status.QUEUED, "heartbeat_at": timezone.now()}):
        return False
    version.refresh_from_db(fields=["repair", "repair_tries"])
    enqueue_job(version)
    announce(version.document.workspace_id, version.document_id)
    return True
