"""Known documents of every format, and what the compiler makes of them.

`python -m tests.engine.documents.golden` records it.
Not a test: tests/engine/documents/test_fingerprint.py compares with what is recorded.
"""

import base64
import io
import json
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from PIL import Image

from tests.support.paper import Drawn, Text, pdf, prose
from vectorless_web.engine.documents.artefact import RECORDED, fingerprint
from vectorless_web.engine.parsing.compile import compile_file

ROOT = Path(__file__).resolve().parents[3]
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


LEADERS = """Ada        - move the crane, ask the yard ...... by 14 March
Benedict   - letter of intent .................. by 28 February
"""
MESSAGE = """From: ada@example.com
To: ben@example.com
Subject: The crane
Date: Fri, 21 Feb 2025 16:52
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

The crane costs £460,000.
"""


def documents() -> Iterator[tuple[str, bytes]]:
    """File name and content of every known document; the same bytes on every machine."""
    for folder in (ROOT / "docs" / "demo", Path(__file__).with_name("known")):
        for path in sorted(folder.iterdir()):
            if path.suffix in (".pdf", ".md", ".txt", ".html", ".docx"):
                yield path.name, path.read_bytes()
    yield "columns.pdf", _columns()
    yield "bookmarks.pdf", _bookmarks()
    yield "tables.pdf", _tables()
    yield "headers.pdf", _headers()
    yield "notes.pdf", _notes()
    yield "figures.pdf", _figures_on_pages()
    yield "figures.html", _held_figure()
    yield "columns.txt", LEADERS.encode()
    yield "message.eml", MESSAGE.encode()


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


def _tables() -> bytes:
    """What is hard to read of tables: headers of several levels, groups by indent, a form, a chart, dotted contents."""
    rows: list[tuple[float, list[tuple[float, str]]]] = [
        (200, [(300, "Ferries"), (520, "Buses")]),
        (212, [(265, "Day"), (375, "Night")]),
        (224, [(232, "2023"), (287, "2022"), (342, "2023"), (397, "2022"), (497, "2023"), (552, "2022")]),
        (238, [(72, "Traffic:")]),
        *_figures(250, "  Passengers", "811", "790", "92", "88", "640", "655"),
        *_figures(262, "  Vehicles", "120", "118", "30", "28", "14", "15"),
        *_figures(274, "Parcels", "45", "41", "12", "13", "9", "8"),
        (330, [(72, "Vessel:"), (180, "Havfrue"), (300, "Flag:"), (420, "Norway")]),
        (344, [(72, "Length:"), (180, "24 m"), (300, "Gross weight:"), (420, "85 t")]),
        (358, [(72, "Built:"), (180, "Bergen yard"), (300, "Engines:"), (420, "2")]),
        (420, [(345, "2022"), (505, "2021")]),
        (432, [(290, "Berths"), (370, "Fees"), (450, "Berths"), (530, "Fees")]),
        (446, [(72, "North quay"), (290, "14"), (360, "1,440"), (450, "12"), (520, "1,205")]),
        (458, [(72, "South quay"), (295, "9"), (370, "870"), (455, "8"), (530, "790")]),
        (520, [(110, "29"), (170, "24"), (230, "25"), (290, "21"), (350, "23")]),
        (544, [(105, "07"), (165, "08"), (225, "09"), (285, "10"), (345, "11")]),
    ]
    cells = [Text(left, top, words, 9) for top, row in rows for left, words in row]
    led = [Text(72, 600 + 12 * n, f"The quay {n} {'. ' * 40}{n + 3}", 9) for n in (1, 2, 3)]
    return pdf([[*prose(72, 90, 6), *cells, *led]])


