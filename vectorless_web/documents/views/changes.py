"""What changed between two versions of a document."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from vectorless_web.documents import selectors
from vectorless_web.documents.forms import ChangesForm
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.rendering.changes import MOST_NODES, compare_versions, show_changes
from vectorless_web.documents.views.rights import document_shown_to
from vectorless_web.infra.web.pages import is_htmx
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context

PAGE_SIZE = 100
"""Differences on one page."""


@document_shown_to(Role.VIEWER)
def show(request: HttpRequest, document: Document) -> HttpResponse:
    """The differences between the versions `?from=` and `?to=`; unless told, of the newest one from that before it."""
    ready = selectors.ready_versions(document)
    form = ChangesForm(request.GET, numbers=[version.number for version in ready])
    is_valid = form.is_valid()
    older, newer = _choose_versions(ready, form.cleaned_data) if is_valid else (None, None)
    context = {
        **workspace_context(request.user, document.workspace, "documents"),
        "document": document,
        "ready": ready,
        "older": older,
        "newer": newer,
        "problems": sorted({str(error) for errors in form.errors.values() for error in errors}),
        **(_compare(request, older, newer) if older and newer else {}),
    }
    template = "documents/_changes.html" if is_htmx(request) else "documents/changes.html"
    return render(request, template, context, status=200 if is_valid else 422)


def _choose_versions(
    ready: list[DocumentVersion], asked: dict[str, Any]
) -> tuple[DocumentVersion | None, DocumentVersion | None]:
    """(older, newer): those asked for; else the newest, and the one read before it."""
    by_number = {version.number: version for version in ready}
    newer = by_number.get(asked["to"] or 0) or next(iter(ready), None)
    before = (version for version in ready if newer is not None and version.number < newer.number)
    return by_number.get(asked["from"] or 0) or next(before, None), newer


def _compare(request: HttpRequest, older: DocumentVersion, newer: DocumentVersion) -> dict[str, Any]:
    changes = compare_versions(older, newer)
    page = Paginator(changes.found, PAGE_SIZE).get_page(request.GET.get("page"))
    return {
        "counts": changes.counts,
        "is_cut": changes.is_cut,
        "most_nodes": MOST_NODES,
        "page": page,
        "sections": show_changes(older, newer, list(page.object_list)),
    }
