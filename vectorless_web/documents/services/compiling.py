"""Compiling one version: claimed, watched, stored and ended by conditional updates under its lease.

A ready version is compiled again the same way (a repair): it stays ready and current meanwhile, `repair`
stands for its status, and what was compiled before is replaced in one transaction at the end.
"""

import logging
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from vectorless_web.documents.compiling.process import (
    UNPACKER,
    CompileFailed,
    Finished,
    Order,
    StageProgress,
    compile_folder,
    run_child,
)
from vectorless_web.documents.line import (
    LONG_READINGS,
    REPAIRED,
    UPLOADS,
    announce,
    queue_repair,
    reading_seconds,
)
from vectorless_web.documents.models import Card, Document, DocumentVersion, Section
from vectorless_web.documents.selectors import list_uploaded_with
from vectorless_web.documents.services.background import READINGS, REPAIRS, compile_lease
from vectorless_web.documents.services.compiled_rows import (
    Linked,
    card_row,
    clean_for_database,
    link_card,
    section_rows,
    show_to_router,
    starters_of,
    version_facts,
)
from vectorless_web.documents.services.embedding import carry_vectors, name_carried, want_vectors
from vectorless_web.documents.services.enclosing import TOO_DEEP, add_enclosed, is_too_deep
from vectorless_web.documents.services.summarising import want_summaries
from vectorless_web.documents.services.uploads import has_first_title, is_titled_after, retitle, tell_title_apart
from vectorless_web.documents.storage.files import (
    check_reachable,
    delete_stored,
    file_sha256,
    local_copy,
    open_artefact,
    store_artefact,
    translate_storage_errors,
)
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.parsing.packed.enclosed import HOLDERS
from vectorless_web.engine.parsing.sniff import ZIP
from vectorless_web.infra import happenings
from vectorless_web.infra.leases import LeaseLost, write_under_lease
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.outages import (
    DATABASE_AWAY,
    DATABASE_BUSY,
    STORAGE_AWAY,
    Outage,
    outage_of,
    retry_through_outage,
)
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import add_to_notice, notify

Status = DocumentVersion.Status
Reason = DocumentVersion.RepairReason
logger = logging.getLogger(__name__)

News = Generator[StageProgress | Finished | None, None, None]
Compile = Callable[[Order], News]
UNPACK: Compile = partial(run_child, module=UNPACKER)

HEARTBEAT_SECONDS = 1.0
"""Seconds between two writes of progress: pages show it about once a second, and each write takes the lock of
SQLite."""
INTERNAL = CompileFailed(
    "Something went wrong inside the program while reading this file; the log has the details. Try again.",
    code="internal_error",
)
UPLOAD_MISSING = CompileFailed(
    "The uploaded file is missing from storage, although the storage is there. Ask your administrator to restore it "
    "and try again, or upload it again.",
    code="upload_missing",
)
WAITS = {
    STORAGE_AWAY: "The file storage cannot be reached at the moment. The file is read as soon as the storage is back.",
    DATABASE_AWAY: "The database was away while this file was read. It is read again by itself.",
    DATABASE_BUSY: "The database was busy for too long while this file was read. It is read again by itself.",
}
FIRST_RETRY, LAST_RETRY = timedelta(seconds=3), timedelta(minutes=5)
"""A short outage delays a file by seconds, a long one does not fill the queue with tries."""
LONGEST_OUTAGE = timedelta(days=1)
"""How long a file waits for storage or a database that is away before it fails: over a night."""
LOST_ORIGINAL = (
    "The original file of this document is missing from storage, so it cannot be read again. "
    "Upload the same file once more: it takes its place, and nothing else changes."
)
UPLOAD_ALTERED = CompileFailed(
    "The original file of this document was altered in storage, so it cannot be read again. "
    "Upload the same file once more: it takes its place, and nothing else changes.",
    code="upload_altered",
    retryable=False,
)
REPAIR_WAITS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
"""How long after each failure a repair is tried again: storage that is away comes back, a crash may have been bad
luck; what failed four times in over an hour needs somebody."""
BATCH_ROWS = 500
"""Sections written in one transaction: SQLite has a single write lock, and runs need it every few milliseconds."""


