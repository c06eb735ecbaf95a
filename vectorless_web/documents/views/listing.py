"""The list of documents, files coming in, and what may be done to a document: one bad file never spoils the others."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from vectorless_web.documents import selectors, services
from vectorless_web.documents.forms import FolderForm, ListForm, SameNameForm, TagForm, TitleForm
from vectorless_web.documents.models import Document, DocumentVersion, Folder, PartialUpload
from vectorless_web.documents.services.uploads import describe_uploads
from vectorless_web.documents.views.rights import document_done_by
from vectorless_web.infra.limits import TAG_MAX, parse_whole_number
from vectorless_web.infra.web.pages import go_to, is_htmx, offer_undo
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import HOUR, count_or_refuse
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, may_in, workspace_context
from vectorless_web.workspaces.site import time_kept
from vectorless_web.workspaces.views.rights import done_by, shown_to

STATUS_LABELS = [("ready", "Ready"), ("busy", "Being read"), ("failed", "Failed")]
DELETED_LABEL = (selectors.DELETED, "Deleted")


@shown_to(Role.VIEWER)
def list_documents(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """The documents of a workspace, a page at a time."""
    query = ListForm(request.GET).query()
    context = list_context(request.user, workspace, query)
    return render(request, "documents/list.html", context)


def list_context(user: User, workspace: Workspace, query: selectors.ListQuery) -> dict[str, Any]:
    """Everything the list shows, in a number of queries that does not grow with the documents."""
    page = selectors.listed_documents(workspace, user, query)
    folders = selectors.folders_of(workspace, user)
    return {
        **workspace_context(user, workspace, "documents"),
        "documents": page,
        **selectors.totals_of(workspace, user),
        "folders": folders,
        "folder": next((folder for folder in folders if folder.pk == query.folder), None),
        "tags": selectors.tags_of(workspace, user),
        "tag": query.tag,
        "status": query.status,
        "kept": time_kept("bin", workspace) if query.status == selectors.DELETED else "",
        "statuses": STATUS_LABELS + ([DELETED_LABEL] if workspace.allows(Role.EDITOR) else []),
        "query": query.search,
        "sort": query.sort,
        "uploads": describe_uploads(workspace),
        "waiting": selectors.waiting_uploads(workspace, user),
    }


@dataclass(frozen=True)
class UploadResult:
    """What became of one file: a new document or version, one that is here already, a question, or a refusal."""

    name: str
    document: Document | None = None
    duplicate_of: Document | None = None
    error: Problem | None = None
    same_name_as: Document | None = None
    """The document of which it may be a new version: the file waits until its sender says so."""
    healed: bool = False
    """Whether the file made good what was lost of the document that is here already."""


@done_by(Role.EDITOR)
def upload(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Take in one file or many as new documents; 422 when none of them could be taken, 429 when too many came."""
    folder = selectors.folder_named(workspace, request.user, request.POST.get("folder", ""))
    files = _files(request)
    try:
        check_upload_rate(request, len(files))
    except Problem as problem:
        if not _is_fetched(request):
            raise
        refused = [UploadResult(file.name or "", error=problem) for file in files]
        return problem.mark(render_results(request, workspace, refused))
    return _tell_results(request, workspace, [_add(request, workspace, file, folder) for file in files])


