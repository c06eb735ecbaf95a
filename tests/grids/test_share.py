"""Sharing a grid by a link: read-only, without names and restricted documents, until it ends."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.grids.conftest import cell_at
from vectorless_web.documents.models import Document, Folder
from vectorless_web.grids.models import GridLink
from vectorless_web.grids.services import correct_cell, fill_grid
from vectorless_web.workspaces.models import AuditEvent, Membership

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def address(client, bob, grid, work_off) -> str:
    """The link's address, as Bob sees it once."""
    fill_grid(user=bob, grid=grid)
    work_off("background")
    client.force_login(bob)
    page = client.post(reverse("grids:make_link", args=[grid.workspace.slug, grid.pk]), {"days": 7})
    return re.search(r'value="(http://testserver/s/grids/[^"]+)"', page.content.decode())[1]


def test_anybody_reads_values_and_quotes_but_no_names_and_nothing_restricted(address, grid, bob, workspace, leases):
    correct_cell(user=bob, grid=grid, cell=cell_at(grid, 1, 1), text="USD 86,000", reason="Bob knows")

    page = Client().get(address)
    shown = page.content.decode()

    assert "1,240,000 USD" in shown
    assert "86,000 USD" in shown
    assert "Annual rent" in shown
    assert "Bob knows" not in shown
    assert "/w/" not in shown
    assert "no-store" in page["Cache-Control"]
    assert AuditEvent.objects.filter(verb="grid.shared").exists()

    folder = Folder.objects.create(workspace=workspace, name="Board", restricted=True)
    Document.objects.filter(pk=leases[1].pk).update(folder=folder)

    shown = Client().get(address).content.decode()

    assert "Harbour lease" in shown
    assert "Mill lease" not in shown


def test_a_link_ends_by_revoking_and_with_its_maker_s_membership(address, client, grid, bob, workspace):
    link = GridLink.objects.get()
    Membership.objects.filter(user=bob).delete()
    assert Client().get(address).status_code == 404
    Membership.objects.create(workspace=workspace, user=bob, role="member")
    assert Client().get(address).status_code == 200

    client.post(reverse("grids:revoke_link", args=[workspace.slug, grid.pk, link.pk]))

    assert Client().get(address).status_code == 404


def test_a_member_does_not_share_a_grid_of_somebody_else(client, alice, bob, workspace, grid):
    type(grid).objects.update(created_by=alice)
    client.force_login(bob)

    assert client.get(reverse("grids:share", args=[workspace.slug, grid.pk])).status_code == 403
