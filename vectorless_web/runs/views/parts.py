"""Parts of pages that are fetched on their own: documents to choose from, pages that answers used."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from vectorless_web.documents.selectors import document_for, readable_documents
from vectorless_web.infra.limits import SEARCH_MAX
from vectorless_web.infra.web.htmx import is_htmx
from vectorless_web.infra.web.whole import parse_whole_number
from vectorless_web.runs import selectors
from vectorless_web.runs.forms import AskedForm, choices_of
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def choices(request: HttpRequest, slug: str) -> HttpResponse:
    """Documents to tick: the rows alone for the ask box, a page of its own without a script."""
    place = workspace_for(request.user, slug, Role.MEMBER)
    chosen = AskedForm.read(request.GET).chosen
    ticked = readable_documents(place, request.user).filter(pk__in=chosen).order_by("title", "pk")
    search, page = (
        request.GET.get("q", "").replace("\0", "")[:SEARCH_MAX],
        parse_whole_number(request.GET.get("page")) or 1,
    )
    found = choices_of(place, request.user, ticked, search=search, page=page)
    if is_htmx(request):
        return render(request, "runs/_choices.html", {"workspace": place, "choices": found})
    context = workspace_context(request.user, place, "ask")
    return render(request, "runs/choose.html", {**context, "choices": found})


@require_GET
def used_pages(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    document = document_for(request.user, slug, pk)
    context = {"workspace": document.workspace, "document": document, "used_pages": selectors.used_pages(document)}
    return render(request, "runs/_used_pages.html", context)
