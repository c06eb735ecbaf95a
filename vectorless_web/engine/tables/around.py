"""Footnotes of tables: the marks in labels, headers and cells, and the notes under the table they refer to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vectorless_web.engine.documents.node import Node, NodeKind, Table
from vectorless_web.engine.documents.tree import Tree

LONGEST_HEADING = 90
"""Characters of a heading that may name a statement. The line that states a table's units may be twice as long."""
LONGEST_PERIOD_LINE = 200
"""Characters of a line above a table that may state its periods; a longer one is prose."""


@dataclass(frozen=True, slots=True)
class Footnote:
    """What a mark in a table refers to: "(1)" and the text behind it, in node `key`."""

    mark: str
    text: str
    key: int


_MARK = r"\((?:\d{1,2}|[a-z])\)|\[(?:\d{1,2}|[a-z])\]|[*†‡§#]{1,3}|\^\d{1,2}|[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,2}"
_TRAILING_MARKS = re.compile(rf"(?<=\S)\s*(?P<marks>(?:(?:{_MARK})(?:\s*,\s*|\s*))+):?\s*$", re.I)
_SINGLE_MARK = re.compile(_MARK, re.I)
_RAISED = re.compile(r"(?<=[A-Za-z)%])\s?(?P<mark>\d{1,2})$")
_NOTE_LINE = re.compile(
    rf"^\s*(?P<mark>{_MARK}|\d{{1,2}}(?=[.)]?\s)|[a-z](?=[.)]\s))[.):]?\s*(?P<text>\S.*)$", re.I | re.S
)
_SUPERSCRIPTS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹⁰", "1234567890")
_NOTES_BELOW, _LONGEST_NOTE = 14, 600
"""Nodes under a table that may be its footnotes, and characters that are kept of one."""


def _bare_mark(mark: str) -> str:
    return mark.strip("()[]^. ").translate(_SUPERSCRIPTS).casefold()


def marks_in(text: str) -> set[str]:
    """The footnote marks at the end of a text, without their brackets."""
    match = _TRAILING_MARKS.search(text)
    if match:
        return {_bare_mark(mark) for mark in _SINGLE_MARK.findall(match["marks"])}
    raised = _RAISED.search(text)
    return {raised["mark"]} if raised else set()


def find_footnotes(tree: Tree, node: Node, table: Table) -> Iterator[Footnote]:
    """Notes among the table's last rows, and in what is under it up to other text."""
    for row in table.body:
        if sum(cell.length > 0 for cell in row.cells) == 1 or len(row.label) <= _WIDEST_MARK:
            said = " ".join(cell.text for cell in row.cells if cell.length)
            match = _NOTE_LINE.match(said)
            if match and len(said) > _SHORTEST_NOTE:
                yield Footnote(_bare_mark(match["mark"]), match["text"][:_LONGEST_NOTE], node.key)
    begun = False
    for key in range(node.key + 1, min(len(tree), node.key + _NOTES_BELOW)):
        if tree.kind(key) is NodeKind.RUNNING:
            continue
        if tree.kind(key) not in (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.FOOTNOTE):
            return
        found = list(_notes_in(tree.node(key)))
        yield from found
        if not found and (begun or tree.kind(key) is not NodeKind.PARAGRAPH):
            return
        begun = begun or bool(found)
        if not found and len(tree.node(key).text) > _SHORT_REMARK:
            return


_WIDEST_MARK, _SHORTEST_NOTE, _SHORT_REMARK = 4, 15, 200
"""Characters: a label that may be a mark alone, a note in a row of the table, and a line between a table and its notes
("See accompanying notes.")."""


def _notes_in(node: Node) -> Iterator[Footnote]:
    """The notes in a node; one that begins with no mark carries the note before on."""
    for line in node.text.split("\n") if node.kind is NodeKind.LIST else (node.text,):
        match = _NOTE_LINE.match(line)
        if match:
            yield Footnote(_bare_mark(match["mark"]), " ".join(match["text"].split())[:_LONGEST_NOTE], node.key)


def keys_above(tree: Tree, node: Node) -> Iterator[int]:
    """What comes before a table, nearest first, without the running lines of pages."""
    return (key for key in range(node.key - 1, 0, -1) if tree.kind(key) is not NodeKind.RUNNING)


def lines_above(tree: Tree, node: Node) -> Iterator[str]:
    """Short texts before the table on its page, nearest first, running heads included."""
    for key in range(node.key - 1, max(0, node.key - 8), -1):
        above = tree.node(key)
        if above.page_start != node.page_start or above.kind is NodeKind.TABLE:
            return
        if len(above.text) <= LONGEST_PERIOD_LINE:
            yield above.text
