"""How much a workspace may store: its uploads and what was made of them."""

from django.conf import settings
from django.db.models import Max, Sum

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Workspace


def stored_bytes(workspace: Workspace) -> int:
    """Bytes of all uploads and compiled files of a workspace, with those of deleted documents that can come back.

    An upload that several versions share counts once.
    """
    versions = DocumentVersion.objects.filter(document__workspace=workspace)
    files = versions.exclude(file="").order_by().values("file").annotate(size=Max("bytes"))
    uploads = files.aggregate(total=Sum("size"))["total"] or 0
    compiled = versions.exclude(artefact="").aggregate(total=Sum("artefact_bytes"))["total"] or 0
    return int(uploads + compiled)


def check_room(workspace: Workspace, size: int) -> None:
    """Problem (413) when a file of `size` bytes is more than the workspace may still store."""
    most = settings.WORKSPACE_MAX_BYTES
    if not most:
        return
    used = stored_bytes(workspace)
    if used + size > most:
        raise Problem(
            f"This workspace uses {_amount(used)} of the {_amount(most)} it may store; this file has {_amount(size)}. "
            "Delete documents for good, or ask your administrator for more room.",
            code="workspace_full",
            status=413,
        )


def _amount(size: int) -> str:
    """Bytes in words: "1.5 GB", "3.2 MB", "96.0 KB"."""
    for unit, name in ((2**30, "GB"), (2**20, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 2**10:.1f} KB"
