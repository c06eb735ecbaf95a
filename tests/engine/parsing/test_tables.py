"""What is read of tables that the cases of tables/*.txt do not show: long ones, scanned ones, headers of many pages."""

import time

import pytest

from tests.engine.parsing.conftest import figures, uncovered, views
from tests.support.paper import Rule, Text, pdf, prose
from vectorless_web.engine.documents.card import table_from_json, table_to_json


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_thirty_thousand_rows_are_read_in_parts_and_none_is_lost(compiled):
    started = time.process_time()
    found = views(compiled("id,name,2023\n" + "".join(f"{n},part {n},{3 * n}\n" for n in range(30_000)), "big.csv"))
    assert time.process_time() - started < 15
    parts = found[7].parts
    assert sum(len(view.table.body) for view in parts) == 30_000
    assert {view.table.columns for view in parts} == {found[0].table.columns}
    assert all(len(view.node.runs) == 1 for view in parts), "the cells of a page are one run"


def test_five_hundred_columns_are_read(compiled):
    header = ",".join(f"c{number}" for number in range(500))
    document = compiled(header + "\n" + "\n".join(",".join(["7"] * 500) for _ in range(4)), "wide.csv")
    assert len(views(document)[0].table.columns) == 500
    assert not uncovered(document)


def test_a_header_that_is_repeated_on_the_next_page_is_no_row(compiled):
    def page(first: int) -> list[Text]:
        header = [Text(280, 60, "2023", 9), Text(360, 60, "2022", 9)]
        rows = [figures(74 + 12 * n, f"Line {first + n}", str(100 + n), str(200 + n)) for n in range(50)]
        return [*header, *(Text(left, top, words, 9) for top, row in rows for left, words in row)]

    found = views(compiled(pdf([[*prose(72, 30, 1), *page(0)[:2]], page(0), page(50), page(100), page(150)][1:])))
    assert [view.table.part for view in found] == list(range(len(found)))
    body = [row.label for part in found[0].parts for row in part.table.body]
    assert body == [f"Line {number}" for number in range(200)]
    assert {period.year for view in found for period in view.periods[1:]} == {2023, 2022}


def test_tables_of_earlier_programs_can_be_read():
    raw = b'[[["","",""],["Year ended May 31 / 2023","2023",""]],[["Rent",[[0,4],[5,2]],0,7,0,false,[]]],"","income"]'
    table = table_from_json(raw, "Rent\t12\n")
    assert table.columns[1].path == ("Year ended May 31", "2023")
    assert (table.part, table.rows[0].cells[1].text) == (0, "12")
    assert table_from_json(table_to_json(table), "Rent\t12\n") == table


def test_a_page_of_endless_lines_is_still_read(compiled):
    lines = [Rule(70 + number % 90, 200 + number / 20, 74 + number % 90, 200 + number / 20) for number in range(5_000)]
    document = compiled(pdf([[*prose(72, 90, 6), *lines]]))
    assert "tides" in document.page_text(0)
    assert not uncovered(document)
