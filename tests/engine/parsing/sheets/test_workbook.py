"""Excel workbooks, written by two other programs: sheets, tables, shown values, what is left out, hostile ones."""

import io
import zipfile
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.sheets import regions

LIMITS = CompileLimits()


@pytest.fixture
def read(tmp_path):
    """A compiled workbook, from its bytes."""

    def read(content: bytes, *, limits: CompileLimits = LIMITS) -> CompiledDocument:
        path = tmp_path / "book.xlsx"
        path.write_bytes(content)
        document = CompiledDocument(compile_file(path, name="book.xlsx", limits=limits))
        assert document.report.coverage == 1.0
        return document

    return read


def nodes(document: CompiledDocument, kind: NodeKind = NodeKind.TABLE) -> list[Node]:
    return [node for node in map(document.tree.node, range(1, len(document.tree))) if node.kind is kind]


def written(*sheets: tuple[str, list[list]], change=lambda book: None) -> bytes:
    """A workbook of rows of plain values."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    change(book)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def statement() -> bytes:
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    bold, amount, share = book.add_format({"bold": True}), book.add_format({"num_format": "#,##0"}), "0.0%"
    sheet = book.add_worksheet("Income")
    sheet.merge_range("A1:D1", "Kestrel Ropes - income statement", bold)
    sheet.write("A2", "in thousands of EUR")
    sheet.merge_range("B3:C3", "Year ended 31 December", bold)
    sheet.write("D3", "Change", bold)
    sheet.write_row("A4", ["", 2024, 2023, ""], bold)
    for row, (label, now, before) in enumerate(
        [("Revenue", 412_000, 400_000), ("Cost of sales", -250_000, -240_000)], 4
    ):
        sheet.write(row, 0, label)
        sheet.write(row, 1, now, amount)
        sheet.write(row, 2, before, amount)
        sheet.write_formula(
            row, 3, f"=B{row + 1}/C{row + 1}-1", book.add_format({"num_format": share}), now / before - 1
        )
    sheet.write("A7", "Figures for 2023 were restated after the sale of the depot.")
    book.close()
    return buffer.getvalue()


def test_a_table_knows_its_title_units_periods_and_headers_over_several_columns(read):
    (table,) = nodes(read(statement()))

    assert table.title == "Kestrel Ropes - income statement | in thousands of EUR"
    assert [column.header for column in table.table.columns] == [
        "",
        "Year ended 31 December / 2024",
        "Year ended 31 December / 2023",
        "Change",
    ]
    assert [column.unit for column in table.table.columns[1:]] == ["in thousands of EUR"] * 2 + ["%"]
    assert [cell.text for cell in table.table.body[1].cells] == ["Cost of sales", "-250,000", "-240,000", "4.2%"]


def test_lines_above_and_below_a_table_are_paragraphs(read):
    said = [node.text for node in nodes(read(statement()), NodeKind.PARAGRAPH)]

    assert said == [
        "Kestrel Ropes - income statement",
        "in thousands of EUR",
        "Figures for 2023 were restated after the sale of the depot.",
    ]


def test_each_sheet_is_a_section_and_tables_are_parted_by_empty_rows(read):
    staff = [["Name", "Site", "Role"], ["Ada Berg", "Oslo", "Engineer"], ["Ben Cole", "Leeds", "Driver"]]
    document = read(
        written(("Staff", [*staff, [], ["Site", "Opened"], ["Oslo", 1998], ["Leeds", 2004]]), ("Notes", [["Hello."]]))
    )

    assert [node.title for node in nodes(document, NodeKind.SECTION)] == ["Staff", "Notes"]
    first, second = nodes(document)
    assert [column.header for column in first.table.columns] == ["Name", "Site", "Role"]
    assert [row.label for row in second.table.body] == ["Oslo", "Leeds"]


def test_tables_side_by_side_are_two(read):
    rows = [["Name", "Age", None, "Item", "Count"]]
    rows += [[name, age, None, item, count] for name, age, item, count in [
        ("Ada", 41, "Fleet", 12), ("Ben", 52, "Depots", 3), ("Cy", 38, "Forklifts", 7)
    ]]  # fmt: skip
    left, right = nodes(read(written(("Both", rows))))

    assert [row.label for row in left.table.body] == ["Ada", "Ben", "Cy"]
    assert [[cell.text for cell in row.cells] for row in right.table.body] == [
        ["Fleet", "12"],
        ["Depots", "3"],
        ["Forklifts", "7"],
    ]


def test_an_empty_column_before_figures_is_only_a_gap(read):
    rows = [["Item", None, 2024, None, 2023], ["Revenue", None, 412, None, 400], ["Costs", None, 250, None, 240]]
    (table,) = nodes(read(written(("Sheet1", rows))))

    assert [cell.text for cell in table.table.body[0].cells] == ["Revenue", "412", "400"]


def test_dates_truths_and_errors_are_read_as_shown(read):
    rows = [["What", "When", "Done"], ["Audit", datetime(2024, 5, 17), True], ["Move", datetime(2024, 11, 2), False]]
    (table,) = nodes(read(written(("Plan", rows))))

    assert [cell.text for cell in table.table.body[0].cells] == ["Audit", "2024-05-17 0:00:00", "TRUE"]


def test_hidden_sheets_rows_and_columns_are_left_out_and_told(read):
    def hide(book):
        book["Pay"].sheet_state = "hidden"
        book["Staff"].row_dimensions[3].hidden = True
        book["Staff"].column_dimensions["C"].hidden = True

    rows = [["Name", "Site", "Salary"], ["Ada", "Oslo", 51_000], ["Ben", "Leeds", 32_000], ["Cy", "Bonn", 64_000]]
    document = read(written(("Staff", rows), ("Pay", [["Chair", 90_000]]), change=hide))

    said = "\n".join(document.page_text(number) for number in range(document.report.pages))
    assert "Cy" in said
    assert not [word for word in ("Ben", "Salary", "51000", "Chair") if word in said]
    assert [warning.split(" left out")[0] for warning in document.report.warnings] == [
        "1 hidden sheet was",
        "1 hidden row was",
        "1 hidden column was",
    ]


def test_a_formula_that_was_never_calculated_is_kept_as_written_and_told(read):
    document = read(written(("Sum", [["a", "b", "c"], [1, 2, "=A2+B2"]])))

    assert "=A2+B2" in document.page_text(0)
    assert "1 formula without a stored value" in document.report.warnings[0]


def test_cells_at_the_far_corner_cost_nothing(read):
    def far(book):
        book["Far"]["XFD1048576"] = "the last cell"

    document = read(written(("Far", [["the first cell"]]), change=far))

    assert [node.text for node in nodes(document, NodeKind.PARAGRAPH)] == ["the first cell", "the last cell"]


def test_a_sheet_whose_cells_lie_far_apart_is_read_row_by_row(read):
    def scatter(book):
        for step in range(1, 1_100):
            book["Far"].cell(step, step, f"cell {step}")

    document = read(written(("Far", []), change=scatter))

    said = "\n".join(document.page_text(number) for number in range(document.report.pages))
    assert "cell 1\n" in said and "cell 1099" in said


def test_too_many_cells_are_refused(read, monkeypatch):
    monkeypatch.setattr(regions, "FILLED_CELLS", 50)

    with pytest.raises(UnreadableDocument, match="more than 50 filled cells") as refused:
        read(written(("Wide", [[number for number in range(10)] for _ in range(6)])))
    assert refused.value.code == "too_large"


def test_an_empty_workbook_says_that_it_holds_nothing(read):
    with pytest.raises(UnreadableDocument) as refused:
        read(written(("Empty", [])))
    assert refused.value.code == "no_text"


def rewritten(content: bytes, part: str, change) -> bytes:
    """The workbook with one of its parts changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == part else old.read(name))
    return buffer.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
