"""The list of documents, and the panel that says how reading them stands."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from vectorless_web.documents import selectors
from vectorless_web.documents.forms import ListForm
from vectorless_web.documents.services.uploads import ACCEPTED, format_megabytes
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspace_context, workspace_for

STATUS_LABELS = [("ready", "Ready"), ("busy", "Being read"), ("failed", "Failed")]
DELETED_LABEL = (selectors.DELETED, "Deleted")


@require_GET
def list_documents(request: HttpRequest, slug: str) -> HttpResponse:
    """The documents of a workspace, a page at a time."""
    workspace = workspace_for(request.user, slug)
    query = ListForm(request.GET).query()
    context = list_context(request.user, workspace, query)
    return render(request, "documents/list.html", context)


@require_GET
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """How reading stands, for the workspace's page."""
    workspace = workspace_for(request.user, slug)
    counts = selectors.card_context(workspace, request.user)
    return render(request, "documents/_card.html", {"workspace": workspace, **counts})


def list_context(user: User, workspace: Workspace, query: selectors.ListQuery) -> dict[str, Any]:
    """Everything the list shows, in a number of queries that does not grow with the documents."""
    page = selectors.listed_documents(workspace, user, query)
    totals = selectors.totals_of(workspace, user)
    folders = selectors.folders_of(workspace)
    return {
        **workspace_context(user, workspace, "documents"),
        "documents": page,
        "total": totals.documents,
        "total_pages": totals.pages,
        "folders": folders,
        "folder": next((folder for folder in folders if folder.pk == query.folder), None),
        "tags": selectors.tags_of(workspace, user),
        "tag": query.tag,
        "status": query.status,
        "statuses": STATUS_LABELS + ([DELETED_LABEL] if workspace.allows(Role.EDITOR) else []),
        "query": query.search,
        "sort": query.sort,
        "upload_max": format_megabytes(settings.UPLOAD_MAX_BYTES),
        "formats": f"{ACCEPTED}.",
    }
