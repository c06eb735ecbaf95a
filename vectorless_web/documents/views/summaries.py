"""Section summaries in a workspace's settings: what they would cost, on and off, how writing them stands."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents import services
from vectorless_web.documents.summaries import (
    estimate_summaries,
    summary_choice_of,
    summary_model_of,
    summary_progress_of,
)
from vectorless_web.infra.web.pages import go_to, is_htmx
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def summaries(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether sections are summarised, what it costs, and how it stands."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    context = {**workspace_context(request.user, workspace, "settings"), **_status(workspace), "tab": "models"}
    return render(request, "documents/summaries.html", context)


@require_GET
def status(request: HttpRequest, slug: str) -> HttpResponse:
    """The state of the work as a fragment; the page fetches it again while work goes on."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return render(request, "documents/_summaries.html", _status(workspace))


@require_POST
def switch_on(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin to summarise the sections of all documents."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.switch_summaries_on(actor=request.user, workspace=workspace)
    messages.success(request, "Section summaries are on. They are shown as documents become ready.")
    return go_to(request, "documents:summaries", slug=slug)


@require_POST
def switch_off(request: HttpRequest, slug: str) -> HttpResponse:
    """Stop, and show the lines to nobody."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.switch_summaries_off(actor=request.user, workspace=workspace)
    messages.success(request, "Section summaries are off. Outlines show the first words of sections again.")
    return go_to(request, "documents:summaries", slug=slug)


@require_POST
def retry(request: HttpRequest, slug: str) -> HttpResponse:
    """Go on at once after a pause, and try once more what failed."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.retry_summaries(actor=request.user, workspace=workspace)
    if is_htmx(request):
        return render(request, "documents/_summaries.html", _status(workspace))
    return go_to(request, "documents:summaries", slug=slug)


def _status(workspace: Workspace) -> dict[str, Any]:
    choice, model = summary_choice_of(workspace), summary_model_of(workspace)
    shown: dict[str, Any] = {"workspace": workspace, "choice": choice, "model": model}
    if choice is not None and choice.enabled:
        return {**shown, "progress": summary_progress_of(workspace)}
    return {**shown, "estimate": estimate_summaries(workspace, model) if model else None}
