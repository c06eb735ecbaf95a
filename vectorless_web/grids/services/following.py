"""What the sweep does for grids: newer versions, new documents of followed folders, grids that were left waiting."""

from django.db import transaction
from django.db.models import F, Q

from vectorless_web.documents.selectors import readable_documents
from vectorless_web.grids.line import announce
from vectorless_web.grids.models import Cell, Grid, Row
from vectorless_web.grids.selectors import ROWS_MAX, outdated_rows
from vectorless_web.grids.services.filling import change_cells, feed
from vectorless_web.grids.services.making import take_rows


def follow_documents() -> int:
    """For the sweep: rows of documents with a newer version become stale, new documents of followed folders rows.

    Grids whose cells wait with room for runs are fed, too; how many rows and grids were touched.
    """
    return _mark_outdated() + _follow_folders() + _feed_waiting()


def _mark_outdated() -> int:
    rows = list(outdated_rows())
    for row in rows:
        with transaction.atomic():
            done = Q(state__in=[*Cell.DONE, Cell.State.FAILED])
            change_cells(row.cells.filter(done), state=Cell.State.STALE)
            fresh = row.document.current_version_id
            Row.objects.filter(pk=row.pk).update(previous=F("version"), version=fresh)
            announce(row.grid_id)
    return len(rows)


def _follow_folders() -> int:
    touched = 0
    for grid in Grid.objects.filter(folder__isnull=False).select_related("workspace", "asked_by"):
        if grid.asked_by is None:
            continue
        known = grid.rows.values("document")
        fresh = readable_documents(grid.workspace, grid.asked_by).filter(folder=grid.folder_id)
        documents = list(fresh.exclude(pk__in=known)[: ROWS_MAX - grid.rows.count()])
        if documents:
            with transaction.atomic():
                take_rows(grid, documents)
                announce(grid.pk)
            touched += 1
    return touched


def _feed_waiting() -> int:
    """A grid whose every run ended while its feeding failed goes on."""
    waiting = Grid.objects.filter(rows__cells__state=Cell.State.QUEUED).distinct()
    idle = [grid for grid in waiting if not Cell.objects.filter(row__grid=grid, state=Cell.State.RUNNING).exists()]
    for grid in idle:
        with transaction.atomic():
            feed(grid.pk)
    return len(idle)
