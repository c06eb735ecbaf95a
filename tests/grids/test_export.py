"""Taking a grid along: typed values, the evidence of each cell, and nothing that a spreadsheet program would run."""

import csv
import io

import openpyxl
import pytest
from django.urls import reverse

from tests.grids.conftest import cell_at
from vectorless_web.documents.models import Document, Folder
from vectorless_web.grids.models import Cell
from vectorless_web.grids.services import change_column, correct_cell, fill_grid
from vectorless_web.grids.services.making import ColumnValues

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def fetch(client, bob, grid, work_off):
    fill_grid(user=bob, grid=grid)
    work_off("background")
    client.force_login(bob)
    return lambda form: client.get(reverse("grids:export", args=[grid.workspace.slug, grid.pk, form]))


def test_the_workbook_has_numbers_as_numbers_and_evidence_and_json_only_what_the_person_may_see(
    fetch, grid, bob, workspace, leases
):
    correct_cell(user=bob, grid=grid, cell=cell_at(grid, 1, 1), text="USD 86,000", reason="Amended")

    book = openpyxl.load_workbook(io.BytesIO(fetch("xlsx").content))

    values, evidence = (list(sheet.values) for sheet in book)
    assert values[0] == ("Document", "Notice", "Rent (USD)")
    assert [row[2] for row in values[1:]] == [120_000, 86_000, 1_240_000]
    assert {row[1].partition(" ")[0] for row in values[1:]} == {"[Closest"}, "a passage is no answer, and says so"
    figure = next(row for row in evidence if row[:2] == ("Harbour lease", "Rent"))
    assert figure[3:7] == ("Answered", "exact", "Annual rent\t90\t120", "1")
    assert figure[7].startswith("http://testserver/w/")
    assert next(row for row in evidence if row[:2] == ("Mill lease", "Rent"))[8:10] == ("bob", "Amended")

    folder = Folder.objects.create(workspace=workspace, name="Board", restricted=True)
    Document.objects.filter(pk=leases[1].pk).update(folder=folder)

    told = fetch("json").json()

    assert [row["document"] for row in told["rows"]] == ["Harbour lease", "Tower lease"]
    assert told["rows"][1]["cells"][1]["value"] == {"number": "1240000", "unit": "USD", "text": ""}
    assert fetch("pdf").status_code == 404


def test_a_value_in_another_currency_is_in_no_sum_and_no_chart_and_says_so_everywhere(fetch, grid, client, bob):
    rent = grid.columns.get(label="Rent")
    other = cell_at(grid, 1, 1)
    stored = {"number": "40000", "unit": "EUR", "text": ""}
    Cell.objects.filter(pk=other.pk).update(value=stored)
    values = ColumnValues(rent.label, rent.question, rent.kind, unit="USD", scale=1000)
    assert not change_column(user=bob, grid=grid, column=rent, values=values)

    def look(name: str, *about: int) -> str:
        return client.get(reverse(f"grids:{name}", args=[grid.workspace.slug, grid.pk, *about])).content.decode()

    told, page, chart = "40,000 EUR (not in USD)", look("show"), look("chart", rent.pk)
    assert told in page
    assert (page.count(" data-number"), page.count(" data-other>")) == (2, 1)
    assert "1 value is not in USD and is not drawn." in chart
    assert told not in chart
    assert told in look("cell", other.pk)

    values = list(openpyxl.load_workbook(io.BytesIO(fetch("xlsx").content)).worksheets[0].values)
    assert values[0][2] == "Rent (thousand USD)"
    assert [row[2] for row in values[1:]] == [120_000, told, 1_240_000]
    lines = list(csv.reader(b"".join(fetch("csv")).decode("utf-8-sig").splitlines()))
    assert [line[2] for line in lines] == ["Rent (USD)", "120000", told, "1240000"]
    kept = fetch("json").json()
    assert (kept["columns"][1]["unit"], kept["rows"][1]["cells"][1]["value"]) == ("USD", stored)


def test_what_looks_like_a_formula_stays_a_text_and_a_column_of_numbers_is_drawn_on_one_scale(fetch, grid, client, bob):
    rent = grid.columns.get(label="Rent")

    chart = client.get(reverse("grids:chart", args=[grid.workspace.slug, grid.pk, rent.pk]))

    assert [round(bar.length, 1) for bar in chart.context["bars"]] == [9.7, 6.9, 100.0]
    assert "1,240,000 USD" in chart.content.decode()

    correct_cell(user=bob, grid=grid, cell=cell_at(grid, 0, 0), text='=HYPERLINK("http://x")', reason="@why")
    Document.objects.filter(title="Mill lease").update(title="+cmd")
    label = ColumnValues("=1+1", grid.columns.first().question, "duration")
    change_column(user=bob, grid=grid, column=grid.columns.first(), values=label)

    book = openpyxl.load_workbook(io.BytesIO(fetch("xlsx").content))
    lines = list(csv.reader(io.StringIO(fetch("csv").content.decode())))

    assert {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row} <= {"s", "n"}
    assert lines[0][1] == "'=1+1"
    assert lines[1][1].startswith("'=HYPERLINK")
    assert lines[2][0] == "'+cmd"
