"""Folder access: which folders are restricted, and to whom. Owners govern it, without seeing what lies in a folder."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents import selectors, services
from vectorless_web.documents.forms import FolderAccessForm
from vectorless_web.documents.models import Folder
from vectorless_web.infra.web.pages import go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def folders(request: HttpRequest, slug: str) -> HttpResponse:
    """All folders with who may see each."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return render(request, "documents/folder_access.html", _context(request, workspace))


@require_GET
def folder(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The form that says who may see a folder."""
    workspace, found = _find_folder(request, slug, pk)
    return _folder_page(
        request, workspace, found, FolderAccessForm(workspace=workspace, folder=found, user=request.user)
    )


@require_POST
def restrict(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Restrict a folder to those who were ticked."""
    workspace, found = _find_folder(request, slug, pk)
    form = FolderAccessForm(request.POST, workspace=workspace, folder=found, user=request.user)
    if not form.is_valid():
        return _folder_page(request, workspace, found, form, status=422)
    services.restrict_folder(actor=request.user, folder=found, **form.cleaned_data)
    messages.success(request, f"The documents of {found.name} exist only for those named now.")
    return go_to(request, "documents:folder_access", slug=slug)


@require_POST
def open_to_all(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let everyone in the workspace see a folder again."""
    workspace, found = _find_folder(request, slug, pk)
    try:
        services.open_folder(actor=request.user, folder=found)
    except Problem as problem:
        form = FolderAccessForm(workspace=workspace, folder=found, user=request.user)
        return problem.mark(_folder_page(request, workspace, found, form, problem=problem))
    messages.success(request, f"Everyone here may see {found.name} now.")
    return go_to(request, "documents:folder_access", slug=slug)


def _find_folder(request: HttpRequest, slug: str, pk: int) -> tuple[Workspace, Folder]:
    workspace = workspace_for(request.user, slug, Role.OWNER)
    found = selectors.governed_folder(workspace, pk)
    found.workspace = workspace
    return workspace, found


def _context(request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
    shown = selectors.governed_folders(workspace)
    return {**workspace_context(request.user, workspace, "settings"), "tab": "folders", "folders": shown}


def _folder_page(
    request: HttpRequest,
    workspace: Workspace,
    found: Folder,
    form: FolderAccessForm,
    *,
    status: int = 200,
    problem: Problem | None = None,
) -> HttpResponse:
    context = {**_context(request, workspace), "folder": found, "form": form, "problem": problem}
    return render(request, "documents/folder_access_one.html", context, status=status)