def compile_version(version_id: int, *, compile_with: Compile = run_child, unpack_with: Compile = UNPACK) -> None:
    """Compile a queued version to its end, ready or failed, or repair a ready one. A second delivery exits quietly.

    What nobody expected ends the version as failed as well, and is raised for the worker's log.
    """
    version = _claim(version_id)
    if version is None:
        return
    try:
        with compile_folder() as folder:
            if version.is_being_repaired:
                _recompile(version, folder, compile_with)
            else:
                _compile(version, folder, compile_with, unpack_with)
    except CompileFailed as failure:
        _fail(version, failure)
    except LeaseLost:
        return
    except Exception as error:
        outage = outage_of(error)
        if outage is not None and outage.passes:
            logger.warning("version %d waits: %s", version_id, error)
            retry_through_outage(partial(requeue_after_outage, version, outage))
            return
        logger.exception("version %d could not be compiled", version_id)
        _fail(version, INTERNAL if outage is None else _failure_by(outage))
        raise
    finally:
        (LONG_READINGS if version.is_long else UPLOADS).admit(version.added_by_id)


def requeue_after_outage(version: DocumentVersion, outage: Outage) -> None:
    """Let the version wait for the end of an outage; the sweep queues it again. Nothing of it is lost.

    The longer it has waited, the longer until the next try; after a day of that it has
    failed, and can be tried again by hand.
    """
    if version.is_being_repaired:
        fail_version(version, CompileFailed(WAITS[outage], code=outage.code))
        return
    now = timezone.now()
    since = min(version.waiting_since or now, now)
    if now - since > LONGEST_OUTAGE:
        fail_version(version, _failure_by(outage))
        return
    pause = min(max(now - since, FIRST_RETRY), LAST_RETRY)
    compile_lease(version).select_held().update(
        **READINGS.make_requeued_values(),
        error_code=outage.code,
        error_message=WAITS[outage],
        waiting_since=since,
        retry_at=now + pause,
    )
    announce(version.document.workspace_id, version.document_id)


def _fail(version: DocumentVersion, failure: CompileFailed) -> None:
    retry_through_outage(partial(fail_version, version, failure))


def _failure_by(outage: Outage) -> CompileFailed:
    return CompileFailed(outage.message, code=outage.code)


def fail_version(version: DocumentVersion, failure: CompileFailed) -> bool:
    """Write the failed end under the version's lease; false when another owns it. Nothing of the attempt is kept."""
    end = postpone_repair if version.is_being_repaired else end_as_failed
    return end(compile_lease(version).select_held(), version, failure)


CANCELLED = CompileFailed("Reading was stopped. Retry to read the file again, or remove it.", code="cancelled")


def end_as_failed(rows: QuerySet[DocumentVersion], version: DocumentVersion, failure: CompileFailed) -> bool:
    """End the version as failed if it is still among `rows`, with nothing left of what was compiled.

    The upload goes too unless trying again can help.
    """
    gone: dict[str, Any] = {"artefact": "", "artefact_sha256": "", "waiting_since": None, "retry_at": None}
    gone |= {} if failure.retryable else {"file": ""}
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
        if failure is not CANCELLED and version.added_by_id is not None:
            _tell_failure(version, version.added_by_id)
        about = {"document": version.document_id, "version": version.number, "code": failure.code}
        happenings.tell("document.failed", workspace_id=version.document.workspace_id, about=about)
        announce(version.document.workspace_id, version.document_id)
    drop_unnamed(artefact, *([] if failure.retryable else [file]))
    return True


