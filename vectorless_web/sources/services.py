"""Sources: set up and switched by owners, looked at in turns by a worker.

A look lists the place and takes in what is new or changed: a new file as a document, a changed one as the next version
of its document. What has gone from the place is told and stays here. A worker's end loses nothing: a file that was
taken in is known again by its content.
"""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from vectorless_web.documents.models import Folder
from vectorless_web.documents.selectors import closed_folders, documents_in
from vectorless_web.documents.services import StoredUpload, add_document, add_version
from vectorless_web.infra.places import Access, Found, Place, PlaceTrouble
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import format_megabytes
from vectorless_web.notices.models import Kind as NoticeKind
from vectorless_web.notices.services import notify
from vectorless_web.sources.models import PATH_MAX, Kind, Source, SourceFile
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, owner_ids, role_in
from vectorless_web.workspaces.services import delete_and_record, record
from vectorless_web.workspaces.services.settings import check_public
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt, encrypt

JOB, QUEUE, JOB_SECONDS = "vectorless_web.sources.jobs.look", "background", 600
"""Looks go behind everything else: nobody waits for them."""
LOOK_SECONDS = 240
"""After so long a look takes in no other file; the next one follows at once, behind what waits."""
SOURCES_MOST = 20
"""Sources of one workspace."""
FILES_MOST = 20_000
"""Files of one source: as many rows are compared at each look."""
FULL = 413
UNREADABLE = 422
Open = Callable[[Access], Place]
State = SourceFile.State


@transaction.atomic
def add_source(
    *, actor: User, workspace: Workspace, access: Access, folder: Folder | None = None, every_minutes: int = 60
) -> Source:
    """A source, switched off, and a first look that counts what would come. Problem (422) for a place that may not be
    read."""
    address = _check_address(access)
    rows = Source.objects.filter(workspace=workspace)
    if rows.count() >= SOURCES_MOST:
        raise Problem(
            f"This workspace has {SOURCES_MOST} sources, which is the most.",
            remedy="Remove one first.",
            code="too_many_sources",
        )
    if rows.filter(address=address).exists():
        raise Problem(
            "This place is a source already.", remedy="Change that source, or give another address.", code="source_here"
        )
    row = Source.objects.create(
        workspace=workspace,
        kind=Kind(access.kind),
        address=address,
        account=access.user,
        encrypted_secret=encrypt(access.secret),
        region=access.region,
        folder=folder,
        every_minutes=every_minutes,
        user_id=actor.pk,
    )
    record(actor=actor, verb="source.added", workspace=workspace, target=row, details={"kind": row.kind})
    _look_now(row)
    return row


def _check_address(access: Access) -> str:
    if access.kind == Kind.FOLDER:
        path = os.path.normpath(access.address.strip())
        roots = [Path(root) for root in settings.SOURCE_FOLDERS]
        if not any(Path(path).is_relative_to(root) for root in roots):
            where = ", ".join(map(str, roots)) or "none; your administrator may allow some (VECTORLESS_SOURCE_FOLDERS)"
            raise Problem(
                "The folder is not below those that are allowed.",
                remedy=f"Give one below: {where}.",
                code="folder_not_allowed",
            )
        return path
    address = check_public(
        access.address, allowed=settings.ALLOW_PRIVATE_SOURCE_HOSTS, setting="VECTORLESS_ALLOW_PRIVATE_SOURCE_HOSTS"
    )
    if access.kind == Kind.S3 and not urlsplit(address).path.strip("/"):
        raise Problem(
            "The address names no bucket.",
            remedy="Name the bucket in the address: https://server/bucket/path.",
            code="no_bucket",
        )
    return address


@transaction.atomic
def switch_source(*, actor: User, source: Source, on: bool) -> None:
    """Switch a source on, in the name of whoever does so, or off."""
    Source.objects.filter(pk=source.pk).update(enabled=on, user=actor.pk, due_at=None)
    record(
        actor=actor,
        verb="source.switched_on" if on else "source.switched_off",
        workspace=source.workspace,
        target=source,
    )
    if on:
        _look_now(source)


@transaction.atomic
def change_secret(*, actor: User, source: Source, account: str, secret: str) -> None:
    """Replace user and secret of a source, and look whether they are right."""
    Source.objects.filter(pk=source.pk).update(account=account, encrypted_secret=encrypt(secret))
    record(actor=actor, verb="source.secret_changed", workspace=source.workspace, target=source)
    _look_now(source)


@transaction.atomic
def look_again(*, actor: User, source: Source) -> None:
    """Look now, and try what failed once more."""
    source.rows.filter(state=State.FAILED).update(mark="")
    record(actor=actor, verb="source.looked_at", workspace=source.workspace, target=source)
    _look_now(source)


def remove_source(*, actor: User, source: Source) -> None:
    """Remove a source with its list of files; its documents stay."""
    delete_and_record(source, actor=actor, verb="source.removed", workspace=source.workspace)


def _look_now(source: Source) -> None:
    source.due_at = timezone.now()
    Source.objects.filter(pk=source.pk).update(due_at=source.due_at)
    _enqueue(source)


def queue_due() -> int:
    """Queue the looks that are due, also those whose job or worker was lost; how many."""
    now = timezone.now()
    rows = Source.objects.filter(_free(), due_at__lte=now, workspace__deleted_at=None, workspace__archived_at=None)
    due = {_job_id(row): row for row in rows}
    lost = jobs.find_lost_jobs(list(due), queue=QUEUE)
    for name in lost:
        _enqueue(due[name])
    return len(lost)


