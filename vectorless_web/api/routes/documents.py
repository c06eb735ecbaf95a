"""Documents: lists, uploads, versions, outline, nodes, pages, and deletion."""

import shutil
from datetime import datetime
from typing import Annotated, Any, Literal

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from ninja import File, Form, ModelSchema, Query, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import Scope
from vectorless_web.api.replies import Number, Paged, PageOut, PageQuery, answers, check_state, once, take_page
from vectorless_web.api.routes.places import ForEditor, ForViewer
from vectorless_web.api.routes.schemas import NO_NUL, PRINTED, FromZero
from vectorless_web.documents import selectors, services
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.rendering.markdown import write_document, write_markdown
from vectorless_web.documents.rendering.page import SCALE, RenderUnavailable, page_image
from vectorless_web.documents.rendering.text import replace_control_characters
from vectorless_web.documents.storage.files import open_version
from vectorless_web.documents.views.listing import check_upload_rate
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import NotFound
from vectorless_web.infra.limits import TAG_MAX, TITLE_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role

router = Router(tags=["Documents"])
Search = Annotated[str, Field(max_length=200, pattern=NO_NUL)]
Key = Annotated[int, Field(ge=0, le=10**9)]
Tag = Annotated[str, Field(min_length=1, max_length=TAG_MAX, pattern=PRINTED)]
editors = Bearer(Scope.WRITE)
PLACE = "/workspaces/{slug:slug}/documents"
ONE = PLACE + "/{document}"
RAW = {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}


class DocumentOut(Schema):
    """A document with the state of its newest version. `page` counts from 1 everywhere."""

    id: int
    title: str
    name: str
    folder: int | None
    tags: list[str]
    status: str
    error_code: str
    error: str
    version: int
    pages: int
    sha256: str
    media_type: str
    added_at: datetime


class VersionOut(ModelSchema):
    """A version of a document, and how far it has been read."""

    class Meta:
        model = DocumentVersion
        fields = ("number", "status", "error_code", "pages", "sha256", "created_at")


class ChangeIn(Schema):
    """What is to change of a document; what is left out stays. `folder` null takes it out of its folder, `tags` are all
    that it shall have."""

    title: Annotated[str, Field(min_length=1, max_length=TITLE_MAX, pattern=PRINTED)] | None = None
    folder: Number | None = None
    tags: Annotated[list[Tag], Field(max_length=100)] | None = None


class SectionOut(Schema):
    """A heading of the outline. `key` names it in one version; the headings under it go on to `subtree_end`."""

    key: int
    parent: int | None = Field(alias="parent_key")
    depth: int
    title: str
    page_start: FromZero
    page_end: FromZero
    tokens: int = Field(alias="token_count")
    subtree_end: int


class NodeOut(Schema):
    """A node of the tree: its text, its children's keys, its table as rows of cells."""

    key: int
    kind: str
    title: str
    text: str
    page_start: int
    page_end: int
    path: list[str]
    children: list[int]
    columns: list[str] = []
    rows: list[list[str]] = []


class PageTextOut(Schema):
    """A page as Markdown; `nodes` are the keys of what is on it."""

    page: int
    pages: int
    text: str
    nodes: list[int]


def show_document(document: Document) -> dict[str, Any]:
    """A document with the state of its newest version."""
    version = document.latest
    assert version is not None
    own = {name: getattr(document, name) for name in ("id", "title", "name", "tags")}
    read = {name: getattr(version, name) for name in ("status", "error_code", "pages", "sha256")}
    renamed = {"error": version.error_message, "version": version.number, "media_type": version.mime}
    return {**own, **read, **renamed, "added_at": document.created_at, "folder": document.folder_id}


@router.get(PLACE, response=PageOut[DocumentOut])
def list_documents(
    request: HttpRequest, workspace: ForViewer, asked: PageQuery = Paged, search: Search = "", tag: Search = ""
) -> dict[str, Any]:
    """The documents of a workspace, the newest first; `search` looks in titles, names and tags."""
    query = selectors.ListQuery(search=search, tag=tag)
    return take_page(selectors.found_documents(workspace, request.user, query), asked, show_document)


