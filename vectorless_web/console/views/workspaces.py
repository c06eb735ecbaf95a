"""Workspaces: how large each is, opening one for an hour, its limits, the archive and the bin."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse

from vectorless_web.console.forms import LimitsForm
from vectorless_web.console.subjects import work
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.web.pages import go_saying, go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import services
from vectorless_web.workspaces.forms import DeleteForm

SEE, CHANGE, VISIT = "workspaces.view_workspace", "workspaces.change_workspace", "workspaces.add_visit"


@staff_page(SEE)
def show_all(request: HttpRequest) -> HttpResponse:
    """Every workspace with its size, those in the bin last."""
    return show_page(request, "workspaces", {"workspaces": work.list_workspaces(request.GET.get("page", "1"))})


@staff_page(SEE)
def show(request: HttpRequest, pk: int) -> HttpResponse:
    """One workspace."""
    return _page(request, pk)


def _page(request: HttpRequest, pk: int, problem: Problem | None = None, **forms: Any) -> HttpResponse:
    place = work.find_workspace(pk)
    made = {"limits": LimitsForm.of(place.workspace), "deletion": DeleteForm(workspace=place.workspace)}
    context = {"place": place, "problem": problem, **made, **forms}
    return show_page(request, "workspaces", context, template="console/workspace.html")


@staff_act(VISIT)
def visit(request: HttpRequest, pk: int) -> HttpResponse:
    """Open a workspace for an hour; its owners are shown who did, and why."""
    workspace = work.find_workspace(pk).workspace
    try:
        services.begin_visit(actor=request.user, workspace=workspace, reason=request.POST.get("reason", ""))
    except Problem as problem:
        return _page(request, pk, problem)
    return go_to(request, "runs:workspace", slug=workspace.slug)


@staff_act(VISIT)
def end_visit(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a workspace again before the hour is over."""
    services.end_visit(actor=request.user, workspace=work.find_workspace(pk).workspace)
    return go_saying(request, "The workspace is closed to you again.", "console:workspace", pk=pk)


@staff_act(CHANGE)
def limit(request: HttpRequest, pk: int) -> HttpResponse:
    """Say how much a workspace may store."""
    form = LimitsForm(request.POST)
    if not form.is_valid():
        return _page(request, pk, limits=form)
    services.limit_workspace(actor=request.user, workspace=work.find_workspace(pk).workspace, **form.limits())
    return go_saying(request, "The limits were set.", "console:workspace", pk=pk)


@staff_act(CHANGE)
def archive(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a workspace be read alone."""
    services.archive_workspace(actor=request.user, workspace=work.find_workspace(pk).workspace)
    return go_saying(request, "The workspace can be read, and nothing in it changes.", "console:workspace", pk=pk)


@staff_act(CHANGE)
def reopen(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a workspace out of the archive."""
    services.reopen_workspace(actor=request.user, workspace=work.find_workspace(pk).workspace)
    return go_saying(request, "The workspace is in use again.", "console:workspace", pk=pk)


@staff_act("workspaces.delete_workspace")
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a workspace into the bin, once its name was typed."""
    workspace = work.find_workspace(pk).workspace
    form = DeleteForm(request.POST, workspace=workspace)
    if not form.is_valid():
        return _page(request, pk, deletion=form)
    services.delete_workspace(actor=request.user, workspace=workspace)
    messages.success(request, f"{workspace.name} is in the bin for {workspace.BIN_DAYS} days.")
    return go_to(request, "console:workspace", pk=pk)


@staff_act("workspaces.delete_workspace")
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a workspace out of the bin."""
    try:
        services.restore_workspace(actor=request.user, workspace=work.find_workspace(pk).workspace)
    except Problem as problem:
        return _page(request, pk, problem)
    return go_saying(request, "The workspace is back, with everything in it.", "console:workspace", pk=pk)
