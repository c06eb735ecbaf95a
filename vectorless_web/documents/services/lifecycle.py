"""What may be done to a document that is here, and how versions whose worker was lost, or that are old, are mended."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import CharField, Count, Exists, OuterRef, Q, QuerySet, RestrictedError
from django.db.models.functions import Cast
from django.utils import timezone

from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.documents.line import (
    LONG_READINGS,
    REPAIRED,
    UPLOADS,
    announce,
    enqueue_compile,
    enqueue_job,
    queue_repair,
    start_repair,
)
from vectorless_web.documents.models import Document, DocumentVersion, Folder, FolderGrant
from vectorless_web.documents.selectors import open_folders, same_content, versions_in
from vectorless_web.documents.services.background import READINGS, REPAIRS
from vectorless_web.documents.services.compiled_rows import hide_from_router, show_again
from vectorless_web.documents.services.compiling import CANCELLED, end_as_failed, is_sound, postpone_repair
from vectorless_web.documents.services.keeping.installation import files_standing
from vectorless_web.documents.services.uploads import name_document, retitle
from vectorless_web.documents.storage.files import open_version, size_of
from vectorless_web.engine.documents.artefact import ENGINE_VERSION
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.parsing.scans.recognition import NoRecogniser
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import AuditEvent, PeopleGroup, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import delete_and_record, record
from vectorless_web.workspaces.site import periods_kept

Status = DocumentVersion.Status
Reason = DocumentVersion.RepairReason

GRACE_SECONDS = 5
"""A repair queued more recently than this may not have reached Redis yet."""
LOOKED_AT = 50
"""Versions whose compiled file is looked for in one pass: 10,000 documents take ten minutes at a pass each 3 s,
and a storage over a network is asked 17 times a second."""
MOST_WAITING = 8
"""Repairs that the sweep keeps in the queue: uploads wait in the same line, and must not wait behind an upgrade of
thousands. Twice as many would double that wait; half as many could leave workers idle between two passes."""
MOST_OUTDATED = 2
"""Those among them whose file can still be read: there is no hurry."""
LOST = CompileFailed(
    "Reading this document again was interrupted. Read it again; if it happens once more, ask your administrator to "
    "look at the worker.",
    code="reader_lost",
)


@dataclass(frozen=True)
class RepairCounts:
    """How the compiled files of ready versions stand, in numbers of versions."""

    current: int
    outdated: int
    """Made by another compiler; among them those that are being compiled again."""
    waiting: int
    failed: int


def requeue_repairs() -> int:
    """Queue repairs that lost their job or worker, or are due for another try; how many. The sweep calls it."""
    now = timezone.now()
    stalled = REPAIRS.select_expired().select_related("document")  # Put off like any other failure.
    recovered = REPAIRS.recover(stalled, give_up=partial(postpone_repair, failure=LOST))
    return _requeue_unqueued(now) + LONG_READINGS.admit_all() + recovered + _try_again(now)


class ArtefactPatrol:
    """Looks for missing, empty and outdated compiled files: a few in each pass, then from the start again."""

    def __init__(self) -> None:
        self._after = 0

    def queue_bad_artefacts(self) -> int:
        """One pass: queue what is damaged before what is merely old, never more than a few; how many."""
        busy = _select_ready_versions().filter(repair__in=DocumentVersion.BUSY)
        waiting = busy.exclude(repair_reason=Reason.LATE).count()
        damaged = self._queue_damaged(MOST_WAITING - waiting)
        queued = damaged + _queue_versions(_select_outdated_versions(), MOST_OUTDATED - waiting - damaged)
        return queued + _queue_versions(_select_unrecognised_versions(), MOST_OUTDATED - waiting - queued)

    def _queue_damaged(self, most: int) -> int:
        rows = list(
            _select_ready_versions().filter(pk__gt=self._after).exclude(repair__in=DocumentVersion.BUSY)[:LOOKED_AT]
        )
        self._after = rows[-1].pk if len(rows) == LOOKED_AT else 0
        queued = 0
        for version in rows:
            if not size_of(version.artefact):
                if queued >= most:
                    # The next pass begins with this one.
                    self._after = version.pk - 1
                    break
                queued += queue_repair(version, Reason.DAMAGED)
            elif version.is_broken and version.repair_after is None and is_sound(version):
                # Its file came back, as after storage had been away.
                DocumentVersion.objects.filter(pk=version.pk, repair=Status.FAILED).update(**REPAIRED)
                announce(version.document.workspace_id, version.document_id)
        return queued


def queue_outdated_in(workspace: Workspace, user: User) -> int:
    """Queue what another compiler made, of the documents of a workspace that exist for the user. How many."""
    seen = versions_in(workspace, user).values("pk")
    versions = _select_outdated_versions().filter(pk__in=seen)
    return _queue_versions(versions, versions.count())


def queue_outdated() -> int:
    """Queue every version that another compiler made, all at once: what an operator asks for. How many.

    Those go too whose scanned pages were not read because text recognition was missing, if it is there now.
    """
    both = (_select_outdated_versions(), _select_unrecognised_versions())
    return sum(_queue_versions(versions, versions.count()) for versions in both)


def queue_scanned() -> int:
    """Queue every version with scanned pages, as when the languages of text recognition have changed. How many."""
    scanned = [
        version
        for version in _select_ready_versions().filter(repair="")
        if version.recognised_pages or version.unread_pages
    ]
    return sum(queue_repair(version, Reason.ASKED) for version in scanned)


@dataclass(frozen=True)
class Retitled:
    """A document that is called otherwise now: its number, and both titles."""

    pk: int
    before: str
    title: str


def renew_titles() -> Iterator[Retitled]:
    """Call documents as they are read now that are called as an earlier program read them; each as it is done.

    Those that people named are left alone: a document must have been added here under no title of its own, and never
    renamed, by a record that reaches back to when it was added.
    """
    here = AuditEvent.objects.filter(object_type="document", object_id=Cast(OuterRef("pk"), CharField()))
    imports = AuditEvent.objects.filter(verb="workspace.imported", workspace=OuterRef("workspace"))
    rows = Document.objects.filter(deleted_at=None, current_version__status=Status.READY, current_version__repair="")
    rows = rows.filter(Exists(here.filter(verb="document.added")), ~Exists(here.filter(verb="document.renamed")))
    for pk in list(rows.filter(~Exists(imports)).values_list("pk", flat=True)):
        row = Document.objects.select_related("current_version__card", "workspace").get(pk=pk)
        card, before = getattr(row.current_version, "card", None), row.title
        with transaction.atomic():
            if card is None or not retitle(row, card.title):
                continue
            show_again([row])
            _record(None, "document.retitled", row, {"from": before})
        yield Retitled(row.pk, before, row.title)


def check_artefacts() -> int:
    """Open every compiled file and queue those that cannot be read: what an operator asks for. How many."""
    bad = 0
    for version in _select_ready_versions().iterator():
        try:
            open_version(version)
        except ArtefactDamaged:
            bad += 1
            queue_repair(version, Reason.ASKED)
    return bad


def repair_counts() -> RepairCounts:
    """How many versions are current, outdated, waiting and failed."""
    counts: dict[str, int] = (
        _select_ready_versions()
        .order_by()
        .aggregate(
            current=Count("pk", filter=Q(engine_version=ENGINE_VERSION)),
            outdated=Count("pk", filter=~Q(engine_version=ENGINE_VERSION)),
            waiting=Count("pk", filter=Q(repair__in=DocumentVersion.BUSY)),
            failed=Count("pk", filter=Q(repair=Status.FAILED)),
        )
    )
    return RepairCounts(**counts)


def failed_repairs() -> list[DocumentVersion]:
    """Versions that could not be compiled again, with their documents."""
    return list(_select_ready_versions().filter(repair=Status.FAILED).select_related("document"))


def _select_ready_versions() -> QuerySet[DocumentVersion]:
    """Ready versions of documents that are not deleted, in the order they came."""
    return DocumentVersion.objects.filter(status=Status.READY, document__deleted_at=None).order_by("pk")


def _select_outdated_versions() -> QuerySet[DocumentVersion]:
    return _select_ready_versions().filter(repair="").exclude(engine_version=ENGINE_VERSION)


def _select_unrecognised_versions() -> QuerySet[DocumentVersion]:
    """Those with pages that text recognition can read now and could not then."""
    waiting = _select_ready_versions().filter(repair="", report__awaits_recognition=True)
    if not settings.OCR_PAGES:
        return waiting.none()
    found = find_recogniser(languages=settings.OCR_LANGUAGES, seconds=settings.OCR_SECONDS)
    return waiting.none() if isinstance(found, NoRecogniser) else waiting


def _queue_versions(versions: QuerySet[DocumentVersion], most: int) -> int:
    return sum(queue_repair(version, Reason.OUTDATED) for version in versions[: max(0, most)])


def _requeue_unqueued(now: datetime) -> int:
    """Repairs that wait without a job, as after an outage of Redis."""
    waiting = (
        _select_ready_versions()
        .filter(repair=Status.QUEUED, heartbeat_at__lt=now - timedelta(seconds=GRACE_SECONDS))
        .exclude(repair_reason=Reason.LATE)
    )
    versions = {version.job_id: version for version in waiting}
    gone = jobs.find_lost_jobs(list(versions), queue="documents")
    for job_id in gone:
        enqueue_job(versions[job_id])
    return len(gone)


def _try_again(now: datetime) -> int:
    due = _select_ready_versions().filter(repair=Status.FAILED, repair_after__lt=now)
    return sum(
        start_repair(due.filter(pk=pk), repair_after=None, error_code="", error_message="")
        for pk in due.values_list("pk", flat=True)[:MOST_WAITING]
    )


WORKER_LOST = CompileFailed(
    "Reading this file was interrupted twice. Retry; if it happens again, ask your administrator to look at "
    "the worker.",
    code="reader_lost",
)


def requeue_lost_versions() -> int:
    """Queue again what lost its job; end or queue again what lost its worker. How many rows were touched."""
    stalled = READINGS.select_expired().select_related("document")
    forgive, give_up = partial(_queue_again, requeued=True), partial(end_as_failed, failure=WORKER_LOST)
    return UPLOADS.admit_all() + READINGS.recover(stalled, requeue=forgive, give_up=give_up)


def hand_back_version(version_id: int, job: str) -> bool:
    """Queue a version again whose reading was ended because the site stops; false unless `job` is its present attempt.

    It does not count as an interruption: those end a version the second time.
    """
    active = DocumentVersion.objects.filter(pk=version_id, status__in=DocumentVersion.ACTIVE)
    version = active.select_related("document").first()
    if version is None or version.job_id != job:
        return False
    return _queue_again(READINGS.select_held(version.pk, version.lease), version, requeued=version.requeued)


def _queue_again(rows: QuerySet[DocumentVersion], version: DocumentVersion, *, requeued: bool) -> bool:
    with transaction.atomic():
        queued = rows.update(**READINGS.make_requeued_values(), requeued=requeued)
        if queued:
            version.refresh_from_db()
            enqueue_compile(version)
            announce(version.document.workspace_id, version.document_id)
    return bool(queued)


QUARANTINE_REASON_MAX = 300
"""Characters, as its column holds."""


def delete_document(*, actor: User, document: Document) -> None:
    """Hide a document at once, stop what is reading it, and keep it in the bin so that this can be undone."""
    with transaction.atomic():
        hidden = Document.objects.filter(pk=document.pk, deleted_at=None).update(deleted_at=timezone.now())
        if not hidden:
            return
        hide_from_router(document)
        _record(actor, "document.deleted", document)
    for version in document.versions.filter(status__in=DocumentVersion.BUSY):
        _stop(version)


def restore_document(*, actor: User, document: Document) -> None:
    """Undo a deletion. Problem when the same file was added again meanwhile."""
    newest = document.latest
    if newest is not None and newest.status != Status.FAILED:
        twin = same_content(document.workspace, actor, newest.sha256, newest.bytes)
        if twin is not None:
            raise Problem(
                f"The same file was added again as “{twin.document.title}”.",
                remedy="Delete that one first.",
                code="already_here",
                status=409,
            )
    with transaction.atomic():
        title = name_document(document, document.title)
        rows = Document.objects.filter(pk=document.pk).exclude(deleted_at=None)
        if rows.update(deleted_at=None, title=title):
            document.title = title
            show_again([document])
            _record(actor, "document.restored", document)


def retry_version(*, actor: User, version: DocumentVersion) -> None:
    """Queue a version to be read again: a failed one, or a ready one, which stays readable meanwhile.

    Quiet when a ready one is being read again already. Problem when trying again cannot help.
    """
    if version.status == Status.READY:
        _read_again(actor, version)
        return
    with transaction.atomic():
        queued = DocumentVersion.objects.filter(pk=version.pk, status=Status.FAILED, retryable=True).update(
            status=Status.QUEUED, attempt=version.attempt + 1, requeued=False, heartbeat_at=None, **_CLEARED
        )
        if not queued:
            raise Problem(
                "This file cannot be tried again.",
                remedy="Upload another copy of it.",
                code="not_retryable",
                status=409,
            )
        version.refresh_from_db()
        _record(actor, "document.retried", version.document, {"version": version.number})
        enqueue_compile(version)


@transaction.atomic
def _read_again(actor: User, version: DocumentVersion) -> None:
    if queue_repair(version, DocumentVersion.RepairReason.ASKED):
        _record(actor, "document.retried", version.document, {"version": version.number})


def cancel_version(*, actor: User, version: DocumentVersion) -> bool:
    """Stop the reading of a file; false when it has ended already."""
    stopped = _stop(version)
    if stopped:
        _record(actor, "document.cancelled", version.document, {"version": version.number})
    return stopped


@transaction.atomic
def quarantine_document(*, actor: User, document: Document, reason: str) -> None:
    """Keep a document from answering until it is released; people who may read it still do, and see why.

    Runs that read it before stay as they are. Problem (422) without a reason.
    """
    reason = reason.strip()[:QUARANTINE_REASON_MAX]
    if not reason:
        raise Problem("No reason was given.", remedy="Say why: whoever opens the document reads it.", code="no_reason")
    rows = Document.objects.filter(pk=document.pk, quarantined_at=None)
    if rows.update(quarantined_at=timezone.now(), quarantine_reason=reason):
        _record(actor, "document.quarantined", document, {"reason": reason})


@transaction.atomic
def release_document(*, actor: User, document: Document) -> None:
    """Let a document answer again."""
    rows = Document.objects.filter(pk=document.pk, quarantined_at__isnull=False)
    if rows.update(quarantined_at=None, quarantine_reason=""):
        _record(actor, "document.released", document)


def _record(actor: User | None, verb: str, document: Document, details: dict[str, Any] | None = None) -> None:
    """Record what was done to a document, and tell those who have it open."""
    record(actor=actor, verb=verb, target=document, details=details)
    announce(document.workspace_id, document.pk)


def rename_document(*, actor: User, document: Document, title: str) -> None:
    """Give a document another title; a later version keeps it."""
    before, document.title = document.title, title
    with transaction.atomic():
        document.save(update_fields=["title"])
        show_again([document])
        _record(actor, "document.renamed", document, {"from": before})


@transaction.atomic
def create_folder(*, actor: User, workspace: Workspace, name: str) -> Folder:
    """The folder of that name among those open to who asks, made when there is none."""
    here = open_folders(workspace, actor).filter(name=name).first()
    if here is not None:
        return here
    folder, created = Folder.objects.get_or_create(workspace=workspace, name=name, restricted=False)
    if created:
        record(actor=actor, verb="folder.created", target=folder)
    return folder


@transaction.atomic
def rename_folder(*, actor: User, folder: Folder, name: str) -> None:
    """Give a folder another name. Problem (409) when everyone has another folder of that name."""
    before, folder.name = folder.name, name
    if not folder.restricted:
        _refuse_taken_name(folder)
    folder.save(update_fields=["name"])
    record(actor=actor, verb="folder.renamed", target=folder, details={"from": before})


@transaction.atomic
def delete_folder(*, actor: User, folder: Folder) -> None:
    """Delete a folder that is open to all; its documents stay, in no folder.

    Problem (409) for a restricted one, which keeps from others also what was asked of it, and for one that a source
    puts its documents into.
    """
    if folder.restricted:
        sentence = "A restricted folder keeps its documents, and questions about them, from others."
        raise Problem(sentence, remedy="Let everyone in first.", code="folder_restricted", status=409)
    documents = list(folder.documents.filter(deleted_at=None).values_list("pk", flat=True))
    try:
        delete_and_record(folder, actor=actor, verb="folder.deleted", details={"documents": documents})
    except RestrictedError as error:
        sentence = "Documents come into this folder by themselves."
        raise Problem(sentence, remedy="Have an owner remove the source.", code="folder_in_use", status=409) from error
    for pk in documents:
        announce(folder.workspace_id, pk)


def _refuse_taken_name(folder: Folder) -> None:
    """Problem (409) when there is another folder of this name that is open to all."""
    if folder.workspace.folders.filter(name=folder.name, restricted=False).exclude(pk=folder.pk).exists():
        sentence = f"Everyone has another folder named “{folder.name}” already."
        raise Problem(sentence, remedy="Move the documents there instead.", code="folder_name_taken", status=409)


@transaction.atomic
def restrict_folder(
    *, actor: User, folder: Folder, people: Iterable[Any] = (), groups: Iterable[PeopleGroup] = ()
) -> None:
    """Let a folder's documents exist only for these people and groups, in place of those named before."""
    people, groups = list(people), list(groups)
    Folder.objects.filter(pk=folder.pk).update(restricted=True)
    folder.grants.all().delete()
    FolderGrant.objects.bulk_create(
        [FolderGrant(folder=folder, user=person) for person in people]
        + [FolderGrant(folder=folder, group=group) for group in groups]
    )
    details = {"people": sorted(map(str, people)), "groups": sorted(map(str, groups))}
    record(actor=actor, verb="folder.restricted", target=folder, details=details)