@router.post(PLACE, response={201: DocumentOut, 200: DocumentOut}, auth=editors)
@once
def upload_document(
    request: HttpRequest,
    workspace: ForEditor,
    file: File[UploadedFile],
    title: Annotated[str, Form(max_length=300)] = "",
    folder: Annotated[int | None, Form(ge=1, le=10**15)] = None,
    on_same_name: Annotated[Literal["ask", "version", "keep"] | None, Form()] = None,
) -> Status[Any]:
    """Add a file, which is then read; 201 for a new document or version, 200 when the same bytes are here already.

    `on_same_name` says what becomes of a file whose name a document of the same folder has, with other content: its
    next `version`, a document of its own (`keep`), or the problem `same_name` (409, `ask`). Without it the
    workspace's setting decides.
    With the header Idempotency-Key a repeated request gives the first reply.
    """
    place = selectors.folder_in(workspace, request.user, folder) if folder else None
    check_upload_rate(request, 1)
    stored = services.add_document(
        workspace=workspace,
        user=request.user,
        upload=file,
        title=title.replace("\0", ""),
        folder=place,
        on_same_name=services.SameName(on_same_name or workspace.setting("same_name")),
    )
    return Status(201 if stored.added else 200, show_document(stored.document))


@router.post(
    PLACE + "/raw", response={201: DocumentOut, 200: DocumentOut}, auth=editors, openapi_extra={"requestBody": RAW}
)
def upload_raw(
    request: HttpRequest,
    workspace: ForEditor,
    name: Annotated[str, Query(min_length=1, max_length=TITLE_MAX, pattern=PRINTED)],
    title: Annotated[str, Query(max_length=300)] = "",
    folder: Annotated[Number | None, Query()] = None,
    on_same_name: Literal["ask", "version", "keep"] | None = None,
) -> Status[dict[str, Any]]:
    """Add the body of the request as a file of this name: the same without a form."""
    with TemporaryUploadedFile(name, "", 0, None) as file:
        shutil.copyfileobj(request, file)
        file.size = file.tell()
        file.seek(0)
        given = {"file": file, "title": title, "folder": folder, "on_same_name": on_same_name}
        return upload_document(request, workspace=workspace, **given)


@router.get(ONE, response=DocumentOut)
def show_one(request: HttpRequest, slug: str, document: Number) -> dict[str, Any]:
    """One document, and how far it has been read."""
    return show_document(selectors.document_for(request.user, slug, document))


@router.patch(ONE, response=DocumentOut, auth=editors)
def change_document(request: HttpRequest, slug: str, document: Number, asked: ChangeIn) -> dict[str, Any]:
    """Rename, move or tag a document; with the header If-Match only as long as it is as it was read."""
    with transaction.atomic():
        Document.objects.select_for_update().filter(pk=document, workspace__slug=slug).first()
        found = selectors.document_for(request.user, slug, document, Role.EDITOR)
        check_state(request, DocumentOut, show_document(found))
        workspace, given = found.workspace, asked.dict(exclude_unset=True)
        if asked.title:
            services.rename_document(actor=request.user, document=found, title=asked.title.strip())
        if "folder" in given:
            place = selectors.folder_in(workspace, request.user, asked.folder) if asked.folder else None
            services.move_documents(actor=request.user, workspace=workspace, documents=[found], folder=place)
        if asked.tags is not None:
            services.set_tags(actor=request.user, document=found, tags=[tag.strip() for tag in asked.tags])
    return show_document(selectors.document_for(request.user, slug, document))


@router.get(ONE + "/versions", response=list[VersionOut])
def list_versions(request: HttpRequest, slug: str, document: Number) -> Any:
    """The versions of a document, the newest first."""
    return selectors.document_for(request.user, slug, document).versions.all()


@router.post(ONE + "/versions", response={201: DocumentOut, 200: DocumentOut}, auth=editors)
def upload_version(request: HttpRequest, slug: str, document: Number, file: File[UploadedFile]) -> Status[Any]:
    """Add a file as the next version; questions go on reading the current one until it is ready."""
    found = selectors.document_for(request.user, slug, document, Role.EDITOR)
    check_upload_rate(request, 1)
    stored = services.add_version(document=found, user=request.user, upload=file)
    return Status(201 if stored.added else 200, show_document(stored.document))


