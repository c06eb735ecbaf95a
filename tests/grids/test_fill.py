"""Having a grid's cells asked: they fill without a model, a bounded number at a time, and nothing is asked twice."""

from datetime import timedelta
from decimal import Decimal

import django_rq
import pytest
from django.urls import reverse
from django.utils import timezone

from tests.grids.conftest import RENT, cell_at, states
from vectorless_web.documents.models import Document
from vectorless_web.grids.models import Cell
from vectorless_web.grids.services import GridValues, create_grid, fill_grid, stop_grid
from vectorless_web.runs.line import BACKGROUND_QUEUE
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import claim_run, fail_run, recover_runs

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def test_cells_fill_with_worked_figures_and_closest_passages(client, bob, workspace, grid, work_off):
    client.force_login(bob)

    client.post(reverse("grids:fill", args=[workspace.slug, grid.pk]))
    work_off("background")

    rents = [cell_at(grid, row, 1) for row in range(3)]
    assert [cell.number for cell in rents] == [Decimal(120_000), Decimal(85_000), Decimal(1_240_000)]
    assert {(cell.state, cell.value["unit"], cell.verdict) for cell in rents} == {("answered", "USD", "exact")}
    notice = cell_at(grid, 0, 0)
    assert (notice.state, notice.value) == ("passages", None)
    assert "thirty (30) days" in notice.text
    page = client.get(reverse("grids:show", args=[workspace.slug, grid.pk])).content.decode()
    assert "1,240,000 USD" in page
    assert "6 of 6 cells done" in page


def test_only_so_many_cells_have_a_run_at_a_time_and_asking_twice_asks_nothing_twice(bob, grid, settings, work_off):
    settings.CELLS_AT_ONCE = 2

    fill_grid(user=bob, grid=grid)
    assert fill_grid(user=bob, grid=grid) == 0
    assert states(grid) == ["running"] * 2 + ["queued"] * 4
    assert Run.objects.count() == 2

    work_off("background")
    assert not Cell.objects.filter(state__in=Cell.OPEN).exists()
    assert fill_grid(user=bob, grid=grid) == 0
    assert Run.objects.count() == 6


def test_a_grid_that_is_stopped_goes_on_where_it_was(client, bob, workspace, grid, settings, work_off):
    settings.CELLS_AT_ONCE = 2
    fill_grid(user=bob, grid=grid)
    claim_run(Run.objects.earliest("pk").pk)
    client.force_login(bob)

    client.post(reverse("grids:stop", args=[workspace.slug, grid.pk]))

    assert states(grid) == ["stale"] * 6
    assert not Run.objects.filter(status="queued").exists()
    fill_grid(user=bob, grid=grid)
    work_off("background")
    assert "stale" not in states(grid)


def test_the_end_of_a_run_that_was_stopped_changes_no_cell_that_is_asked_again(bob, grid):
    fill_grid(user=bob, grid=grid)
    first = Run.objects.earliest("pk")
    lease = claim_run(first.pk)
    stop_grid(user=bob, grid=grid)
    fill_grid(user=bob, grid=grid)

    fail_run(lease, code="internal_error", message="Late.", retryable=True)

    assert "failed" not in states(grid)


def test_failed_cells_alone_are_asked_again(client, bob, workspace, grid, work_off):
    fill_grid(user=bob, grid=grid)
    run = Run.objects.earliest("pk")
    fail_run(claim_run(run.pk), code="model_error", message="The model did not answer.", retryable=True)
    work_off("background")
    assert (states(grid)[0], cell_at(grid, 0, 0).note) == ("failed", "The model did not answer.")
    client.force_login(bob)

    client.post(reverse("grids:retry", args=[workspace.slug, grid.pk]))
    work_off("background")

    assert states(grid)[0] == "passages"
    assert Run.objects.count() == 7


def test_a_worker_that_dies_in_the_middle_loses_no_cell(bob, grid, settings, work_off):
    settings.CELLS_AT_ONCE = 2
    fill_grid(user=bob, grid=grid)
    lost = Run.objects.earliest("pk")
    claim_run(lost.pk)  # And its process is gone.
    Run.objects.filter(pk=lost.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
    django_rq.get_connection(BACKGROUND_QUEUE).flushdb()

    recover_runs()
    work_off("background")

    assert not Cell.objects.exclude(state__in=Cell.DONE).exists()
    assert Run.objects.count() == 6
    assert Run.objects.get(pk=lost.pk).attempt == 2


def test_the_grid_of_somebody_who_left_says_so(alice, bob, grid, work_off, settings):
    settings.CELLS_AT_ONCE = 1
    fill_grid(user=bob, grid=grid)
    bob.delete()
    work_off("background")

    assert "has no account here" in Cell.objects.filter(state="failed").first().note


def test_a_large_grid_s_page_begins_with_twenty_rows_and_asks_for_the_rest_unless_cells_are_coming_in(
    client, bob, workspace
):
    names = [f"Lease {number:02}" for number in range(45)]
    documents = Document.objects.bulk_create(Document(workspace=workspace, title=name, name=name) for name in names)
    grid = create_grid(user=bob, workspace=workspace, values=GridValues("Many", [RENT]), documents=documents)
    client.force_login(bob)
    address = reverse("grids:show", args=[workspace.slug, grid.pk])

    def rows(query: str = "") -> int:
        return client.get(address + query).content.decode().count('<tr role="row" id=')

    assert (rows(), rows("?part=rest"), rows("?part=all")) == (20, 25, 45)
    assert "45 documents" in " ".join(client.get(address).content.decode().split())
    Cell.objects.filter(pk=Cell.objects.latest("pk").pk).update(state="queued")
    assert rows() == 45
