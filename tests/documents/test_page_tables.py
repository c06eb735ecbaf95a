"""The tables of a page, shown as tables with what was understood of them."""

import pytest

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

FLEET = """# Fleet report

Costs are in thousands of euros.

| (EUR in thousands) | Year ended 31 March 2024 | Year ended 31 March 2023 | Change % |
|---|---|---|---|
| Vans (1) | 1,204 | 1,150 | 4.7% |
| Lorries | 880 | 910 | (3.3)% |

(1) Includes vans on lease.
"""


def long_table(rows: int, columns: int = 2) -> bytes:
    head = "".join(f"<th>Column {number}</th>" for number in range(columns))
    lines = (f"<tr><td>Part {row}</td>{f'<td>{row}</td>' * (columns - 1)}</tr>" for row in range(1, rows + 1))
    return f"<html><body><h1>Stock</h1><table><tr>{head}</tr>{''.join(lines)}</table></body></html>".encode()


def test_a_table_is_shown_with_its_units_periods_and_footnotes(ready, look):
    page = look(ready(FLEET.encode(), "fleet.md")).content.decode()
    assert "thousands of EUR; columns: year ended 31 March 2024, 2023, Change %" in page
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
