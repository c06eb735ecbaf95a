"""Reads a file of rows whose cells are parted by commas, semicolons, tabs or bars as one table."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.tables.spans import SpanCell, guess_headers

_NAMES = {".csv": ",;\t|", ".tsv": "\t", ".tab": "\t"}
_LOOKED_AT, _FEWEST_LINES = 50, 3
"""Lines by which a file is judged, and those it has at least."""
_EVEN = 0.9
"""Share of these lines that must have equally many cells; files named as tables may have titles and notes besides."""
_EVEN_BY_NAME = 0.5
_FEWEST_CELLS = 3
"""Cells of a row, at least, in a file that its name does not call a table: prose has commas, too."""
_LONGEST_CELL = 120
"""Characters of a cell in such a file; sentences are longer."""
_STRETCH = 50_000
"""Places of a grid laid out at once: what is made of them is thrown away before the next, so that memory is bounded."""
_NEXT_WORD = re.compile(r",\s\w")


def claims_delimited(text: str, name: str) -> bool:
    """Whether a text is a table of delimited cells: by its name and lines, or by its lines alone."""
    suffix = PurePath(name).suffix.lower()
    named = suffix in _NAMES
    if not named and suffix not in ("", ".txt", ".text", ".dat"):
        return False
    return _find_delimiter(text, _NAMES.get(suffix, ",;\t|"), named=named) != ""


def read_delimited(text: str) -> DocumentText:
    """The table's readable text, its cells parted by tabs, and its blocks; lines around it are paragraphs."""
    delimiter = _find_delimiter(text, ",;\t|", named=True)
    rows = [row for row in _clean_rows(text, delimiter) if any(row)]
    width = Counter(len(row) for row in rows).most_common(1)[0][0]
    writer = BlockWriter()
    first = next((number for number, row in enumerate(rows) if len(row) == width), 0)
    for row in rows[:first]:
        writer.write_paragraph(" ".join(filter(None, row)))
    _write_table(writer, rows[first:])
    return writer.finish()


def _write_table(writer: BlockWriter, rows: Sequence[Sequence[str]]) -> None:
    width = max((len(row) for row in rows), default=1)
    first = [_fill(row, width) for row in rows[:_LOOKED_AT]]
    write_rows(writer, rows, headers=guess_headers(first) or int(_is_header(first)))


def write_rows(writer: BlockWriter, rows: Sequence[Sequence[str]], *, headers: int) -> None:
    """Write rows of cells as one table, or as several with the same header if they are too many for a grid."""
    width = max((len(row) for row in rows), default=1)
    most = max(_STRETCH // width - headers, 1)
    for number, start in enumerate(range(headers, max(len(rows), headers + 1), most)):
        stretch = (*rows[:headers], *rows[start : start + most])
        cells = [[SpanCell(cell) for cell in _fill(row, width)] for row in stretch]
        writer.write_table(cells, headers=headers, continued=number > 0)


def _fill(row: Sequence[str], width: int) -> list[str]:
    return [*row, *[""] * (width - len(row))]


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: every cell is filled, different, and no figure."""
    first = rows[0] if rows else ()
    return (
        len(rows) > 1 and all(first) and len(set(first)) == len(first) and not any(cell[:1].isdigit() for cell in first)
    )


def _clean_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Rows without invisible characters. Equal cells share one string, since columns repeat their values."""
    known: dict[str, str] = {}
    for row in _rows(text, delimiter):
        yield [known.setdefault(cell, cell) for cell in map(_clean, row)]


def _clean(cell: str) -> str:
    return " ".join(remove_invisible(cell).split())


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Rows by the rules of CSV; a file that breaks them is read line by line."""
    try:
        yield from list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True))
    except csv.Error:
        for line in text.splitlines():
            yield line.split(delimiter)


def _find_delimiter(text: str, among: str, *, named: bool) -> str:
    lines = [line for line in text[:100_000].splitlines()[:_LOOKED_AT] if line.strip()]
    if len(lines) < (2 if named else _FEWEST_LINES):
        return ""
    found = [(share, width, delimiter) for delimiter in among for share, width in [_evenness(lines, delimiter)]]
    share, width, delimiter = max(found, key=lambda one: (round(one[0], 2), one[1]))
    if named:
        return delimiter if width > 1 and share >= _EVEN_BY_NAME else ""
    prose = delimiter == "," and sum(bool(_NEXT_WORD.search(line)) for line in lines) > len(lines) / 2
    longest = max(len(cell) for line in lines for cell in line.split(delimiter))
    strict = share >= _EVEN and width >= _FEWEST_CELLS and longest <= _LONGEST_CELL and not prose
    return delimiter if strict and delimiter != "|" else ""


def _evenness(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    """The share of lines that have the commonest number of cells beyond one, and that number."""
    try:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        widths = Counter(line.count(delimiter) + 1 for line in lines)
    several = {width: count for width, count in widths.items() if width > 1}
    if not several:
        return 0.0, 1
    width = max(several, key=lambda own: (several[own], own))
    return several[width] / len(lines), width
