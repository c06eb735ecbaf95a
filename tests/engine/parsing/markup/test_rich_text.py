"""Rich Text: outline, lists, tables, footnotes, encodings; deleted text is left out."""

import pytest

from tests.engine.parsing.sheets.test_workbook import nodes
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file

HEAD = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fnil\fcharset2 Symbol;}"
    rb"{\f2\fcharset204 Times;}}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}"
    rb"{\*\cs10 Plain;}}{\info{\title Lease of berth 7}{\author Ada}}"
)


@pytest.fixture
def read(tmp_path):
    def read(body: bytes) -> CompiledDocument:
        path = tmp_path / "file"
        path.write_bytes(HEAD + body + b"}")
        document = CompiledDocument(compile_file(path, name="lease.rtf"))
        assert document.report.coverage == 1.0
        return document

    return read


def texts(document: CompiledDocument, kind: NodeKind) -> list[str]:
    return [node.text for node in nodes(document, kind)]


def test_styles_and_outline_levels_make_the_outline(read):
    document = read(
        rb"\pard\s1 The lease\par\pard Text.\par\pard\s2 Deposit\par\pard\outlinelevel2 Return\par\pard x\par"
    )

    assert document.media_type == "application/rtf"
    assert document.tree.node(0).title == "Lease of berth 7"
    found = [(section.title, section.depth) for section in nodes(document, NodeKind.SECTION)]
    assert found == [("The lease", 1), ("Deposit", 2), ("Return", 3)]


def test_a_table_keeps_rows_merged_cells_and_headers(read):
    edges = rb"\trowd\cellx2000\cellx4000\cellx6000"
    document = read(
        rb"\trowd\trhdr\cellx2000\cellx6000\pard\intbl Berth\cell Fee\cell\row"
        + edges.replace(rb"\trowd", rb"\trowd\trhdr")
        + rb"\intbl\cell 2023\cell 2024\cell\row"
        + edges
        + rb"\intbl North\cell 12\cell 14\cell\row\pard\par"
        + edges
        + rb"\pard\intbl Other\cell a\cell b\cell\row\intbl One\cell 1\cell 2\cell\row\pard After.\par"
    )

    table = nodes(document)[0].table
    assert [column.header for column in table.columns] == ["Berth", "Fee / 2023", "Fee / 2024"]
    assert [cell.text for cell in table.body[0].cells] == ["North", "12", "14"]
    assert len(nodes(document)) == 2
    assert texts(document, NodeKind.PARAGRAPH) == ["After."]


def test_footnotes_lists_and_fields_are_read(read):
    document = read(
        rb"\pard The rent{\super\chftn{\footnote\pard\plain{\super\chftn} Net of tax.}} is due.\par"
        rb"{\listtext\f1\'b7\tab}\pard Cranes\par{\listtext 2.\tab}\pard Ropes\par"
        rb'\pard See {\field{\*\fldinst HYPERLINK "http://127.0.0.1/"}{\fldrslt the terms}}.\par'
    )

    assert texts(document, NodeKind.PARAGRAPH) == ["The rent is due.", "See the terms."]
    assert texts(document, NodeKind.FOOTNOTE) == ["1 Net of tax."]
    assert texts(document, NodeKind.LIST) == ["- Cranes\n2. Ropes"]


def test_deleted_text_and_pictures_are_left_out_and_told(read):
    document = read(rb"\pard Due in {\deleted May}June.{\*\shppict{\pict\pngblip 8950}}{\v secret}\par")

    assert document.page_text(0).strip() == "Due in June."
    assert document.report.warnings[1:] == (
        "1 tracked deletion was left out.",
        "1 hidden passage was left out.",
        "1 picture was left out.",
    )


def test_characters_come_in_the_encoding_of_their_font_and_in_unicode(read):
    document = read(rb"\pard {\f2\'cf\'f0\'e8} 5\~\'80 \u8364? {\uc2\u-10179\'3f\'3f\u-8704\'3f\'3f}\par")

    assert document.page_text(0).split() == ["При", "5", "€", "€", "\U0001f600"]


def test_a_file_that_ends_early_is_kept_and_told(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(HEAD + rb"\pard The rent is due in Ma")

    document = CompiledDocument(compile_file(path, name="lease.rtf"))

    assert "The rent is due in Ma" in document.page_text(0)
    assert "may not have arrived whole" in document.report.warnings[-1]


@pytest.mark.parametrize(
    ("body", "code"), [(b"{" * 5_000 + b"x", "damaged_rtf"), (rb"\pard\par", "no_text")], ids=["deep", "empty"]
)
def test_what_cannot_be_read_is_refused(read, body, code):
    with pytest.raises(UnreadableDocument) as refused:
        read(body)

    assert refused.value.code == code
