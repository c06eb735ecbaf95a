"""Search by meaning and section summaries in a workspace's settings: on and off, their cost, how the work stands."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents import background, services
from vectorless_web.documents.background import (
    estimate_summaries,
    summary_choice_of,
    summary_model_of,
    summary_progress_of,
)
from vectorless_web.documents.forms import EmbeddingForm
from vectorless_web.documents.models import EmbeddingChoice
from vectorless_web.documents.selectors import closed_folders, open_to
from vectorless_web.infra.site.local_model import find_local_model
from vectorless_web.infra.web.pages import go_to, is_htmx
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspace_context, workspace_for


@require_GET
def embedding(request: HttpRequest, slug: str) -> HttpResponse:
    """What is chosen, how it stands, and the form."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = EmbeddingForm(instance=background.embedding_of(workspace), workspace=workspace)
    return _embedding_page(request, workspace, form)


@require_GET
def embedding_status(request: HttpRequest, slug: str) -> HttpResponse:
    """The state of the work as a fragment; the page fetches it again while work goes on."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return render(request, "documents/_embedding.html", _embedding_context(request.user, workspace))


@require_POST
def choose_embedding(request: HttpRequest, slug: str) -> HttpResponse:
    """Store which model to embed with; nothing is sent anywhere yet."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = EmbeddingForm(request.POST, instance=background.embedding_of(workspace), workspace=workspace)
    if not form.is_valid():
        return _embedding_page(request, workspace, form, status=422)
    services.choose_embedding(actor=request.user, choice=form.save(commit=False))
    messages.success(request, "The embedding model was chosen. Nothing is sent to it before you switch it on.")
    return go_to(request, "documents:embedding", slug=slug)


@require_POST
def switch_embedding_on(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin to embed all documents."""
    workspace, choice = _find_embedding(request, slug)
    services.switch_on(actor=request.user, choice=choice)
    messages.success(request, "Search by meaning is on. Questions use it as documents become ready for it.")
    return go_to(request, "documents:embedding", slug=workspace.slug)


@require_POST
def switch_embedding_off(request: HttpRequest, slug: str) -> HttpResponse:
    """Stop, and delete the stored vectors."""
    workspace, choice = _find_embedding(request, slug)
    services.switch_off(actor=request.user, choice=choice)
    messages.success(request, "Search by meaning is off, and its vectors were deleted.")
    return go_to(request, "documents:embedding", slug=workspace.slug)


@require_POST
def remove_embedding(request: HttpRequest, slug: str) -> HttpResponse:
    """Forget the choice with everything that was made by it."""
    workspace, choice = _find_embedding(request, slug)
    services.remove_embedding(actor=request.user, choice=choice)
    messages.success(request, "The embedding model and its vectors were removed.")
    return go_to(request, "documents:embedding", slug=workspace.slug)


@require_POST
def retry_embedding(request: HttpRequest, slug: str) -> HttpResponse:
    """Go on at once after a pause, and embed once more what failed."""
    workspace, choice = _find_embedding(request, slug)
    services.retry_embedding(actor=request.user, choice=choice)
    return _answer_embedding(request, workspace)


@require_POST
def test_embedding(request: HttpRequest, slug: str) -> HttpResponse:
    """Have a worker try the model; the page asks again until the result is there."""
    workspace, choice = _find_embedding(request, slug)
    services.start_embedding_test(actor=request.user, choice=choice)
    return _answer_embedding(request, workspace)


def _find_embedding(request: HttpRequest, slug: str) -> tuple[Workspace, EmbeddingChoice]:
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return workspace, background.embedding_in(workspace)


def _answer_embedding(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    if is_htmx(request):
        return render(request, "documents/_embedding.html", _embedding_context(request.user, workspace))
    return go_to(request, "documents:embedding", slug=workspace.slug)


def _embedding_context(user: User, workspace: Workspace) -> dict[str, Any]:
    choice = background.embedding_of(workspace)
    shown: dict[str, Any] = {"workspace": workspace, "choice": choice, "closed": _count_closed(user, workspace)}
    if choice is None:
        return shown
    if choice.enabled:
        seen = open_to(user, "version__document__folder")
        return {**shown, "progress": background.embedding_progress_of(choice, seen)}
    return {**shown, "estimate": services.estimate(workspace, choice.price, open_to(user, "document__folder"))}


def _embedding_page(
    request: HttpRequest, workspace: Workspace, form: EmbeddingForm, *, status: int = 200
) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        **_embedding_context(request.user, workspace),
        "tab": "models",
        "form": form,
        "local": find_local_model(),
    }
    return render(request, "documents/embedding.html", context, status=status)


@require_GET
def summaries(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether sections are summarised, what it costs, and how it stands."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    context = {
        **workspace_context(request.user, workspace, "settings"),
        **_summaries_context(request.user, workspace),
        "tab": "models",
    }
    return render(request, "documents/summaries.html", context)


@require_GET
def summaries_status(request: HttpRequest, slug: str) -> HttpResponse:
    """The state of the work as a fragment; the page fetches it again while work goes on."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return render(request, "documents/_summaries.html", _summaries_context(request.user, workspace))


@require_POST
def switch_summaries_on(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin to summarise the sections of all documents."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.switch_summaries_on(actor=request.user, workspace=workspace)
    messages.success(request, "Section summaries are on. They are shown as documents become ready.")
    return go_to(request, "documents:summaries", slug=slug)


@require_POST
def switch_summaries_off(request: HttpRequest, slug: str) -> HttpResponse:
    """Stop, and show the lines to nobody."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.switch_summaries_off(actor=request.user, workspace=workspace)
    messages.success(request, "Section summaries are off. Outlines show the first words of sections again.")
    return go_to(request, "documents:summaries", slug=slug)


@require_POST
def retry_summaries(request: HttpRequest, slug: str) -> HttpResponse:
    """Go on at once after a pause, and try once more what failed."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.retry_summaries(actor=request.user, workspace=workspace)
    if is_htmx(request):
        return render(request, "documents/_summaries.html", _summaries_context(request.user, workspace))
    return go_to(request, "documents:summaries", slug=slug)


def _summaries_context(user: User, workspace: Workspace) -> dict[str, Any]:
    choice, model = summary_choice_of(workspace), summary_model_of(workspace)
    closed = _count_closed(user, workspace)
    shown: dict[str, Any] = {"workspace": workspace, "choice": choice, "model": model, "closed": closed}
    if choice is not None and choice.enabled:
        return {**shown, "progress": summary_progress_of(workspace, open_to(user, "version__document__folder"))}
    seen = open_to(user, "document__folder")
    return {**shown, "estimate": estimate_summaries(workspace, model, seen) if model else None}


def _count_closed(user: User, workspace: Workspace) -> int:
    """Folders whose documents are worked on too, and are in none of the numbers that this owner is shown."""
    return closed_folders(user.pk, [workspace.pk]).count()
