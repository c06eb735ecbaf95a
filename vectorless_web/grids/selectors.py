"""Reads about grids, reached through the looking user: rows of documents closed to them do not exist for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Avg, Count, F, Prefetch, Q, QuerySet

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import (
    ListQuery,
    closed_folders,
    documents_in,
    found_documents,
    readable_documents,
)
from vectorless_web.grids.models import Cell, Column, Grid, Row
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import answerers_of, visible_runs
from vectorless_web.workspaces.models import AuditEvent, Role, Workspace
from vectorless_web.workspaces.selectors import OFFLINE, User, member_workspace, workspace_for

ROWS_MAX, COLUMNS_MAX = 500, 40
"""Documents and questions of a grid: its page holds all cells at once."""
TOKENS_GUESSED = 6_000
"""Tokens of one cell of a workspace that has measured none: one turn with its check."""
MEASURED = 200
"""The last cells whose tokens tell what the next ones take."""


def grids_in(workspace: Workspace) -> QuerySet[Grid]:
    """The grids of a workspace, each with how many `documents` and `questions` it has."""
    counts = {"documents": Count("rows", distinct=True), "questions": Count("columns", distinct=True)}
    return workspace.grids.select_related("created_by").annotate(**counts).order_by("-pk")


def grid_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> Grid:
    """One grid of a workspace the user belongs to; Http404 for any other, PermissionDenied below `needs`."""
    workspace = workspace_for(user, slug, needs)
    return one_or_404(workspace.grids.select_related("folder"), "There is no such grid here.", pk=pk)


def find_watched_grid(user: User, slug: str, pk: int) -> Grid | None:
    """The grid for a socket; None for a stranger, an unknown workspace and an unknown grid alike."""
    workspace = member_workspace(user, slug)
    return workspace.grids.filter(pk=pk).first() if workspace is not None else None


def column_of(grid: Grid, pk: int) -> Column:
    """One column of a grid; Http404 for any other."""
    column = one_or_404(grid.columns, "This grid has no such column.", pk=pk)
    column.grid = grid
    return column


def rows_of(grid: Grid, user: User | None) -> QuerySet[Row]:
    """The rows whose documents exist for the user, in order; for nobody (None) those that are not restricted."""
    if user is None:
        closed = closed_folders(None, [grid.workspace_id])
        whole = Document.objects.filter(workspace=grid.workspace_id, deleted_at=None)
        shown = whole.exclude(folder__in=closed).values("pk")
    else:
        shown = documents_in(grid.workspace, user).values("pk")
    rows = Row.objects.filter(grid=grid, document__in=shown).select_related("document", "version", "previous")
    return rows.order_by("position", "pk")


def row_of(grid: Grid, user: User, pk: int) -> Row:
    """One row of a grid; Http404 for any other."""
    return one_or_404(rows_of(grid, user), "This grid has no such row.", pk=pk)


def cells_of(grid: Grid, user: User, *, after: datetime | None = None) -> QuerySet[Cell]:
    """The cells that exist for the user; with `after` those that changed since then."""
    rows = documents_in(grid.workspace, user).values("pk")
    cells = Cell.objects.filter(row__grid=grid, row__document__in=rows)
    return cells if after is None else cells.filter(changed_at__gte=after)


def cells_in(column: Column, user: User) -> list[Cell]:
    """The cells of a column that exist for the user, in the order of the rows, with their documents."""
    cells = cells_of(column.grid, user).filter(column=column).select_related("row__document", "column")
    return list(cells.order_by("row__position", "row"))


def cell_of(grid: Grid, user: User, pk: int) -> Cell:
    """One cell with its row, column and run; Http404 for any other."""
    cell = cells_of(grid, user).filter(pk=pk)
    found = one_or_404(
        cell.select_related("row__document", "row__grid", "column", "run", "reviewed_by"), "This grid has no such cell."
    )
    found.row.grid = grid
    return found


IN_TABLE = ("row_id", "column_id", "state", "text", "corrected", "value", "verdict", "reviewed_by_id")
"""What of a cell the table shows: the rest is half of what is read for a page of thousands."""


REVIEWS = ("grid.cell_accepted", "grid.cell_corrected")
HISTORY = 10
"""Earlier answers of a cell, and as many reviews, that its drawer lists."""


@dataclass(frozen=True)
class Past:
    """What a cell held once: an answer with its `run`, or what `event.actor` accepted or put in its place."""

    at: datetime
    words: str
    run: Run | None = None
    event: AuditEvent | None = None


def history_of(grid: Grid, cell: Cell, user: User) -> list[Past]:
    """What the document answered to the cell's question before, and the cell's reviews, the newest first."""
    runs = visible_runs(user.pk, [grid.workspace_id]).filter(purpose=Run.Purpose.CELL, status__in=Run.CONCLUDED)
    same = runs.filter(documents=cell.row.document_id, question=cell.column.asked).exclude(pk=cell.run_id or 0)
    events = AuditEvent.objects.filter(workspace=grid.workspace, verb__in=REVIEWS, object_type="cell")
    past = [
        *(Past(run.created_at, _words_of(run), run) for run in same.select_related("answer").order_by("-pk")[:HISTORY]),
        *(
            Past(event.at, event.object_name, event=event)
            for event in events.filter(object_id=str(cell.pk)).select_related("actor")[:HISTORY]
        ),
    ]
    return sorted(past, key=lambda each: each.at, reverse=True)


def _words_of(run: Run) -> str:
    answer = getattr(run, "answer", None)
    return (answer.value or answer.plain_text if answer else "") or run.get_status_display()


def filled_rows(
    grid: Grid, user: User | None, *, cells: QuerySet[Cell] | None = None, part: slice = slice(None)
) -> list[Row]:
    """The rows, or a part, with their cells in the order of the columns as `shown_cells`; `cells` says what is read."""
    columns = {column.pk: column for column in grid.columns.all()}
    read = Cell.objects.select_related("reviewed_by") if cells is None else cells
    rows = list(rows_of(grid, user).prefetch_related(Prefetch("cells", queryset=read))[part])
    for row in rows:
        found = {cell.column_id: cell for cell in row.cells.all()}
        row.shown_cells = [found[pk] for pk in columns if pk in found]  # type: ignore[attr-defined]
        for cell in row.shown_cells:  # type: ignore[attr-defined]
            cell.column = columns[cell.column_id]
    return rows


@dataclass(frozen=True)
class Progress:
    """How far a grid is: cells done, under way, failed, and those that nobody has asked for."""

    total: int
    done: int
    left: int
    failed: int
    unasked: int

    @property
    def share(self) -> int:
        """Percent of the cells that are done."""
        return self.done * 100 // self.total if self.total else 0


def progress_of(grid: Grid, user: User) -> Progress:
    """How far the grid is, of the cells that exist for the user."""
    counts = dict(cells_of(grid, user).order_by().values_list("state").annotate(n=Count("pk")))
    return Progress(
        total=sum(counts.values()),
        done=sum(counts.get(state, 0) for state in Cell.DONE),
        left=sum(counts.get(state, 0) for state in Cell.OPEN),
        failed=counts.get(Cell.State.FAILED, 0),
        unasked=counts.get(Cell.State.STALE, 0),
    )


@dataclass(frozen=True)
class Estimate:
    """What asking so many cells may cost; `usd` is None where no model answers or its price is not set."""

    cells: int
    model: str = ""
    tokens: int = 0
    usd: Decimal | None = None


def estimate_of(grid: Grid, user: User) -> Estimate:
    """The cost of all cells that wait to be asked, by what the workspace's last cells took."""
    cells = cells_of(grid, user).filter(state__in=[Cell.State.STALE, *Cell.OPEN]).count()
    offered = {answerer.value: answerer for answerer in answerers_of(grid.workspace)}
    answerer = offered.get(grid.answerer) or next(iter(offered.values()))
    if answerer.value == OFFLINE:
        return Estimate(cells)
    measured = Run.objects.filter(workspace=grid.workspace, purpose=Run.Purpose.CELL, model=answerer.model)
    ended = measured.filter(pk__in=measured.filter(status__in=Run.CONCLUDED).order_by("-pk").values("pk")[:MEASURED])
    tokens = round(ended.aggregate(mean=Avg("tokens"))["mean"] or TOKENS_GUESSED) * cells
    usd = Decimal(tokens) * answerer.usd_per_million / 1_000_000 if answerer.usd_per_million else None
    return Estimate(cells, answerer.label, tokens, usd)


@dataclass(frozen=True)
class Source:
    """Where the documents of a grid come from: chosen ones, else those of a folder, a tag and words of their titles."""

    documents: Sequence[int] = ()
    folder: int | None = None
    tag: str = ""
    search: str = ""


def documents_from(workspace: Workspace, user: User, source: Source) -> list[Document]:
    """The documents that can be read of a source, in the order of their titles; ROWS_MAX at most."""
    rows: QuerySet[Document]
    if source.documents:
        rows = readable_documents(workspace, user, source.documents)
    else:
        query = ListQuery(search=source.search, folder=source.folder, tag=source.tag)
        found = found_documents(workspace, user, query).order_by().values_list("pk", flat=True)
        rows = readable_documents(workspace, user, found)
    return list(rows.order_by("title", "pk")[:ROWS_MAX])


def outdated_rows() -> QuerySet[Row]:
    """The rows whose documents have a newer version than their cells."""
    newer = Q(document__current_version__isnull=False, version__isnull=False)
    same = Q(document__current_version=F("version"))
    return Row.objects.filter(newer, document__deleted_at=None).exclude(same).select_related("document")
