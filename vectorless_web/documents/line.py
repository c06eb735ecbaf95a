"""The line in which uploads wait to be read, in turns between the people who added them; repairs; notifications."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra import live
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.queues.jobs import WaitingLine

QUEUE, LONG_QUEUE = "documents", "long"
"""Files are read for the first time by one queue, for a minute at most; what takes longer is read by the other."""
JOB = "vectorless_web.documents.jobs.compile_version"
JOB_GRACE_SECONDS = 60
"""The queue's own time-out comes this long after the compiler's, which ends with a plain sentence."""
CLOCK_SET_BACK = timedelta(minutes=10)
"""What lies further ahead than any wait was written before the clock was set back."""

Status = DocumentVersion.Status


def is_past(field: str, moment: datetime) -> Q:
    """Whether the field lies before the moment, or so far ahead that the clock was set back since."""
    return Q(**{f"{field}__lt": moment}) | Q(**{f"{field}__gt": timezone.now() + CLOCK_SET_BACK})


def enqueue_job(version: DocumentVersion) -> None:
    """Enqueue the job of the version's present attempt once the transaction commits, without regard to turns."""
    reading = reading_seconds(version)
    seconds = int(settings.COMPILE_TIMEOUT_SECONDS + reading + 2 * settings.OCR_SECONDS + JOB_GRACE_SECONDS)
    queue = LONG_QUEUE if version.is_long else QUEUE
    jobs.enqueue(JOB, version.pk, queue=queue, job_id=version.job_id, seconds=seconds)


def reading_seconds(version: DocumentVersion) -> float:
    """For how long the pages of a version are read at its present attempt."""
    longest: float = settings.COMPILE_READING_SECONDS
    # What has been read whole must not be replaced by its first pages.
    return longest if version.status == Status.READY else min(longest, settings.COMPILE_FIRST_SECONDS)


def _select_waiting() -> QuerySet[DocumentVersion]:
    """Uploads that wait for a worker; those that wait for the end of an outage come back when their pause is over."""
    rows = DocumentVersion.objects.filter(status=Status.QUEUED, document__deleted_at=None)
    return rows.filter(Q(retry_at=None) | is_past("retry_at", timezone.now()))


UPLOADS = WaitingLine(
    queue=QUEUE,
    person="added_by",
    waiting=_select_waiting,
    working=lambda: DocumentVersion.objects.filter(status__in=DocumentVersion.ACTIVE),
    job_id=lambda version: version.job_id,
    enqueue=enqueue_job,
)


def _select_long() -> QuerySet[DocumentVersion]:
    return DocumentVersion.objects.filter(
        status=Status.READY, repair_reason=DocumentVersion.RepairReason.LATE, document__deleted_at=None
    )


LONG_READINGS = WaitingLine(
    queue=LONG_QUEUE,
    person="added_by",
    waiting=lambda: _select_long().filter(repair=Status.QUEUED),
    working=lambda: _select_long().filter(repair__in=DocumentVersion.ACTIVE),
    job_id=lambda version: version.job_id,
    enqueue=enqueue_job,
)
"""Ready documents of which only the first pages have been read."""


def documents_group(workspace_id: int) -> str:
    """The channel group of everybody who has the workspace's list of documents open."""
    return f"documents-{workspace_id}"


def announce(workspace_id: int, document_id: int) -> None:
    """Say, once the current transaction commits, that a document has news."""
    message = {"type": "document.changed", "document": document_id}
    transaction.on_commit(partial(live.publish, documents_group(workspace_id), message))


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
    version.refresh_from_db(fields=["repair", "repair_reason", "repair_tries"])
    if version.repair_reason == Reason.LATE:
        LONG_READINGS.admit(version.added_by_id)
    else:
        enqueue_job(version)
    announce(version.document.workspace_id, version.document_id)
    return True