@router.delete(ONE, response={204: None}, auth=editors)
def delete_document(request: HttpRequest, slug: str, document: Number) -> None:
    """Delete a document; it can be brought back while the bin is kept."""
    found = selectors.document_for(request.user, slug, document, Role.EDITOR)
    services.delete_document(actor=request.user, document=found)


@router.post(ONE + "/restore", response=DocumentOut, auth=editors)
def restore_document(request: HttpRequest, slug: str, document: Number) -> dict[str, Any]:
    """Undo a deletion."""
    found = selectors.document_for(request.user, slug, document, Role.EDITOR, deleted=True)
    services.restore_document(actor=request.user, document=found)
    return show_document(found)


@router.get(ONE + "/outline", response=list[SectionOut])
def show_outline(request: HttpRequest, slug: str, document: Number) -> Any:
    """The headings of the current version, in reading order."""
    return selectors.outline_of(_find_current(request, slug, document))


@router.get(ONE + "/nodes/{key}", response=NodeOut)
def show_node(request: HttpRequest, slug: str, document: Number, key: Key) -> dict[str, Any]:
    """A node of the current version: its text, its table, and the keys of its children."""
    opened = _open_current(request, slug, document)
    try:
        node = opened.tree.node(key)
    except (NotFound, IndexError, KeyError) as error:
        raise Http404("The document has no such node.") from error
    return {
        "key": key,
        "kind": node.kind,
        "title": node.title,
        "text": replace_control_characters(node.text),
        "path": [opened.tree.node(above).title for above in opened.tree.ancestors(key)],
        "children": list(opened.tree.children(key)),
        "page_start": node.page_start + 1,
        "page_end": node.page_end + 1,
        "columns": [column.name for column in node.table.columns] if node.table else [],
        "rows": [[cell.text for cell in row.cells] for row in node.table.body] if node.table else [],
    }


@router.get(ONE + "/markdown", openapi_extra=answers("text/markdown"))
def export_markdown(request: HttpRequest, slug: str, document: Number) -> HttpResponse:
    """The words of the current version as Markdown: headings, paragraphs, tables, and comments where pages begin."""
    text = write_document(_open_current(request, slug, document))
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


@router.get(ONE + "/pages/{page}", response=PageTextOut)
def show_page(request: HttpRequest, slug: str, document: Number, page: Number) -> dict[str, Any]:
    """The words of a page of the current version as Markdown, and the keys of the nodes on it."""
    opened = _open_current(request, slug, document)
    _check_page(page, len(opened.pages))
    keys = sorted(opened.on_page(page - 1))
    text = "".join(write_markdown(opened, keys))
    return {"page": page, "pages": len(opened.pages), "text": text, "nodes": keys}


def _check_page(page: int, pages: int) -> None:
    if page > pages:
        raise Http404(f"The document has {pages} pages, of which the first is 1.")


@router.get(ONE + "/pages/{page}/image", openapi_extra=answers("image/jpeg"))
def show_page_image(request: HttpRequest, slug: str, document: Number, page: Number) -> HttpResponse:
    """The picture of a page of the current version, as JPEG."""
    version = _find_current(request, slug, document)
    _check_page(page, version.pages)
    try:
        picture = page_image(version, page - 1, SCALE)
    except RenderUnavailable as error:
        remedy = "The same address without /image has its words."
        raise Problem(error.message, remedy=remedy, code="no_picture", status=error.status) from error
    return HttpResponse(picture.read_bytes(), content_type="image/jpeg")


def _open_current(request: HttpRequest, slug: str, document: int) -> CompiledDocument:
    """The compiled current version of a document that the person may read."""
    return open_version(_find_current(request, slug, document))


def _find_current(request: HttpRequest, slug: str, document: int) -> DocumentVersion:
    return selectors.ready_version(selectors.document_for(request.user, slug, document), None)
