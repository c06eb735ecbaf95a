"""Search by meaning in a workspace's settings: choosing the model, on and off, how embedding stands."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents import embeddings, services
from vectorless_web.documents.forms import EmbeddingForm
from vectorless_web.documents.models import EmbeddingChoice
from vectorless_web.infra.site.local_model import find_local_model
from vectorless_web.infra.web.pages import go_to, is_htmx
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def embedding(request: HttpRequest, slug: str) -> HttpResponse:
    """What is chosen, how it stands, and the form."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = EmbeddingForm(instance=embeddings.embedding_of(workspace), workspace=workspace)
    return _page(request, workspace, form)


@require_GET
def status(request: HttpRequest, slug: str) -> HttpResponse:
    """The state of the work as a fragment; the page fetches it again while work goes on."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return render(request, "documents/_embedding.html", _status(workspace))


@require_POST
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Store which model to embed with; nothing is sent anywhere yet."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = EmbeddingForm(request.POST, instance=embeddings.embedding_of(workspace), workspace=workspace)
    if not form.is_valid():
        return _page(request, workspace, form, status=422)
    services.choose_embedding(actor=request.user, choice=form.save(commit=False))
    messages.success(request, "The embedding model was chosen. Nothing is sent to it before you switch it on.")
    return go_to(request, "documents:embedding", slug=slug)


@require_POST
def switch_on(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin to embed all documents."""
    workspace, choice = _find_choice(request, slug)
    services.switch_on(actor=request.user, choice=choice)
    messages.success(request, "Search by meaning is on. Questions use it as documents become ready for it.")
    return go_to(request, "documents:embedding", slug=workspace.slug)


@require_POST
def switch_off(request: HttpRequest, slug: str) -> HttpResponse:
    """Stop, and delete the stored vectors."""
    workspace, choice = _find_choice(request, slug)
    services.switch_off(actor=request.user, choice=choice)
    messages.success(request, "Search by meaning is off, and its vectors were deleted.")
    return go_to(request, "documents:embedding", slug=workspace.slug)


@require_POST
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Forget the choice with everything that was made by it."""
    workspace, choice = _find_choice(request, slug)
    services.remove_embedding(actor=request.user, choice=choice)
    messages.success(request, "The embedding model and its vectors were removed.")
    return go_to(request, "documents:embedding", slug=workspace.slug)


@require_POST
def retry(request: HttpRequest, slug: str) -> HttpResponse:
    """Go on at once after a pause, and embed once more what failed."""
    workspace, choice = _find_choice(request, slug)
    services.retry_embedding(actor=request.user, choice=choice)
    return _answer(request, workspace)


@require_POST
def test(request: HttpRequest, slug: str) -> HttpResponse:
    """Have a worker try the model; the page asks again until the result is there."""
    workspace, choice = _find_choice(request, slug)
    services.start_embedding_test(actor=request.user, choice=choice)
    return _answer(request, workspace)


def _find_choice(request: HttpRequest, slug: str) -> tuple[Workspace, EmbeddingChoice]:
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return workspace, embeddings.embedding_in(workspace)


def _answer(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    if is_htmx(request):
        return render(request, "documents/_embedding.html", _status(workspace))
    return go_to(request, "documents:embedding", slug=workspace.slug)


def _status(workspace: Workspace) -> dict[str, Any]:
    choice = embeddings.embedding_of(workspace)
    shown: dict[str, Any] = {"workspace": workspace, "choice": choice}
    if choice is None:
        return shown
    if choice.enabled:
        return {**shown, "progress": embeddings.progress_of(choice)}
    return {**shown, "estimate": services.estimate(workspace, choice.price)}


def _page(request: HttpRequest, workspace: Workspace, form: EmbeddingForm, *, status: int = 200) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        **_status(workspace),
        "tab": "models",
        "form": form,
        "local": find_local_model(),
    }
    return render(request, "documents/embedding.html", context, status=status)
