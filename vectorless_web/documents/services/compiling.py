"""Compiling one version: claimed, watched, stored and ended by conditional updates under its lease."""

import logging
import secrets
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from vectorless_web.documents.announcements import announce
from vectorless_web.documents.compile_process import CompileFailed, Finished, Order, Progress, run_child
from vectorless_web.documents.models import Card, Document, DocumentVersion, Section
from vectorless_web.documents.services.compiled_rows import card_row, section_rows, storable, version_facts
from vectorless_web.documents.services.routing_rows import Linked, linked, show_to_router
from vectorless_web.documents.services.uploads import title_from
from vectorless_web.documents.services.vector_queue import want_vectors
from vectorless_web.documents.storage import delete_stored, local_copy, open_artefact, store_artefact
from vectorless_web.engine.document.artefact import ENGINE_VERSION, CompiledDocument

Status = DocumentVersion.Status
logger = logging.getLogger(__name__)

News = Generator[Progress | Finished | None, None, None]
Compile = Callable[[Order], News]

BEAT_SECONDS = 1.0
INTERNAL = CompileFailed(
    "Something went wrong inside the program while reading this file; the log has the details. Try again.",
    code="internal_error",
    retryable=True,
)
BATCH_ROWS = 500
"""Sections written in one transaction: SQLite has a single write lock, and runs need it every few milliseconds."""


class LeaseLost(Exception):
    """Raised when the version was cancelled, deleted or given to another worker meanwhile."""


def compile_version(version_id: int, *, compile_with: Compile = run_child) -> None:
    """Compile a queued version to its end: ready or failed. A second delivery of the job exits quietly.

    What nobody expected ends the version as failed as well, and is raised for the worker's log.
    """
    version = _claim(version_id)
    if version is None:
        return
    try:
        with tempfile.TemporaryDirectory(prefix="compile-") as folder:
            _compile(version, Path(folder), compile_with)
    except CompileFailed as failure:
        fail_version(version, failure)
    except LeaseLost:
        return
    except Exception:
        logger.exception("version %d could not be compiled", version_id)
        fail_version(version, INTERNAL)
        raise


def fail_version(version: DocumentVersion, failure: CompileFailed) -> bool:
    """Write the failed end under the version's lease; false when another owns it. Nothing of the attempt is kept."""
    return end_as_failed(_mine(version), version, failure)


def end_as_failed(rows: QuerySet[DocumentVersion], version: DocumentVersion, failure: CompileFailed) -> bool:
    """End the version as failed if it is still among `rows`, with nothing left of what was compiled.

    The upload goes too unless trying again can help.
    """
    gone = {"artefact": "", "artefact_sha256": ""} | ({} if failure.retryable else {"file": ""})
    with transaction.atomic():
        artefact, file = DocumentVersion.objects.values_list("artefact", "file").get(pk=version.pk)
        ended = rows.update(
            status=Status.FAILED,
            error_code=failure.code,
            error_message=failure.message,
            retryable=failure.retryable,
            lease="",
            **gone,
        )
        if not ended:
            return False
        version.sections.all().delete()
        Card.objects.filter(version=version).delete()
        announce(version.document.workspace_id, version.document_id)
    drop_artefact(artefact)
    if not failure.retryable:
        drop_upload(file)
    return True


def drop_artefact(name: str) -> None:
    """Remove a stored artefact that no version refers to."""
    if name and not DocumentVersion.objects.filter(artefact=name).exists():
        delete_stored(name)


def drop_upload(name: str) -> None:
    """Remove a stored upload that no version refers to: a corrected version shares its file."""
    if name and not DocumentVersion.objects.filter(file=name).exists():
        delete_stored(name)


def _claim(version_id: int) -> DocumentVersion | None:
    """Take a queued version of a document that is not deleted; None when somebody else has it."""
    lease = secrets.token_hex(16)
    claimed = DocumentVersion.objects.filter(pk=version_id, status=Status.QUEUED, document__deleted_at=None).update(
        status=Status.PARSING,
        lease=lease,
        heartbeat_at=timezone.now(),
        stage_done=0,
        stage_total=0,
        error_code="",
        error_message="",
        retryable=False,
    )
    if not claimed:
        return None
    version = DocumentVersion.objects.select_related("document").get(pk=version_id)
    announce(version.document.workspace_id, version.document_id)
    return version


