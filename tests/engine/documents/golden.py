"""Known documents of every format, and what the compiler makes of them.

`python -m tests.engine.documents.golden` records it.
Not a test: tests/engine/documents/test_fingerprint.py compares with what is recorded. Of those in `known/`,
columns.pdf has two columns, a running header, a heading that goes on and a page without words; tables.pdf headers of
several levels, groups by indent, a form, a chart and dotted contents; headers.pdf years below repeated names, names
over codes, figures close together and thousands of a currency; notes.pdf a sentence that two columns part, with small
print between them; figures.pdf pictures with and without captions, a logo on every page and a background;
bookmarks.pdf pages that lie on their sides.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vectorless_web.engine.documents.artefact import RECORDED, fingerprint
from vectorless_web.engine.parsing.compile import compile_file

ROOT = Path(__file__).resolve().parents[3]
SUFFIXES = (".docx", ".eml", ".html", ".md", ".pdf", ".txt")
LIBRARIES = (
    "charset-normalizer",
    "lxml",
    "markdown-it-py",
    "numpy",
    "pillow",
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
            if path.suffix in SUFFIXES:
                yield path.name, path.read_bytes()


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


if __name__ == "__main__":
    record()
    sys.stdout.write(f"Recorded in {RECORDED.relative_to(ROOT)}.\n")
