"""The pages of grids: the list, one grid as a table, the drawer of one cell, and the acts on them."""

import json
from html import escape

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.grids import export as exporting
from vectorless_web.grids import selectors, services
from vectorless_web.grids.forms import ColumnForm, CorrectionForm, GridForm, RowsForm, shorten_label
from vectorless_web.grids.models import Cell, Grid, Row
from vectorless_web.grids.rendering import fits_column, list_bars, progress_context, show_cells, shown_value
from vectorless_web.infra.web.csv_files import csv_response, download
from vectorless_web.infra.web.pages import go_to, is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.page.sheets import sheets_of
from vectorless_web.runs.selectors import claims_of, passages_of
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import may_in, workspace_context, workspace_for

FIRST_ROWS = 20
"""Rows that a large grid's page begins with: about two screens. Those after them come by themselves."""
QUESTION_MAX = 500
"""Characters of a question that comes with the address."""


@require_GET
def index(request: HttpRequest, slug: str) -> HttpResponse:
    place = workspace_for(request.user, slug)
    rows = list(selectors.grids_in(place)[:100])
    for grid in rows:
        grid.workspace = place
    grids = [(grid, selectors.progress_of(grid, request.user)) for grid in rows]
    return render(request, "grids/list.html", {**workspace_context(request.user, place, "grids"), "grids": grids})


@require_GET
def new(request: HttpRequest, slug: str) -> HttpResponse:
    place = workspace_for(request.user, slug, Role.MEMBER)
    question = request.GET.get("question", "")[:QUESTION_MAX]
    initial = {"questions": question, "name": shorten_label(question)}
    form = GridForm(user=request.user, workspace=place, initial=initial)
    return render(request, "grids/new.html", {**workspace_context(request.user, place, "grids"), "form": form})


@require_POST
def make(request: HttpRequest, slug: str) -> HttpResponse:
    place = workspace_for(request.user, slug, Role.MEMBER)
    form = GridForm(request.POST, user=request.user, workspace=place)
    if form.is_valid():
        try:
            grid = services.create_grid(
                user=request.user,
                workspace=place,
                values=form.values(),
                documents=selectors.documents_from(place, request.user, form.source()),
            )
        except Problem as problem:
            form.add_error(None, problem.message)
        else:
            return go_to(request, "grids:show", slug=slug, pk=grid.pk)
    context = {**workspace_context(request.user, place, "grids"), "form": form}
    return render(request, "grids/new.html", context, status=422)


