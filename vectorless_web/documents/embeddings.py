"""Selectors for search by meaning: a workspace's choice of model, the progress of embedding, a version's vectors."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from django.db.models import QuerySet
from django.http import Http404

from vectorless_web.documents.background import WorkProgress, measure_progress
from vectorless_web.documents.models import DocumentVersion, EmbeddingChoice, VectorFile
from vectorless_web.documents.storage.files import open_vectors
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt

Status = VectorFile.Status


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
    """The choice as a job uses it; SecretUnreadable when the key was stored under another encryption key."""
    return EmbeddingSettings(
        base_url=choice.provider.base_url,
        model=choice.model,
        api_key=decrypt(choice.provider.encrypted_key),
        price=choice.price,
        max_tokens=choice.max_tokens,
        dimensions=choice.dimensions,
    )


def embedding_in_use(workspace: Workspace) -> EmbeddingSettings | None:
    """The model that questions are embedded with; None while search by meaning is off or its key cannot be read."""
    choice = embedding_of(workspace)
    if choice is None or not choice.enabled:
        return None
    try:
        return embedding_settings(choice)
    except SecretUnreadable:
        return None


def vectors_of(version: DocumentVersion, *, before: datetime | None = None) -> NodeVectors | None:
    """The vectors of a version that were ready `before`; None when there are none, or none of this compiled file.

    ArtefactDamaged when the file cannot be read.
    """
    rows = VectorFile.objects.filter(version=version, status=Status.READY, choice__enabled=True)
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


def progress_of(choice: EmbeddingChoice) -> WorkProgress[VectorFile]:
    """How embedding the documents of the workspace stands."""
    return measure_progress(vector_files_of(choice.workspace_id))
