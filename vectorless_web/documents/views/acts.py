"""Acts on documents of the list: each answers with the row, or with the page when a plain form asked."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from vectorless_web.documents import selectors, services
from vectorless_web.documents.forms import FolderForm, TagForm, TitleForm
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.infra.limits import TAG_MAX, parse_whole_number
from vectorless_web.infra.web.htmx import go_to, is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import may_in, workspace_for


@require_POST
def retry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read a file again: one that could not be read, or a ready one, which can be read meanwhile."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    version = _latest(document)
    if version.is_busy and document.current_version is not None:
        # The next version is under way; what can be read again is the one that is shown.
        version = document.current_version
        version.document = document
    services.retry_version(actor=request.user, version=version)
    if version.status == DocumentVersion.Status.READY and not is_htmx(request):
        messages.info(request, f"{document.title} is being read again. It can be read and asked meanwhile.")
        return redirect("documents:detail", slug=slug, pk=pk)
    return _answer(request, document, f"{document.title} is read again.")


@require_POST
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop the reading of a file."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    services.cancel_version(actor=request.user, version=_latest(document))
    return _answer(request, document, f"Reading {document.title} was stopped.")


@require_POST
def delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a document; it can be undone for 30 days."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    services.delete_document(actor=request.user, document=document)
    return _answer(request, document, f"{document.title} was deleted. It is kept for 30 days.", deleted=True)


@require_POST
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Undo a deletion."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR, deleted=True)
    services.restore_document(actor=request.user, document=document)
    return _answer(request, document, f"{document.title} is back.")


@require_POST
def rename(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give a document another title."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    form = TitleForm(request.POST)
    if not form.is_valid():
        raise Problem("A title has 1 to 300 characters.", code="invalid_title", status=422)
    services.rename_document(actor=request.user, document=document, title=form.cleaned_data["title"])
    return go_to(request, "documents:detail", slug=slug, pk=pk)


@require_POST
def new_folder(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a folder."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    form = FolderForm(request.POST)
    if not form.is_valid():
        raise Problem("A folder's name has 1 to 120 characters.", code="invalid_name", status=422)
    services.create_folder(actor=request.user, workspace=workspace, name=form.cleaned_data["name"])
    return go_to(request, "documents:list", slug=slug)


@require_POST
def move_many(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the chosen documents into a folder, or out of any."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    folder = selectors.folder_named(workspace, request.POST.get("folder", ""))
    chosen = _read_chosen_documents(request, workspace)
    moved = services.move_documents(actor=request.user, workspace=workspace, documents=chosen, folder=folder)
    messages.info(request, f"{_count(moved)} moved to {folder.name if folder else 'no folder'}.")
    return go_to(request, "documents:list", slug=slug)


@require_POST
def tag_many(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a tag to the chosen documents."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    form = TagForm(request.POST)
    if not form.is_valid():
        raise Problem(f"A tag has 1 to {TAG_MAX} characters.", code="invalid_tag", status=422)
    tag = form.cleaned_data["tag"]
    chosen = _read_chosen_documents(request, workspace)
    tagged = services.tag_documents(actor=request.user, workspace=workspace, documents=chosen, tag=tag)
    messages.info(request, f"{_count(tagged)} tagged “{tag}”.")
    return go_to(request, "documents:list", slug=slug)


@require_POST
def delete_many(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the chosen documents; each can be undone for 30 days."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    chosen = _read_chosen_documents(request, workspace)
    for document in chosen:
        services.delete_document(actor=request.user, document=document)
    messages.info(request, f"{_count(len(chosen))} deleted. They are kept for 30 days.")
    return go_to(request, "documents:list", slug=slug)


def row_context(workspace: Workspace, document: Document, *, deleted: bool = False) -> dict[str, Any]:
    """The context of `documents/_row.html`."""
    places = selectors.queue_places([document])
    return {
        "workspace": workspace,
        "document": document,
        "version": document.latest,
        "may": may_in(workspace),
        "queue_place": places.get(document.pk, 0),
        "deleted": deleted,
    }


def _latest(document: Document) -> DocumentVersion:
    version = document.latest
    if version is None:
        raise Problem("This document has no file.", code="no_version", status=409)
    version.document = document
    return version


def _answer(request: HttpRequest, document: Document, sentence: str, *, deleted: bool = False) -> HttpResponse:
    """The row as it stands now; for a plain form the list, with the sentence."""
    if not is_htmx(request):
        messages.info(request, sentence)
        return redirect("documents:list", slug=document.workspace.slug)
    workspace = document.workspace
    if deleted:
        return render(request, "documents/_row.html", row_context(workspace, document, deleted=True))
    fresh = selectors.rows_for(workspace, request.user, [document.pk])
    # Somebody else may have deleted it meanwhile.
    row = row_context(workspace, fresh[0]) if fresh else row_context(workspace, document, deleted=True)
    return render(request, "documents/_row.html", row)


def _read_chosen_documents(request: HttpRequest, workspace: Workspace) -> list[Document]:
    ids = [number for value in request.POST.getlist("documents") if (number := parse_whole_number(value)) is not None]
    chosen = selectors.rows_for(workspace, request.user, ids)
    if not chosen:
        raise Problem("Choose at least one document.", code="nothing_chosen", status=422)
    return chosen


def _count(number: int) -> str:
    return "1 document" if number == 1 else f"{number} documents"
