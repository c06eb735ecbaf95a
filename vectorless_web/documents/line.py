"""The line in which uploads wait to be read, in turns between the people who added them."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.queues.fair_share import WaitingLine

QUEUE = "documents"
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
    seconds = settings.COMPILE_TIMEOUT_SECONDS + JOB_GRACE_SECONDS
    jobs.enqueue(JOB, version.pk, queue=QUEUE, job_id=version.job_id, seconds=seconds)


def _select_waiting() -> QuerySet[DocumentVersion]:
    """Uploads that wait for a worker; those that wait for the end of an outage come back when their pause is over."""
    rows = DocumentVersion.objects.filter(status=Status.QUEUED, document__deleted_at=None)
    return rows.filter(Q(retry_at=None) | is_past("retry_at", timezone.now()))


def _select_working() -> QuerySet[DocumentVersion]:
    return DocumentVersion.objects.filter(status__in=DocumentVersion.ACTIVE)


UPLOADS = WaitingLine(
    queue=QUEUE,
    person="added_by",
    waiting=_select_waiting,
    working=_select_working,
    job_id=lambda version: version.job_id,
    enqueue=enqueue_job,
)
