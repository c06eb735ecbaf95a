"""A compiled document as Markdown: headings by their level, paragraphs, tables, and marks where pages begin."""

from collections.abc import Iterable, Iterator

from vectorless_web.documents.rendering.text import replace_control_characters
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind, Table


def write_markdown(document: CompiledDocument, keys: Iterable[int], *, page_marks: bool = False) -> Iterator[str]:
    """The nodes with these keys, each followed by an empty line; running headers are left out.

    With `page_marks` a comment tells each page (from 1) before its first node.
    """
    page = -1
    for key in keys:
        node = document.tree.node(key)
        text = replace_control_characters(node.text)
        if page_marks and node.kind is not NodeKind.RUNNING and node.page_start > page:
            page = node.page_start
            yield f"<!-- page {page + 1} -->\n\n"
        if node.kind is NodeKind.SECTION:
            yield f"{'#' * min(6, max(1, node.depth))} {node.title or text}\n\n"
        elif node.table is not None:
            yield _write_table(node.table)
        elif node.kind is not NodeKind.RUNNING and text.strip():
            yield f"{text.strip()}\n\n"


def _write_table(table: Table) -> str:
    rows = [[cell.text.replace("|", "\\|").replace("\n", " ") for cell in row.cells] for row in table.rows]
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    return "".join([*lines[:1], f"|{'---|' * len(rows[0])}\n" if rows else "", *lines[1:], "\n"])


def write_document(document: CompiledDocument) -> str:
    """The whole document with page marks: what answers can be checked against."""
    return "".join(write_markdown(document, range(1, len(document.tree)), page_marks=True))