@transaction.atomic
def open_folder(*, actor: User, folder: Folder) -> None:
    """Let a folder's documents exist for all of the workspace again. Problem when there is an open one of its name."""
    _refuse_taken_name(folder)
    if Folder.objects.filter(pk=folder.pk, restricted=True).update(restricted=False):
        folder.grants.all().delete()
        record(actor=actor, verb="folder.opened", target=folder)


@transaction.atomic
def move_documents(*, actor: User, workspace: Workspace, documents: Iterable[Document], folder: Folder | None) -> int:
    """Put documents into a folder, or out of any; how many were moved."""
    ids = [document.pk for document in documents]
    moved = Document.objects.filter(workspace=workspace, pk__in=ids).update(folder=folder)
    _record_many(actor, "documents.moved", workspace, ids, {"folder": folder.name if folder else ""})
    return moved


@transaction.atomic
def tag_documents(*, actor: User, workspace: Workspace, documents: Iterable[Document], tag: str) -> int:
    """Add a tag to documents; how many did not have it yet."""
    changed = [document for document in documents if tag not in document.tags]
    for document in changed:
        document.tags = sorted([*document.tags, tag])
    _store_tags(actor, workspace, changed, {"tag": tag})
    return len(changed)


@transaction.atomic
def set_tags(*, actor: User, document: Document, tags: Iterable[str]) -> None:
    """Give a document these tags in place of those it has."""
    wanted = sorted(set(tags))
    if wanted != document.tags:
        details, document.tags = {"from": document.tags, "to": wanted}, wanted
        _store_tags(actor, document.workspace, [document], details)


