"""Draws table cells at random and prints what is understood of each beside the page's own text, for a reader to judge.

    python benchmarks/tables.py --files a.pdf b.html ... --cells 50 --seed 7 --cache DIR

Every file is compiled (or taken from the cache), tables with figures are drawn with equal weight for each file, and one
cell of each. Printed for each: document and page, row path, column path, unit, scale, period, footnotes, the row as the
table holds it, and the lines of the page around it. A reader marks header, unit and period as right or wrong.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Row
from vectorless_web.engine.tables.cells import read_cell
from vectorless_web.engine.tables.view import TableView, tables_of

_LINES_BEFORE = 14
"""Lines of the page printed above the row, at most."""
_WIDTH = 170
"""Characters of a line that are printed."""


def main() -> None:
    """Print the cells."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--files", nargs="+", type=Path, required=True)
    parser.add_argument("--cells", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--cache", type=Path, required=True)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    printed = 0
    for _ in range(20 * arguments.cells):
        path = draw.choice(arguments.files)
        document = FolderCorpus(path.parent, cache=arguments.cache, names=[path.name]).open("1")
        found = _draw_cell(document, draw)
        if found is not None:
            printed += 1
            sys.stdout.write(f"=== {printed}  {path.name}\n" + "\n".join(_describe(document, *found)) + "\n\n")
        if printed == arguments.cells:
            return


def _draw_cell(document: CompiledDocument, draw: random.Random) -> tuple[TableView, Row, int] | None:
    views = list(tables_of(document.tree, range(1, len(document.tree))))
    if not views:
        return None
    view = draw.choice(views)
    places = [
        (row, place)
        for row in view.table.body
        for place, cell in enumerate(row.cells)
        if place and any(character.isdigit() for character in cell.text)
    ]
    return (view, *draw.choice(places)) if places else None


def _describe(document: CompiledDocument, view: TableView, row: Row, place: int) -> Iterator[str]:
    reading = read_cell(view, row, place)
    count = len(view.table.rows)
    yield f"page {row.page_index + 1}  table {view.name[:90]!r} of {count} rows  [{view.describe()[:200]}]"
    yield f"CELL    {row.cells[place].text!r} (column {place} of {len(row.cells) - 1}, {view.kinds[place].value})"
    yield f"ROW     {' > '.join(reading.row_path)}"
    yield f"COLUMN  {' > '.join(reading.column_path)}"
    yield f"UNIT    {reading.unit or '-'} x {reading.scale}   PERIOD  {reading.period.words or '-'}"
    for note in reading.footnotes:
        yield f"NOTE    ({note.mark}) {note.text[:120]}"
    yield "HELD    " + view.node.text[row.offset : row.offset + row.length].replace("\t", " | ")[:_WIDTH]
    yield from _lines_around(document, view, row)


def _lines_around(document: CompiledDocument, view: TableView, row: Row) -> Iterator[str]:
    text = document.page_text(row.page_index)
    spans = document.locate(view.node.key, row.offset, row.offset + row.length)
    first = min((span.char_index for span in spans if span.page_index == row.page_index), default=0)
    table = document.locate(view.node.key, 0, len(view.node.text))
    begins = min((span.char_index for span in table if span.page_index == row.page_index), default=first)
    above = [line for line in text[:first].splitlines() if line.strip()]
    head = [line for line in text[max(0, begins - 250) : begins + 350].splitlines() if line.strip()]
    if first - begins > 350:
        yield from (f"   | {line[:_WIDTH]}" for line in head)
        yield "   | ..."
        above = above[-3:]
    yield from (f"   | {line[:_WIDTH]}" for line in above[-_LINES_BEFORE:])
    yield from (f"  >| {line[:_WIDTH]}" for line in text[first : first + 200].splitlines()[:2])


if __name__ == "__main__":
    main()
