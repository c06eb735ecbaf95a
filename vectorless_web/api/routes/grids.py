"""Grids: list, make, read with their cells, have them asked, stop, take along."""

from dataclasses import replace
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status
from pydantic import Field

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import Scope
from vectorless_web.api.problems import read_form
from vectorless_web.api.replies import Number, Paged, PageOut, PageQuery, answers, once, take_page
from vectorless_web.api.routes.places import ForMember, ForViewer
from vectorless_web.api.routes.schemas import NO_NUL, NamedOut, ShortText
from vectorless_web.grids import export, selectors, services
from vectorless_web.grids.forms import ColumnForm, GridForm
from vectorless_web.grids.models import Grid
from vectorless_web.grids.services import ColumnValues
from vectorless_web.workspaces.models import Role

router = Router(tags=["Grids"])
PLACE = "/workspaces/{slug:slug}/grids"
ONE = PLACE + "/{grid}"


class ColumnIn(Schema):
    """A question that is asked of every document; `kind` is the kind of value that a cell is read as."""

    question: Annotated[str, Field(min_length=1, max_length=500, pattern=NO_NUL)]
    label: Annotated[str, Field(max_length=80, pattern=NO_NUL)] = ""
    kind: Annotated[str, Field(max_length=10, pattern=NO_NUL)] = "text"
    hint: Annotated[str, Field(max_length=300, pattern=NO_NUL)] = ""
    choices: Annotated[list[ShortText], Field(max_length=50)] = []
    unit: Annotated[str, Field(max_length=20, pattern=NO_NUL)] = ""
    scale: Annotated[int, Field(ge=1, le=10**9)] = 1
    decimals: Annotated[int | None, Field(ge=0, le=6)] = None


class GridIn(Schema):
    """A grid: its documents by number, else by folder, tag and words of titles; its columns, after those of a `set`."""

    name: ShortText
    documents: Annotated[list[Number], Field(max_length=selectors.ROWS_MAX)] = []
    folder: Number | None = None
    follow: bool = False
    tag: ShortText = ""
    search: ShortText = ""
    set: ShortText = ""
    columns: Annotated[list[ColumnIn], Field(max_length=selectors.COLUMNS_MAX)] = []
    answerer: Annotated[str, Field(max_length=60, pattern=NO_NUL)] = ""


class FillIn(Schema):
    """Which cells are asked: those that were never asked or are stale, or those that `failed`."""

    failed: bool = False


class ProgressOut(Schema):
    """Cells of a grid by state; `left` are under way, `unasked` wait for somebody to have them asked."""

    total: int
    done: int
    left: int
    failed: int
    unasked: int


class GridOut(NamedOut):
    """A grid, and how far it is."""

    documents: int
    columns: int
    progress: ProgressOut


class CellsOut(GridOut):
    """A grid with its columns and, row by row, its cells, as its JSON file has them."""

    head: list[dict[str, Any]]
    rows: list[dict[str, Any]]


def show_grid(request: HttpRequest, grid: Grid) -> dict[str, Any]:
    """A grid in short; documents and cells that are closed to the person do not count."""
    counts = {"documents": selectors.rows_of(grid, request.user).count(), "columns": grid.columns.count()}
    return {"id": grid.pk, "name": grid.name, **counts, "progress": selectors.progress_of(grid, request.user)}


@router.get(PLACE, response=PageOut[GridOut])
def list_grids(request: HttpRequest, workspace: ForViewer, asked: PageQuery = Paged) -> dict[str, Any]:
    """The grids of a workspace, the newest first."""
    return take_page(selectors.grids_in(workspace), asked, lambda grid: show_grid(request, grid))


@router.post(PLACE, response={201: GridOut}, auth=Bearer(Scope.ASK))
@once
def make_grid(request: HttpRequest, workspace: ForMember, asked: GridIn) -> Status[Any]:
    """Make a grid, of which nothing is asked yet. With Idempotency-Key a repeated request gives the first reply."""
    form = GridForm({**asked.dict(exclude={"set"}), "columns": asked.set}, user=request.user, workspace=workspace)
    read_form(form)
    values = form.values()
    columns = [*values.columns, *map(_read_column, asked.columns)][: selectors.COLUMNS_MAX]
    documents = selectors.documents_from(workspace, request.user, form.source())
    own = replace(values, columns=columns)
    grid = services.create_grid(user=request.user, workspace=workspace, values=own, documents=documents)
    return Status(201, show_grid(request, grid))


def _read_column(asked: ColumnIn) -> ColumnValues:
    form = ColumnForm({**asked.dict(), "choices": "\n".join(asked.choices)})
    read_form(form)
    return form.values()


@router.get(ONE, response=CellsOut)
def show_one(request: HttpRequest, slug: str, grid: Number) -> dict[str, Any]:
    """A grid with all cells that the person may see: value, answer, quote, page, verdict, reviewer."""
    found = selectors.grid_for(request.user, slug, grid)
    cells = export.as_json(_fill(request, found))
    return {**show_grid(request, found), "head": cells["columns"], "rows": cells["rows"]}


def _fill(request: HttpRequest, grid: Grid) -> export.FilledGrid:
    return export.fill_for(request.user, grid, request.build_absolute_uri)


@router.post(ONE + "/fill", response=GridOut, auth=Bearer(Scope.ASK))
def fill_grid(request: HttpRequest, slug: str, grid: Number, asked: FillIn) -> dict[str, Any]:
    """Have cells asked; cells that are done are not asked again."""
    found = selectors.grid_for(request.user, slug, grid, Role.MEMBER)
    services.fill_grid(user=request.user, grid=found, failed=asked.failed)
    return show_grid(request, found)


@router.post(ONE + "/stop", response=GridOut, auth=Bearer(Scope.ASK))
def stop_grid(request: HttpRequest, slug: str, grid: Number) -> dict[str, Any]:
    """Stop what is asked and what waits; cells that are done stay."""
    found = selectors.grid_for(request.user, slug, grid, Role.MEMBER)
    services.stop_grid(user=request.user, grid=found)
    return show_grid(request, found)


@router.delete(ONE, response={204: None}, auth=Bearer(Scope.WRITE))
def delete_grid(request: HttpRequest, slug: str, grid: Number) -> None:
    """Delete a grid; the runs of its cells stay until they are old."""
    services.delete_grid(user=request.user, grid=selectors.grid_for(request.user, slug, grid, Role.EDITOR))


@router.get(ONE + "/xlsx", openapi_extra=answers(export.WORKBOOK))
def export_workbook(request: HttpRequest, slug: str, grid: Number) -> HttpResponse:
    """The workbook: typed values, and a sheet with the evidence of each cell."""
    body = export.as_workbook(_fill(request, selectors.grid_for(request.user, slug, grid)))
    return HttpResponse(body, content_type=export.WORKBOOK)
