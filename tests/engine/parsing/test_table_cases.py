"""Pages with tables and what is read of them: each case of tables/*.txt.

    # The sentence that the case shows
    200  285 Quoted | ..390 Other        a line 200 points from the top, its cells begin at 285 and end at 390
    Boats | 12 | 14                      or, without such numbers, a row of a table of a web page
    =>
    Kind | Quoted > 2023 | Other         the columns, with the headers that they are under
    Boats > Ferries | 12 | 14            each row, with the rows that it is under
    unit of Ferries, 2: USD              what is read of one cell

`above:` and `heading:` are the paragraph and the title before a table of a web page; `periods:` and `scale:` are those
of the whole table; an empty line parts two tables, "no table" is none, and ~ is nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.engine.parsing.conftest import Compile, uncovered
from tests.engine.parsing.test_tables import cells, laid, read, table_page, views
from vectorless_web.engine.tables.cells import CellReading
from vectorless_web.engine.tables.view import TableView

FOLDER = Path(__file__).parent / "tables"
PLACED = re.compile(r"(\d+)  (.*)")
CELL = re.compile(r"(\.\.)?([\d.]+) (.*)", re.DOTALL)
QUESTION = re.compile(r"(\w+) of (.+), (\d+)(?=: )")
DIGIT = 5
"""Points: the width of a character of a figure, as in `figures`."""
NOTHING = "~"

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
class TableCase:
    """One case of a file: what is printed, and what is read of it."""

    name: str
    printed: list[str]
    expected: list[str]

    def page(self) -> bytes | str:
        """A PDF, when the lines say places; a web page otherwise."""
        placed = [PLACED.fullmatch(line) for line in self.printed]
        if all(placed):
            return laid([(float(line[1]), place_cells(line[2])) for line in placed if line])
        told = dict(line.split(": ", 1) for line in self.printed if line.startswith(("above: ", "heading: ")))
        rows = [line for line in self.printed if not line.startswith(("above: ", "heading: "))]
        marked = "".join(cells(*("" if cell == NOTHING else cell for cell in row.split(" | "))) for row in rows)
        return table_page(marked, told.get("above", ""), told.get("heading", "Report"))

    def read(self, found: list[TableView]) -> list[str]:
        """What the tables hold, in the words of the case."""
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
        for row in view.table.body:
            yield _line((" > ".join((*row.path, row.label)), *(cell.text for cell in row.cells[1:])))


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


def cases() -> Iterator[TableCase]:
    """The cases of all files."""
    for file in sorted(FOLDER.glob("*.txt")):
        for written in re.split(r"^# ", file.read_text(), flags=re.MULTILINE)[1:]:
            name, body = written.split("\n", 1)
            printed, expected = body.rstrip("\n").split("\n=>\n")
            yield TableCase(name, printed.split("\n"), expected.split("\n"))


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_a_page_holds_these_tables(compiled: Compile, case: TableCase):
    page = case.page()
    document = compiled(page, "paper.pdf" if isinstance(page, bytes) else "paper.html")
    assert case.read(views(document)) == case.expected
    assert not uncovered(document)
