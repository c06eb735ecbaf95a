"""Files and what is read of them: each case of tables/*.txt and files/*.txt.

    # The sentence that the case shows
    200  285 Quoted | ..390 Other        a line 200 points from the top, its cells begin at 285 and end at 390
    grid  70 190 300 / 190 210 250       drawn lines around cells: the places of those that go down / of those across
    open  280 190 280 210                without the line from one place to the other
    bands  190 212                       lines over the whole width
    prose  300 6                         six lines of a paragraph; a first page begins with such lines
    page                                 what follows stands on another page, or on a first one without prose
    Boats | 12 | 14                      or, without such lines, a row of a table of a web page
    =>
    Kind | Quoted > 2023 | Other         the columns, with the headers that they are under
    Boats > Ferries | 12 | 14            each row, with the rows that it is under
    unit of Ferries, 2: USD              what is read of one cell

`above:` and `heading:` are the paragraph and the title before a table of a web page; `periods:`, `kinds:` and `scale:`
are those of the whole table; an empty line parts two tables, "no table" is none, ~ is nothing. Words between stars are
bold, those between two stars also larger, those between / italic and those between ` a typewriter's. A first line
`scan` makes all of it what a machine read of a picture, `typed` a typewriter's; `mark 0 Title` is a bookmark on a page.

A case whose name ends with a file's name, "(lease.rtf)", is that file as it stands, the body of a packed one, or what
a PDF prints. Those of files/, which begin with ===, tell every node, sections behind # as often as they are deep, and
what the report remarks behind `! `, but that there are no headings; the words of `prose` are told as "…".
"""

import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.engine.parsing.conftest import Compile, cells, nodes, read, table_page, uncovered, views
from tests.support.case_files import read_cases
from tests.support.open_documents import open_document
from tests.support.paper import Rule, Text, pdf, prose
from tests.support.word_files import body
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.tables.cells import CellReading
from vectorless_web.engine.tables.view import TableView

NOTHING = "~"
FOLDER = Path(__file__).parent
FILE = re.compile(r"(.+) \(([\w. ]+\.\w+)\)")
PLACED = re.compile(r"(\d+|grid|open|bands|prose|page)  ?(.*)|page|scan|typed")
MARK = re.compile(r"mark (\d+) (.+)")
LOOKS: dict[str, dict[str, Any]] = {"scan": {"painted": False}, "typed": {"font": "typed"}}
FONTS = {"*": "bold", "/": "italic", "`": "typed"}
CELL = re.compile(r"(\.\.)?([\d.]+) (.*)", re.DOTALL)
QUESTION = re.compile(r"(\w+) of (.+), (\d+)(?=: )")
FILLER = re.compile(rf"(?:{prose(0, 0, 1)[0].words} ?)+")
DIGIT = 5
"""Points: the width of a character of a figure, as in `figures`."""
LETTER = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fnil\fcharset2 Symbol;}"
    r"{\f2\fcharset204 Times;}}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}"
    r"{\*\cs10 Plain;}}{\info{\title Lease of berth 7}{\author Ada}}"
)


def workbook(said: str) -> bytes:
    """A workbook of rows, between lines that name sheets, hide parts and merge cells."""
    book = openpyxl.Workbook()
    for line in said.split("\n"):
        act, _, of = line.partition(" ")
        if act == "sheet":
            book.create_sheet(of)
        elif act == "merge":
            book.worksheets[-1].merge_cells(of)
        elif line == "hide sheet":
            book.worksheets[-1].sheet_state = "hidden"
        elif act == "hide":
            part, place = of.split()
            sheet = book.worksheets[-1]
            (sheet.row_dimensions[int(place)] if part == "row" else sheet.column_dimensions[place]).hidden = True
        else:
            book.worksheets[-1].append([_value(cell) for cell in line.split(" | ")])
    if len(book.worksheets) > 1:
        del book[book.sheetnames[0]]
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _value(cell: str) -> str | float | None:
    if cell in ("", NOTHING):
        return None
    return float(cell) if re.fullmatch(r"[\d]+(\.\d+)?", cell) else cell


PACKED: dict[str, Callable[[str], bytes]] = {
    "docx": body,
    "odt": lambda markup: open_document("text", markup),
    "ods": lambda markup: open_document("spreadsheet", markup),
    "xlsx": workbook,
    "rtf": lambda said: f"{LETTER}{said}}}".encode(),
    "pdf": lambda said: print_pages(said.split("\n")),
}
"""Suffix -> the file around the body that a case gives."""

FACTS: dict[str, Callable[[CellReading], object]] = {
    "row": lambda cell: " > ".join(cell.row_path),
    "column": lambda cell: " > ".join(cell.column_path),
    "period": lambda cell: cell.period.words,
    "year": lambda cell: cell.period.year,
    "unit": lambda cell: cell.unit,
    "currency": lambda cell: cell.currency,
    "scale": lambda cell: cell.scale,
    "note": lambda cell: " ".join(note.text for note in cell.footnotes),
}


