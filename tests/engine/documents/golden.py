"""Known documents of every format, and what the compiler makes of them.

`python -m tests.engine.documents.golden` records it.
Not a test: tests/engine/documents/test_fingerprint.py compares with what is recorded.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.support.paper import Text, pdf, prose
from vectorless_web.engine.documents.artefact import RECORDED, fingerprint
from vectorless_web.engine.parsing.compile import compile_file

ROOT = Path(__file__).resolve().parents[3]
LIBRARIES = (
    "charset-normalizer",
    "lxml",
    "markdown-it-py",
    "numpy",
    "pypdfium2",
    "PyStemmer",
    "rapidfuzz",
    "selectolax",
)
"""Libraries that decide what is read out of a file, or how it is indexed."""


def documents() -> Iterator[tuple[str, bytes]]:
    """File name and content of every known document; the same bytes on every machine."""
    for folder in (ROOT / "docs" / "demo", Path(__file__).with_name("known")):
        for path in sorted(folder.iterdir()):
            if path.suffix in (".pdf", ".md", ".txt", ".html", ".docx"):
                yield path.name, path.read_bytes()
    yield "columns.pdf", _columns()
    yield "bookmarks.pdf", _bookmarks()


def measured() -> dict[str, Any]:
    """What `fingerprint.json` should hold for the program as it is now."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        found = {}
        for name, content in documents():
            path.write_bytes(content)
            found[name] = fingerprint(compile_file(path, name=name))
    return {"libraries": {name: version(name) for name in LIBRARIES}, "artefacts": found}


def recorded() -> dict[str, Any]:
    """What `fingerprint.json` holds."""
    kept: dict[str, Any] = json.loads(RECORDED.read_text())
    return kept


def record() -> None:
    """Write what the compiler makes now; this gives it another ENGINE_VERSION when anything has changed."""
    RECORDED.write_text(json.dumps(measured(), indent=1, sort_keys=True) + "\n")


def _columns() -> bytes:
    """Two columns, a table by position, a running header, a heading that goes on, and a page without words."""
    head = [Text(72, 40, "Harbour review 2024", 8)]
    table = [
        Text(x, 300 + 14 * row, words)
        for row, cells in enumerate((("Harbour", "2024", "2023"), ("Bergen", "4,120", "3,985"), ("Oslo", "88", "(12)")))
        for x, words in zip((72, 300, 380), cells, strict=True)
    ]
    first = [Text(72, 90, "1. Overview", 16, "bold"), *prose(72, 120, 8), Text(72, 280, "Ships by harbour", 10, "bold")]
    second = [Text(72, 90, "2. Outlook", 16, "bold"), *prose(72, 120, 4, "Left words."), *prose(330, 120, 4, "Right.")]
    return pdf([[*head, *first, *table], [*head, *second], head, []])


def _bookmarks() -> bytes:
    pages = [[Text(72, 90, f"Part {n}", 14, "bold"), *prose(72, 120, 12)] for n in (1, 2, 3)]
    return pdf(pages, bookmarks=[("Part 1", 0), ("Part 2", 1), ("Part 3", 2)], rotate=90)


if __name__ == "__main__":
    record()
    sys.stdout.write(f"Recorded in {RECORDED.relative_to(ROOT)}.\n")
