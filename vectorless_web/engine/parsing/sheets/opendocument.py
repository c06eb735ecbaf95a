"""Reads an OpenDocument spreadsheet (.ods): its visible sheets as sections with tables, each cell as it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import remove_invisible
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.package import PackageKind, child, local, open_package, refuse_locked, value
from vectorless_web.engine.parsing.sheets.regions import CellCount, Sheet, SheetCell, write_sheets
from vectorless_web.engine.parsing.sheets.workbook import LeftOut

SPREADSHEET = PackageKind("OpenDocument spreadsheet", "LibreOffice", "ods")
_MOST_REPEATED = 1_000
"""Times that a filled cell or row is written when the file says that it repeats; more is a fill to the sheet's end."""
_MOST_ACROSS = 100
"""The same for a cell along its row: a table has a few dozen columns."""
_HIDDEN = ("collapse", "filter")


def read_spreadsheet(path: Path, *, limits: CompileLimits) -> DocumentText:
    """Read an OpenDocument spreadsheet.

    UnreadableDocument: `damaged_ods`, `encrypted_ods`, `zip_bomb`, `unsafe_ods`, `too_large`, `no_text`.
    """
    with open_package(path, limits, SPREADSHEET) as package:
        refuse_locked(package)
        reader = _SpreadsheetReader()
        for element in package.elements("content.xml", "style", "table"):
            reader.read(element)
        return write_sheets(reader.sheets, package.title(), [*package.tell_left_out(), *reader.left_out.tell()])


@dataclass(slots=True)
class _SpreadsheetReader:
    sheets: list[Sheet] = field(default_factory=list)
    hidden_styles: set[str] = field(default_factory=set)
    bold_styles: set[str] = field(default_factory=set)
    count: CellCount = field(default_factory=CellCount)
    left_out: LeftOut = field(default_factory=LeftOut)

    def read(self, element: etree._Element) -> None:
        if local(element) == "style":
            if value(child(element, "table-properties"), "display") == "false":
                self.hidden_styles.add(value(element, "name"))
            if value(child(element, "text-properties"), "font-weight") == "bold":
                self.bold_styles.add(value(element, "name"))
        elif value(element, "style-name") in self.hidden_styles:
            self.left_out.counts["hidden sheet"] += 1
        else:
            self.sheets.append(self._read_sheet(element))

    def _read_sheet(self, table: etree._Element) -> Sheet:
        sheet = Sheet(remove_invisible(value(table, "name")))
        hidden = _hidden_columns(table)
        unseen: set[int] = set()
        number = 0
        for row in _walk(table, "table-row"):
            repeated = _repetitions(row, "number-rows-repeated")
            cells, spans, beyond = self._read_row(row, hidden)
            unseen |= beyond
            if cells and value(row, "visibility") in _HIDDEN:
                self.left_out.counts["hidden row"] += repeated
                sheet.unseen.update(range(number, number + min(repeated, _MOST_REPEATED)))
            elif cells:
                self.left_out.counts["endless fill"] += repeated > _MOST_REPEATED
                for step in range(min(repeated, _MOST_REPEATED)):
                    sheet.rows[number + step] = cells
                    sheet.spans.update({(number + step, column): span for column, span in spans.items()})
            number += repeated
        self.left_out.counts["hidden column"] += len(unseen)
        return sheet

    def _read_row(
        self, row: etree._Element, hidden: set[int]
    ) -> tuple[dict[int, SheetCell], dict[int, tuple[int, int]], set[int]]:
        cells: dict[int, SheetCell] = {}
        spans: dict[int, tuple[int, int]] = {}
        unseen: set[int] = set()
        column = 0
        for element in row:
            if local(element) not in ("table-cell", "covered-table-cell"):
                continue
            repeated = _repetitions(element, "number-columns-repeated")
            text = _show(element)
            self.left_out.counts["endless fill"] += bool(text) and repeated > _MOST_ACROSS
            for step in range(min(repeated, _MOST_ACROSS) if text else 0):
                if column + step in hidden:
                    unseen.add(column + step)
                elif said := self.count.add(text):
                    cells[column + step] = SheetCell(said, value(element, "style-name") in self.bold_styles)
            across, down = _repetitions(element, "number-columns-spanned"), _repetitions(element, "number-rows-spanned")
            if column in cells and (across > 1 or down > 1):
                spans[column] = (across, down)
            column += repeated
        return cells, spans, unseen


def _walk(holder: etree._Element, name: str) -> Iterator[etree._Element]:
    for element in holder:
        kind = local(element)
        if kind == name:
            yield element
        elif kind.startswith(("table-header-", "table-row-group", "table-rows", "table-column-group", "table-columns")):
            yield from _walk(element, name)


def _hidden_columns(table: etree._Element) -> set[int]:
    hidden: set[int] = set()
    column = 0
    for element in _walk(table, "table-column"):
        repeated = _repetitions(element, "number-columns-repeated")
        if value(element, "visibility") in _HIDDEN:
            hidden.update(range(column, column + min(repeated, _MOST_REPEATED)))
        column += repeated
    return hidden


def _repetitions(element: etree._Element, name: str) -> int:
    said = value(element, name)
    return max(int(said), 1) if said.isdecimal() and len(said) < 8 else 1


def _show(cell: etree._Element) -> str:
    if local(cell) == "covered-table-cell":
        return ""
    return "\n".join("".join(_words_of(line)) for line in cell if local(line) == "p")


def _words_of(line: etree._Element) -> Iterator[str]:
    yield line.text or ""
    for element in line:
        kind = local(element)
        if kind in ("s", "tab", "line-break"):
            yield " "
        elif kind != "annotation":
            yield from _words_of(element)
        yield element.tail or ""
