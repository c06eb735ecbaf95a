"""Workbooks of the older form: cells where they stand, values as stored, hidden sheets, damage."""

import io
from datetime import date

import xlwt

from tests.engine.parsing.test_cases import tell_nodes

READ = """application/vnd.ms-excel: Rope plan for the north berth
# Plan
paragraph: Rope plan for the north berth
table: Rope plan for the north berth
Item | Share | Start
Rope | 0.1234 | 2024-05-07
Hook | 12 | 2024-05-08
! 1 hidden sheet was left out; show it in the workbook to have it read."""


def plan() -> bytes:
    book, buffer = xlwt.Workbook(), io.BytesIO()
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
    book.save(buffer)
    return buffer.getvalue()


def test_cells_stand_in_their_rows_and_columns_with_values_as_stored(compiled):
    assert "\n".join(tell_nodes(compiled(plan(), "plan.xls"))) == READ


def test_a_damaged_workbook_is_refused_with_its_reason(refused):
    assert refused(plan()[:900], "plan.xls") == "damaged_xls"
