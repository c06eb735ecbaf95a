"""Making and changing a grid: its documents, its questions. A changed question makes its own cells stale, no others."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from vectorless_web.documents.models import Document, Folder
from vectorless_web.grids.line import announce
from vectorless_web.grids.models import Cell, Column, Grid, Row
from vectorless_web.grids.selectors import COLUMNS_MAX, ROWS_MAX
from vectorless_web.grids.services.filling import release_cells
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import delete_and_record, record


@dataclass(frozen=True)
class ColumnValues:
    """What a person says of a column."""

    label: str
    question: str
    kind: str = Column.Kind.TEXT
    hint: str = ""
    choices: Sequence[str] = ()
    unit: str = ""
    scale: int = 1
    decimals: int | None = None


ASKED = ("question", "kind", "hint", "choices")
"""What of a column is put to the documents; the rest is how its values are shown."""


@dataclass(frozen=True)
class GridValues:
    """What a person says of a new grid. It follows `folder`; `answerer` is "" for who answers usually."""

    name: str
    columns: Sequence[ColumnValues] = ()
    folder: Folder | None = None
    answerer: str = ""


@transaction.atomic
def create_grid(*, user: User, workspace: Workspace, values: GridValues, documents: Sequence[Document]) -> Grid:
    """Make a grid of documents and questions, of which nothing is asked yet."""
    if not documents and values.folder is None:
        raise Problem(
            "The grid has no document.", remedy="Choose at least one document that can be read.", code="no_documents"
        )
    own = {"name": values.name, "folder": values.folder, "answerer": values.answerer}
    grid = Grid.objects.create(workspace=workspace, created_by_id=user.pk, asked_by_id=user.pk, **own)
    for position, column in enumerate(values.columns):
        Column.objects.create(grid=grid, position=position, **_fields_of(column))
    take_rows(grid, documents)
    record(actor=user, verb="grid.created", workspace=workspace, target=grid, name=values.name)
    return grid


def take_rows(grid: Grid, documents: Iterable[Document]) -> int:
    """Add a row for each document that has none, with a cell for each column; how many were added."""
    known = set(grid.rows.values_list("document", flat=True))
    fresh = [document for document in documents if document.pk not in known]
    if len(known) + len(fresh) > ROWS_MAX:
        raise Problem(
            f"A grid has at most {ROWS_MAX} documents.",
            remedy="Choose fewer, or make another grid.",
            code="too_many_documents",
        )
    first = (grid.rows.aggregate(last=Max("position"))["last"] or 0) + 1
    rows = Row.objects.bulk_create(
        Row(grid=grid, document=document, version_id=document.current_version_id, position=first + number)
        for number, document in enumerate(fresh)
    )
    columns = list(grid.columns.all())
    Cell.objects.bulk_create([Cell(row=row, column=column) for row in rows for column in columns], batch_size=500)
    return len(rows)


@transaction.atomic
def add_documents(*, user: User, grid: Grid, documents: Sequence[Document]) -> int:
    """Add rows for documents that have none yet; how many."""
    added = take_rows(grid, documents)
    if added:
        record(actor=user, verb="grid.rows_added", workspace=grid.workspace, target=grid, details={"rows": added})
    return added


@transaction.atomic
def remove_row(*, user: User, grid: Grid, row: Row) -> None:
    """Take a document out of a grid; its runs stay."""
    release_cells(user, Cell.objects.filter(row=row))
    delete_and_record(row, actor=user, verb="grid.row_removed", workspace=grid.workspace, name=row.document.title)


@transaction.atomic
def add_column(*, user: User, grid: Grid, values: ColumnValues) -> Column:
    """Add a question, of which nothing is asked yet."""
    if grid.columns.count() >= COLUMNS_MAX:
        raise Problem(
            f"A grid has at most {COLUMNS_MAX} columns.",
            remedy="Make another grid for the rest.",
            code="too_many_columns",
        )
    last = grid.columns.aggregate(last=Max("position"))["last"]
    column = Column.objects.create(grid=grid, position=0 if last is None else last + 1, **_fields_of(values))
    Cell.objects.bulk_create([Cell(row=row, column=column) for row in grid.rows.all()], batch_size=500)
    record(actor=user, verb="grid.column_added", workspace=grid.workspace, target=grid, details={"label": column.label})
    return column


@transaction.atomic
def change_column(*, user: User, grid: Grid, column: Column, values: ColumnValues) -> bool:
    """Change a column; whether its cells must be asked again, because what is put to the documents is another."""
    fields = _fields_of(values)
    is_another = any(getattr(column, name) != fields[name] for name in ASKED)
    Column.objects.filter(pk=column.pk).update(**fields)
    if is_another:
        release_cells(user, Cell.objects.filter(column=column))
    details = {"label": values.label, "asked": values.question}
    record(actor=user, verb="grid.column_changed", workspace=grid.workspace, target=grid, details=details)
    announce(grid.pk)
    return is_another


@transaction.atomic
def remove_column(*, user: User, grid: Grid, column: Column) -> None:
    """Delete a question with its cells; their runs stay."""
    release_cells(user, Cell.objects.filter(column=column))
    delete_and_record(column, actor=user, verb="grid.column_removed", workspace=grid.workspace, name=column.label)


@transaction.atomic
def delete_grid(*, user: User, grid: Grid) -> None:
    """Delete a grid; the runs of its cells stay until they are old."""
    release_cells(user, Cell.objects.filter(row__grid=grid))
    delete_and_record(grid, actor=user, verb="grid.deleted", workspace=grid.workspace, name=grid.name)


def _fields_of(values: ColumnValues) -> dict[str, Any]:
    return {**asdict(values), "choices": list(values.choices)}
