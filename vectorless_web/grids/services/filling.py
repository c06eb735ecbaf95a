"""Having cells asked: a bounded number of runs at a time, their ends taken into the cells, stopping, staleness."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from vectorless_web.engine.answers.claims import HELD
from vectorless_web.engine.text.typed import CheckedText, TypedValue, ValueKind, type_answer
from vectorless_web.grids.line import announce
from vectorless_web.grids.models import Cell, Column, Grid
from vectorless_web.infra import happenings
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.models import Citation, Claim, Run
from vectorless_web.runs.selectors import answer_of, claims_of, passages_of
from vectorless_web.runs.services import cancel_run, start_background_run
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

LEFT = "Whoever asked for these answers has no account here any more. Ask again."
UNTYPED = {"value": None, "corrected": "", "reason": "", "reviewed_by": None, "reviewed_at": None}
"""The fields of a cell that a new answer empties."""


def change_cells(cells: QuerySet[Cell], **values: Any) -> int:
    """Write to cells, so that open pages see that they have changed; how many."""
    return cells.update(changed_at=timezone.now(), **values)


@transaction.atomic
def fill_grid(*, user: User, grid: Grid, failed: bool = False) -> int:
    """Have all cells asked that were never asked or are stale, or with `failed` those that failed; how many."""
    state = Cell.State.FAILED if failed else Cell.State.STALE
    return _queue(user, grid, Cell.objects.filter(row__grid=grid, state=state), "grid.filled")


@transaction.atomic
def ask_cell(*, user: User, grid: Grid, cell: Cell) -> int:
    """Have one cell asked again."""
    wanted = Cell.objects.filter(pk=cell.pk).exclude(state__in=Cell.OPEN)
    return _queue(user, grid, wanted, "grid.cell_asked")


def _queue(user: User, grid: Grid, cells: QuerySet[Cell], verb: str) -> int:
    queued = change_cells(cells, state=Cell.State.QUEUED, run=None, note="")
    if not queued:
        return 0
    Grid.objects.filter(pk=grid.pk).update(asked_by=user.pk)
    feed(grid.pk)
    record(actor=user, verb=verb, workspace=grid.workspace, target=grid, details={"cells": queued})
    announce(grid.pk)
    return queued


def feed(grid_id: int) -> None:
    """Give the next waiting cells their runs, so that settings.CELLS_AT_ONCE of the grid are under way.

    Where none waits or is under way any more, the event grid.finished is told. Call it in a transaction: the grid's
    row is held, so that two ends do not give one cell two runs.
    """
    grid = Grid.objects.select_for_update(of=("self",)).select_related("workspace", "asked_by").get(pk=grid_id)
    cells = Cell.objects.filter(row__grid=grid)
    room = settings.CELLS_AT_ONCE - cells.filter(state=Cell.State.RUNNING).count()
    waiting = cells.filter(state=Cell.State.QUEUED).select_related("row", "column")
    for cell in waiting.order_by("row__position", "row", "column__position", "column")[: max(0, room)]:
        _start(grid, cell)
    if not cells.filter(state__in=Cell.OPEN).exists():
        counts = dict(cells.order_by().values_list("state").annotate(n=Count("pk")))
        happenings.tell("grid.finished", workspace_id=grid.workspace_id, about={"grid": grid.pk, "cells": counts})


def _start(grid: Grid, cell: Cell) -> None:
    one = Cell.objects.filter(pk=cell.pk, state=Cell.State.QUEUED)
    if grid.asked_by is None:
        change_cells(one, state=Cell.State.FAILED, note=LEFT)
        return
    try:
        run = start_background_run(
            user=grid.asked_by,
            workspace=grid.workspace,
            purpose=Run.Purpose.CELL,
            question=cell.column.asked,
            documents=[cell.row.document_id],
            answerer=grid.answerer,
        )
    except Problem as problem:
        change_cells(one, state=Cell.State.FAILED, note=problem.message)
        return
    change_cells(one, state=Cell.State.RUNNING, run=run)


def take_end(run: Run) -> None:
    """Take the end of a run into its cell by one conditional UPDATE, and give the next cell its run.

    Called in the transaction that ends the run. A cell that is no longer the run's is left alone.
    """
    cell = Cell.objects.select_related("column", "row").filter(run=run.pk, state=Cell.State.RUNNING).first()
    if cell is None:
        return
    if change_cells(Cell.objects.filter(pk=cell.pk, run=run.pk, state=Cell.State.RUNNING), **_result_of(run, cell)):
        feed(cell.row.grid_id)
        announce(cell.row.grid_id)


def _result_of(run: Run, cell: Cell) -> dict[str, Any]:
    """The fields of a cell whose run has ended; one that was stopped is as it was."""
    match run.status:
        case Run.Status.CANCELLED:
            return {"state": Cell.State.STALE, "run": None}
        case Run.Status.FAILED:
            return {"state": Cell.State.FAILED, "note": run.reason}
    fields = {**UNTYPED, "state": run.status, "text": "", "quote": "", "page": None, "verdict": "", "note": ""}
    claims = [claim for claim in claims_of(run) if claim.state == "checked" and claim.support != "unsupported"]
    if claims:
        return fields | _answer_fields(run, cell.column, claims)
    passages = passages_of(run)
    if run.status == Run.Status.PASSAGES and passages:
        return fields | {"text": passages[0].quote, **_quote_fields(passages)}
    return fields | {"note": run.reason}


def _answer_fields(run: Run, column: Column, claims: Sequence[Claim]) -> dict[str, Any]:
    answer = answer_of(run)
    citations = [citation for claim in claims for citation in claim.citations.all()]
    typed = type_answer(ValueKind(column.kind), _checked_text(answer.value if answer else "", claims), column.choices)
    return {
        "text": " ".join(claim.text for claim in claims),
        "value": None if typed is None else write_value(typed),
        "verdict": answer.verdict if answer else "",
        "note": answer.note if answer else "",
        **_quote_fields(citations),
    }


def _quote_fields(citations: Sequence[Citation]) -> dict[str, Any]:
    first = next(iter(citations), None)
    return {} if first is None else {"quote": first.quote, "page": first.page}


def _checked_text(value: str, claims: Sequence[Claim]) -> CheckedText:
    """What of an answer is checked, and so may be typed."""
    held = [claim for claim in claims if claim.support in HELD]
    calculated = [claim.calculation for claim in held if claim.calculation]
    return CheckedText(
        value=value if held else "",
        sentences=tuple(claim.text for claim in held),
        results=tuple(f"{row['result']} {row['unit']}".strip() for row in calculated),
        quotes=tuple(citation.quote for claim in held for citation in claim.citations.all()),
    )


def write_value(typed: TypedValue) -> dict[str, str | None]:
    """A typed value as a cell stores it; the number as text, so that it stays exact."""
    number = None if typed.number is None else format(typed.number, "f")
    return {"number": number, "unit": typed.unit, "text": typed.text}


def release_cells(user: User, cells: QuerySet[Cell]) -> int:
    """Take cells out of the line: they are to be asked again, and the runs that they waited for are stopped."""
    runs = list(Run.objects.filter(pk__in=cells.filter(state=Cell.State.RUNNING).values("run")))
    released = change_cells(cells, state=Cell.State.STALE)
    for run in runs:
        cancel_run(user=user, run=run)
    return released


@transaction.atomic
def stop_grid(*, user: User, grid: Grid) -> int:
    """Stop what is asked and what waits; cells that are done stay. How many were stopped."""
    open_cells = Cell.objects.filter(row__grid=grid, state__in=Cell.OPEN)
    stopped = release_cells(user, open_cells)
    if stopped:
        record(actor=user, verb="grid.stopped", workspace=grid.workspace, target=grid, details={"cells": stopped})
    announce(grid.pk)
    return stopped
