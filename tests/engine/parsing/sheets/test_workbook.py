"""Excel workbooks, written by two other programs: what the cases of files/sheets.txt do not show."""

import io
from datetime import datetime
from functools import partial

import openpyxl
import pytest
import xlsxwriter

from tests.engine.parsing.conftest import headers, rows, shown, tables, texts
from vectorless_web.engine.parsing.sheets import regions


@pytest.fixture
def read(compiled):
    return partial(compiled, name="book.xlsx")


def written(*sheets: tuple[str, list[list]], change=lambda book: None) -> bytes:
    """A workbook of rows of plain values."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, lines in sheets:
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
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
    document = read(statement())
    (table,) = tables(document)
    assert table.title == "Kestrel Ropes - income statement | in thousands of EUR"
    years = ["Year ended 31 December / 2024", "Year ended 31 December / 2023"]
    assert headers(table) == ["", *years, "Change"]
    assert [column.unit for column in table.table.columns[1:]] == ["in thousands of EUR"] * 2 + ["%"]
    assert rows(table)[1] == ["Cost of sales", "-250,000", "-240,000", "4.2%"]
    assert texts(document, "paragraph")[2] == "Figures for 2023 were restated after the sale of the depot."


def test_a_workbook_of_several_sheets_is_called_by_its_name_and_divided_by_them(read):
    costs = [["Ship", "Fuel"], ["Sula", 387]]
    several = read(written(("Costs 2023", costs), ("Costs 2024", costs)), name="fleet-costs.xlsx")
    assert (several.card.title, several.report.outline_source) == ("fleet costs", "sheets")
    assert several.report.verdict == "The outline has 2 sections, taken from the sheets of the workbook."
    assert read(written(("Costs 2023", costs)), name="fleet-costs.xlsx").card.title == "Costs 2023"


def test_dates_truths_and_errors_are_read_as_shown(read):
    told = [["What", "When", "Done"], ["Audit", datetime(2024, 5, 17), True], ["Move", datetime(2024, 11, 2), False]]
    (table,) = tables(read(written(("Plan", told))))
    assert rows(table)[0] == ["Audit", "2024-05-17 0:00:00", "TRUE"]


def test_a_sheet_whose_cells_lie_far_apart_is_read_row_by_row(read):
    def scatter(book):
        for step in range(1, 1_100):
            book["Far"].cell(step, step, f"cell {step}")

    document = read(written(("Far", []), change=scatter))

    assert "cell 1\n" in shown(document) and "cell 1099" in shown(document)


def test_too_many_cells_are_refused(refused, monkeypatch):
    monkeypatch.setattr(regions, "FILLED_CELLS", 50)
    assert refused(written(("Wide", [[*range(10)]] * 6)), "book.xlsx") == "too_large"
