"""Making a workspace, its settings, and deleting it."""

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.web.htmx import go_to
from vectorless_web.workspaces import services
from vectorless_web.workspaces.forms import DeleteForm, SettingsForm, WorkspaceForm
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for, workspaces_of


@require_GET
def new(request: HttpRequest) -> HttpResponse:
    """The form for a new workspace."""
    return _new_page(request, WorkspaceForm())


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Make a workspace; whoever makes it owns it."""
    form = WorkspaceForm(request.POST)
    if not form.is_valid():
        return _new_page(request, form, status=422)
    workspace = services.create_workspace(user=request.user, **form.cleaned_data)
    return go_to(request, "runs:workspace", slug=workspace.slug)


@require_GET
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Name, description and limits."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _settings_page(request, workspace, SettingsForm(instance=workspace))


@require_POST
def save_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Change name, description and limits."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = SettingsForm(request.POST, instance=workspace_for(request.user, slug, Role.OWNER))
    if not form.is_valid():
        return _settings_page(request, workspace, form, status=422)
    services.update_workspace(
        actor=request.user,
        workspace=workspace,
        name=form.cleaned_data["name"],
        description=form.cleaned_data["description"],
        settings=form.limits(),
    )
    messages.success(request, "The settings were saved.")
    return go_to(request, "workspaces:settings", slug=slug)


@require_GET
def danger(request: HttpRequest, slug: str) -> HttpResponse:
    """The page from which a workspace is deleted."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _danger_page(request, workspace, DeleteForm(workspace=workspace))


@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a workspace for good, once its name was typed."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = DeleteForm(request.POST, workspace=workspace)
    if not form.is_valid():
        return _danger_page(request, workspace, form, status=422)
    services.delete_workspace(actor=request.user, workspace=workspace)
    messages.success(request, f"{workspace.name} was deleted.")
    return go_to(request, "/")


def _new_page(request: HttpRequest, form: BaseForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "my_workspaces": workspaces_of(request.user)}
    return render(request, "workspaces/create.html", context, status=status)


def _settings_page(request: HttpRequest, workspace: Workspace, form: BaseForm, status: int = 200) -> HttpResponse:
    context = {**workspace_context(request.user, workspace, "settings"), "form": form, "tab": "general"}
    return render(request, "workspaces/settings.html", context, status=status)


def _danger_page(request: HttpRequest, workspace: Workspace, form: BaseForm, status: int = 200) -> HttpResponse:
    context = {**workspace_context(request.user, workspace, "settings"), "form": form, "tab": "danger"}
    return render(request, "workspaces/danger.html", context, status=status)
