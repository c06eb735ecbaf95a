"""Reads workbooks of older and binary forms (.xls, .xlsb): values as stored, since these forms hide their formats."""

from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import remove_invisible
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.sheets.numbers import show_number
from vectorless_web.engine.parsing.sheets.regions import CellCount, Sheet, SheetCell, write_sheets
from vectorless_web.engine.parsing.sheets.workbook import LeftOut

_MOST_MERGES = 100_000
"""Merged ranges of a sheet that are followed."""


def read_older_workbook(path: Path, *, limits: CompileLimits) -> DocumentText:
    """Read a workbook in the form of Excel 97 to 2003, or in the binary one.

    UnreadableDocument: `damaged_xls` (also for one behind a password), `too_large`, `no_text`.
    """
    # The library is written in Rust and loads in a moment, but only such files need it.
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum  # noqa: PLC0415

    left_out, count, sheets = LeftOut(), CellCount(), []
    try:
        book = CalamineWorkbook.from_path(path)
        for entry in book.sheets_metadata:
            if entry.visible != SheetVisibleEnum.Visible:
                left_out.counts["hidden sheet"] += 1
                continue
            sheets.append(_read_sheet(book.get_sheet_by_name(entry.name), entry.name, count))
    except PasswordError as error:
        raise UnreadableDocument(
            "This workbook is protected with a password.",
            remedy="Save it without one and upload that.",
            code="encrypted_xlsx",
        ) from error
    except CalamineError as error:
        raise UnreadableDocument(
            "This workbook is damaged or did not arrive whole.",
            remedy="Open it in Excel, save it as .xlsx and upload that.",
            code="damaged_xls",
        ) from error
    return write_sheets(sheets, "", left_out.tell())


def _read_sheet(given: Any, name: str, count: CellCount) -> Sheet:
    sheet = Sheet(remove_invisible(name))
    right = (given.start or (0, 0))[1]
    for number, row in enumerate(given.iter_rows()):
        cells = {}
        for column, stored in enumerate(row, start=right):
            said = count.add(_show(stored))
            if said:
                cells[column] = SheetCell(said)
        if cells:
            sheet.rows[number] = cells
    for (top, left), (bottom, end) in (given.merged_cell_ranges or [])[:_MOST_MERGES]:
        if top in sheet.rows:
            sheet.spans[top, left] = (end - left + 1, bottom - top + 1)
    return sheet


def _show(stored: Any) -> str:
    if isinstance(stored, bool):
        return str(stored).upper()
    if isinstance(stored, int | float):
        return show_number(repr(float(stored)), "General")
    if isinstance(stored, datetime):
        return f"{stored:%Y-%m-%d %H:%M}" if stored.time() != time() else f"{stored:%Y-%m-%d}"
    if isinstance(stored, date | time | timedelta):
        return str(stored)
    return str(stored)
