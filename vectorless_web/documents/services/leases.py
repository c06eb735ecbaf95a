"""How versions, vector files and section summaries are leased: each kind of work on them by rules of its own."""

from django.conf import settings
from django.db.models import Q

from vectorless_web.documents.models import DocumentVersion, SectionSummaries, VectorFile
from vectorless_web.infra.leases import Lease, LeaseRule

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
