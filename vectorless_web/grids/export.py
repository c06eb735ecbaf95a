"""A grid to take along: as a workbook with typed cells and their evidence, as CSV, and as plain values."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import xlsxwriter
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from vectorless_web.grids.models import Cell, Column, Grid, Row
from vectorless_web.grids.rendering import SCALES, convert_number, shown_value
from vectorless_web.grids.selectors import filled_rows
from vectorless_web.infra.templatetags.show import person
from vectorless_web.infra.web.csv_files import csv_line
from vectorless_web.workspaces.selectors import User

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FORMAT, VERSION = "vectorless-grid", 1
"""What a program that reads the file looks at first; the version rises when a field changes or goes."""
CHARACTERS_MAX = 32_000
"""Of a cell: a workbook takes 32,767."""
PLAIN = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "in_memory": True,
}
"""Texts stay texts: what a document says is never a formula."""


@dataclass(frozen=True)
class FilledGrid:
    """A grid as one person may see it: its columns, and its rows with their `shown_cells`."""

    grid: Grid
    columns: Sequence[Column]
    rows: Sequence[Row]
    address: Callable[[Cell], str]
    """The link to a cell."""

    def cells(self) -> Iterator[tuple[Row, Cell]]:
        """Every cell with its row, row by row."""
        for row in self.rows:
            for cell in row.shown_cells:  # type: ignore[attr-defined]
                yield row, cell


def fill_for(user: User, grid: Grid, absolute: Callable[[str], str]) -> FilledGrid:
    """The grid as the user may see it; `absolute` makes the address of a page one of the whole net."""

    def address(cell: Cell) -> str:
        return absolute(reverse("grids:cell", args=[grid.workspace.slug, grid.pk, cell.pk]))

    return FilledGrid(grid, list(grid.columns.all()), filled_rows(grid, user), address)


def file_name(grid: Grid, suffix: str) -> str:
    """A name for the file that every system takes."""
    return f"{slugify(grid.name)[:60].strip('-') or f'grid-{grid.pk}'}.{suffix}"


def as_json(filled: FilledGrid) -> dict[str, Any]:
    """All columns and cells; numbers as texts, so that they stay exact."""
    told = ("label", "question", "kind", "unit", "scale", "decimals")
    columns = [{name: getattr(column, name) for name in told} for column in filled.columns]
    rows = [
        {
            "document": row.document.title,
            "version": row.version.number if row.version else None,
            "cells": [_cell_values(cell, filled) for cell in row.shown_cells],  # type: ignore[attr-defined]
        }
        for row in filled.rows
    ]
    return {"format": FORMAT, "version": VERSION, "name": filled.grid.name, "columns": columns, "rows": rows}


def _cell_values(cell: Cell, filled: FilledGrid) -> dict[str, Any]:
    return {
        "column": cell.column.label,
        "state": cell.state,
        "text": cell.text,
        "corrected": cell.corrected,
        "reason": cell.reason,
        "value": cell.value,
        "shown": shown_value(cell),
        "verdict": cell.verdict,
        "quote": cell.quote,
        "page": cell.page,
        "reviewed_by": person(cell.reviewed_by) if cell.reviewed_by else "",
        "link": filled.address(cell),
    }


def as_csv(filled: FilledGrid) -> list[str]:
    """The lines of a CSV file: numbers in the column's unit without it, days as ISO dates, all else as it is read."""
    lines = [csv_line([_("Document"), *(_head(column) for column in filled.columns)])]
    for row in filled.rows:
        values = [_plain_value(cell) for cell in row.shown_cells]  # type: ignore[attr-defined]
        lines.append(csv_line([row.document.title, *values]))
    return lines


def _plain_value(cell: Cell) -> str:
    if cell.state == Cell.State.STALE:
        return ""
    number = _number_of(cell)
    return format(number, "f") if number is not None else _words(cell)


def _number_of(cell: Cell) -> Decimal | None:
    """The exact number in the column's unit; None for one that does not fit it, and for what is no number."""
    number = cell.number
    return None if number is None else convert_number(number, (cell.value or {}).get("unit", ""), cell.column)