def _store_tags(actor: User, workspace: Workspace, changed: list[Document], details: dict[str, Any]) -> None:
    Document.objects.bulk_update(changed, ["tags"])
    show_again(changed)
    _record_many(actor, "documents.tagged", workspace, [document.pk for document in changed], details)


def purge_deleted() -> int:
    """Remove for good what was deleted longer ago than the bin is kept, files included; how many documents.

    Citations keep their quote, page and hash: they let go of the version by themselves. Nothing is removed while
    database and storage do not agree: an older database does not know what was restored since.
    """
    purged = 0
    for days, workspace in periods_kept("bin"):
        rows = Document.objects.filter(deleted_at__lt=timezone.now() - timedelta(days=days)).select_related("workspace")
        if workspace is not None:
            rows = rows.filter(workspace=workspace)
        if not rows.exists() or not files_standing().agrees:
            continue
        for document in rows:
            purge_document(document)
            purged += 1
    return purged


def purge_document(document: Document) -> None:
    """Remove one document for good; its files go when the deletion commits, so no row ever names a missing file."""
    with transaction.atomic():
        hide_from_router(document)
        # Whoever the folder was closed to learns no name from the record, which outlives the folder's document.
        is_restricted = document.folder is not None and document.folder.restricted
        details = {"restricted": True} if is_restricted else {}
        delete_and_record(document, actor=None, verb="document.purged", details=details)


_CLEARED: dict[str, Any] = {
    "error_code": "",
    "error_message": "",
    "retryable": False,
    "lease": "",
    "stage_done": 0,
    "stage_total": 0,
    "waiting_since": None,
    "retry_at": None,
}


def _stop(version: DocumentVersion) -> bool:
    """End a busy version as cancelled, no matter who holds it: its child notices within a second and is killed."""
    busy = DocumentVersion.objects.filter(pk=version.pk, status__in=DocumentVersion.BUSY)
    stopped = end_as_failed(busy, version, CANCELLED)
    if stopped:
        jobs.stop(version.job_id, queue="documents")
        UPLOADS.admit(version.added_by_id)
    return stopped


def _record_many(actor: User, verb: str, workspace: Workspace, ids: list[int], details: dict[str, Any]) -> None:
    if ids:
        record(actor=actor, verb=verb, workspace=workspace, details={**details, "documents": ids})
        for pk in ids:
            announce(workspace.pk, pk)
