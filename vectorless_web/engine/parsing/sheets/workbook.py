"""Reads an Excel workbook (.xlsx, .xlsm): its visible sheets as sections with tables, each value as it is shown."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from lxml import etree

from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import remove_invisible, tell_counts
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.package import Package, PackageKind, child, local, open_package, value
from vectorless_web.engine.parsing.sheets.numbers import BUILT_IN, show_number
from vectorless_web.engine.parsing.sheets.regions import CellCount, Sheet, SheetCell, write_sheets

WORKBOOK = PackageKind("Excel workbook", "Excel", "xlsx")
_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})$")
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384
"""Rows and columns of the largest sheet."""
_MOST_MERGES = 100_000
"""Merged ranges of a sheet that are followed."""


def read_workbook(path: Path, *, limits: CompileLimits) -> DocumentText:
    """Read an Excel workbook.

    Values are those stored when it was last saved; nothing is calculated, run or fetched.
    UnreadableDocument: `damaged_xlsx`, `encrypted_xlsx`, `zip_bomb`, `unsafe_xlsx`, `too_large`, `no_text`.
    """
    with open_package(path, limits, WORKBOOK) as package:
        main = package.find_main("xl/workbook.xml")
        root = package.xml(main)
        if root is None or local(root) != "workbook":
            raise KeyError(main)
        reader = _WorkbookReader.open(package, main, root)
        sheets = list(reader.read_sheets(root))
        return write_sheets(sheets, package.title(), [*package.tell_left_out(), *reader.left_out.tell()])


@dataclass(slots=True)
class LeftOut:
    """What is not read of a workbook, told to its owner."""

    counts: Counter[str] = field(default_factory=Counter)

    def tell(self) -> Iterator[str]:
        """Sentences on what was left out."""
        return tell_counts({kind: self.counts[kind] for kind in _LEFT_OUT}, _LEFT_OUT)


_LEFT_OUT = {
    "hidden sheet": "{things} {were} left out; show it in the workbook to have it read.",
    "hidden row": "{things} {were} left out.",
    "hidden column": "{things} {were} left out.",
    "formula": "{things} without a stored value {were} kept as written; save it in Excel to have it calculated.",
    "endless fill": "{things} {were} cut: a cell or row that repeats to the end of the sheet was read in part.",
    "chart sheet": "{things} {were} left out; a chart's figures are read where they stand in cells.",
}


@dataclass(slots=True)
class _Styles:
    """By the number of a cell's style: its number format, and whether it is bold."""

    codes: Sequence[str]
    bold: Sequence[bool]
    known: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """What each number was found to mean, as the cells give it."""

    @classmethod
    def read(cls, root: etree._Element | None) -> "_Styles":
        own = {value(row, "numFmtId"): value(row, "formatCode") for row in _rows_of(root, "numFmts")}
        fonts = [
            child(row, "b") is not None and value(child(row, "b")) not in ("0", "false")
            for row in _rows_of(root, "fonts")
        ]
        codes, bold = [], []
        for row in _rows_of(root, "cellXfs"):
            number, font = value(row, "numFmtId") or "0", value(row, "fontId") or "0"
            codes.append(own.get(number) or BUILT_IN.get(int(number) if number.isdecimal() else 0, "General"))
            bold.append(font.isdecimal() and int(font) < len(fonts) and fonts[int(font)])
        return cls(codes, bold)

    def of(self, element: etree._Element) -> tuple[str, bool]:
        number = element.get("s", "0")
        found = self.known.get(number)
        if found is None:
            found = self.known[number] = self._look_up(number)
        return found

    def _look_up(self, number: str) -> tuple[str, bool]:
        place = int(number) if number.isdecimal() and len(number) < 7 else len(self.codes)
        return (self.codes[place], self.bold[place]) if place < len(self.codes) else ("General", False)


def _rows_of(root: etree._Element | None, name: str) -> Sequence[etree._Element]:
    holder = child(root, name)
    return [row for row in holder if local(row)] if holder is not None else []