@done_by(Role.EDITOR)
def settle_same_name(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Add files that waited as new versions or as documents of their own, or let go of them."""
    form = SameNameForm(request.POST, waiting=selectors.waiting_uploads(workspace, request.user))
    if not form.is_valid():
        raise Problem(
            "These files no longer wait for an answer.",
            remedy="Load the page again; upload them once more if they are missing.",
            code="not_waiting",
        )
    choice = form.cleaned_data["same_name"]
    results = (_settle(request.user, held, choice) for held in form.cleaned_data["uploads"])
    return _tell_results(request, workspace, [result for result in results if result])


def _settle(user: User, held: PartialUpload, choice: str) -> UploadResult | None:
    if choice == SameNameForm.LEAVE_OUT:
        services.cancel_partial_upload(upload=held)
        return None
    try:
        added = services.finish_partial_upload(upload=held, user=user, on_same_name=services.SameName(choice))
    except Problem as problem:
        return UploadResult(held.name, error=problem)
    return result_of(added, held.name)


@document_done_by(Role.EDITOR)
def new_version(request: HttpRequest, document: Document) -> HttpResponse:
    """Take in a file as the next version of a document."""
    try:
        check_upload_rate(request, 1)
        added = services.add_version(document=document, user=request.user, upload=_files(request)[0])
    except Problem as problem:
        messages.error(request, problem.message)
        return redirect("documents:detail", slug=document.workspace.slug, pk=document.pk)
    if not added.added:
        messages.info(request, _sentence(result_of(added, "This file")))
        return redirect("documents:detail", slug=document.workspace.slug, pk=added.document.pk)
    messages.info(request, f"Version {added.version.number} is being read; it takes over when it is ready.")
    return redirect("documents:detail", slug=document.workspace.slug, pk=document.pk)


def _is_fetched(request: HttpRequest) -> bool:
    """Whether a script sends the files and puts what comes back into the page."""
    return is_htmx(request) or request.headers.get("X-Requested-With") == "XMLHttpRequest"


def _tell_results(request: HttpRequest, workspace: Workspace, results: list[UploadResult]) -> HttpResponse:
    if _is_fetched(request):
        return render_results(request, workspace, results)
    for result in results:
        messages.info(request, _sentence(result))
    return redirect("documents:list", slug=workspace.slug)


def render_results(request: HttpRequest, workspace: Workspace, results: list[UploadResult]) -> HttpResponse:
    """What became of each file, as the list shows it under the upload."""
    context = {
        **workspace_context(request.user, workspace, "documents"),
        "results": results,
        "waiting": selectors.waiting_uploads(workspace, request.user),
    }
    return render(request, "documents/_uploaded.html", context, status=_status(results))


def check_upload_rate(request: HttpRequest, count: int) -> None:
    """Problem (429) when these files would be more than one person may upload in an hour."""
    name, most = f"uploads-{request.user.pk}", settings.UPLOADS_PER_HOUR
    cause = f"You may upload {most:,} files in an hour."
    count_or_refuse(name, cause, limit=most, seconds=HOUR, code="too_many_uploads", amount=count)


def _files(request: HttpRequest) -> list[UploadedFile]:
    files = request.FILES.getlist("files")
    if not files:
        raise Problem("No file was chosen.", remedy="Choose a file first.", code="no_file")
    if len(files) > settings.UPLOAD_MAX_FILES:
        raise Problem(
            "These are too many files.",
            remedy=f"Upload at most {settings.UPLOAD_MAX_FILES} files at a time.",
            code="too_many_files",
        )
    return files


def _add(request: HttpRequest, workspace: Workspace, file: UploadedFile, folder: Folder | None) -> UploadResult:
    name = file.name or ""
    place: dict[str, Any] = {"workspace": workspace, "user": request.user, "upload": file, "folder": folder}
    try:
        try:
            added = services.add_document(**place, on_same_name=services.SameName.ASK)
        except services.SameNameHere as found:
            services.hold_upload(**place, same_name_as=found.document)
            return UploadResult(name, same_name_as=found.document)
    except Problem as problem:
        return UploadResult(name, error=problem)
    return result_of(added, name)


def result_of(added: services.StoredUpload, name: str) -> UploadResult:
    """What became of one file that was stored, or that was here already."""
    if not added.added:
        return UploadResult(name, duplicate_of=added.document, healed=added.healed)
    return UploadResult(name, document=added.document)


def _status(results: list[UploadResult]) -> int:
    return 422 if results and all(result.error for result in results) else 200


def _sentence(result: UploadResult) -> str:
    if result.error:
        return f"{result.name}: {result.error.message}"
    if result.same_name_as:
        return f"Is {result.name} a new version of “{result.same_name_as.title}”? It waits for your answer below."
    if result.duplicate_of and result.healed:
        title = result.duplicate_of.title
        return f"{result.name} is already here, as “{title}”. Its stored file was lost and has been put back."
    if result.duplicate_of:
        return f"{result.name} is already here, as “{result.duplicate_of.title}”. Nothing was added."
    if result.document and result.document.latest and result.document.latest.number > 1:
        return f"{result.name} is being read as a new version of “{result.document.title}”."
    return f"{result.name} was added and is being read."


@document_done_by(Role.EDITOR)
def retry(request: HttpRequest, document: Document) -> HttpResponse:
    """Read a file again: one that could not be read, or a ready one, which can be read meanwhile."""
    version = _latest(document)
    if version.is_busy and document.current_version is not None:
        # The next version is under way; what can be read again is the one that is shown.
        version = document.current_version
        version.document = document
    services.retry_version(actor=request.user, version=version)
    if version.status == DocumentVersion.Status.READY and not is_htmx(request):
        messages.info(request, f"{document.title} is being read again. It can be read and asked meanwhile.")
        return redirect("documents:detail", slug=document.workspace.slug, pk=document.pk)
    return _answer(request, document, f"{document.title} is read again.")


@document_done_by(Role.EDITOR)
def cancel(request: HttpRequest, document: Document) -> HttpResponse:
    """Stop the reading of a file."""
    services.cancel_version(actor=request.user, version=_latest(document))
    return _answer(request, document, f"Reading {document.title} was stopped.")


@document_done_by(Role.EDITOR)
def delete(request: HttpRequest, document: Document) -> HttpResponse:
    """Delete a document; it can be undone while the bin is kept."""
    services.delete_document(actor=request.user, document=document)
    if is_htmx(request):
        return render(request, "documents/_row.html", row_context(document.workspace, document, deleted=True))
    kept = time_kept("bin", document.workspace)
    undo = reverse("documents:restore", args=[document.workspace.slug, document.pk])
    offer_undo(request, f"{document.title} was deleted. It is kept {kept}.", undo)
    return redirect("documents:list", slug=document.workspace.slug)


@require_POST
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Undo a deletion."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR, deleted=True)
    services.restore_document(actor=request.user, document=document)
    return _answer(request, document, f"{document.title} is back.")


@document_done_by(Role.EDITOR)
def rename(request: HttpRequest, document: Document) -> HttpResponse:
    """Give a document another title."""
    form = TitleForm(request.POST)
    if not form.is_valid():
        raise Problem("A title has 1 to 300 characters.", remedy="Give it another.", code="invalid_title")
    services.rename_document(actor=request.user, document=document, title=form.cleaned_data["title"])
    return go_to(request, "documents:detail", slug=document.workspace.slug, pk=document.pk)


@done_by(Role.EDITOR)
def new_folder(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Make a folder."""
    services.create_folder(actor=request.user, workspace=workspace, name=_read_folder_name(request))
    return go_to(request, "documents:list", slug=workspace.slug)


@done_by(Role.EDITOR)
def rename_folder(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Give a folder another name."""
    folder = selectors.folder_in(workspace, request.user, pk)
    services.rename_folder(actor=request.user, folder=folder, name=_read_folder_name(request))
    return redirect(f"{reverse('documents:list', kwargs={'slug': workspace.slug})}?folder={pk}")


@done_by(Role.EDITOR)
def delete_folder(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Delete a folder that is open to all; its documents stay, in no folder."""
    folder = selectors.folder_in(workspace, request.user, pk)
    services.delete_folder(actor=request.user, folder=folder)
    messages.info(request, f"The folder {folder.name} is deleted. Its documents are in no folder now.")
    return go_to(request, "documents:list", slug=workspace.slug)


def _read_folder_name(request: HttpRequest) -> str:
    form = FolderForm(request.POST)
    if not form.is_valid():
        raise Problem("A folder's name has 1 to 120 characters.", remedy="Give it another.", code="invalid_name")
    return str(form.cleaned_data["name"])


@done_by(Role.EDITOR)
def move_many(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Put the chosen documents into a folder, or out of any."""
    folder = selectors.folder_named(workspace, request.user, request.POST.get("folder", ""))
    chosen = _read_chosen_documents(request, workspace)
    moved = services.move_documents(actor=request.user, workspace=workspace, documents=chosen, folder=folder)
    messages.info(request, f"{_count(moved)} moved to {folder.name if folder else 'no folder'}.")
    return go_to(request, "documents:list", slug=workspace.slug)


@done_by(Role.EDITOR)
def tag_many(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Add a tag to the chosen documents."""
    form = TagForm(request.POST)
    if not form.is_valid():
        raise Problem(f"A tag has 1 to {TAG_MAX} characters.", remedy="Give another.", code="invalid_tag")
    tag = form.cleaned_data["tag"]
    chosen = _read_chosen_documents(request, workspace)
    tagged = services.tag_documents(actor=request.user, workspace=workspace, documents=chosen, tag=tag)
    messages.info(request, f"{_count(tagged)} tagged “{tag}”.")
    return go_to(request, "documents:list", slug=workspace.slug)


@done_by(Role.EDITOR)
def delete_many(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Delete the chosen documents; each can be undone while the bin is kept."""
    chosen = _read_chosen_documents(request, workspace)
    for document in chosen:
        services.delete_document(actor=request.user, document=document)
    undo = reverse("documents:restore_many", args=[workspace.slug])
    ids = ",".join(str(document.pk) for document in chosen)
    kept = f"{_count(len(chosen))} deleted. {'They are' if len(chosen) > 1 else 'It is'} kept"
    offer_undo(request, f"{kept} {time_kept('bin', workspace)}.", f"{undo}?documents={ids}")
    return go_to(request, "documents:list", slug=workspace.slug)


@done_by(Role.EDITOR)
def restore_many(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Undo the deletion of the documents that the address names; those that cannot come back are told."""
    named = (parse_whole_number(value) for value in request.GET.get("documents", "").split(","))
    chosen = selectors.documents_in(workspace, request.user, deleted=True)
    back = 0
    for document in chosen.filter(pk__in=[pk for pk in named if pk is not None]):
        try:
            services.restore_document(actor=request.user, document=document)
            back += 1
        except Problem as problem:
            messages.error(request, f"{document.title}: {problem.message}")
    messages.info(request, f"{_count(back)} {'is' if back == 1 else 'are'} back.")
    return go_to(request, "documents:list", slug=workspace.slug)


def row_context(workspace: Workspace, document: Document, *, deleted: bool = False) -> dict[str, Any]:
    """The context of `documents/_row.html`."""
    places = selectors.queue_places([document])
    return {
        "workspace": workspace,
        "document": document,
        "version": document.latest,
        "may": may_in(workspace),
        "queue_place": places.get(document.pk),
        "deleted": deleted,
        "kept": time_kept("bin", workspace) if deleted else "",
    }


def _latest(document: Document) -> DocumentVersion:
    version = document.latest
    if version is None:
        raise Problem("This document has no file.", remedy="Upload one.", code="no_version", status=409)
    version.document = document
    return version


def _answer(request: HttpRequest, document: Document, sentence: str) -> HttpResponse:
    """The row as it is now; for a plain form the list, with the sentence."""
    if not is_htmx(request):
        messages.info(request, sentence)
        return redirect("documents:list", slug=document.workspace.slug)
    workspace = document.workspace
    fresh = selectors.rows_for(workspace, request.user, [document.pk])
    # Somebody else may have deleted it meanwhile.
    row = row_context(workspace, fresh[0]) if fresh else row_context(workspace, document, deleted=True)
    return render(request, "documents/_row.html", row)


def _read_chosen_documents(request: HttpRequest, workspace: Workspace) -> list[Document]:
    ids = [number for value in request.POST.getlist("documents") if (number := parse_whole_number(value)) is not None]
    chosen = selectors.rows_for(workspace, request.user, ids)
    if not chosen:
        raise Problem("No document was chosen.", remedy="Choose at least one.", code="nothing_chosen")
    return chosen


def _count(number: int) -> str:
    return "1 document" if number == 1 else f"{number} documents"
