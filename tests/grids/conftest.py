"""What the tests of grids share: three leases that are read, and a grid of them."""

import pytest

from tests.support.compiled import compiled_document
from tests.support.sockets import listen  # noqa: F401 - a fixture
from vectorless_web.documents.models import Document
from vectorless_web.grids.models import Cell, Grid
from vectorless_web.grids.services import ColumnValues, GridValues, create_grid


def read_text(workspace, user, name: str, text: str) -> Document:
    """A document that is compiled in this process."""
    return compiled_document(workspace, user, text.encode(), f"{name}.md")


def lease(name: str, rent: str) -> str:
    return (
        f"# {name}\n\nThe notice period is thirty (30) days.\n\n## Rent\n\n"
        f"| USD thousand | 2023 | 2024 |\n|---|---|---|\n| Annual rent | 90 | {rent} |\n"
    )


@pytest.fixture(autouse=True)
def _files(settings, tmp_path):
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    settings.RENDER_SOCKET = tmp_path / "none.sock"


@pytest.fixture
def leases(workspace, alice) -> list[Document]:
    rents = {"Harbour lease": "120", "Mill lease": "85", "Tower lease": "1,240"}
    return [read_text(workspace, alice, name, lease(name, rent)) for name, rent in rents.items()]


NOTICE = ColumnValues("Notice", "What is the notice period?", "duration")
RENT = ColumnValues("Rent", "What was the annual rent in 2024?", "money")


@pytest.fixture
def grid(workspace, bob, leases) -> Grid:
    """Two questions to three leases."""
    values = GridValues("Leases", [NOTICE, RENT])
    return create_grid(user=bob, workspace=workspace, values=values, documents=leases)


def states(grid: Grid) -> list[str]:
    """The states of the cells, row by row."""
    cells = Cell.objects.filter(row__grid=grid).order_by("row__position", "column__position")
    return list(cells.values_list("state", flat=True))


def cell_at(grid: Grid, row: int, column: int) -> Cell:
    return (
        Cell.objects.filter(row__grid=grid)
        .order_by("row__position", "column__position")
        .select_related("column", "row__document")[row * grid.columns.count() + column]
    )
