"""A table row as an answer: the cell under the column that the question names, put first."""

from vectorless_web.engine.document.node import Node
from vectorless_web.engine.document.table import Cell, Row
from vectorless_web.engine.reasoner.finder import Finder
from vectorless_web.engine.text.analyser import analyse


def cell_first(node: Node, start: int, finder: Finder) -> str:
    """ "2.5 m: Launching a Skua, Wave height" for the row that starts there; "" when no column stands out.

    The column is the one whose header says more of the question than any other; a header
    with figures of its own is never read out.
    """
    table = node.table
    row = next((row for row in table.rows if row.offset <= start < row.offset + row.length), None) if table else None
    if table is None or row is None or row.is_header or not row.label:
        return ""
    said = [(finder.said_terms(column.header), place) for place, column in enumerate(table.columns)]
    ranked = sorted(((share, place) for share, place in said if place and _has_cell(row, place)), reverse=True)
    if not ranked or ranked[0][0] <= 0 or (len(ranked) > 1 and ranked[1][0] == ranked[0][0]):
        return ""
    header = " ".join(table.columns[ranked[0][1]].header.split())
    if any(character.isdigit() for character in header) or set(analyse(header)) <= set(analyse(row.label)):
        return ""
    return f"{_words(row.cells[ranked[0][1]])}: {' '.join(row.label.split())}, {header}."


def _has_cell(row: Row, place: int) -> bool:
    return place < len(row.cells) and any(character.isalnum() for character in row.cells[place].text)


def _words(cell: Cell) -> str:
    return " ".join(cell.text.split())
