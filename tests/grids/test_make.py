"""Making a grid from documents and questions, and changing what is asked."""

import html
import re
from decimal import Decimal

import pytest
from django.urls import reverse

from tests.grids.conftest import RENT, read_text, states
from vectorless_web.documents.models import Document, Folder
from vectorless_web.grids.models import Cell, Column, Grid
from vectorless_web.grids.rendering import format_number
from vectorless_web.grids.services import change_column, fill_grid, follow_documents
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


def make(client, workspace, **values):
    return client.post(reverse("grids:make", args=[workspace.slug]), {"name": "Leases", "scale": 1, **values})


def test_a_member_makes_a_grid_of_all_documents_of_a_tag(client, bob, workspace, leases):
    Document.objects.filter(pk__in=[leases[0].pk, leases[2].pk]).update(tags=["signed"])
    client.force_login(bob)

    made = make(client, workspace, tag="signed", questions="What is the notice period?\n\nWhat is the rent?")

    grid = Grid.objects.get()
    assert made["Location"] == reverse("grids:show", args=[workspace.slug, grid.pk])
    assert [row.document for row in grid.rows.all()] == [leases[0], leases[2]]
    assert [column.label for column in grid.columns.all()] == ["What is the notice period?", "What is the rent?"]
    assert states(grid) == ["stale"] * 4
    assert AuditEvent.objects.filter(verb="grid.created", actor=bob).exists()


def test_ticked_documents_count_before_the_rest_and_a_grid_of_none_is_refused(client, bob, workspace, leases):
    client.force_login(bob)

    refused = make(client, workspace, search="Zeppelin", questions="Why?")

    assert refused.status_code == 422
    assert "Choose at least one document" in refused.content.decode()
    assert not Grid.objects.exists()

    client.force_login(bob)

    make(client, workspace, documents=[leases[1].pk], search="Harbour")

    assert [row.document for row in Grid.objects.get().rows.all()] == [leases[1]]


def test_titles_in_capitals_are_offered_as_they_are_read_elsewhere(client, bob, workspace, leases):
    Document.objects.filter(pk=leases[0].pk).update(title="LEASE OF THE OLD HARBOUR")
    client.force_login(bob)

    offered = client.get(reverse("grids:new", args=[workspace.slug])).content.decode()

    assert "Lease of the Old Harbour" in offered


def test_a_set_of_the_library_and_the_columns_of_another_grid_are_offered(client, bob, workspace, grid):
    client.force_login(bob)

    make(client, workspace, columns="leases", questions="Who repairs the roof?")
    make(client, workspace, columns=f"grid-{grid.pk}")

    own, library = Grid.objects.exclude(pk=grid.pk)[:2]
    kinds = dict(library.columns.values_list("label", "kind"))
    assert (kinds["Annual rent"], kinds["Break clause"]) == ("money", "verbatim")
    assert list(library.columns.values_list("label", flat=True))[-1] == "Who repairs the roof?"
    assert list(own.columns.values_list("label", "kind")) == [("Notice", "duration"), ("Rent", "money")]


def test_the_question_of_a_run_is_put_to_every_document(client, bob, workspace, leases, work_off):
    run = start_run(user=bob, workspace=workspace, question="What was the rent in 2024 & 2023?")
    work_off("runs")
    client.force_login(bob)
    page = client.get(reverse("runs:detail", args=[workspace.slug, run.pk])).content.decode()
    address = html.unescape(re.search(r'href="([^"]+/grids/new/[^"]+)"', page)[1])

    form = client.get(address).content.decode()

    assert "What was the rent in 2024 &amp; 2023?</textarea>" in form


def test_new_documents_of_a_followed_folder_become_rows(client, bob, alice, workspace, leases):
    folder = Folder.objects.create(workspace=workspace, name="Signed")
    client.force_login(bob)
    make(client, workspace, folder=folder.pk, follow="on", questions="What is the rent?")
    grid = Grid.objects.get()
    Document.objects.filter(pk=leases[0].pk).update(folder=folder)

    follow_documents()
    follow_documents()

    assert [row.document for row in grid.rows.all()] == [leases[0]]
    assert states(grid) == ["stale"]


def test_another_question_makes_exactly_its_column_stale(client, bob, grid, workspace, work_off):
    fill_grid(user=bob, grid=grid)
    work_off("background")
    assert "stale" not in states(grid)
    asked, column = Run.objects.count(), grid.columns.get(label="Rent")
    client.force_login(bob)
    address = reverse("grids:change_column", args=[workspace.slug, grid.pk, column.pk])

    client.post(
        address, {"label": "Rent", "question": "What was the annual rent in 2023?", "kind": "money", "scale": 1}
    )
    fill_grid(user=bob, grid=grid)
    work_off("background")

    assert Run.objects.count() == asked + 3
    assert {cell.number for cell in Cell.objects.filter(column=column)} == {90_000}


