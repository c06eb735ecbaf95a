"""Files go when their last row goes, whoever deleted it: purge, admin site, or a deleted workspace."""

from functools import partial
from typing import Any

from django.db import transaction

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services.compiling import drop_artefact, drop_upload
from vectorless_web.documents.storage import forget_cached


def drop_files(*, instance: DocumentVersion, **_signal: Any) -> None:
    """Remove upload and artefact of a deleted version once its deletion commits (a receiver of post_delete)."""
    transaction.on_commit(partial(_drop, instance))


def _drop(version: DocumentVersion) -> None:
    drop_upload(version.file.name or "")
    drop_artefact(version.artefact)
    if not DocumentVersion.objects.filter(sha256=version.sha256).exists():
        forget_cached(sha256=version.sha256, artefact_sha256=version.artefact_sha256)
