"""Opening a cell: its evidence; accepting, correcting and asking again."""

from decimal import Decimal

import pytest
from django.urls import reverse

from tests.grids.conftest import cell_at
from vectorless_web.grids.services import fill_grid
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def filled(client, bob, grid, work_off):
    fill_grid(user=bob, grid=grid)
    work_off("background")
    client.force_login(bob)
    return grid


def act(client, grid, cell, name: str, **values):
    return client.post(reverse(f"grids:{name}", args=[grid.workspace.slug, grid.pk, cell.pk]), values, follow=True)


def test_the_drawer_shows_the_evidence_of_a_cell_which_is_accepted_corrected_with_a_reason_and_asked_again(
    client, filled, bob, work_off
):
    cell = cell_at(filled, 0, 1)

    page = client.get(reverse("grids:cell", args=[filled.workspace.slug, filled.pk, cell.pk])).content.decode()

    assert "120,000 USD" in page
    assert "Annual rent" in page
    assert "Verified" in page
    assert reverse("runs:detail", args=[filled.workspace.slug, cell.run_id]) in page

    act(client, filled, cell_at(filled, 0, 1), "accept")

    assert cell_at(filled, 0, 1).reviewed_by == bob
    assert AuditEvent.objects.filter(verb="grid.cell_accepted").exists()

    cell = cell_at(filled, 0, 1)

    page = act(client, filled, cell, "correct", text="USD 121.5 thousand", reason="Amended in March").content.decode()

    assert act(client, filled, cell, "correct", text="USD 1").status_code == 422, "a reason is wanted"
    corrected = cell_at(filled, 0, 1)
    assert (corrected.state, corrected.number, corrected.text) == ("corrected", Decimal(121_500), cell.text)
    assert "Amended in March" in page
    event = AuditEvent.objects.get(verb="grid.cell_corrected")
    assert event.details == {"before": cell.text, "after": "USD 121.5 thousand", "reason": "Amended in March"}

    before = cell_at(filled, 0, 1)
    act(client, filled, before, "correct", text="USD 5", reason="A guess")

    act(client, filled, before, "again")
    work_off("background")

    after = cell_at(filled, 0, 1)
    assert (after.state, after.corrected, after.reviewed_by) == ("answered", "", None)
    assert after.run_id != before.run_id
    assert cell_at(filled, 1, 1).run.created_at < after.run.created_at
    page = client.get(reverse("grids:cell", args=[filled.workspace.slug, filled.pk, after.pk])).content.decode()
    assert reverse("runs:detail", args=[filled.workspace.slug, before.run_id]) in page, "the answer before"
    assert page.index("USD 5") < page.index("USD 121.5 thousand"), "the corrections, the newest first"
    assert "Amended in March" in page
