"""What stands on a sheet: titles over tables, tables parted by empty rows, headers that are dates, merged cells."""

from tests.engine.parsing.sheets.test_workbook import nodes, written
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file


def tables(tmp_path, rows: list[list], change=lambda book: None) -> list:
    path = tmp_path / "book.xlsx"
    path.write_bytes(written(("Sheet", rows), change=change))
    document = CompiledDocument(compile_file(path, name="book.xlsx"))
    assert document.report.coverage == 1.0
    return nodes(document)


def headers(node) -> list[str]:
    return [column.header for column in node.table.columns]


def test_lines_over_an_empty_row_name_the_table_below(tmp_path):
    [table] = tables(tmp_path, [["Berth fees"], ["EUR thousand"], [], ["Berth", "2023", "2024"], ["North", 12, 14]])

    assert table.title == "Berth fees | EUR thousand"


def test_groups_parted_by_an_empty_row_keep_the_headers(tmp_path):
    rows = [["Ship", "Crew", "Fee"], ["Ada", 3, 12], ["Brim", 4, 15], [], ["Cato", 5, 18], ["Dora", 6, 20]]
    first, second = tables(tmp_path, rows)

    assert headers(second) == headers(first) == ["Ship", "Crew", "Fee"]
    assert [cell.text for cell in second.table.body[0].cells] == ["Cato", "5", "18"]
    assert len(second.table.body) == 2


def test_a_table_below_with_headers_of_its_own_keeps_them(tmp_path):
    rows = [["Ship", "Crew", "Fee"], ["Ada", 3, 12], [], ["Port", "Calls", "Tonnes"], ["Oslo", 7, 900]]
    _, second = tables(tmp_path, rows)

    assert headers(second) == ["Port", "Calls", "Tonnes"]


def test_a_hidden_row_does_not_part_a_table(tmp_path):
    rows = [["Ship", "Crew", "Fee"], ["Ada", 3, 12], ["Brim", 4, 15], ["Cato", 5, 18]]

    def hide(book):
        book.active.row_dimensions[3].hidden = True

    [table] = tables(tmp_path, rows, hide)

    assert [row.label for row in table.table.body] == ["Ada", "Cato"]


def test_dates_over_figures_are_headers(tmp_path):
    [table] = tables(tmp_path, [["in million CHF", "31.12.2024", "31.12.2023"], ["Cash", 120.4, 98.1], ["Loans", 4, 5]])

    assert headers(table) == ["in million CHF", "31.12.2024", "31.12.2023"]


def test_a_list_of_dates_has_no_date_for_a_header(tmp_path):
    [table] = tables(tmp_path, [["Ada", "1.2.2024", "3.2.2024"], ["Brim", "4.2.2024", "5.2.2024"]])

    assert len(table.table.body) == 2


def test_cells_merged_downwards_do_not_shift_the_rows_below(tmp_path):
    rows = [
        ["Question", "Agree", None, "Disagree", None],
        [None, "fully", "partly", "partly", "fully"],
        ["Safe", 40, 30, 20, 10],
        ["Fair", 41, 29, 20, 10],
    ]

    def merge(book):
        for place in ("A1:A2", "B1:C1", "D1:E1"):
            book.active.merge_cells(place)

    [table] = tables(tmp_path, rows, merge)

    assert headers(table) == [
        "Question", "Agree / fully", "Agree / partly", "Disagree / partly", "Disagree / fully",
    ]  # fmt: skip
    assert [cell.text for cell in table.table.body[0].cells] == ["Safe", "40", "30", "20", "10"]
