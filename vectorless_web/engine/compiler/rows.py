"""What the index segment of a document holds for each node."""

from collections.abc import Iterator, Sequence

from vectorless_web.engine.compiler.drafts import SOFT_HYPHEN
from vectorless_web.engine.document.node import Node, NodeKind

FIELDS = ("title", "path", "text", "table")


def index_rows(nodes: Sequence[Node]) -> Iterator[tuple[int, dict[str, str]]]:
    """(key, {field: text}) of all nodes but the root and running lines."""
    for node in nodes[1:]:
        if node.kind is NodeKind.RUNNING:
            continue
        row = {"title": node.title, "path": " ".join(_path(node, nodes))}
        if node.kind is not NodeKind.SECTION:
            row["text"] = node.text.replace(SOFT_HYPHEN, "")
        if node.table is not None:
            headers = [column.header for column in node.table.columns]
            row["table"] = "\n".join([*headers, node.table.units, *(line.label for line in node.table.rows)])
        yield node.key, row


def _path(node: Node, nodes: Sequence[Node]) -> list[str]:
    titles: list[str] = []
    parent = node.parent
    while parent > 0:
        titles.append(nodes[parent].title)
        parent = nodes[parent].parent
    return titles[::-1]