def _tell_failure(version: DocumentVersion, person: int) -> None:
    """Tell who added it, together with other files of the same upload that failed."""
    place, document = version.document.workspace_id, version.document_id
    beside = list_uploaded_with([document], person)
    kind = Kind.DOCUMENT_FAILED
    if not add_to_notice(user_id=person, kind=kind, workspace_id=place, beside=beside, about=document):
        notify(people=[person], kind=kind, workspace_id=place, about=document)


def drop_unnamed(*names: str) -> None:
    """Remove those stored uploads and artefacts that no version refers to: a corrected version shares its file."""
    for name in names:
        if not DocumentVersion.objects.filter(Q(file=name) | Q(artefact=name)).exists():
            delete_stored(name)


def _claim(version_id: int) -> DocumentVersion | None:
    """Take a version that waits to be read, or a ready one that waits for a repair; None when neither is to be had."""
    undeleted = Q(document__deleted_at=None)
    cleared = {"stage_done": 0, "stage_total": 0, "error_code": "", "error_message": "", "retryable": False}
    claimed = READINGS.claim(version_id, only=undeleted, take=UPLOADS.take, **cleared, retry_at=None) or REPAIRS.claim(
        version_id, only=undeleted, repair_tries=F("repair_tries") + 1
    )
    if not claimed:
        return None
    version = DocumentVersion.objects.select_related("document").get(pk=version_id)
    announce(version.document.workspace_id, version.document_id)
    return version


def _compile(version: DocumentVersion, folder: Path, compile_with: Compile, unpack_with: Compile) -> None:
    with write_under_lease(compile_lease(version)):
        version.sections.all().delete()  # What an attempt that died left behind.
    target = folder / "artefact"
    order = _make_order(version, _upload_of(version), target)
    finished = _follow_child(version, compile_with(order), order.path)
    with translate_storage_errors():
        name, digest = store_artefact(target, f"compiled/{version.sha256}-{ENGINE_VERSION}-{version.lease[:8]}")
    stored = {"artefact": name, "artefact_sha256": digest, "artefact_bytes": target.stat().st_size}
    if not retry_through_outage(lambda: compile_lease(version).select_held().update(**stored)):
        drop_unnamed(name)
        raise LeaseLost
    document = open_artefact(name, digest)
    retry_through_outage(lambda: _write_sections(version, document))
    facts = version_facts(document, seconds=finished.seconds, peak_mb=finished.peak_mb)
    if document.media_type in HOLDERS:
        unpacking = replace(order, target=folder / "enclosed", media_type=document.media_type)
        facts["report"] |= _take_out(version, unpacking, unpack_with, facts["report"]["warnings"])
    retry_through_outage(lambda: _finish(version, document, facts, link_card(version.document, document)))


def _make_order(version: DocumentVersion, path: Path, target: Path) -> Order:
    name, seconds = version.document.name, reading_seconds(version)
    return Order(path, name, target, corrections=version.corrections, reading_seconds=seconds)


def _take_out(version: DocumentVersion, order: Order, unpack_with: Compile, remarks: list[str]) -> dict[str, Any]:
    """Add the files within an archive or a message as documents; what the report says of them.

    A message whose attachments cannot be taken out is kept without them; an archive is nothing else, and fails.
    """
    if is_too_deep(version.document):
        return {"warnings": [*remarks, TOO_DEEP]}
    version.mime = order.media_type
    try:
        _follow_child(version, unpack_with(order), order.path)
    except CompileFailed as failure:
        if version.mime == ZIP:
            raise
        return {"warnings": [*remarks, f"Its attachments could not be taken out. {failure.message}"]}
    heartbeat = Heartbeat(version)
    counts = add_enclosed(
        version,
        order.target,
        tick=lambda done, total: heartbeat.on(StageProgress(Status.UNPACKING, done, total)),
    )
    if counts["refused"]:
        told = f"{counts['refused']:,} of {counts.total():,} files in it were refused; the list of its files says why."
        remarks = [*remarks, told]
    return {"warnings": remarks, "enclosed": dict(counts)}


