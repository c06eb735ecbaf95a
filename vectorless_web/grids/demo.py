"""The first grid of a new installation's demo workspace."""

from django.contrib.auth.models import AbstractBaseUser

from vectorless_web.documents.selectors import readable_documents
from vectorless_web.grids.models import Grid
from vectorless_web.grids.services import ColumnValues, GridValues, create_grid, fill_grid
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import OFFLINE

NAME = "Thornbury, year by year"
DOCUMENTS = ("thornbury-annual-report-2023.pdf", "thornbury-annual-report-2024.pdf")
COLUMNS = (
    ColumnValues("Free cash flow", "What was free cash flow?", "money", scale=1_000_000),
    ColumnValues("Operating margin", "What was the operating margin?", "percent", decimals=1),
    ColumnValues("Gross margin", "What was the gross margin?", "percent", decimals=1),
    ColumnValues("Employees", "How many employees are there?", "number"),
)


def make_demo_grid(workspace: Workspace, user: AbstractBaseUser) -> None:
    """Make the grid and have it filled without a model; nothing when it is there already."""
    documents = [row for row in readable_documents(workspace, user) if row.name in DOCUMENTS]
    if documents and not Grid.objects.filter(workspace=workspace).exists():
        values = GridValues(NAME, COLUMNS, answerer=OFFLINE)
        grid = create_grid(user=user, workspace=workspace, values=values, documents=documents)
        fill_grid(user=user, grid=grid)
