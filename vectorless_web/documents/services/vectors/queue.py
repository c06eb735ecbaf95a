"""Which document is embedded next: one at a time in a workspace, so that uploads never wait behind all of them."""

from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from vectorless_web.documents.models import DocumentVersion, EmbeddingChoice, VectorFile
from vectorless_web.documents.services.leases import EMBEDDINGS
from vectorless_web.infra.queues import jobs

Status = VectorFile.Status

JOB = "vectorless_web.documents.jobs.embed_version"
JOB_SECONDS = 3600
LONGEST_PAUSE = timedelta(hours=1)
"""What lies further ahead was written before the clock was set back, and holds nothing up."""
LOST_SECONDS = 30
"""A file whose job is gone counts as lost when its worker has been silent for this long."""


def queue_missing(choice: EmbeddingChoice) -> int:
    """Queue every ready document of the workspace that has no vectors yet; how many."""
    if not choice.enabled:
        return 0
    current = DocumentVersion.objects.filter(
        document__workspace=choice.workspace_id,
        document__deleted_at=None,
        document__current_version=F("pk"),
        status=DocumentVersion.Status.READY,
    )
    missing = current.exclude(vector_files__choice=choice).order_by("pk").values_list("pk", flat=True)
    rows = [VectorFile(choice=choice, version_id=pk, model=choice.model) for pk in missing]
    VectorFile.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def want_vectors(workspace_id: int) -> None:
    """Queue what a workspace still has to embed, if it searches by meaning at all; begin when nothing is under way."""
    choice = EmbeddingChoice.objects.filter(workspace=workspace_id, enabled=True).first()
    if choice is not None and queue_missing(choice):
        start_next(choice.pk)


def start_next(choice_id: int) -> bool:
    """Enqueue the job of the next waiting file unless one is under way or the server is being spared."""
    now = timezone.now()
    spared = Q(paused_until__gt=now, paused_until__lte=now + LONGEST_PAUSE)
    free = EmbeddingChoice.objects.filter(Q(paused_until=None) | ~spared, pk=choice_id, enabled=True)
    files = VectorFile.objects.filter(choice=choice_id, version__document__deleted_at=None)
    if not free.exists() or files.filter(status=Status.WORKING).exists():
        return False
    file = files.filter(status=Status.QUEUED).order_by("attempt", "pk").first()
    if file is None:
        return False
    jobs.enqueue(JOB, file.pk, queue="documents", job_id=file.job_id, seconds=JOB_SECONDS)
    return True


def resume_embedding() -> int:
    """What the sweep mends: files whose worker died, queues without a job, documents that were overlooked. How many."""
    touched = _requeue_lost()
    for choice in EmbeddingChoice.objects.filter(enabled=True):
        touched += queue_missing(choice)
        waiting = VectorFile.objects.filter(choice=choice, status=Status.QUEUED, version__document__deleted_at=None)
        if not any(jobs.exists(file.job_id, queue="documents") for file in waiting.order_by("attempt", "pk")[:1]):
            start_next(choice.pk)
    return touched


def _requeue_lost() -> int:
    """Files whose worker has been silent for longer than any call takes, or whose job is gone; how many."""
    jobless = [
        file for file in EMBEDDINGS.select_expired(LOST_SECONDS) if not jobs.exists(file.job_id, queue="documents")
    ]
    lost = {*EMBEDDINGS.select_expired(), *jobless}
    return sum(EMBEDDINGS.as_seen(file).update(**EMBEDDINGS.make_requeued_values()) for file in lost)
