"""Files without printed pages look like documents: headings, lists and tables in place, quotes lit within them."""

import pytest

from tests.support.files import HANDBOOK
from vectorless_web.documents.rendering.page import Highlight, page_view
from vectorless_web.documents.rendering.text import lay_out_page
from vectorless_web.documents.storage.files import open_version

MANUAL = b"""# Winch manual

## Checks

Before each shift:

- Look at the rope.
- Test the brake.

| Part | Torque (Nm) | Tool |
|---|---|---|
| Drum bolt | 120 | T-40 |
| Brake pin | 45 | T-30 |
"""


@pytest.fixture
def manual(ready):
    return ready(MANUAL, "manual.md").current_version


def texts(segments) -> str:
    return "".join(segment.text for segment in segments)


def test_a_page_has_its_headings_lists_and_tables(manual):
    blocks = lay_out_page(open_version(manual), 0, [], str)

    assert [(block.kind, block.level) for block in blocks] == [
        ("section", 2),
        ("section", 3),
        ("paragraph", 0),
        ("list", 0),
        ("table", 0),
    ]
    assert [(line.dash, texts(line.segments), line.has_bullet) for line in blocks[3].lines] == [
        ("- ", "Look at the rope.", True),
        ("- ", "Test the brake.", True),
    ]
    header, first, _ = blocks[4].rows
    assert [header.is_header, first.is_header] == [True, False]
    assert [(texts(cell.segments), cell.is_figure) for cell in first.cells] == [
        ("Drum bolt", False),
        ("120", True),
        ("T-40", False),
    ]


def test_every_character_of_a_page_is_laid_out_once(ready):
    for content, name in ((MANUAL, "manual.md"), (HANDBOOK, "handbook.md")):
        document = open_version(ready(content, name).current_version)
        for page in range(len(document.pages)):
            said = []
            for block in lay_out_page(document, page, [], str):
                said += [line.dash + texts(line.segments) for line in block.lines]
                said += [texts(cell.segments) for row in block.rows for cell in row.cells]
            assert "".join("".join(said).split()) == "".join(document.page_text(page).split())


def test_a_quoted_row_is_lit_cell_by_cell_with_one_flag(manual):
    document = open_version(manual)
    key = next(key for key in document.on_page(0) if document.tree.node(key).table)
    row = document.tree.node(key).table.body[1]
    spans = document.locate(key, row.offset, row.offset + row.length)

    sheet = page_view(manual, 0, [Highlight(marker=1, spans=spans, on=True)])

    lit = [
        segment for row in sheet["blocks"][4].rows for cell in row.cells for segment in cell.segments if segment.marker
    ]
    assert [segment.text for segment in lit] == ["Brake pin", "45", "T-30"]
    assert [segment.first for segment in lit] == [True, False, False]


def test_the_reader_shows_a_real_table_and_text_of_a_document_is_never_markup(manual, ready, client, alice):
    client.force_login(alice)

    def page(document, query: str = "") -> str:
        return client.get(f"/w/{document.workspace.slug}/documents/{document.pk}/{query}").content.decode()

    shown = " ".join(page(manual.document).split()).replace("> ", ">").replace(" <", "<")
    assert '<td class="n">120</td>' in shown
    hostile = ready(b"# A\n\n`<script>alert(1)</script>` and <b>bold</b> <img src=x onerror=alert(2)>\n", "hostile.md")
    for query in ("", "?view=text"):
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page(hostile, query)
        assert "<script>alert(1)" not in page(hostile, query) and "<img src=x" not in page(hostile, query)
