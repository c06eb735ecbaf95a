"""Documents in a workspace's settings: search by meaning, section summaries, and who may see which folder."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from vectorless_web.documents import background, selectors, services
from vectorless_web.documents.background import (
    estimate_summaries,
    summary_choice_of,
    summary_model_of,
    summary_progress_of,
)
from vectorless_web.documents.forms import EmbeddingForm, FolderAccessForm
from vectorless_web.documents.models import Folder
from vectorless_web.documents.selectors import closed_folders, open_to
from vectorless_web.infra.web.pages import go_saying, go_to, is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspace_context
from vectorless_web.workspaces.views.rights import done_by, shown_to
from vectorless_web.workspaces.views.settings import Tab


@dataclass(frozen=True, slots=True)
class Work:
    """Work in the background that a workspace switches on: its page, how it stands as a fragment, and its acts.

    `state` is what page and fragment show somebody of how the work stands; `subject` what the services of its acts
    are about.
    """

    tab: Tab
    fragment: str
    state: Callable[[User, Workspace], dict[str, Any]]
    subject: Callable[[Workspace], dict[str, Any]]

    def show(
        self, request: HttpRequest, workspace: Workspace, form: BaseForm | None = None, *, status: int = 200
    ) -> HttpResponse:
        """The page of the work, with its form if it has one."""
        return self.tab.show(request, workspace, form, status=status, **self.state(request.user, workspace))

    def show_state(self, request: HttpRequest, workspace: Workspace) -> HttpResponse:
        """The fragment that tells how far the work is; the page fetches it again while work goes on."""
        return render(request, self.fragment, self.state(request.user, workspace))

    def carry_out(
        self, request: HttpRequest, workspace: Workspace, act: Callable[..., object], said: str = ""
    ) -> HttpResponse:
        """Have a service act on the work; then the page, with what is said of it, or the fragment alone."""
        act(actor=request.user, **self.subject(workspace))
        if said:
            return self.tab.leave(request, workspace, said)
        if is_htmx(request):
            return self.show_state(request, workspace)
        return go_to(request, self.tab.address, slug=workspace.slug)


@shown_to(Role.OWNER)
def embedding(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Search by meaning: which model is chosen, how far its vectors are, and the form."""
    form = EmbeddingForm(instance=background.embedding_of(workspace), workspace=workspace)
    return EMBEDDING.show(request, workspace, form)


