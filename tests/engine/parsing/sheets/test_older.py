"""Workbooks of the older form: cells where they stand, values as stored, hidden sheets, damage."""

import io
from datetime import date

import pytest
import xlwt

from tests.engine.parsing.sheets.test_workbook import nodes
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file


@pytest.fixture
def read(tmp_path):
    def read(content: bytes, name: str = "plan.xls") -> CompiledDocument:
        path = tmp_path / name
        path.write_bytes(content)
        document = CompiledDocument(compile_file(path, name=name))
        assert document.report.coverage == 1.0
        return document

    return read


def written(fill) -> bytes:
    book, buffer = xlwt.Workbook(), io.BytesIO()
    fill(book)
    book.save(buffer)
    return buffer.getvalue()


def plan(book) -> None:
    sheet = book.add_sheet("Plan")
    sheet.write_merge(4, 4, 2, 4, "Rope plan for the north berth")
    for column, name in enumerate(("Item", "Share", "Start")):
        sheet.write(6, 2 + column, name)
    for row, (item, share) in enumerate((("Rope", 0.1234), ("Hook", 12)), start=7):
        sheet.write(row, 2, item)
        sheet.write(row, 3, share)
        sheet.write(row, 4, date(2024, 5, row), xlwt.easyxf(num_format_str="DD.MM.YYYY"))
    hidden = book.add_sheet("Pay")
    hidden.visibility = 1
    hidden.write(0, 0, "Chair")


def test_cells_stand_in_their_rows_and_columns_with_values_as_stored(read):
    document = read(written(plan))

    assert document.page_text(0).startswith("Plan\n\nRope plan for the north berth")
    (table,) = nodes(document)
    assert [column.header for column in table.table.columns] == ["Item", "Share", "Start"]
    assert [[cell.text for cell in row.cells] for row in table.table.body] == [
        ["Rope", "0.1234", "2024-05-07"],
        ["Hook", "12", "2024-05-08"],
    ]


def test_a_hidden_sheet_is_left_out_and_told(read):
    document = read(written(plan))

    assert "Chair" not in document.page_text(0)
    assert document.report.warnings[-1].startswith("1 hidden sheet was left out")


def test_a_damaged_workbook_is_refused_with_its_reason(read):
    with pytest.raises(UnreadableDocument) as refused:
        read(written(plan)[:900])
    assert refused.value.code == "damaged_xls"