@dataclass(frozen=True)
class Case:
    """One case of a file: what is printed, and what is read of it."""

    folder: str
    name: str
    printed: list[str]
    expected: list[str]

    def file(self) -> tuple[bytes | str, str]:
        """Content and name of the file."""
        named = FILE.fullmatch(self.name)
        if named:
            content, suffix = "\n".join(self.printed), named[2].rpartition(".")[2]
            return (PACKED[suffix](content) if suffix in PACKED else content), named[2]
        if all(map(PLACED.fullmatch, self.printed)):
            return pdf(list(draw_pages(self.printed))), "paper.pdf"
        told = dict(line.split(": ", 1) for line in self.printed if line.startswith(("above: ", "heading: ")))
        rows = [line for line in self.printed if not line.startswith(("above: ", "heading: "))]
        marked = "".join(cells(*("" if cell == NOTHING else cell for cell in row.split(" | "))) for row in rows)
        return table_page(marked, told.get("above", ""), told.get("heading", "Report")), "paper.html"

    def read(self, document: CompiledDocument) -> list[str]:
        """What the document holds, in the words of the case."""
        if self.folder == "files":
            return list(tell_nodes(document))
        found = views(document)
        asked = [match for line in self.expected if (match := QUESTION.match(line))]
        answers = [f"{ask[0]}: {FACTS[ask[1]](_cell(found, ask[2], int(ask[3]))) or NOTHING}" for ask in asked]
        if len(asked) == len(self.expected):
            return answers
        told = "\n\n".join("\n".join(self._tell(view)) for view in found) or "no table"
        return [*told.split("\n"), *answers]

    def _tell(self, view: TableView) -> Iterator[str]:
        if any(line.startswith("scale: ") for line in self.expected):
            yield f"scale: {view.scale}"
        yield _line(" > ".join(column.path) for column in view.table.columns)
        if any(line.startswith("periods: ") for line in self.expected):
            yield "periods: " + _line(period.words for period in view.periods)
        if any(line.startswith("kinds: ") for line in self.expected):
            yield "kinds: " + _line(kind.value for kind in view.kinds)
        for row in view.table.body:
            yield _line((" > ".join((*row.path, row.label)), *(cell.text for cell in row.cells[1:])))


def print_pages(lines: Sequence[str]) -> bytes:
    """The PDF that the lines of a case print, with its bookmarks."""
    marks = [(found[2], int(found[1])) for found in map(MARK.fullmatch, lines) if found]
    return pdf(list(draw_pages([line for line in lines if not MARK.fullmatch(line)], size=10)), bookmarks=marks)


def draw_pages(lines: Sequence[str], *, size: float = 9) -> Iterator[list[Text | Rule]]:
    """The pages of a PDF that the lines of a case print, in letters of so many points."""
    look = LOOKS.get(lines[0], {})
    lines = lines[bool(look) :]
    page: list[Text | Rule] = [*prose(72, 90, 6)] if lines[0] != "page" else []
    for line in lines[lines[0] == "page" :]:
        word, _, rest = line.partition("  ")
        if word == "page":
            yield _seen(page, look)
            page = []
        elif word == "grid":
            across, down = ([float(place) for place in part.split()] for part in rest.split(" / "))
            page += [Rule(left, y, right, y) for y in down for left, right in itertools.pairwise(across)]
            page += [Rule(x, top, x, bottom) for x in across for top, bottom in itertools.pairwise(down)]
        elif word == "open":
            page.remove(Rule(*map(float, rest.split())))
        elif word == "bands":
            page += [Rule(70, float(y), 420, float(y)) for y in rest.split()]
        elif word == "prose":
            page += prose(72, *map(int, rest.split()))
        else:
            page += [_text(left, float(word), words, size) for left, words in place_cells(rest)]
    yield _seen(page, look)


def _seen(page: Iterable[Text | Rule], look: dict[str, Any]) -> list[Text | Rule]:
    return [replace(item, **look) if isinstance(item, Text) else item for item in page]


def _text(left: float, top: float, words: str, size: float) -> Text:
    font = FONTS.get(words[0]) if len(words) > 2 and words[0] == words[-1] else None
    size += 4 * words.startswith("**")
    return Text(left, top, words.strip(words[0]), size, font) if font else Text(left, top, words, size)


def place_cells(line: str) -> list[tuple[float, str]]:
    """The cells of one line with their left edges."""
    found = []
    for written in re.split(r" \| (?=(?:\.\.)?[\d.]+ )", line):
        match = CELL.fullmatch(written)
        assert match, written
        found.append((float(match[2]) - DIGIT * len(match[3]) * bool(match[1]), match[3]))
    return found


def _line(texts: Iterable[str]) -> str:
    return " | ".join(text or NOTHING for text in texts)


def _cell(found: list[TableView], label: str, place: int) -> CellReading:
    view = next(view for view in found if any(row.label == label for row in view.table.body))
    return read(view, label, place)


def tell_nodes(document: CompiledDocument) -> Iterator[str]:
    """Every node of a document, and what its report remarks."""
    yield f"{document.media_type}: {document.title}"
    for node in nodes(document)[1:]:
        if node.kind == "section":
            yield f"{'#' * node.depth} {node.title}"
        elif node.table is None:
            yield f"{node.kind.value}: {FILLER.sub('… ', node.text).strip()}"
        else:
            yield f"table: {node.title}".rstrip()
            yield _line(column.header for column in node.table.columns)
            yield from (_line((row.label, *(cell.text for cell in row.cells[1:]))) for row in node.table.body)
    yield from (f"! {said}" for said in document.report.warnings[document.report.outline_source == "pages" :])


def cases() -> Iterator[Case]:
    """The cases of all files."""
    for folder, sign in (("tables", "# "), ("files", "=== ")):
        for file in sorted((FOLDER / folder).glob("*.txt")):
            yield from (Case(folder, *case) for case in read_cases(file, sign))


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_a_file_is_read_as(compiled: Compile, case: Case):
    document = compiled(*case.file())
    assert "\n".join(case.read(document)) == "\n".join(case.expected)
    assert not uncovered(document)
