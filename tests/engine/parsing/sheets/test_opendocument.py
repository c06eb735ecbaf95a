"""OpenDocument spreadsheets: cells as shown, repeated and merged ones, hidden parts, damage."""

import io
import zipfile

import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file

MEDIA_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"))
)
STYLES = (
    '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>'
)


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def row(*texts: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(map(cell, texts))}</table:table-row>"


def table(name: str, body: str, more: str = "") -> str:
    return f'<table:table table:name="{name}" {more}>{body}</table:table>'


def packed(*tables: str) -> bytes:
    """A spreadsheet of these tables."""
    content = (
        f"<office:document-content {NAMES}><office:automatic-styles>{STYLES}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body></office:document-content>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", MEDIA_TYPE)
        archive.writestr("content.xml", content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(content: bytes) -> CompiledDocument:
        path = tmp_path / "sheet.ods"
        path.write_bytes(content)
        document = CompiledDocument(compile_file(path, name="sheet.ods"))
        assert document.report.coverage == 1.0
        return document

    return read


def tables_of(document: CompiledDocument):
    found = map(document.tree.node, range(1, len(document.tree)))
    return [node.table for node in found if node.kind is NodeKind.TABLE]


def test_cells_are_read_as_shown_with_headers(read):
    shown = row("Model", "Weight (kg)", "Price") + row("CD-30", "12,5", "€ 410") + row("CD-55", "19", "€ 655")
    (found,) = tables_of(read(packed(table("Models", shown))))

    assert [column.header for column in found.columns] == ["Model", "Weight (kg)", "Price"]
    assert [[own.text for own in line.cells] for line in found.body] == [
        ["CD-30", "12,5", "€ 410"],
        ["CD-55", "19", "€ 655"],
    ]


def test_repeated_cells_and_rows_stand_where_they_are_shown(read):
    gap = '<table:table-row table:number-rows-repeated="1048570"><table:table-cell/></table:table-row>'
    twice = cell("yes", 'table:number-columns-repeated="2"')
    same = f"<table:table-row>{cell('Oslo')}{twice}</table:table-row>"
    (found,) = tables_of(
        read(packed(table("Sites", row("Site", "Crane", "Ramp") + same + row("Bonn", "no", "yes") + gap)))
    )

    assert [[own.text for own in line.cells] for line in found.body] == [["Oslo", "yes", "yes"], ["Bonn", "no", "yes"]]


def test_a_merged_header_heads_all_its_columns(read):
    merged = cell("Fares", 'table:number-columns-spanned="2"') + "<table:covered-table-cell/>"
    head = f"<table:table-row>{cell('')}{merged}</table:table-row>"
    body = row("", "Adult", "Child") + row("Day", "12", "6") + row("Week", "50", "25")
    (found,) = tables_of(read(packed(table("Fares", head + body))))

    assert [column.header for column in found.columns][1:] == ["Fares / Adult", "Fares / Child"]


def test_hidden_sheets_and_rows_are_left_out_and_told(read):
    body = row("Site", "Rent") + row("Oslo", "90", more='table:visibility="collapse"') + row("Bonn", "70")
    document = read(packed(table("Rents", body), table("Pay", row("Chair", "90"), 'table:style-name="off"')))

    assert "Oslo" not in document.page_text(0) and "Chair" not in document.page_text(0)
    assert len(document.report.warnings) == 2


def test_notes_on_cells_are_no_text_of_theirs(read):
    note = "<office:annotation><text:p>check this</text:p></office:annotation>"
    noted = f"<table:table-cell>{note}<text:p>12</text:p></table:table-cell>"
    document = read(
        packed(table("Plan", row("Item", "Count") + f"<table:table-row>{cell('Ropes')}{noted}</table:table-row>"))
    )

    assert "12" in document.page_text(0) and "check this" not in document.page_text(0)


def test_a_damaged_spreadsheet_is_refused(read):
    with pytest.raises(UnreadableDocument) as refused:
        read(packed(table("Plan", "<broken>")))
    assert refused.value.code == "damaged_ods"
