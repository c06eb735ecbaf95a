"""Tables beside their page, and one by itself: sorted, filtered, summed up exactly, and taken away as a file."""

import csv

import pytest

from tests.support.page_text import visible_text

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

FLEET = """# Fleet report

Costs are in thousands of euros.

| (EUR in thousands) | Year ended 31 March 2024 | Year ended 31 March 2023 | Depot |
|---|---|---|---|
| Vans | 1,204 | 1,150 | Kiel |
| Lorries | 880 | 910 | Oslo |
| Boats | 95 | — | Bergen |
"""
MIXED = "# Figures\n\n| Item | Amount |\n|---|---|\n| Sales | $ 40 |\n| Growth | 4% |\n"
NOTED = FLEET.replace("| Vans |", "| Vans (1) |") + "\n(1) Includes vans on lease.\n"


def long_table(rows: int, columns: int = 2) -> bytes:
    head = "".join(f"<th>Column {number}</th>" for number in range(columns))
    lines = (f"<tr><td>Part {row}</td>{f'<td>{row}</td>' * (columns - 1)}</tr>" for row in range(1, rows + 1))
    return f"<html><body><h1>Stock</h1><table><tr>{head}</tr>{''.join(lines)}</table></body></html>".encode()


def test_a_table_is_shown_with_its_units_periods_and_footnotes(ready, look):
    page = look(ready(NOTED.encode(), "fleet.md")).content.decode()
    assert "thousands of EUR; columns: year ended 31 March 2024, 2023, Depot" in page
    assert "Year ended 31 March 2023" in page
    assert "1,204" in page
    assert "Includes vans on lease." in page.split('class="notes"')[1]


def test_only_tables_are_shown_and_columns_beyond_what_a_browser_lays_out_are_counted(ready, look):
    answer = look(ready(long_table(3, columns=45), "wide.html"))
    assert answer.context["sheet"]["tables"][0].columns_left_out == 5
    assert "5 more columns are not shown here" in answer.content.decode()

    answer = look(ready(b"# Minutes\n\nNothing was decided.\n", "minutes.md"))
    assert answer.context["sheet"]["tables"] == []
    assert "tables on this page" not in answer.content.decode()


@pytest.fixture
def open_table(client, workspace, vera):
    """Open the only table of a document, as somebody who may only open_table."""
    client.force_login(vera)

    def ask(document, on_page=1, **query):
        page = client.get(f"/w/{workspace.slug}/documents/{document.pk}/", {"page": on_page})
        address = page.context["sheet"]["tables"][0].url
        assert f'href="{address}"' in page.content.decode()
        rest = query.pop("rest", "")
        headers = {"HX-Request": "true"} if query.pop("htmx", False) else {}
        return client.get(f"{address.removesuffix('/')}{rest}" if rest else address, query, headers=headers)

    return ask


@pytest.fixture
def fleet(ready):
    return ready(FLEET.encode(), "fleet.md")


def labels(response):
    return [row[0] for row in response.context["sheet"].rows]


def sums(response):
    return {name: [cell.text or cell.why for cell in cells] for name, cells in response.context["sheet"].sums}


def test_a_table_is_shown_whole_with_its_unit_columns_and_sums(fleet, open_table):
    response = open_table(fleet)
    assert labels(response) == ["Vans", "Lorries", "Boats"]
    page = visible_text(response.content.decode())
    for said in ("Fleet report", "Amounts in EUR, thousands.", "p. 1", "Year ended 31 March 2024", "3 rows"):
        assert said in page
    assert sums(response) == {
        "Sum": ["2,179", "2,060", ""],
        "Mean": ["≈ 726.33", "1,030", ""],
        "Least": ["95", "910", ""],
        "Most": ["1,204", "1,150", ""],
        "Count": ["3", "2", ""],
    }
    assert "EUR thousand" in page


def test_rows_are_sorted_by_a_press_on_a_header_and_back(fleet, open_table):
    response = open_table(fleet, sort=1, order="asc")
    assert labels(response) == ["Boats", "Lorries", "Vans"]
    assert 'aria-sort="ascending"' in response.content.decode()
    assert "sort=1&amp;order=desc" in response.content.decode()
    assert labels(open_table(fleet, sort=1, order="desc")) == ["Vans", "Lorries", "Boats"]
    assert labels(open_table(fleet, sort=3)) == ["Boats", "Vans", "Lorries"]


def test_rows_are_filtered_by_numbers_and_by_words_and_summed_up_as_shown(fleet, open_table):
    large = open_table(fleet, column=1, comparison=">", value="500")
    assert (labels(large), sums(large)["Sum"][:2]) == (["Vans", "Lorries"], ["2,084", "2,060"])
    assert "Show all rows" in visible_text(large.content.decode())
    assert labels(open_table(fleet, column=3, comparison="contains", value="os")) == ["Lorries"]
    assert labels(open_table(fleet, column=0, value="nothing of the kind")) == []


def test_numbers_of_several_units_have_no_sum_and_the_cell_says_why(ready, open_table):
    response = open_table(ready(MIXED.encode(), "figures.md"))
    assert sums(response)["Sum"] == ["The column's numbers have several units: %, USD."]
    assert sums(response)["Mean"] == [""]


def test_what_cannot_be_asked_is_said_beside_the_whole_table(fleet, open_table):
    for query, said in (
        ({"column": 1, "comparison": "<", "value": "many"}, "&#x27;many&#x27; is no number to compare with."),
        ({"sort": 99}, "The table has no such column."),
        ({"column": "x", "value": "1"}, "The table has no such column."),
        ({"comparison": "like", "value": "1"}, "like is not one of the available choices."),
    ):
        response = open_table(fleet, **query)
        assert response.status_code == 422
        assert said in response.content.decode()
        assert labels(response) == ["Vans", "Lorries", "Boats"]


def test_what_is_shown_is_downloaded_as_csv(ready, open_table):
    text = FLEET.replace("Boats", "=Boats").replace("| 95 |", "| -95 |")
    response = open_table(ready(text.encode(), "fleet.md"), sort=1, column=1, comparison="<", value="1000", rest=".csv")
    assert response["Content-Type"].startswith("text/csv")
    rows = list(csv.reader(response.content.decode().splitlines()))
    assert [row[:2] for row in rows[1:]] == [["'=Boats", "-95"], ["Lorries", "880"]]


def test_a_table_over_several_pages_is_worked_with_as_one(ready, open_table):
    response = open_table(ready(long_table(700), "stock.html"), on_page=3)
    assert len(response.context["table"].grid.rows) == 700
    assert "pp. 2–4" in visible_text(response.content.decode())
    assert sums(response)["Sum"] == ["245,350"]
    assert len(response.context["rows"]) == 500
    assert "the first 500 are laid out here" in visible_text(response.content.decode())


def test_what_is_no_table_is_not_found(fleet, client, vera, workspace):
    client.force_login(vera)
    for key, query in ((1, {}), (99999, {}), (0, {}), (4, {"version": 7})):
        address = f"/w/{workspace.slug}/documents/{fleet.pk}/tables/{key}/"
        assert client.get(address, query).status_code == 404


def test_the_page_asks_the_database_no_more_for_a_longer_table(
    ready, open_table, client, workspace, django_assert_max_num_queries
):
    document = ready(FLEET.encode(), "fleet.md")
    key = open_table(document).context["table"].key
    with django_assert_max_num_queries(9):
        assert len(client.get(f"/w/{workspace.slug}/documents/{document.pk}/tables/{key}/").context["rows"]) == 3