PLAIN = written(("Plain", [["Item", "Count"], ["Ropes", 12]]))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (PLAIN[: len(PLAIN) // 2], "damaged_xlsx"),
        (rewritten(PLAIN, SHEET, lambda data: data[:300]), "damaged_xlsx"),
        (
            rewritten(PLAIN, SHEET, lambda data: b'<!DOCTYPE a [<!ENTITY x "y">]>' + data.split(b"?>", 1)[-1]),
            "unsafe_xlsx",
        ),
        (rewritten(PLAIN, SHEET, lambda data: data + b" " * 12_000_000), "zip_bomb"),
    ],
    ids=["cut short", "a part cut short", "entities", "bomb"],
)
def test_a_damaged_or_hostile_workbook_is_refused_with_its_reason(read, content, code):
    with pytest.raises(UnreadableDocument) as refused:
        read(content)
    assert refused.value.code == code
    assert "Excel" in refused.value.message


def test_a_workbook_is_known_by_its_content_not_its_name(tmp_path: Path):
    path = tmp_path / "figures.docx"
    path.write_bytes(PLAIN)

    assert CompiledDocument(compile_file(path, name="figures.docx")).media_type.endswith("spreadsheetml.sheet")


def test_a_sheet_that_nobody_named_does_not_name_the_workbook(read):
    assert read(written(("Sheet1", [["Part", "Price"], ["Hook", 12], ["Rope", 30]]))).title == "book"
    assert read(written(("Spare parts", [["Part", "Price"], ["Hook", 12], ["Rope", 30]]))).title == "Spare parts"


def test_a_workbook_is_called_what_its_first_sheet_says_above_the_table(read):
    rows = [["Part", "Price"], ["Hook", 12], ["Rope", 30]]
    more = ("Rates", [["Day", "Rate"], ["Monday", 3], ["Friday", 4]])
    assert read(written(("Stock", [["Spare parts of the yard"], [], *rows]), more)).title == "Spare parts of the yard"
    assert read(written(("Stock", [["As of 30 June 2026"], [], *rows]), more)).title == "Stock"
    assert read(written(("Stock", [["In thousands of euros"], [], *rows]), more)).title == "Stock"
