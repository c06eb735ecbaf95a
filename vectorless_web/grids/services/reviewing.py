"""What people say of a cell: that it is right, or what is right instead. The machine's answer stays beside it."""

from django.db import transaction
from django.utils import timezone

from vectorless_web.engine.text.typed import ValueKind, type_text
from vectorless_web.grids.line import announce
from vectorless_web.grids.models import Cell, Grid
from vectorless_web.grids.services.filling import change_cells, write_value
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record


@transaction.atomic
def accept_cell(*, user: User, grid: Grid, cell: Cell) -> None:
    """Mark a cell as read and right; Problem (409) while there is nothing to accept."""
    done = Cell.objects.filter(pk=cell.pk, state__in=Cell.DONE)
    if not change_cells(done, reviewed_by=user.pk, reviewed_at=timezone.now()):
        raise Problem(
            "There is no answer here to accept yet.",
            remedy="Have the cell asked first.",
            code="nothing_to_accept",
            status=409,
        )
    record(actor=user, verb="grid.cell_accepted", workspace=grid.workspace, target=cell, name=cell.shown)
    announce(grid.pk)


@transaction.atomic
def correct_cell(*, user: User, grid: Grid, cell: Cell, text: str, reason: str) -> None:
    """Put a person's words in the place of the machine's, which stay beside them, with the reason."""
    typed = type_text(ValueKind(cell.column.kind), text, cell.column.choices)
    values = {"corrected": text, "reason": reason, "value": None if typed is None else write_value(typed)}
    idle = Cell.objects.filter(pk=cell.pk).exclude(state__in=Cell.OPEN)
    reviewed = {"reviewed_by": user.pk, "reviewed_at": timezone.now()}
    if not change_cells(idle, state=Cell.State.CORRECTED, **values, **reviewed):
        raise Problem(
            "This cell is being asked.", remedy="Review it when its answer is there.", code="cell_busy", status=409
        )
    details = {"before": cell.shown, "after": text, "reason": reason}
    record(actor=user, verb="grid.cell_corrected", workspace=grid.workspace, target=cell, name=text, details=details)
    announce(grid.pk)
