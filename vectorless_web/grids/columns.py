"""Sets of columns to begin with: those of the program's library, and those of the workspace's own grids."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from vectorless_web.grids.models import Column, Grid
from vectorless_web.grids.services.making import ColumnValues
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.workspaces.models import Workspace

OWN = "grid-"
"""What the value of a choice begins with that names one of the workspace's grids."""
GRIDS_OFFERED = 20


@cache
def _library() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files(__package__).joinpath("templates.toml").read_text(encoding="utf-8"))


def offered_sets(workspace: Workspace) -> list[tuple[str, str]]:
    """The value and name of each set: the library's, then the newest grids of the workspace."""
    grids = Grid.objects.filter(workspace=workspace, columns__isnull=False).distinct().order_by("-pk")[:GRIDS_OFFERED]
    own = [(f"{OWN}{grid.pk}", grid.name) for grid in grids]
    return [*((key, entry["name"]) for key, entry in _library().items()), *own]


def columns_of_set(workspace: Workspace, name: str) -> Sequence[ColumnValues]:
    """The columns of a set; none for a name that is not offered."""
    if name in _library():
        return [ColumnValues(**column) for column in _library()[name]["columns"]]
    number = parse_whole_number(name.removeprefix(OWN)) if name.startswith(OWN) else None
    rows = Column.objects.filter(grid__workspace=workspace, grid=number)
    fields = ColumnValues.__dataclass_fields__
    return [ColumnValues(**{field: getattr(row, field) for field in fields}) for row in rows]
