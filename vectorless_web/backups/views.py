"""A workspace as one file, for its owners: asked for, waited for, downloaded."""

from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.backups import services
from vectorless_web.backups.models import WorkspaceExport
from vectorless_web.backups.selectors import export_of
from vectorless_web.documents.views.reader import FileChunks
from vectorless_web.infra.queues.jobs import find_hold
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import mark_seen
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """The owner's export of a workspace, which shows by itself when it is ready, and a button for a new one."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.end_lost()
    row = export_of(request.user, workspace)
    if row and not row.is_open:
        mark_seen(user_id=request.user.pk, kinds=[Kind.EXPORT_ENDED], about=row.pk)
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "export",
        "export": row,
        "days": services.KEPT.days,
        "until": row and row.asked_at + services.KEPT,
        "hold": find_hold(services.QUEUE) if row and row.status == row.Status.QUEUED else None,
    }
    return render(request, "backups/export.html", context)


@require_POST
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the workspace packed."""
    services.ask_for_export(actor=request.user, workspace=workspace_for(request.user, slug, Role.OWNER))
    return redirect("backups:export", slug=slug)


@require_GET
def download(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The owner's own export, as a ZIP file; Problem (404) when there is none."""
    row = export_of(request.user, workspace_for(request.user, slug, Role.OWNER))
    try:
        if row is None or row.status != WorkspaceExport.Status.DONE:
            raise FileNotFoundError
        content = FileChunks(default_storage.open(row.file))
    except FileNotFoundError as error:
        raise Problem(
            "You have no export of this workspace, or it was removed.",
            remedy="Export the workspace under its settings.",
            code="no_export",
            status=404,
        ) from error
    response = StreamingHttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(True, f"{slug}.zip")
    response["Content-Length"] = row.bytes
    return response
