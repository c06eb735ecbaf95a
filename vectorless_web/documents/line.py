"""The line in which uploads wait to be read, in turns between the people who added them."""

from django.conf import settings
from django.db.models import QuerySet

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.lib import jobs
from vectorless_web.lib.fair_share import Line

QUEUE = "documents"
JOB = "vectorless_web.documents.jobs.compile_version"
JOB_GRACE_SECONDS = 60
"""The queue's own time-out comes this long after the compiler's, which ends with a plain sentence."""

Status = DocumentVersion.Status


def _waiting() -> QuerySet[DocumentVersion]:
    return DocumentVersion.objects.filter(status=Status.QUEUED, document__deleted_at=None)


def _working() -> QuerySet[DocumentVersion]:
    return DocumentVersion.objects.filter(status__in=[Status.PARSING, Status.OUTLINING, Status.INDEXING])


def _enqueue(version: DocumentVersion) -> None:
    seconds = settings.COMPILE_TIMEOUT_SECONDS + JOB_GRACE_SECONDS
    jobs.enqueue(JOB, version.pk, queue=QUEUE, job_id=version.job_id, seconds=seconds)


UPLOADS = Line(
    queue=QUEUE,
    person="added_by",
    waiting=_waiting,
    working=_working,
    job_id=lambda version: version.job_id,
    enqueue=_enqueue,
)