def _upload_of(version: DocumentVersion) -> Path:
    name = version.file.name or ""
    try:
        with translate_storage_errors():
            path = local_copy(name, version.sha256)
            path.stat()
    except FileNotFoundError as error:
        raise UPLOAD_MISSING from error
    except ArtefactDamaged as error:
        raise UPLOAD_ALTERED from error
    return path


def _follow_child(version: DocumentVersion, news: News, path: Path) -> Finished:
    """Follow the child to its end; a file that went away under it is missing, or its storage is away."""
    try:
        return _watch(version, news)
    except FileNotFoundError as error:
        if path.exists():
            raise
        check_reachable()
        raise UPLOAD_MISSING from error


def _watch(version: DocumentVersion, news: News) -> Finished:
    """Follow the child to its end: each stage and at least each second's count becomes a row; LeaseLost stops it."""
    heartbeat = Heartbeat(version)
    with closing(news) as events:
        for event in events:
            if isinstance(event, Finished):
                return event
            heartbeat.on(event)
    raise CompileFailed("The reader ended without a result. Try again.", code="reader_crashed")


class Heartbeat:
    """Renews the lease of one version and writes its progress: at each new stage, else at most once in BEAT_SECONDS."""

    def __init__(self, version: DocumentVersion) -> None:
        self.version = version
        self._written_at = 0.0
        self._field = "repair" if version.is_being_repaired else "status"
        self._stage: str = Status.PARSING
        self._values: dict[str, Any] = {}

    def on(self, progress: StageProgress | None) -> None:
        """Handle progress of the child, or None for a tick. Raises LeaseLost when another worker holds the version."""
        if progress is not None:
            new_stage = progress.stage != self._stage
            self._stage = progress.stage
            self._values = {self._field: progress.stage, "stage_done": progress.done, "stage_total": progress.total}
            if new_stage:
                self._written_at = 0.0
        if time.monotonic() - self._written_at >= HEARTBEAT_SECONDS:
            self._write()

    def _write(self) -> None:
        self._written_at = time.monotonic()
        if compile_lease(self.version).renew_if_reachable(**self._values) and self._values:
            announce(self.version.document.workspace_id, self.version.document_id)
            self._values = {}


def _write_sections(version: DocumentVersion, document: CompiledDocument) -> None:
    rows = list(section_rows(version, document))
    for start in range(0, len(rows), BATCH_ROWS):
        with write_under_lease(compile_lease(version)):
            # A batch may have been committed although the news of it did not come.
            Section.objects.bulk_create(rows[start : start + BATCH_ROWS], ignore_conflicts=True)


def _recompile(version: DocumentVersion, folder: Path, compile_with: Compile) -> None:
    """Compile a ready version again from its original, unless its file turns out to be sound."""
    is_wanted = version.repair_reason in (Reason.ASKED, Reason.LATE) or version.awaits_recognition
    if not is_wanted and is_sound(version):
        _keep(version)
        return
    target = folder / "artefact"
    order = _make_order(version, _original_of(version), target)
    finished = _watch(version, compile_with(order))
    name, digest = store_artefact(target, f"compiled/{version.sha256}-{ENGINE_VERSION}-{version.lease[:8]}")
    try:
        document = open_artefact(name, digest)
        facts = version_facts(document, seconds=finished.seconds, peak_mb=finished.peak_mb)
        facts["artefact_bytes"] = target.stat().st_size
        # A busy machine may read less in an hour than it read in a minute before.
        reads_less = len(facts["report"]["unread"]) > version.unread_pages
        if version.repair_reason == Reason.LATE and reads_less and is_sound(version):
            _keep(version)
            drop_unnamed(name)
            return
        _replace(version, (name, digest), document, facts)
    except BaseException:
        drop_unnamed(name)
        raise
    drop_unnamed(version.artefact)


def _keep(version: DocumentVersion) -> None:
    """End the repair of a version whose compiled file stays as it is."""
    compile_lease(version).select_held().update(engine_version=ENGINE_VERSION, **REPAIRED)
    announce(version.document.workspace_id, version.document_id)


