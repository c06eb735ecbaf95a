"""What is read of tables that the cases of tables/*.txt do not show: long ones, scanned ones, headers of many pages."""

import time

import pytest

from tests.engine.parsing.conftest import figures, read, uncovered, views
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


def scanned(rows: list[tuple[float, list[tuple[float, str]]]]) -> bytes:
    """The same page as its scan is read by a machine: nothing of its text is painted."""
    cells = [(left, top, words) for top, row in rows for left, words in row]
    lines = [(line.x, line.y, line.words) for line in prose(72, 90, 6)]
    return pdf([[Text(left, top, words, 9, painted=False) for left, top, words in (*lines, *cells)]])


TIDES = [
    (200, [(72, "Gauge"), (282, "High water"), (362, "Low water")]),
    figures(214, "Northern quay", "4.12", "0.85"),
    figures(226, "Southern quay", "3.98", "0.91"),
    figures(238, "Outer mole", "4.40", "0.77"),
]


def test_a_scan_keeps_a_table_whose_columns_have_names(compiled):
    [view] = views(compiled(scanned(TIDES)))
    assert read(view, "Southern quay", 2).column_path == ("Low water",)


@pytest.mark.parametrize(
    "rows",
    [
        TIDES[1:],
        [(200, [(72, "Gauge"), (290, '"~ i'), (370, "|-_ w")]), *TIDES[1:]],
        [TIDES[0], *(figures(top, words, "4.12", "~-=", "0.85") for top, words in ((214, "~ _,, -="), (226, "|~ ==")))],
    ],
    ids=["no names", "strokes for names", "strokes for words"],
)
def test_strokes_that_a_machine_took_for_letters_make_no_table(compiled, rows):
    document = compiled(scanned(rows))
    assert not views(document)
    assert not uncovered(document)


def test_a_listing_of_a_program_is_no_table(compiled):
    rows = [("10 20 40", "60"), ("20 40 50", "60"), ("31 42 50", "61")]
    cells = [
        Text(left, 200 + 12 * n, words, 9, font="typed")
        for n, row in enumerate(rows)
        for left, words in ((72, f"read {n}"), (300, row[0]), (460, row[1]))
    ]
    document = compiled(pdf([[*prose(72, 90, 6), *cells]]))
    assert not views(document)
    assert not uncovered(document)


def test_a_file_written_in_a_typewriters_letters_keeps_its_tables(compiled):
    lines = [Text(line.x, line.y, line.words, 9, font="typed") for line in prose(72, 90, 6)]
    cells = [Text(left, top, words, 9, font="typed") for top, row in TIDES for left, words in row]
    assert len(views(compiled(pdf([[*lines, *cells]])))) == 1


def test_a_page_of_endless_lines_is_still_read(compiled):
    lines = [Rule(70 + number % 90, 200 + number / 20, 74 + number % 90, 200 + number / 20) for number in range(5_000)]
    document = compiled(pdf([[*prose(72, 90, 6), *lines]]))
    assert "tides" in document.page_text(0)
    assert not uncovered(document)
