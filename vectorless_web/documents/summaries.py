"""Selectors for section summaries: whether a workspace has them, a version's lines, and how writing them stands."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.db.models import QuerySet

from vectorless_web.documents.background import WorkProgress, current_versions, measure_progress
from vectorless_web.documents.models import DocumentVersion, Section, SectionSummaries, SummaryChoice
from vectorless_web.engine.documents.summaries import estimate_tokens
from vectorless_web.infra.money import MILLION
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import providers_for

Status = SectionSummaries.Status


@dataclass(frozen=True)
class SummaryModel:
    """The model that would write the lines, where it answers, and the dearer of its prices per million tokens."""

    name: str
    address: str
    usd_per_million: Decimal


@dataclass(frozen=True)
class SummaryEstimate:
    """What summarising all documents of a workspace would take, at the dearer of the model's two prices; estimates."""

    documents: int
    sections: int
    tokens: int
    cost_usd: float


def summary_choice_of(workspace: Workspace) -> SummaryChoice | None:
    """The workspace's choice about section summaries; None when it never made one."""
    return SummaryChoice.objects.filter(workspace=workspace).first()


def are_summaries_on(workspace_id: int) -> bool:
    """Whether questions and pages are shown the lines."""
    return SummaryChoice.objects.filter(workspace=workspace_id, enabled=True).exists()


def summary_model_of(workspace: Workspace) -> SummaryModel | None:
    """The model that answers in the workspace, which also writes the lines; None when there is none."""
    row = providers_for(workspace).filter(enabled=True).first()
    if row is not None:
        return SummaryModel(row.model, row.base_url, max(row.price_in, row.price_out))
    if not settings.MODEL:
        return None
    dearer = Decimal(str(max(settings.MODEL_PRICE_IN, settings.MODEL_PRICE_OUT)))
    return SummaryModel(settings.MODEL, settings.OPENAI_BASE_URL, dearer)


def summaries_of(version: DocumentVersion, *, before: datetime | None = None) -> SectionSummaries | None:
    """The lines of a version that were ready `before`; None when there are none, or none of this compiled file."""
    rows = SectionSummaries.objects.filter(version=version, status=Status.READY, artefact=version.artefact_sha256)
    return (rows.filter(ready_at__lte=before) if before else rows).first()


def lines_of(row: SectionSummaries | None) -> Mapping[int, str]:
    """The lines by the key of their section."""
    return {int(key): str(line) for key, line in row.lines.items()} if row else {}


def add_summaries(version: DocumentVersion, sections: Iterable[Section]) -> str:
    """Set `summary` of each section; the name of the model that wrote the lines, "" when there are none to show."""
    row = summaries_of(version) if are_summaries_on(version.document.workspace_id) else None
    lines = lines_of(row)
    for section in sections:
        section.summary = lines.get(section.key, "")
    return row.model if row and lines else ""


def summary_rows_of(workspace_id: int) -> QuerySet[SectionSummaries]:
    """The summaries of a workspace's current versions."""
    return SectionSummaries.objects.filter(version__in=current_versions(workspace_id))


def summary_progress_of(workspace: Workspace) -> WorkProgress[SectionSummaries]:
    """How summarising the documents of the workspace stands."""
    return measure_progress(summary_rows_of(workspace.pk))


def estimate_summaries(workspace: Workspace, model: SummaryModel) -> SummaryEstimate:
    """What it would take to summarise every ready document."""
    reports = current_versions(workspace.pk).values_list("report", flat=True)
    sections = [int((report or {}).get("sections", 0)) for report in reports]
    tokens = sum(map(estimate_tokens, sections))
    return SummaryEstimate(len(sections), sum(sections), tokens, float(tokens * model.usd_per_million / MILLION))
