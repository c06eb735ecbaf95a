"""Mends versions: those whose worker or job was lost, and ready ones that must be compiled again."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.documents.line import (
    REPAIRED,
    UPLOADS,
    announce,
    enqueue_compile,
    enqueue_job,
    queue_repair,
    start_repair,
)
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services.compiling import end_as_failed, is_sound, postpone_repair
from vectorless_web.documents.services.leases import READINGS, REPAIRS
from vectorless_web.documents.storage.files import open_version, size_of
from vectorless_web.engine.documents.artefact import ENGINE_VERSION
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.parsing.scans.recognition import NoRecogniser
from vectorless_web.infra.queues import jobs

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
    retryable=True,
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
    return _requeue_unqueued(now) + _recover_stalled() + _try_again(now)


class ArtefactPatrol:
    """Looks for missing, empty and outdated compiled files: a few in each pass, then from the start again."""

    def __init__(self) -> None:
        self._after = 0

    def queue_bad_artefacts(self) -> int:
        """One pass: queue what is damaged before what is merely old, never more than a few; how many."""
        waiting = _select_ready_versions().filter(repair__in=DocumentVersion.BUSY).count()
        damaged = self._queue_damaged(MOST_WAITING - waiting)
        queued = damaged + _queue_outdated(MOST_OUTDATED - waiting - damaged)
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


def queue_outdated() -> int:
    """Queue every version that another compiler made, all at once: what an operator asks for. How many.

    Those go too whose scanned pages were not read because text recognition was missing, if it is there now.
    """
    outdated = _queue_outdated(_select_outdated_versions().count())
    unrecognised = _select_unrecognised_versions()
    return outdated + _queue_versions(unrecognised, unrecognised.count())


def queue_scanned() -> int:
    """Queue every version with scanned pages, as when the languages of text recognition have changed. How many."""
    scanned = [
        version
        for version in _select_ready_versions().filter(repair="")
        if version.recognised_pages or version.unread_pages
    ]
    return sum(queue_repair(version, Reason.ASKED) for version in scanned)


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


def _queue_outdated(most: int) -> int:
    return _queue_versions(_select_outdated_versions(), most)


def _queue_versions(versions: QuerySet[DocumentVersion], most: int) -> int:
    return sum(queue_repair(version, Reason.OUTDATED) for version in versions[: max(0, most)])


def _requeue_unqueued(now: datetime) -> int:
    """Repairs that wait without a job, as after an outage of Redis."""
    waiting = _select_ready_versions().filter(
        repair=Status.QUEUED, heartbeat_at__lt=now - timedelta(seconds=GRACE_SECONDS)
    )
    versions = {version.job_id: version for version in waiting}
    gone = jobs.find_lost_jobs(list(versions), queue="documents")
    for job_id in gone:
        enqueue_job(versions[job_id])
    return len(gone)


def _recover_stalled() -> int:
    """Repairs that lost their worker: put off like any other failure."""
    stalled = REPAIRS.select_expired().select_related("document")
    return REPAIRS.recover(stalled, give_up=partial(postpone_repair, failure=LOST))


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
    retryable=True,
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
