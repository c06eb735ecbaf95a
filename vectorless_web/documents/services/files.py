"""Files go when their last row goes, whoever deleted it: purge, admin site, or a deleted workspace."""

from functools import partial
from typing import Any

from django.db import transaction

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services.compiling import drop_artefact, drop_upload


def drop_files(*, instance: DocumentVersion, **_signal: Any) -> None:
    """Remove upload and artefact of a deleted version once its deletion commits (a receiver of post_delete)."""
    transaction.on_commit(partial(_drop, instance.file.name or "", instance.artefact))


def _drop(file: str, artefact: str) -> None:
    drop_upload(file)
    drop_artefact(artefact)