def _headers() -> bytes:
    """Headers that stand apart: years below repeated names, names over codes, times behind a long name, figures close
    together, thousands of a currency."""
    rows: list[tuple[float, list[tuple[float, str]]]] = [
        (200, [(315, "Amount"), (380, "Life"), (435, "Amount"), (500, "Life")]),
        (213, [(72, "Year ended May 31,"), (320, "2021"), (440, "2020")]),
        (226, [(72, "Moorings"), (315, "$ 361"), (370, "4 years"), (435, "$ 874"), (490, "5 years")]),
        (238, [(72, "Ferries"), (335, "2"), (374, "1 year"), (445, "543"), (490, "8 years")]),
        (250, [(72, "Barges"), (330, "30"), (370, "3 years"), (450, "37"), (490, "4 years")]),
        (320, [(110, "Kind of mooring"), (264, "Symbols"), (377, "Name of each harbour where it is rented out")]),
        (332, [(100, "Mooring of 2024"), (270, "HB24"), (404, "The Inner Harbour")]),
        (344, [(100, "Mooring of 2026"), (270, "HB26"), (404, "The Inner Harbour")]),
        (356, [(100, "Mooring of 2027"), (270, "HB27"), (404, "The Inner Harbour")]),
        (430, [(300, "2021"), (380, "2020")]),
        (442, [(72, "Weighted-average remaining term of moorings"), (295, "6 years"), (375, "7 years")]),
        (454, [(72, "Weighted-average discount"), (310, "3 %"), (390, "4 %")]),
        (466, [(72, "Weighted-average rebate"), (310, "1 %"), (390, "2 %")]),
        (540, [(72, "For the year ended 31 March 2025")]),
        (552, [(72, "£000"), (300, "2025"), (380, "2024")]),
        (564, [(72, "Harbour dues"), (295, "2,705"), (375, "2,522")]),
        (576, [(72, "Ferries"), (295, "1,380"), (375, "1,318")]),
        (588, [(72, "Berths"), (295, "4,120"), (375, "4,114")]),
    ]
    return pdf([[*prose(72, 90, 6), *(Text(left, top, words, 9) for top, row in rows for left, words in row)]])


def _notes() -> bytes:
    """A sentence that two columns part, and small print between them that begins with an address and has a gap."""
    lines = "2https://weir.example/levels", "of the past month", "and, for the gates,"
    foot = [Text(72, top, words, 7) for top, words in zip((700, 708, 736), lines, strict=True)]
    return pdf([[*prose(72, 80, 30)[:-1], Text(72, 500, "The gate opens if the", 10), *foot, *prose(330, 80, 30)]])


def _figures_on_pages() -> bytes:
    """A figure over its caption, one without, a logo on every page, and a picture behind a whole page."""
    logo, name = Drawn(500, 20, 60, 60), "Figure 2. Cargo by quay"
    chart = [Drawn(72, 200, 300, 200), Text(72, 420, name, 9), *prose(72, 450, 6)]
    pages = [[logo, *prose(72, 120, 4), *chart], [logo, *prose(72, 120, 4), Drawn(72, 300, 200, 120)]]
    return pdf([*pages, [logo, Drawn(0, 0, 612, 792), *prose(72, 120, 8)]])


def _held_figure() -> bytes:
    """A page with a picture in its address, which is kept as a JPEG."""
    held = io.BytesIO()
    Image.new("RGB", (120, 90), "#804020").save(held, "PNG")
    address = f"data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}"
    caption = "<figcaption>Figure 1: the quay</figcaption>"
    figure = f'<figure><img alt="a quay" src="{address}">{caption}</figure>'
    return f"<html><body><h1>Quays</h1><p>One is shown.</p>{figure}<p>It was built in 1911.</p></body></html>".encode()


def _figures(top: float, label: str, *cells: str) -> Iterator[tuple[float, list[tuple[float, str]]]]:
    """A row whose label is indented by its leading spaces, with figures that end at the edges of the columns."""
    edges = (250, 305, 360, 415, 515, 570)
    left = 72.0 + 6 * (len(label) - len(label.lstrip()))
    yield (
        top,
        [(left, label.strip()), *((right - 5.0 * len(cell), cell) for right, cell in zip(edges, cells, strict=True))],
    )


def _bookmarks() -> bytes:
    pages = [[Text(72, 90, f"Part {n}", 14, "bold"), *prose(72, 120, 12)] for n in (1, 2, 3)]
    return pdf(pages, bookmarks=[("Part 1", 0), ("Part 2", 1), ("Part 3", 2)], rotate=90)


if __name__ == "__main__":
    record()
    sys.stdout.write(f"Recorded in {RECORDED.relative_to(ROOT)}.\n")
