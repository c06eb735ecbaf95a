"""Who the token acts for, its workspaces, and their folders and tags."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from vectorless_web.api.authentication import Bearer, may_reach
from vectorless_web.api.models import ApiToken, Scope
from vectorless_web.api.routes.schemas import FolderIn, FoundOut, MeOut, NamedOut, WorkspaceOut
from vectorless_web.documents.selectors import folders_of, tags_of
from vectorless_web.documents.services import create_folder
from vectorless_web.infra.limits import SEARCH_MAX
from vectorless_web.runs.search import FoundDocument, SearchQuery, search_workspace
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_for, workspaces_of

router = Router(tags=["Workspaces"])
Words = Annotated[str, Field(min_length=1, max_length=SEARCH_MAX, pattern=r"^[^\x00]*$")]


@router.get("/me", response=MeOut)
def me(request: HttpRequest) -> dict[str, Any]:
    """Who the token acts for, and how far it goes."""
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    name = request.user.get_username()
    return {"user": name, "token": token.name, "scope": token.scope, "expires_at": token.expires_at}


@router.get("/workspaces", response=list[WorkspaceOut])
def list_workspaces(request: HttpRequest) -> list[Workspace]:
    """The workspaces that the token reaches, by name."""
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    return [row for row in workspaces_of(request.user) if may_reach(token, row.slug)]


@router.get("/workspaces/{slug:slug}", response=WorkspaceOut)
def show_workspace(request: HttpRequest, slug: str) -> Workspace:
    """One workspace."""
    return workspace_for(request.user, slug)


@router.get("/workspaces/{slug:slug}/folders", response=list[NamedOut])
def list_folders(request: HttpRequest, slug: str) -> Any:
    """The folders that the person may see."""
    return folders_of(workspace_for(request.user, slug), request.user)


@router.post("/workspaces/{slug:slug}/folders", response=NamedOut, auth=Bearer(Scope.WRITE))
def add_folder(request: HttpRequest, slug: str, asked: FolderIn) -> Any:
    """The folder of that name, made when there is none."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    return create_folder(actor=request.user, workspace=workspace, name=" ".join(asked.name.split()))


@router.get("/workspaces/{slug:slug}/tags", response=list[str])
def list_tags(request: HttpRequest, slug: str) -> list[str]:
    """The tags in use, by name."""
    return [tag for tag, _count in tags_of(workspace_for(request.user, slug), request.user)]


@router.get("/workspaces/{slug:slug}/search", response=FoundOut)
def search(
    request: HttpRequest, slug: str, text: Words, page: Annotated[int, Query(ge=1, le=1000)] = 1
) -> dict[str, Any]:
    """The documents that hold the words, best first, each with its best passages: what the search page shows."""
    found = search_workspace(workspace_for(request.user, slug), request.user, SearchQuery(text=text, page=page))
    return {
        "documents": [_show_found(row) for row in found.documents],
        "total": found.total,
        "page": found.page,
        "pages": found.pages,
    }


def _show_found(row: FoundDocument) -> dict[str, Any]:
    passages = [{"page": each.page, "text": "".join(piece.text for piece in each.pieces)} for each in row.passages]
    return {"document": row.document.pk, "title": row.document.title, "passages": passages}
