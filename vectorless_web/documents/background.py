"""Selectors for work in the background, embedding and section summaries: what is chosen, how it stands, its results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Generic, TypeVar

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet, Sum
from django.http import Http404

from vectorless_web.documents.models import (
    DocumentVersion,
    EmbeddingChoice,
    Section,
    SectionSummaries,
    SummaryChoice,
    VectorFile,
)
from vectorless_web.documents.storage.files import open_vectors
from vectorless_web.engine.documents.card import Card, enrich_card
from vectorless_web.engine.documents.summaries import estimate_tokens
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.errors import ArtefactDamaged, ModelError
from vectorless_web.infra.money import MILLION
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import refuse_host, usable_providers
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt

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


def is_work_under_way(workspace_id: int | None = None) -> bool:
    """Whether a worker embeds or summarises a document of the workspace, or of any, at this moment."""
    place = {} if workspace_id is None else {"version__document__workspace": workspace_id}
    return any(
        rows.filter(**place, status="working").exists() for rows in (VectorFile.objects, SectionSummaries.objects)
    )


def current_versions(workspace_id: int) -> QuerySet[DocumentVersion]:
    """The versions that stand for the documents of a workspace, the first that was made first."""
    return DocumentVersion.objects.filter(
        document__workspace=workspace_id,
        document__deleted_at=None,
        document__current_version=F("pk"),
        status=DocumentVersion.Status.READY,
    ).order_by("pk")


@dataclass(frozen=True)
class EmbeddingSettings:
    """An embedding model as the job that calls it needs it. The price is US dollars per million tokens."""

    base_url: str
    model: str
    api_key: str = field(repr=False)
    price: Decimal
    max_tokens: int
    dimensions: int | None


def embedding_of(workspace: Workspace) -> EmbeddingChoice | None:
    """What the workspace has chosen to embed with, on or off."""
    rows = EmbeddingChoice.objects.select_related("provider", "workspace")
    return rows.filter(workspace=workspace).first()


def embedding_in(workspace: Workspace) -> EmbeddingChoice:
    """The same; Http404 when nothing was chosen."""
    choice = embedding_of(workspace)
    if choice is None:
        raise Http404("No embedding model has been chosen here.")
    return choice


def embedding_settings(choice: EmbeddingChoice) -> EmbeddingSettings:
    """The choice as a job uses it; SecretUnreadable when the key was stored under another encryption key.

    ModelError when administrators name the hosts of models and this is none of them.
    """
    if refusal := refuse_host(choice.provider.base_url):
        raise ModelError(refusal.cause, remedy=refusal.remedy, code=refusal.code)
    return EmbeddingSettings(
        base_url=choice.provider.base_url,
        model=choice.model,
        api_key=decrypt(choice.provider.encrypted_key),
        price=choice.price,
        max_tokens=choice.max_tokens,
        dimensions=choice.dimensions,
    )


def embedding_in_use(workspace: Workspace) -> EmbeddingSettings | None:
    """The model that questions are embedded with; None while search by meaning is off, or may or can not be used."""
    choice = embedding_of(workspace)
    if choice is None or not choice.enabled:
        return None
    try:
        return embedding_settings(choice)
    except (SecretUnreadable, ModelError):
        return None


def vectors_of(version: DocumentVersion, *, before: datetime | None = None) -> NodeVectors | None:
    """The vectors of a version that were ready `before`; None when there are none, or none of this compiled file.

    ArtefactDamaged when the file cannot be read.
    """
    rows = VectorFile.objects.filter(version=version, status=VectorFile.Status.READY, choice__enabled=True)
    file = (rows.filter(ready_at__lte=before) if before else rows).first()
    if file is None:
        return None
    vectors = open_vectors(file.file, file.sha256)
    if vectors.artefact != version.artefact_sha256:
        raise ArtefactDamaged("These vectors belong to another reading of the document.")
    return vectors


def vector_files_of(workspace_id: int) -> QuerySet[VectorFile]:
    """The vector files of a workspace's documents that are not deleted."""
    return VectorFile.objects.filter(choice__workspace=workspace_id, version__document__deleted_at=None)


def embedding_progress_of(choice: EmbeddingChoice, seen: Q | None = None) -> WorkProgress[VectorFile]:
    """How embedding the documents of the workspace stands; `seen` narrows them to those that the reader may know of."""
    return measure_progress(vector_files_of(choice.workspace_id).filter(seen or Q()))


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
    row = next(iter(usable_providers(workspace)), None)
    if row is not None:
        return SummaryModel(row.model, row.base_url, max(row.price_in, row.price_out))
    if not settings.MODEL:
        return None
    dearer = Decimal(str(max(settings.MODEL_PRICE_IN, settings.MODEL_PRICE_OUT)))
    return SummaryModel(settings.MODEL, settings.OPENAI_BASE_URL, dearer)


def summaries_of(version: DocumentVersion, *, before: datetime | None = None) -> SectionSummaries | None:
    """The lines of a version that were ready `before`; None when there are none, or none of this compiled file."""
    rows = SectionSummaries.objects.filter(
        version=version, status=SectionSummaries.Status.READY, artefact=version.artefact_sha256
    )
    return (rows.filter(ready_at__lte=before) if before else rows).first()


def lines_of(row: SectionSummaries | None) -> Mapping[int, str]:
    """The lines by the key of their section."""
    return {int(key): str(line) for key, line in row.lines.items()} if row else {}


def enrich_cards(cards: Mapping[int, Card], *, before: datetime | None = None) -> dict[int, Card]:
    """Cards by the key of their version, with the lines that were ready `before` on those that have any."""
    ready = SectionSummaries.objects.filter(version__in=cards, status=SectionSummaries.Status.READY)
    ready = ready.filter(artefact=F("version__artefact_sha256"), **({"ready_at__lte": before} if before else {}))
    lines = {row.version_id: lines_of(row) for row in ready}
    return {pk: enrich_card(card, lines.get(pk, {})) for pk, card in cards.items()}


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


def summary_progress_of(workspace: Workspace, seen: Q) -> WorkProgress[SectionSummaries]:
    """How summarising those documents of the workspace stands that the reader may know of (`seen`)."""
    return measure_progress(summary_rows_of(workspace.pk).filter(seen))


def estimate_summaries(workspace: Workspace, model: SummaryModel, seen: Q) -> SummaryEstimate:
    """What it would take to summarise every ready document that the reader may know of (`seen`)."""
    reports = current_versions(workspace.pk).filter(seen).values_list("report", flat=True)
    sections = [int((report or {}).get("sections", 0)) for report in reports]
    tokens = sum(map(estimate_tokens, sections))
    return SummaryEstimate(len(sections), sum(sections), tokens, float(tokens * model.usd_per_million / MILLION))
