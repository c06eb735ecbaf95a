"""The list of documents, and files coming in: one bad file never spoils the others."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents import selectors, services
from vectorless_web.documents.forms import ListForm
from vectorless_web.documents.models import Document, Folder
from vectorless_web.documents.services.uploads import ACCEPTED, format_megabytes
from vectorless_web.infra.web.htmx import is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.throttle import HOUR, seconds_to_wait
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspace_context, workspace_for

STATUS_LABELS = [("ready", "Ready"), ("busy", "Being read"), ("failed", "Failed")]
DELETED_LABEL = (selectors.DELETED, "Deleted")


@require_GET
def list_documents(request: HttpRequest, slug: str) -> HttpResponse:
    """The documents of a workspace, a page at a time."""
    workspace = workspace_for(request.user, slug)
    query = ListForm(request.GET).query()
    context = list_context(request.user, workspace, query)
    return render(request, "documents/list.html", context)


@require_GET
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """How reading stands, for the workspace's page."""
    workspace = workspace_for(request.user, slug)
    counts = selectors.card_context(workspace, request.user)
    return render(request, "documents/_card.html", {"workspace": workspace, **counts})


def list_context(user: User, workspace: Workspace, query: selectors.ListQuery) -> dict[str, Any]:
    """Everything the list shows, in a number of queries that does not grow with the documents."""
    page = selectors.listed_documents(workspace, user, query)
    totals = selectors.totals_of(workspace, user)
    folders = selectors.folders_of(workspace)
    return {
        **workspace_context(user, workspace, "documents"),
        "documents": page,
        "total": totals.documents,
        "total_pages": totals.pages,
        "folders": folders,
        "folder": next((folder for folder in folders if folder.pk == query.folder), None),
        "tags": selectors.tags_of(workspace, user),
        "tag": query.tag,
        "status": query.status,
        "statuses": STATUS_LABELS + ([DELETED_LABEL] if workspace.allows(Role.EDITOR) else []),
        "query": query.search,
        "sort": query.sort,
        "upload_max": format_megabytes(settings.UPLOAD_MAX_BYTES),
        "formats": f"{ACCEPTED}.",
    }


@dataclass(frozen=True)
class UploadResult:
    """What became of one file: a new document, one that is here already, or a refusal."""

    name: str
    document: Document | None = None
    duplicate_of: Document | None = None
    error: Problem | None = None
    healed: bool = False
    """Whether the file made good what was lost of the document that is here already."""


@require_POST
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Take in one file or many as new documents; 422 when none of them could be taken, 429 when too many came."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    folder = selectors.folder_named(workspace, request.POST.get("folder", ""))
    files = _files(request)
    try:
        _check_upload_rate(request, len(files))
    except Problem as problem:
        if not _is_fetched(request):
            raise
        refused = [UploadResult(file.name or "", error=problem) for file in files]
        return problem.mark(_render_results(request, workspace, refused))
    results = [_add(request, workspace, file, folder) for file in files]
    if _is_fetched(request):
        return _render_results(request, workspace, results)
    for result in results:
        messages.info(request, _sentence(result))
    return redirect("documents:list", slug=slug)


@require_POST
def new_version(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take in a file as the next version of a document."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    try:
        _check_upload_rate(request, 1)
        added = services.add_version(document=document, user=request.user, upload=_files(request)[0])
    except Problem as problem:
        messages.error(request, problem.message)
        return redirect("documents:detail", slug=slug, pk=pk)
    if not added.added:
        messages.info(request, _sentence(_result(added, "This file")))
        return redirect("documents:detail", slug=slug, pk=added.document.pk)
    messages.info(request, f"Version {added.version.number} is being read; it takes over when it is ready.")
    return redirect("documents:detail", slug=slug, pk=pk)


def _is_fetched(request: HttpRequest) -> bool:
    """Whether a script sends the files and puts what comes back into the page."""
    return is_htmx(request) or request.headers.get("X-Requested-With") == "XMLHttpRequest"


def _render_results(request: HttpRequest, workspace: Workspace, results: list[UploadResult]) -> HttpResponse:
    context = {**workspace_context(request.user, workspace, "documents"), "results": results}
    return render(request, "documents/_uploaded.html", context, status=_status(results))


def _check_upload_rate(request: HttpRequest, count: int) -> None:
    """Problem (429) when these files would be more than one person may upload in an hour."""
    most = settings.UPLOADS_PER_HOUR
    wait = seconds_to_wait(f"uploads-{request.user.pk}", amount=count, limit=most, seconds=HOUR)
    if wait:
        message = f"You may upload {most:,} files in an hour. Try again in {wait // 60 + 1} minutes."
        raise Problem(message, code="too_many_uploads", status=429, retryable=True, retry_after=wait)


def _files(request: HttpRequest) -> list[UploadedFile]:
    files = request.FILES.getlist("files")
    if not files:
        raise Problem("Choose a file first.", code="no_file", status=422)
    if len(files) > settings.UPLOAD_MAX_FILES:
        raise Problem(f"Upload at most {settings.UPLOAD_MAX_FILES} files at a time.", code="too_many_files", status=422)
    return files


def _add(request: HttpRequest, workspace: Workspace, file: UploadedFile, folder: Folder | None) -> UploadResult:
    name = file.name or ""
    try:
        added = services.add_document(workspace=workspace, user=request.user, upload=file, folder=folder)
    except Problem as problem:
        return UploadResult(name, error=problem)
    return _result(added, name)


def _result(added: services.StoredUpload, name: str) -> UploadResult:
    if not added.added:
        return UploadResult(name, duplicate_of=added.document, healed=added.healed)
    return UploadResult(name, document=added.document)


def _status(results: list[UploadResult]) -> int:
    return 422 if all(result.error for result in results) else 200


def _sentence(result: UploadResult) -> str:
    if result.error:
        return f"{result.name}: {result.error.message}"
    if result.duplicate_of and result.healed:
        title = result.duplicate_of.title
        return f"{result.name} is already here, as “{title}”. Its stored file was lost and has been put back."
    if result.duplicate_of:
        return f"{result.name} is already here, as “{result.duplicate_of.title}”. Nothing was added."
    return f"{result.name} was added and is being read."