def _compile(version: DocumentVersion, folder: Path, compile_with: Compile) -> None:
    _drop_leftovers(version)
    target = folder / "artefact"
    order = Order.by_settings(
        path=_upload_of(version, folder), name=version.document.name, target=target, corrections=version.corrections
    )
    finished = _watch(version, compile_with(order))
    name, digest = store_artefact(target, f"compiled/{version.sha256}-{ENGINE_VERSION}-{version.lease[:8]}")
    if not _mine(version).update(artefact=name, artefact_sha256=digest, artefact_bytes=target.stat().st_size):
        drop_artefact(name)
        raise LeaseLost
    document = open_artefact(name, digest)
    _write_sections(version, document)
    facts = version_facts(document, seconds=finished.seconds, peak_mb=finished.peak_mb)
    _finish(version, document, facts, linked(version.document, document.card))


def _upload_of(version: DocumentVersion, folder: Path) -> Path:
    path = local_copy(version.file.name or "", folder)
    if not path.exists():
        raise CompileFailed(
            "The uploaded file is no longer in storage. Upload it again.", code="upload_missing", retryable=False
        )
    return path


def _watch(version: DocumentVersion, news: News) -> Finished:
    """Follow the child to its end: each stage and at least each second's count becomes a row; LeaseLost stops it."""
    beat = Beat(version)
    with closing(news) as events:
        for event in events:
            if isinstance(event, Finished):
                return event
            beat.on(event)
    raise CompileFailed("The reader ended without a result. Try again.", code="reader_crashed", retryable=True)


class Beat:
    """Writes progress and heartbeat of one version, at most once a second but for a new stage."""

    def __init__(self, version: DocumentVersion) -> None:
        self.version = version
        self._written_at = 0.0
        self._stage: str = Status.PARSING
        self._values: dict[str, Any] = {}

    def on(self, progress: Progress | None) -> None:
        """Take in news of the child, or a tick without any; LeaseLost when the version is no longer ours."""
        if progress is not None:
            new_stage = progress.stage != self._stage
            self._stage = progress.stage
            self._values = {"status": progress.stage, "stage_done": progress.done, "stage_total": progress.total}
            if new_stage:
                self._written_at = 0.0
        if time.monotonic() - self._written_at >= BEAT_SECONDS:
            self._write()

    def _write(self) -> None:
        self._written_at = time.monotonic()
        if not _mine(self.version).update(heartbeat_at=timezone.now(), **self._values):
            raise LeaseLost
        if self._values:
            announce(self.version.document.workspace_id, self.version.document_id)
            self._values = {}


def _mine(version: DocumentVersion) -> QuerySet[DocumentVersion]:
    """The version's row while this worker holds it."""
    return DocumentVersion.objects.filter(pk=version.pk, lease=version.lease, status__in=DocumentVersion.BUSY)


def _still_mine(version: DocumentVersion) -> None:
    """Renew the lease inside a transaction, so that what is written with it stands or falls with the lease."""
    if not _mine(version).update(heartbeat_at=timezone.now()):
        raise LeaseLost


def _drop_leftovers(version: DocumentVersion) -> None:
    """Remove what an attempt that died left behind."""
    with transaction.atomic():
        _still_mine(version)
        version.sections.all().delete()


def _write_sections(version: DocumentVersion, document: CompiledDocument) -> None:
    rows = list(section_rows(version, document))
    for start in range(0, len(rows), BATCH_ROWS):
        with transaction.atomic():
            _still_mine(version)
            Section.objects.bulk_create(rows[start : start + BATCH_ROWS])


@transaction.atomic
def _finish(version: DocumentVersion, document: CompiledDocument, facts: dict[str, Any], card: Linked) -> None:
    """The last transition: ready, with its card, and current unless a newer version is ready already."""
    if not _mine(version).update(status=Status.READY, ready_at=timezone.now(), lease="", **facts):
        raise LeaseLost
    Card.objects.filter(version=version).delete()
    card_row(version, document.card).save()
    row = Document.objects.select_for_update(of=("self",)).select_related("current_version").get(pk=version.document_id)
    if row.current_version is None or row.current_version.number < version.number:
        row.current_version = version
        if row.title == title_from(row.name):
            row.title = storable(document.title, 300) or row.title
        row.save(update_fields=["current_version", "title"])
        show_to_router(row, card)
        want_vectors(row.workspace_id)
    announce(row.workspace_id, row.pk)