def _free() -> Q:
    return Q(looking_until=None) | Q(looking_until__lte=timezone.now())


def _enqueue(source: Source) -> None:
    jobs.enqueue(JOB, source.pk, queue=QUEUE, job_id=_job_id(source), seconds=JOB_SECONDS)


def _job_id(source: Source) -> str:
    return f"source-{source.pk}-{source.due_at.timestamp() if source.due_at else 0:.0f}"


def look(source_id: int, *, open_place: Open, seconds: float = LOOK_SECONDS) -> None:
    """Look at a source: list its files and, when it is on, take in what is new or changed."""
    began = timezone.now()
    rows = Source.objects.filter(_free(), pk=source_id, due_at__lte=began, workspace__deleted_at=None)
    if not rows.update(looking_until=began + timedelta(seconds=JOB_SECONDS)):
        return
    source = Source.objects.select_related("workspace", "folder", "user").get(pk=source_id)
    values: dict[str, object] = {"error": ""}
    is_whole = True
    try:
        place = open_place(_access(source))
        found = _list(place)
        values |= {"files": len(found), "bytes": sum(file.size for file in found.values())}
        if source.enabled:
            _check_rights(source)
            is_whole = _take_in(source, place, found, time.monotonic() + seconds)
    except PlaceTrouble as trouble:
        values = {"error": str(trouble)[:400]}
        if source.enabled and not source.error:  # told once, and again only after it could be read
            notify(
                people=owner_ids(source.workspace),
                kind=NoticeKind.SOURCE_FAILED,
                workspace_id=source.workspace_id,
                about=source.pk,
            )
    ended = timezone.now()
    due = ended + timedelta(minutes=source.every_minutes) if is_whole else ended
    Source.objects.filter(pk=source.pk).update(looked_at=ended, looking_until=None, **values)
    # Whoever asked for another look meanwhile, or switched it off, has set another time.
    Source.objects.filter(pk=source.pk, due_at=source.due_at).update(due_at=due if source.enabled else None)


def _access(source: Source) -> Access:
    try:
        secret = decrypt(source.encrypted_secret)
    except SecretUnreadable as error:
        raise PlaceTrouble("The secret cannot be read with this site's key. Enter it again.") from error
    return Access(source.kind, source.address, source.account, secret, source.region)


def _list(place: Place) -> dict[str, Found]:
    files = list(islice(place.list_files(), FILES_MOST + 1))
    if len(files) > FILES_MOST:
        raise PlaceTrouble(f"It has more than {FILES_MOST:,} files. Make a source of each of its parts.")
    return {file.path: file for file in files if len(file.path) <= PATH_MAX}


def _check_rights(source: Source) -> None:
    """PlaceTrouble when who switched it on may not put documents there any more."""
    user, closed = source.user, closed_folders(source.user_id)
    is_owner = user is not None and user.is_active and role_in(source.workspace, user) == Role.OWNER
    is_closed = source.folder is not None and source.folder in closed
    if not is_owner or is_closed:
        raise PlaceTrouble(
            "Who switched it on does not own this workspace any more, or may not see the folder. "
            "Another owner may switch it off and on."
        )


def _take_in(source: Source, place: Place, found: dict[str, Found], until: float) -> bool:
    """Take in what is new or changed, and tell what is gone; false when time ran out before the end."""
    known = {row.path: row for row in source.rows.all()}
    gone = [row.pk for path, row in known.items() if path not in found and row.state != State.GONE]
    for first in range(0, len(gone), 500):
        source.rows.filter(pk__in=gone[first : first + 500]).update(state=State.GONE, at=timezone.now())
    for path, file in sorted(found.items()):
        row = known.get(path) or SourceFile(source=source, path=path)
        if row.pk and row.mark == file.mark:
            if row.state == State.GONE:
                _keep(row, State.HERE)  # it is back, as it was
            continue
        if time.monotonic() > until:
            return False
        _take_in_file(source, place, file, row)
    return True


def _take_in_file(source: Source, place: Place, file: Found, row: SourceFile) -> None:
    most = settings.UPLOAD_MAX_BYTES
    row.size, row.mark, row.error = file.size, file.mark[:200], ""
    if file.size > most:
        row.error = f"It has {format_megabytes(file.size)}; the limit is {format_megabytes(most)}."
        return _keep(row, State.FAILED)
    try:
        with place.open_file(file.path) as opened:
            stored, is_version = _store(source, row, File(opened, name=file.path))
    except PlaceTrouble as trouble:
        row.mark, row.error = "", str(trouble)[:300]
        return _keep(row, State.FAILED)
    except Problem as problem:
        if problem.status == FULL:
            raise PlaceTrouble(problem.message) from problem
        row.mark, row.error = file.mark[:200] if problem.status == UNREADABLE else "", problem.message[:300]
        return _keep(row, State.FAILED)
    row.document = stored.document
    return _keep(row, State.HERE if not stored.added else State.CHANGED if is_version else State.CAME)


def _store(source: Source, row: SourceFile, file: File) -> tuple[StoredUpload, bool]:
    """The file as a version of the document that its path came as, else as a document of its own."""
    user = source.user
    before = documents_in(source.workspace, user).filter(pk=row.document_id).first() if row.document_id else None
    if before is not None:
        return add_version(document=before, user=user, upload=file), True
    return add_document(workspace=source.workspace, user=user, upload=file, folder=source.folder), False


def _keep(row: SourceFile, state: State) -> None:
    row.state, row.at = state, timezone.now()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:  # the source was removed meanwhile, and its list with it
        return