@dataclass(slots=True)
class _WorkbookReader:
    package: Package
    targets: dict[str, str]
    strings: Sequence[str]
    styles: _Styles
    since_1904: bool
    count: CellCount = field(default_factory=CellCount)
    left_out: LeftOut = field(default_factory=LeftOut)

    @classmethod
    def open(cls, package: Package, main: str, root: etree._Element) -> "_WorkbookReader":
        related = package.find_related(main)
        shared = next(iter(related.get("sharedStrings", [])), "xl/sharedStrings.xml")
        strings = [_text_of(element) for element in package.elements(shared, "si")]
        styles = _Styles.read(package.xml(next(iter(related.get("styles", [])), "xl/styles.xml")))
        since_1904 = value(child(root, "workbookPr"), "date1904") in ("1", "true")
        return cls(package, package.find_targets(main), strings, styles, since_1904)

    def read_sheets(self, root: etree._Element) -> Iterator[Sheet]:
        for entry in _rows_of(root, "sheets"):
            if value(entry, "state") in ("hidden", "veryHidden"):
                self.left_out.counts["hidden sheet"] += 1
                continue
            part = self.targets.get(_relation_id(entry), "")
            if "/chartsheets/" in f"/{part}":
                self.left_out.counts["chart sheet"] += 1
                continue
            yield self._read_sheet(part, value(entry, "name"))

    def _read_sheet(self, part: str, name: str) -> Sheet:
        sheet = Sheet(remove_invisible(name))
        hidden: set[int] = set()
        unseen: set[int] = set()
        for element in self.package.elements(part, "col", "row", "mergeCell"):
            kind = local(element)
            if kind == "col":
                hidden.update(_hidden_columns(element))
            elif kind == "row":
                unseen |= self._read_row(sheet, element, hidden)
            elif len(sheet.spans) < _MOST_MERGES:
                _note_merge(sheet, element.get("ref", ""))
        self.left_out.counts["hidden column"] += len(unseen)
        return sheet

    def _read_row(self, sheet: Sheet, row: etree._Element, hidden: set[int]) -> set[int]:
        said = row.get("r", "")
        number = int(said) - 1 if said.isdecimal() and len(said) < 8 else max(sheet.rows, default=-1) + 1
        cells: dict[int, SheetCell] = {}
        unseen: set[int] = set()
        column = -1
        for element in row.iterchildren("{*}c"):
            column = _column_of(element.get("r", ""), column + 1)
            code, strong = self.styles.of(element)
            text = self._show(element, code)
            if text and column in hidden:
                unseen.add(column)
            elif text:
                cells[column] = SheetCell(text, strong)
        if cells and row.get("hidden") in ("1", "true"):
            self.left_out.counts["hidden row"] += 1
            sheet.unseen.add(number)
        elif cells and number < _LAST_ROW:
            sheet.rows[number] = cells
        return unseen

    def _show(self, cell: etree._Element, code: str) -> str:
        kind, parts = cell.get("t", "n"), {local(part): part for part in cell}
        text = (parts["v"].text or "") if "v" in parts else ""
        if kind == "s":
            shown = self.strings[int(text)] if text.isdecimal() and int(text) < len(self.strings) else ""
        elif kind == "inlineStr":
            shown = _text_of(parts["is"]) if "is" in parts else ""
        elif kind == "b":
            shown = {"1": "TRUE", "0": "FALSE"}.get(text, text)
        elif kind == "n" and text:
            shown = show_number(text, code, since_1904=self.since_1904)
        else:
            shown = text
        if "f" in parts and not text and kind != "str" and parts["f"].text:
            self.left_out.counts["formula"] += 1
            shown = f"={parts['f'].text}"
        return self.count.add(shown) if shown else ""


def _text_of(holder: etree._Element) -> str:
    parts = []
    for element in holder:
        if local(element) == "t":
            parts.append(element.text or "")
        elif local(element) == "r":
            parts.extend(own.text or "" for own in element if local(own) == "t")
    return "".join(parts)


def _relation_id(entry: etree._Element) -> str:
    return next((str(said) for key, said in entry.items() if key.endswith("}id")), "")


def _column_of(place: str, default: int) -> int:
    return _column_named(place.rstrip("0123456789")) if place else default


@cache
def _column_named(letters: str) -> int:
    column = 0
    for letter in letters[:4]:
        column = 26 * column + ord(letter.upper()) - ord("A") + 1
    return min(max(column, 1), _LAST_COLUMN) - 1


def _hidden_columns(element: etree._Element) -> range:
    first, last = element.get("min", ""), element.get("max", "")
    hidden = element.get("hidden") in ("1", "true") and first.isdecimal() and last.isdecimal()
    return range(int(first) - 1, min(int(last), _LAST_COLUMN)) if hidden else range(0)


def _note_merge(sheet: Sheet, said: str) -> None:
    ends = [_PLACE.match(end) for end in said.split(":")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return
    row, column = int(ends[0][2]) - 1, _column_named(ends[0][1])
    across, down = _column_named(ends[1][1]) - column + 1, int(ends[1][2]) - row
    if row in sheet.rows and across > 0 and down > 0:
        sheet.spans[row, column] = (across, down)
