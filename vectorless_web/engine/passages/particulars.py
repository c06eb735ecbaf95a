"""Particulars: runs of lines "Name: value", as contracts, forms, letterheads and signature blocks have them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.parsing.patterns import split_particular

_READ = (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.FOOTNOTE, NodeKind.CODE)
_FEWEST = 2
"""Particulars that stand together, at least: one line with a colon may be anything."""
_BLANK = re.compile(r"^[\W_]*$")


@dataclass(frozen=True, slots=True)
class Particular:
    """One line: its name, its value ("" for a blank to be filled in), and where the line stands in node `key`."""

    name: str
    value: str
    key: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Particulars:
    """Lines that stand together; `section` are the titles above them, outermost first."""

    section: tuple[str, ...]
    lines: tuple[Particular, ...]


def particulars_in(tree: Tree, keys: Iterable[int]) -> Iterator[Particulars]:
    """The runs of particulars among `keys`, which are in reading order."""
    run: list[Particular] = []
    for key in keys:
        if tree.kind(key) is NodeKind.RUNNING:
            continue
        node = tree.node(key) if tree.kind(key) in _READ else None
        found = list(_lines_of(node)) if node is not None else []
        if node is not None and found and len(found) == len(list(_split(node))):
            run.extend(found)
            continue
        yield from _finish(tree, run)
        run = []
        yield from _finish(tree, found)
    yield from _finish(tree, run)


def _finish(tree: Tree, run: list[Particular]) -> Iterator[Particulars]:
    if len(run) >= _FEWEST:
        yield Particulars(tuple(tree.path(run[0].key)), tuple(run))


def _lines_of(node: Node) -> Iterator[Particular]:
    for start, end in _split(node):
        found = split_particular(node.text[start:end].strip())
        if found is not None:
            value = "" if _BLANK.match(found[1]) else " ".join(found[1].split())
            yield Particular(" ".join(found[0].split()), value, node.key, start, end)


def _split(node: Node) -> Iterator[tuple[int, int]]:
    start = 0
    for line in node.text.split("\n"):
        if line.strip():
            yield start, start + len(line)
        start += len(line) + 1