def is_sound(version: DocumentVersion) -> bool:
    """Whether the compiled file can be read and is what this program's compiler makes."""
    try:
        return open_artefact(version.artefact, version.artefact_sha256).engine == ENGINE_VERSION
    except ArtefactDamaged:
        return False


def _original_of(version: DocumentVersion) -> Path:
    """The uploaded file, as it was when it was stored."""
    path = _upload_of(version)
    if file_sha256(path) != version.sha256:
        raise UPLOAD_ALTERED
    return path


def _replace(
    version: DocumentVersion, stored: tuple[str, str], document: CompiledDocument, facts: dict[str, Any]
) -> None:
    """Let what was compiled anew take the place of what was there, all of it or nothing."""
    card = link_card(version.document, document)
    name, digest = stored
    carried, starters = carry_vectors(version, digest, document), starters_of(document)
    with transaction.atomic():
        compiled = {"artefact": name, "artefact_sha256": digest, **facts, **REPAIRED}
        if not compile_lease(version).select_held().update(**compiled):
            raise LeaseLost
        version.sections.all().delete()
        Section.objects.bulk_create(section_rows(version, document), batch_size=BATCH_ROWS)
        earlier = Card.objects.filter(version=version).first()
        Card.objects.filter(version=version).delete()
        new = card_row(version, document.card, starters)
        new.save()
        row = Document.objects.get(pk=version.document_id)
        if row.current_version_id == version.pk and row.deleted_at is None:
            if earlier is not None and is_titled_after(row, earlier.title):
                retitle(row, new.title)
            show_to_router(row, card)
        name_carried(carried)
        announce(row.workspace_id, row.pk)


def postpone_repair(rows: QuerySet[DocumentVersion], version: DocumentVersion, failure: CompileFailed) -> bool:
    """Record a failed repair if the version is still among `rows`, and schedule the next try by REPAIR_WAITS.

    The version stays what it was; what can still be read of it can be read.
    """
    left = REPAIR_WAITS[version.repair_tries - 1 :]
    after = timezone.now() + left[0] if left else None
    message = LOST_ORIGINAL if failure.code == "upload_missing" else failure.message
    ended = rows.update(
        repair=Status.FAILED, error_code=failure.code, error_message=message, repair_after=after, lease=""
    )
    if ended:
        announce(version.document.workspace_id, version.document_id)
    return bool(ended)


@transaction.atomic
def _finish(version: DocumentVersion, document: CompiledDocument, facts: dict[str, Any], card: Linked) -> None:
    """The last transition: ready, with its card, and current unless a newer version is ready already."""
    starters = starters_of(document)  # Before the first statement: it takes time, and no lock is held yet.
    ready = {"status": Status.READY, "ready_at": timezone.now(), "lease": "", "waiting_since": None}
    if not compile_lease(version).select_held().update(**ready, **facts):
        raise LeaseLost
    Card.objects.filter(version=version).delete()
    card_row(version, document.card, starters).save()
    row = Document.objects.select_for_update(of=("self",)).select_related("current_version").get(pk=version.document_id)
    if row.current_version is None or row.current_version.number < version.number:
        row.current_version = version
        own = clean_for_database(document.title, TITLE_MAX)
        if own and has_first_title(row):
            row.title = tell_title_apart(row, own)
        row.save(update_fields=["current_version", "title"])
        show_to_router(row, card)
        want_vectors(row.workspace_id)
        want_summaries(row.workspace_id)
    version.refresh_from_db()
    if version.was_late and settings.COMPILE_READING_SECONDS > settings.COMPILE_FIRST_SECONDS:
        queue_repair(version, Reason.LATE)
    about = {"document": row.pk, "version": version.number, "pages": version.pages}
    happenings.tell("document.ready", workspace_id=row.workspace_id, about=about)
    announce(row.workspace_id, row.pk)
