"""A workspace as one file, for its owners."""

import tempfile

from django.conf import settings
from django.core.files import File
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST

from vectorless_web.backups.workspace_file import count_bytes, export_workspace
from vectorless_web.documents.views.reader import FileChunks
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_for


@require_POST
def export(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """What exists of a workspace for its owner, as a ZIP file. Problem (413) when that is too much for a page."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    if count_bytes(workspace, request.user) > settings.ARCHIVE_MAX_BYTES:
        raise Problem(
            "This workspace is too large to be packed while you wait.",
            remedy="Ask an administrator of the site for its file (manage.py export_workspace).",
            code="workspace_too_large",
            status=413,
        )
    settings.CACHE_ROOT.mkdir(parents=True, exist_ok=True)
    packed = tempfile.TemporaryFile(dir=settings.CACHE_ROOT)  # noqa: SIM115 - the response closes it
    try:
        export_workspace(actor=request.user, workspace=workspace, target=packed)
    except BaseException:
        packed.close()
        raise
    size = packed.tell()
    packed.seek(0)
    response = StreamingHttpResponse(FileChunks(File(packed)), content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(True, f"{workspace.slug}.zip")
    response["Content-Length"] = size
    return response