@shown_to(Role.OWNER)
def embedding_status(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """How many documents are embedded, as a fragment."""
    return EMBEDDING.show_state(request, workspace)


@done_by(Role.OWNER)
def choose_embedding(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Store which model to embed with; nothing is sent anywhere yet."""
    form = EmbeddingForm(request.POST, instance=background.embedding_of(workspace), workspace=workspace)
    if not form.is_valid():
        return EMBEDDING.show(request, workspace, form, status=422)
    services.choose_embedding(actor=request.user, choice=form.save(commit=False))
    said = "The embedding model was chosen. Nothing is sent to it before you switch it on."
    return EMBEDDING.tab.leave(request, workspace, said)


@done_by(Role.OWNER)
def switch_embedding_on(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Begin to embed all documents."""
    said = "Search by meaning is on. Questions use it as documents become ready for it."
    return EMBEDDING.carry_out(request, workspace, services.switch_on, said)


@done_by(Role.OWNER)
def switch_embedding_off(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Stop, and delete the stored vectors."""
    said = "Search by meaning is off, and its vectors were deleted."
    return EMBEDDING.carry_out(request, workspace, services.switch_off, said)


@done_by(Role.OWNER)
def remove_embedding(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Forget the choice with everything that was made by it."""
    said = "The embedding model and its vectors were removed."
    return EMBEDDING.carry_out(request, workspace, services.remove_embedding, said)


@done_by(Role.OWNER)
def retry_embedding(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Go on at once after a pause, and embed once more what failed."""
    return EMBEDDING.carry_out(request, workspace, services.retry_embedding)


@done_by(Role.OWNER)
def test_embedding(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Have a worker try the model; the page asks again until the result is there."""
    return EMBEDDING.carry_out(request, workspace, services.start_embedding_test)


@shown_to(Role.OWNER)
def summaries(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Whether sections are summarised, what it costs, and how it stands."""
    return SUMMARIES.show(request, workspace)


@shown_to(Role.OWNER)
def summaries_status(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """How summarising stands, as a fragment."""
    return SUMMARIES.show_state(request, workspace)


@done_by(Role.OWNER)
def switch_summaries_on(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Begin to summarise the sections of all documents."""
    said = "Section summaries are on. They are shown as documents become ready."
    return SUMMARIES.carry_out(request, workspace, services.switch_summaries_on, said)


@done_by(Role.OWNER)
def switch_summaries_off(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Stop, and show the lines to nobody."""
    said = "Section summaries are off. Outlines show the first words of sections again."
    return SUMMARIES.carry_out(request, workspace, services.switch_summaries_off, said)


@done_by(Role.OWNER)
def retry_summaries(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Go on at once after a pause, and try once more what failed."""
    return SUMMARIES.carry_out(request, workspace, services.retry_summaries)


def _embedding_state(user: User, workspace: Workspace) -> dict[str, Any]:
    choice = background.embedding_of(workspace)
    shown: dict[str, Any] = {"workspace": workspace, "choice": choice, "closed": _count_closed(user, workspace)}
    if choice is None:
        return shown
    if choice.enabled:
        seen = open_to(user, "version__document__folder")
        return {**shown, "progress": background.embedding_progress_of(choice, seen)}
    return {**shown, "estimate": services.estimate(workspace, choice.price, open_to(user, "document__folder"))}


def _summaries_state(user: User, workspace: Workspace) -> dict[str, Any]:
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


EMBEDDING = Work(
    Tab("models", "documents:embedding", "documents/embedding.html"),
    "documents/_embedding.html",
    _embedding_state,
    lambda workspace: {"choice": background.embedding_in(workspace)},
)
SUMMARIES = Work(
    Tab("models", "documents:summaries", "documents/summaries.html"),
    "documents/_summaries.html",
    _summaries_state,
    lambda workspace: {"workspace": workspace},
)


@shown_to(Role.OWNER)
def folders(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """All folders with who may see each."""
    return render(request, "documents/folder_access.html", _list_folders(request, workspace))


@shown_to(Role.OWNER)
def folder(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """The form that says who may see a folder."""
    found = selectors.governed_folder(workspace, pk)
    form = FolderAccessForm(workspace=workspace, folder=found, user=request.user)
    return _folder_page(request, workspace, found, form)


@done_by(Role.OWNER)
def restrict(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Restrict a folder to those who were ticked."""
    found = selectors.governed_folder(workspace, pk)
    form = FolderAccessForm(request.POST, workspace=workspace, folder=found, user=request.user)
    if not form.is_valid():
        return _folder_page(request, workspace, found, form, status=422)
    services.restrict_folder(actor=request.user, folder=found, **form.cleaned_data)
    said = f"The documents of {found.name} exist only for those named now."
    return go_saying(request, said, "documents:folder_access", slug=workspace.slug)


@done_by(Role.OWNER)
def open_to_all(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Let everyone in the workspace see a folder again."""
    found = selectors.governed_folder(workspace, pk)
    try:
        services.open_folder(actor=request.user, folder=found)
    except Problem as problem:
        form = FolderAccessForm(workspace=workspace, folder=found, user=request.user)
        return problem.mark(_folder_page(request, workspace, found, form, problem=problem))
    return go_saying(
        request, f"Everyone here may see {found.name} now.", "documents:folder_access", slug=workspace.slug
    )


def _list_folders(request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
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
    context = {**_list_folders(request, workspace), "folder": found, "form": form, "problem": problem}
    return render(request, "documents/folder_access_one.html", context, status=status)
