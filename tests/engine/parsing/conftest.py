"""Compiles what a test writes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.drafts import DIVIDED, LEADERS

Compile = Callable[..., CompiledDocument]


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    """Compiles bytes or text under a file name."""

    def compile_it(content: bytes | str, name: str = "paper.pdf", **options: object) -> CompiledDocument:
        path = tmp_path / "upload"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return CompiledDocument(compile_file(path, name=name, **options))

    return compile_it


def nodes(document: CompiledDocument) -> list[Node]:
    """All nodes of a document."""
    return [document.tree.node(key) for key in range(len(document.tree))]


def outline(document: CompiledDocument) -> list[tuple[int, str]]:
    """(depth, title) of all sections; the outermost depth is 1."""
    return [(node.depth, node.title) for node in nodes(document) if node.kind == "section"]


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


def texts(document: CompiledDocument, kind: str) -> Sequence[str]:
    """Texts of all nodes of a kind."""
    return [node.text for node in nodes(document) if node.kind == kind]
