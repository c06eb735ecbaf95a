"""Tables of a Word document: which hold data and which only arrange the page, and the cells of those that hold data."""

from collections.abc import Callable, Iterator

from lxml import etree

from vectorless_web.engine.compiler.docx_package import child, local, value
from vectorless_web.engine.compiler.docx_styles import is_on, whole
from vectorless_web.engine.compiler.docx_text import inside
from vectorless_web.engine.compiler.spans import SpanCell


def is_data_table(table: etree._Element) -> bool:
    """Whether a table has more than one cell and no table within."""
    cells = 0
    for element in table.iter():
        name = local(element)
        if name == "tbl" and element is not table:
            return False
        cells += name == "tc"
    return cells > 1


def table_rows(table: etree._Element, said: Callable[[etree._Element], str]) -> tuple[list[list[SpanCell]], int]:
    """The cells of each row, and how many leading rows are marked to be repeated as headers."""
    rows: list[list[SpanCell]] = []
    headers = 0
    for row in _found(table, "tr"):
        properties = child(row, "trPr")
        if child(properties, "del") is not None:
            continue
        if headers == len(rows) and is_on(properties, "tblHeader"):
            headers += 1
        before = whole(value(child(properties, "gridBefore")), 0) or 0
        rows.append([SpanCell("")] * min(before, 8) + [_cell(cell, said(cell)) for cell in _found(row, "tc")])
    return rows, headers


def _cell(cell: etree._Element, text: str) -> SpanCell:
    properties = child(cell, "tcPr")
    merged = child(properties, "vMerge")
    goes_on = merged is not None and value(merged) != "restart"
    return SpanCell(text, across=whole(value(child(properties, "gridSpan")), 1) or 1, above=goes_on and not text)


def _found(container: etree._Element, name: str) -> Iterator[etree._Element]:
    """Rows or cells in order, also those within content controls."""
    stack = [iter(inside(container))]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif local(element) == name:
            yield element
        else:
            stack.append(iter(inside(element)))