def test_how_a_column_is_shown_makes_nothing_stale(bob, grid):
    column = grid.columns.get(label="Rent")
    Cell.objects.update(state="answered")
    shown = type(RENT)(RENT.label, RENT.question, RENT.kind, scale=1000, decimals=1)

    assert not change_column(user=bob, grid=grid, column=column, values=shown)
    assert set(states(grid)) == {"answered"}
    column.refresh_from_db()
    told = [format_number(Decimal(number), "USD", column) for number in ("120000", "1249950", "85040")]
    assert told == ["120.0 thousand USD", "1,250.0 thousand USD", "85.0 thousand USD"]


@pytest.mark.parametrize(
    ("unit", "scale", "number", "own", "told"),
    [
        ("USD", 1_000_000, "412000000", "USD", "412.0 million USD"),
        ("USD", 1_000_000, "40000000", "EUR", "40,000,000 EUR (not in USD)"),
        ("USD", 1, "7", "", "7 (not in USD)"),
        ("month", 1, "2", "year", "24.0 month"),
        ("week", 1, "14", "day", "2.0 week"),
        ("week", 1, "10", "day", "10 day (not in week)"),
        ("day", 1, "2", "month", "2 month (not in day)"),
        ("", 1, "2", "month", "2.0 month"),
    ],
)
def test_a_number_is_shown_in_the_unit_of_its_column_where_it_is_exactly_so_much(unit, scale, number, own, told):
    assert format_number(Decimal(number), own, Column(unit=unit, scale=scale, decimals=1)) == told


@pytest.mark.parametrize(
    ("kind", "typed", "unit"),
    [("money", "€", "EUR"), ("number", "usd", "USD"), ("duration", "Months", "month"), ("money", "", "")],
)
def test_the_unit_of_a_column_is_read_as_documents_write_it(client, bob, grid, workspace, kind, typed, unit):
    client.force_login(bob)
    address = reverse("grids:add_column", args=[workspace.slug, grid.pk])
    values = {"question": "How much?", "label": "Much", "kind": kind, "scale": 1}

    assert client.post(address, {**values, "unit": typed}).status_code == 302
    assert grid.columns.get(label="Much").unit == unit
    for wrong in ({"unit": "kg"}, {"unit": "USD", "kind": "duration"}, {"unit": "USD", "kind": "text"}):
        assert client.post(address, {**values, **wrong}).status_code == 422


def test_a_column_of_choices_needs_some(client, bob, grid, workspace):
    client.force_login(bob)
    address = reverse("grids:add_column", args=[workspace.slug, grid.pk])
    values = {"question": "Which law governs?", "kind": "choice", "scale": 1}

    assert client.post(address, values).status_code == 422
    assert client.post(address, {**values, "choices": "English law\nNew York law"}).status_code == 302
    column = Column.objects.get(kind="choice")
    assert (column.label, column.choices) == ("Which law governs?", ["English law", "New York law"])
    assert states(grid) == ["stale"] * 9


def test_rows_are_added_and_removed(client, alice, bob, workspace, grid, leases):
    other = read_text(workspace, alice, "Quay lease", "# Quay lease\n\nThe notice period is ten days.")
    client.force_login(bob)
    place = [workspace.slug, grid.pk]
    page = client.get(reverse("grids:rows", args=place)).content.decode()
    assert f'value="{other.pk}"' in page
    assert f'value="{leases[0].pk}"' not in page

    client.post(reverse("grids:add_rows", args=place), {"documents": [other.pk]})
    client.post(reverse("grids:remove_row", args=[*place, grid.rows.get(document=leases[0]).pk]))

    assert [row.document.title for row in grid.rows.all()] == ["Mill lease", "Tower lease", "Quay lease"]
    assert states(grid) == ["stale"] * 6


def test_a_document_closed_to_somebody_is_no_row_for_them(client, alice, bob, workspace, grid, leases):
    closed = Folder.objects.create(workspace=workspace, name="Board", restricted=True)
    Document.objects.filter(pk=leases[1].pk).update(folder=closed)
    hidden = Cell.objects.filter(row__document=leases[1]).first()
    client.force_login(bob)

    page = client.get(reverse("grids:show", args=[workspace.slug, grid.pk])).content.decode()

    assert "Harbour lease" in page
    assert "Mill lease" not in page
    assert client.get(reverse("grids:cell", args=[workspace.slug, grid.pk, hidden.pk])).status_code == 404


def test_a_newer_version_makes_its_row_stale(bob, alice, workspace, grid, leases, work_off):
    fill_grid(user=bob, grid=grid)
    work_off("background")
    other = read_text(workspace, alice, "Mill lease 2", "# Mill lease\n\nThe notice period is ten days.")
    version = other.current_version
    type(version).objects.filter(pk=version.pk).update(document=leases[1], number=2)
    Document.objects.filter(pk=leases[1].pk).update(current_version=version)
    other.delete()

    follow_documents()

    row = grid.rows.get(document=leases[1])
    assert {cell.state for cell in row.cells.all()} == {"stale"}
    assert (row.version, row.previous) == (version, leases[1].current_version)
    assert Cell.objects.filter(state="stale").count() == 2
