"""Files of workspaces for their owners: asked for, packed by a worker, kept for some days."""

import tempfile
from datetime import timedelta
from functools import partial
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from vectorless_web.backups.folder import BackupError
from vectorless_web.backups.models import WorkspaceExport
from vectorless_web.backups.workspace_file import export_workspace
from vectorless_web.documents.storage.files import delete_stored, list_stored
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import notify
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspace_for
from vectorless_web.workspaces.services import record

Status = WorkspaceExport.Status
JOB, QUEUE = "vectorless_web.backups.jobs.pack_workspace", "long"
JOB_SECONDS = 6 * 3600
"""Packing may take so long: 500 GB at 25 MB a second."""
FOLDER = "exports"
"""Of the storage. Backups leave it out: what is in it can be packed again."""
KEPT = timedelta(days=3)
"""Half of it is over after a weekend; twice keeps copies of closed documents around for longer."""
JUST_ASKED = timedelta(minutes=1)
"""Within it an export may have no job yet: that follows the commit."""


@transaction.atomic
def ask_for_export(*, actor: User, workspace: Workspace) -> WorkspaceExport:
    """Have a worker pack what exists of a workspace for its owner; their file before goes.

    Problem (409) while that is still being packed.
    """
    end_lost()
    mine = WorkspaceExport.objects.filter(workspace=workspace, user_id=actor.pk or 0)
    _remove(mine.exclude(status__in=WorkspaceExport.OPEN))
    try:
        row = WorkspaceExport.objects.create(
            workspace=workspace, user_id=actor.pk or 0, file=f"{FOLDER}/{workspace.pk}-{uuid4().hex}.zip"
        )
    except IntegrityError:
        raise Problem(
            "Your export of this workspace is under way.",
            remedy="Wait until it has ended.",
            code="export_under_way",
            status=409,
        ) from None
    record(actor=actor, verb="workspace.export_asked", workspace=workspace, target=workspace)
    jobs.enqueue(JOB, row.pk, queue=QUEUE, job_id=_job(row.pk), seconds=JOB_SECONDS)
    return row


def pack_workspace(pk: int) -> None:
    """Pack a workspace by the rights that its owner has now, and tell them; a second delivery exits quietly."""
    rows = WorkspaceExport.objects.filter(pk=pk)
    if not rows.filter(status=Status.QUEUED).update(status=Status.RUNNING):
        return
    row = rows.select_related("workspace", "user").get()
    size, outcome = 0, ""
    try:
        workspace = workspace_for(row.user, row.workspace.slug, Role.OWNER)
        settings.CACHE_ROOT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.CACHE_ROOT) as packed:
            counts = export_workspace(actor=row.user, workspace=workspace, target=packed)
            size = packed.tell()
            packed.seek(0)
            default_storage.save(row.file, File(packed))
        if counts.missing:
            outcome = f"It is without what the storage has lost: {', '.join(counts.missing)}."
        status = Status.DONE
    except (Http404, PermissionDenied):
        status, outcome = Status.FAILED, "The workspace was deleted, or you do not own it any more."
    except (BackupError, Problem) as error:
        status, outcome = Status.FAILED, str(error)
    except OSError as error:
        status = Status.FAILED
        outcome = f"The file could not be written: {error.strerror or error}. Tell an administrator of the site."
    if rows.filter(status=Status.RUNNING).update(status=status, bytes=size, outcome=outcome):
        notify(people=[row.user_id], kind=Kind.EXPORT_ENDED, workspace_id=row.workspace_id, about=pk)
    else:  # It counted as lost, or its workspace was removed meanwhile.
        delete_stored(row.file)


def end_lost() -> int:
    """End exports whose job is gone with its worker, or was never in the queue; how many."""
    rows = WorkspaceExport.objects.filter(
        status__in=WorkspaceExport.OPEN, asked_at__lt=timezone.now() - JUST_ASKED
    ).values_list("pk", flat=True)
    names = {_job(pk): pk for pk in rows}
    lost = [names[name] for name in jobs.find_lost_jobs(list(names), queue=QUEUE)]
    outcome = "The worker that packed it is gone. Export it again."
    return rows.filter(pk__in=lost).update(status=Status.FAILED, outcome=outcome)


def tidy_exports() -> int:
    """Remove exports that were kept long enough, and files that no export names any more; how many files."""
    end_lost()
    old = WorkspaceExport.objects.filter(asked_at__lt=timezone.now() - KEPT).exclude(status__in=WorkspaceExport.OPEN)
    _remove(old)
    stored = set(list_stored(FOLDER))
    unnamed = stored - set(WorkspaceExport.objects.values_list("file", flat=True))
    for name in unnamed:
        delete_stored(name)
    return len(unnamed)


def _remove(rows: QuerySet[WorkspaceExport]) -> None:
    """Remove exports; a file that outlives its row, as when the process is killed here, is removed by the sweep."""
    files = list(rows.values_list("file", flat=True))
    rows.delete()
    for name in files:
        transaction.on_commit(partial(delete_stored, name), robust=True)


def _job(pk: int) -> str:
    return f"export-{pk}"