def _words(cell: Cell) -> str:
    """What a cell says; a passage, which is no answer, behind the name of its state."""
    if cell.number is not None:
        return shown_value(cell)
    said = (cell.value or {}).get("text") or cell.shown
    return f"[{cell.get_state_display()}] {said}" if cell.state == Cell.State.PASSAGES and said else said


def _head(column: Column, scale: str = "") -> str:
    """The column's name with the scale and unit it is shown in, else with the one unit that its values share."""
    own = [column.unit] if column.unit else column.cells.values_list("value__unit", flat=True)
    units = {unit for unit in own if unit}
    told = " ".join(word for word in (scale, units.pop() if len(units) == 1 else "") if word)
    return f"{column.label} ({told})" if column.is_numeric and told else column.label


def as_workbook(filled: FilledGrid) -> bytes:
    """The workbook: a sheet of values in the format of their columns, a sheet of evidence for each cell."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target, PLAIN) as book:
        bold, day = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
        wrapped = book.add_format({"text_wrap": True, "valign": "top"})
        numbers = {column.pk: book.add_format({"num_format": _number_format(column)}) for column in filled.columns}
        values = book.add_worksheet(_("Values"))
        heads = [_("Document"), *(_head(column, str(SCALES.get(column.scale, ""))) for column in filled.columns)]
        _write_heads(values, heads, bold)
        for at, row in enumerate(filled.rows, 1):
            values.write_string(at, 0, row.document.title, wrapped)
            for place, cell in enumerate(row.shown_cells, 1):  # type: ignore[attr-defined]
                formats = {"number": numbers[cell.column_id], "day": day, "text": wrapped}
                _write_value(values, (at, place), cell, formats)
        _write_evidence(book.add_worksheet(_("Evidence")), filled, bold)
    return target.getvalue()


def _write_value(sheet: Worksheet, place: tuple[int, int], cell: Cell, formats: dict[str, Format]) -> None:
    """Write a number as a number, a whole day as a date, all else as a text."""
    at, column = place
    text = (cell.value or {}).get("text", "")
    if cell.state == Cell.State.STALE:
        return
    number = _number_of(cell)
    if number is not None:
        percent = (cell.value or {}).get("unit") == "percent"
        sheet.write_number(at, column, float(number / 100 if percent else number), formats["number"])
    elif cell.column.kind == Column.Kind.DATE and len(text) == len("2024-01-31"):
        sheet.write_datetime(at, column, date.fromisoformat(text), formats["day"])
    else:
        sheet.write_string(at, column, _words(cell)[:CHARACTERS_MAX], formats["text"])


_SCALES = {1_000: ",", 1_000_000: ",,", 1_000_000_000: ",,,"}


def _number_format(column: Column) -> str:
    """The workbook's own format: it divides by thousands, so that the cell keeps the exact value."""
    usual = 2 if column.kind in (Column.Kind.PERCENT, Column.Kind.MONEY) else 0
    places = usual if column.decimals is None else column.decimals
    decimals = f".{'0' * places}" if places else ""
    if column.kind == Column.Kind.PERCENT:
        return f"0{decimals}%"
    return f"#,##0{decimals}{_SCALES.get(column.scale, '')}"


def _write_heads(sheet: Worksheet, heads: Sequence[str], bold: Format) -> None:
    for place, head in enumerate(heads):
        sheet.write_string(0, place, head, bold)
    sheet.freeze_panes(1, 1)
    sheet.set_column(0, 0, 36)
    sheet.set_column(1, max(1, len(heads) - 1), 20)


def _write_evidence(sheet: Worksheet, filled: FilledGrid, bold: Format) -> None:
    heads = [_("Document"), _("Column"), _("Value"), _("State"), _("Verified"), _("Quote"), _("Page"), _("Link")]
    _write_heads(sheet, [*heads, _("Reviewed by"), _("Why it was corrected"), _("Answer of the program")], bold)
    for at, (row, cell) in enumerate(filled.cells(), 1):
        reviewer = person(cell.reviewed_by) if cell.reviewed_by else ""
        texts = [row.document.title, cell.column.label, shown_value(cell), cell.get_state_display(), cell.verdict]
        behind = [filled.address(cell), reviewer, cell.reason, cell.text]
        for place, text in enumerate([*texts, cell.quote, str(cell.page or ""), *behind]):
            sheet.write_string(at, place, str(text)[:CHARACTERS_MAX])
