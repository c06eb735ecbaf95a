"""Sources under a workspace's settings: the list, one with its files, and the acts of owners."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents.selectors import folder_named, folders_of
from vectorless_web.infra.web.problems import Problem
from vectorless_web.sources import services
from vectorless_web.sources.forms import SecretForm, SourceForm
from vectorless_web.sources.models import Source
from vectorless_web.sources.selectors import show_files, source_in, sources_of
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def sources(request: HttpRequest, slug: str) -> HttpResponse:
    """The sources of a workspace, and a form for another."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _list(request, workspace, SourceForm(folders=folders_of(workspace, request.user)))


@require_POST
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a source and have it looked at."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = SourceForm(request.POST, folders=folders_of(workspace, request.user))
    if not form.is_valid():
        return _list(request, workspace, form, status=422)
    try:
        row = services.add_source(
            actor=request.user,
            workspace=workspace,
            access=form.access(),
            folder=folder_named(workspace, request.user, form.cleaned_data["folder"]),
            every_minutes=form.cleaned_data["every_minutes"],
        )
    except Problem as problem:
        form.add_error("address", problem.message)
        return _list(request, workspace, form, status=problem.status)
    return redirect("sources:source", slug=slug, pk=row.pk)


@require_GET
def source(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One source: its state, what came, changed, failed and went."""
    return _show(request, "sources/source.html", _find(request, slug, pk))


@require_GET
def state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The fragment that renews itself while a look is under way."""
    return _show(request, "sources/_state.html", _find(request, slug, pk))


@require_POST
def look(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Look now."""
    services.look_again(actor=request.user, source=_find(request, slug, pk))
    return redirect("sources:source", slug=slug, pk=pk)


@require_POST
def switch(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Switch a source on or off."""
    row = _find(request, slug, pk)
    services.switch_source(actor=request.user, source=row, on=request.POST.get("on") == "yes")
    return redirect("sources:source", slug=slug, pk=pk)


@require_POST
def secret(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Replace user and secret."""
    row, form = _find(request, slug, pk), SecretForm(request.POST)
    if form.is_valid():
        services.change_secret(actor=request.user, source=row, **form.cleaned_data)
    return redirect("sources:source", slug=slug, pk=pk)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a source; its documents stay."""
    row = _find(request, slug, pk)
    services.remove_source(actor=request.user, source=row)
    messages.info(request, _("Nothing comes from %(address)s any more. Its documents stay.") % {"address": row.address})
    return redirect("sources:sources", slug=slug)


def _find(request: HttpRequest, slug: str, pk: int) -> Source:
    return source_in(workspace_for(request.user, slug, Role.OWNER), request.user, pk)


def _list(request: HttpRequest, workspace: Workspace, form: SourceForm, *, status: int = 200) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "sources",
        "form": form,
        "sources": sources_of(workspace, request.user),
    }
    return render(request, "sources/sources.html", context, status=status)


def _show(request: HttpRequest, template: str, row: Source) -> HttpResponse:
    workspace = workspace_for(request.user, row.workspace.slug, Role.OWNER)
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "sources",
        "source": row,
        "form": SecretForm(initial={"account": row.account}),
        **show_files(row, request.user, request.GET.get("state", "")),
    }
    return render(request, template, context)
