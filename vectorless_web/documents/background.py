"""Selectors for work in the background (embedding, section summaries): which documents it covers, and how it stands."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Count, F, QuerySet, Sum

from vectorless_web.documents.models import DocumentVersion, SectionSummaries, VectorFile

Work = TypeVar("Work", VectorFile, SectionSummaries)
"""A row that stands for the work on one version."""

SHOWN_FAILURES = 5
"""Failed documents that the page names."""


@dataclass(frozen=True)
class WorkProgress(Generic[Work]):
    """How the work on the documents of a workspace stands."""

    documents: int
    ready: int
    waiting: int
    working: Work | None
    failed: int
    failures: list[Work]
    """The first of those that failed."""
    tokens: int
    cost_usd: float

    @property
    def is_busy(self) -> bool:
        """Whether something is under way or about to be."""
        return self.working is not None or self.waiting > 0


def measure_progress(rows: QuerySet[Work]) -> WorkProgress[Work]:
    """Counts, tokens and US dollars over the rows of one workspace."""
    status = rows.model.Status
    counts = dict(rows.order_by().values_list("status").annotate(n=Count("pk")))
    sums = rows.aggregate(tokens=Sum("tokens"), cost=Sum("cost_usd"))
    named = rows.select_related("version__document")
    return WorkProgress(
        documents=sum(counts.values()),
        ready=counts.get(status.READY, 0),
        waiting=counts.get(status.QUEUED, 0),
        working=named.filter(status=status.WORKING).first(),
        failed=counts.get(status.FAILED, 0),
        failures=list(named.filter(status=status.FAILED)[:SHOWN_FAILURES]),
        tokens=sums["tokens"] or 0,
        cost_usd=float(sums["cost"] or 0),
    )


def is_work_under_way(workspace_id: int) -> bool:
    """Whether a worker embeds or summarises a document of the workspace at this moment."""
    return any(
        rows.filter(version__document__workspace=workspace_id, status="working").exists()
        for rows in (VectorFile.objects, SectionSummaries.objects)
    )


def current_versions(workspace_id: int) -> QuerySet[DocumentVersion]:
    """The versions that stand for the documents of a workspace, the first that was made first."""
    return DocumentVersion.objects.filter(
        document__workspace=workspace_id,
        document__deleted_at=None,
        document__current_version=F("pk"),
        status=DocumentVersion.Status.READY,
    ).order_by("pk")