@require_GET
def show(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A grid as a table; with `?part=rest`, which a page of many rows asks for, the rows that it did not hold."""
    grid = selectors.grid_for(request.user, slug, pk)
    if request.GET.get("part") == "rest":
        context = {"workspace": grid.workspace, "rows": _show_rows(request, grid, slice(FIRST_ROWS, None))}
        return render(request, "grids/_rows.html", context)
    progress, total = progress_context(grid, request.user), selectors.rows_of(grid, request.user).count()
    # While cells come in, the socket must find each in the page.
    is_whole = bool(progress["progress"].left) or total <= FIRST_ROWS or request.GET.get("part") == "all"
    context = {
        **workspace_context(request.user, grid.workspace, "grids"),
        **progress,
        "columns": list(grid.columns.all()),
        "rows": _show_rows(request, grid, slice(None if is_whole else FIRST_ROWS)),
        "total": total,
        "is_whole": is_whole,
    }
    return render(request, "grids/show.html", context)


def _show_rows(request: HttpRequest, grid: Grid, part: slice) -> list[Row]:
    """A part of the rows with their cells as the table shows them, in `shown`."""
    cells, columns = Cell.objects.only(*selectors.IN_TABLE), grid.columns.all()
    rows = selectors.filled_rows(grid, request.user, cells=cells, part=part)
    labels = {column.pk: escape(column.label) for column in columns}
    for row in rows:
        row.shown = show_cells(row.shown_cells, labels)  # type: ignore[attr-defined]
    return rows


@require_POST
def fill(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    services.fill_grid(user=request.user, grid=grid)
    return _answer_act(request, grid)


@require_POST
def retry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    services.fill_grid(user=request.user, grid=grid, failed=True)
    return _answer_act(request, grid)


@require_POST
def stop(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    services.stop_grid(user=request.user, grid=grid)
    return _answer_act(request, grid)


@require_GET
def export(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk)
    filled = exporting.fill_for(request.user, grid, request.build_absolute_uri)
    name = exporting.file_name(grid, form)
    if form == "csv":
        return csv_response(exporting.as_csv(filled), name)
    if form == "json":
        return download(json.dumps(exporting.as_json(filled), indent=2), "application/json", name)
    if form == "xlsx":
        return download(exporting.as_workbook(filled), exporting.WORKBOOK, name)
    raise Http404("A grid can be exported as xlsx, csv or json.")


def _answer_act(request: HttpRequest, grid: Grid) -> HttpResponse:
    if is_htmx(request):
        return render(request, "grids/_progress.html", progress_context(grid, request.user))
    return redirect("grids:show", slug=grid.workspace.slug, pk=grid.pk)


@require_POST
def delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.EDITOR)
    services.delete_grid(user=request.user, grid=grid)
    return go_to(request, "grids:list", slug=slug)


@require_GET
def column_form(request: HttpRequest, slug: str, pk: int, column: int | None = None) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    found = selectors.column_of(grid, column) if column else None
    return _render_column(request, grid, ColumnForm(instance=found))


@require_POST
def add_column(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    form = ColumnForm(request.POST)
    if not form.is_valid():
        return _render_column(request, grid, form, status=422)
    services.add_column(user=request.user, grid=grid, values=form.values())
    return go_to(request, "grids:show", slug=slug, pk=pk)


@require_POST
def change_column(request: HttpRequest, slug: str, pk: int, column: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    found = selectors.column_of(grid, column)
    form = ColumnForm(request.POST, instance=found)
    if not form.is_valid():
        return _render_column(request, grid, form, status=422)
    services.change_column(user=request.user, grid=grid, column=found, values=form.values())
    return go_to(request, "grids:show", slug=slug, pk=pk)


@require_POST
def remove_column(request: HttpRequest, slug: str, pk: int, column: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    services.remove_column(user=request.user, grid=grid, column=selectors.column_of(grid, column))
    return go_to(request, "grids:show", slug=slug, pk=pk)


def _render_column(request: HttpRequest, grid: Grid, form: ColumnForm, status: int = 200) -> HttpResponse:
    column = form.instance if form.instance.pk else None
    context = {**workspace_context(request.user, grid.workspace, "grids"), "grid": grid, "form": form, "column": column}
    return render(request, "grids/column.html", context, status=status)


@require_GET
def chart(request: HttpRequest, slug: str, pk: int, column: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk)
    found = selectors.column_of(grid, column)
    cells = selectors.cells_in(found, request.user)
    context = {
        **workspace_context(request.user, grid.workspace, "grids"),
        "grid": grid,
        "column": found,
        "bars": list_bars(cells),
        "others": sum(cell.number is not None and not fits_column(cell) for cell in cells),
    }
    page = "grids/_chart.html" if is_htmx(request) else "grids/chart.html"
    return render(request, page, context)


@require_GET
def rows(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    return _render_rows(request, grid, RowsForm(user=request.user, grid=grid))


@require_POST
def add_rows(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    form = RowsForm(request.POST, user=request.user, grid=grid)
    if not form.is_valid():
        return _render_rows(request, grid, form, status=422)
    try:
        services.add_documents(user=request.user, grid=grid, documents=list(form.cleaned_data["documents"]))
    except Problem as problem:
        form.add_error(None, problem.message)
        return _render_rows(request, grid, form, status=problem.status)
    return go_to(request, "grids:show", slug=slug, pk=pk)


def _render_rows(request: HttpRequest, grid: Grid, form: RowsForm, status: int = 200) -> HttpResponse:
    context = workspace_context(request.user, grid.workspace, "grids")
    context |= {"grid": grid, "form": form, "rows": selectors.rows_of(grid, request.user)}
    return render(request, "grids/rows.html", context, status=status)


@require_POST
def remove_row(request: HttpRequest, slug: str, pk: int, row: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    services.remove_row(user=request.user, grid=grid, row=selectors.row_of(grid, request.user, row))
    return go_to(request, "grids:rows", slug=slug, pk=pk)


@require_GET
def cell(request: HttpRequest, slug: str, pk: int, cell: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk)
    return _render_drawer(request, grid, selectors.cell_of(grid, request.user, cell), CorrectionForm())


@require_POST
def accept(request: HttpRequest, slug: str, pk: int, cell: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    found = selectors.cell_of(grid, request.user, cell)
    services.accept_cell(user=request.user, grid=grid, cell=found)
    return _answer_review(request, grid, found)


@require_POST
def correct(request: HttpRequest, slug: str, pk: int, cell: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    found = selectors.cell_of(grid, request.user, cell)
    form = CorrectionForm(request.POST)
    if not form.is_valid():
        return _render_drawer(request, grid, found, form, status=422)
    services.correct_cell(user=request.user, grid=grid, cell=found, **form.cleaned_data)
    return _answer_review(request, grid, found)


@require_POST
def again(request: HttpRequest, slug: str, pk: int, cell: int) -> HttpResponse:
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    found = selectors.cell_of(grid, request.user, cell)
    services.ask_cell(user=request.user, grid=grid, cell=found)
    return _answer_review(request, grid, found)


def _answer_review(request: HttpRequest, grid: Grid, cell: Cell) -> HttpResponse:
    if is_htmx(request):
        return _render_drawer(request, grid, selectors.cell_of(grid, request.user, cell.pk), CorrectionForm())
    return redirect("grids:cell", slug=grid.workspace.slug, pk=grid.pk, cell=cell.pk)


def _render_drawer(
    request: HttpRequest, grid: Grid, cell: Cell, form: CorrectionForm, status: int = 200
) -> HttpResponse:
    """The drawer alone for htmx; for a plain link a page that holds it."""
    run = cell.run
    if run is not None:
        run.workspace = grid.workspace
    cited = [] if run is None else [row for claim in claims_of(run) for row in claim.citations.all()]
    citations = cited or ([] if run is None else passages_of(run)[:1])
    context = {
        **workspace_context(request.user, grid.workspace, "grids"),
        "may": may_in(grid.workspace),
        "grid": grid,
        "cell": cell,
        "row": cell.row,
        "words": shown_value(cell),
        "citations": citations,
        "history": selectors.history_of(grid, cell, request.user),
        "sheets": [] if run is None or cell.is_open else sheets_of(run, citations, [])[:2],
        "form": form,
    }
    page = "grids/_drawer.html" if is_htmx(request) else "grids/cell.html"
    return render(request, page, context, status=status)
