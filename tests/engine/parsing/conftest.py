"""Compiles what a test writes, and says what was read of it."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.drafts import DIVIDED, LEADERS, Draft
from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.tables.cells import CellReading, read_cell
from vectorless_web.engine.tables.view import TableView, tables_of

Compile = Callable[..., CompiledDocument]


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    """Compiles bytes or text under a file name."""

    def compile_it(content: bytes | str, name: str = "paper.pdf", **options: object) -> CompiledDocument:
        path = tmp_path / "upload"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        document = CompiledDocument(compile_file(path, name=name, **options))
        assert document.report.coverage == 1.0
        return document

    return compile_it


@pytest.fixture
def refused(compiled: Compile) -> Callable[..., str]:
    """The code with which a file is refused; its message says cause and remedy."""

    def refuse(content: bytes | str, name: str, **options: object) -> str:
        with pytest.raises(UnreadableDocument) as caught:
            compiled(content, name, **options)
        assert caught.value.message.count(".") >= 2, "a sentence for the cause and one for the remedy"
        assert not caught.value.retryable
        return caught.value.code

    return refuse


def nodes(document: CompiledDocument, kind: str = "") -> list[Node]:
    """All nodes of a document, or those of one kind."""
    found = map(document.tree.node, range(len(document.tree)))
    return [node for node in found if kind in ("", node.kind)]


def texts(document: CompiledDocument, kind: str) -> Sequence[str]:
    """Texts of all nodes of a kind."""
    return [node.text for node in nodes(document, kind)]


def shown(document: CompiledDocument) -> str:
    """The text of all pages."""
    return "".join(map(document.page_text, range(len(document.pages))))


def outline(document: CompiledDocument) -> list[tuple[int, str]]:
    """(depth, title) of all sections; the outermost depth is 1."""
    return [(node.depth, node.title) for node in nodes(document, "section")]


def tables(document: CompiledDocument) -> list[Node]:
    """All nodes that are tables."""
    return nodes(document, "table")


def headers(table: Node) -> list[str]:
    """The headers of a table's columns."""
    return [column.header for column in table.table.columns]


def rows(table: Node) -> list[list[str]]:
    """The texts of a table's cells, row by row, without its header."""
    return [[cell.text for cell in row.cells] for row in table.table.body]


def views(document: CompiledDocument) -> list[TableView]:
    """All tables of a document."""
    return list(tables_of(document.tree, range(1, len(document.tree))))


def read(view: TableView, label: str, place: int) -> CellReading:
    """What is understood of a cell in the first row with that label."""
    return read_cell(view, next(row for row in view.table.body if row.label == label), place)


def figures(top: float, label: str, *cells: str, edges: tuple[float, ...] = (300, 380, 460, 540)) -> tuple:
    """A row of figures whose last characters stand at the edges."""
    return top, [(72, label), *((right - 5 * len(cell), cell) for right, cell in zip(edges, cells, strict=False))]


def table_page(rows: str, before: str = "", heading: str = "Report") -> str:
    """A web page with one table."""
    return f"<html><body><h2>{heading}</h2><p>{before}</p><table>{rows}</table></body></html>"


def cells(*texts: str) -> str:
    """A row of a web page's table."""
    return "<tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr>"


def uncovered(document: CompiledDocument) -> list[tuple[int, int, str]]:
    """Printed characters that do not stand in exactly one node: (page, index, character).

    Written apart from the compiler's own count: it looks at every character through the
    stored nodes and also compares the characters themselves.
    """
    seen: dict[tuple[int, int], int] = {}
    for node in nodes(document):
        for run in node.runs:
            page = document.page_text(run.page_index)
            for step in range(run.length):
                seen[run.page_index, run.char_index + step] = seen.get((run.page_index, run.char_index + step), 0) + 1
                _same(page[run.char_index + step], node.text[run.offset + step])
    return [
        (page, index, character)
        for page in range(len(document.pages))
        for index, character in enumerate(LEADERS.sub(lambda led: " " * len(led.group()), document.page_text(page)))
        if not character.isspace() and character not in DIVIDED and seen.get((page, index), 0) != 1
    ]


def _same(printed: str, kept: str) -> None:
    assert printed == kept or printed.isspace() or (printed in DIVIDED and kept == "-"), (printed, kept)


def assert_each_character_once(pages: Sequence[Page], drafts: Sequence[Draft]) -> None:
    """Every printed character of the pages stands in exactly one draft."""
    held = Counter(
        (run.page_index, run.char_index + step) for one in drafts for run in one.runs for step in range(run.length)
    )
    printed = {
        (page.index, place) for page in pages for place, character in enumerate(page.text) if not character.isspace()
    }
    assert all(held[place] == 1 for place in printed)
