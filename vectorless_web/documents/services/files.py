"""Files go when their last row goes, whoever deleted it: purge, admin site, or a deleted workspace."""

from functools import partial
from typing import Any

from django.db import transaction

from vectorless_web.documents.models import DocumentVersion, VectorFile
from vectorless_web.documents.services.compiling import drop_artefact, drop_upload
from vectorless_web.documents.storage.files import delete_stored, forget_cached, forget_copy


def drop_files(*, instance: DocumentVersion, **_signal: Any) -> None:
    """Remove upload and artefact of a deleted version once its deletion commits (a receiver of post_delete)."""
    transaction.on_commit(partial(_drop, instance))


def drop_vectors(*, instance: VectorFile, **_signal: Any) -> None:
    """Remove the file of deleted vectors once their deletion commits (a receiver of post_delete)."""
    transaction.on_commit(partial(_drop_vectors, instance))


def _drop_vectors(vectors: VectorFile) -> None:
    delete_stored(vectors.file)
    forget_copy(vectors.sha256)


def _drop(version: DocumentVersion) -> None:
    drop_upload(version.file.name or "")
    drop_artefact(version.artefact)
    if not DocumentVersion.objects.filter(sha256=version.sha256).exists():
        forget_cached(sha256=version.sha256, artefact_sha256=version.artefact_sha256)
