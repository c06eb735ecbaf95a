"""OpenDocument texts: headings, numbers of lists, tables with spans, footnotes, and what is left out."""

import io
import zipfile

import pytest

from tests.engine.parsing.sheets.test_workbook import nodes
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file

PLACES = {"office": "office", "text": "text", "table": "table", "style": "style", "draw": "drawing"}
NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{place}:1.0"' for name, place in PLACES.items()
) + ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'  # fmt: skip
STYLES = """
<style:style style:name="Heading_20_1" style:display-name="Heading 1" style:default-outline-level="1"/>
<style:style style:name="Caption"/><style:style style:name="Table" style:parent-style-name="Caption"/>
<style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>
<style:style style:name="Strong"><style:text-properties fo:font-weight="bold"/></style:style>
<text:list-style style:name="L1">
 <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
 <text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>
</text:list-style>"""


@pytest.fixture
def read(tmp_path):
    def read(body: str, *, manifest: str = "<manifest/>", running: str = "") -> CompiledDocument:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
            archive.writestr(
                "content.xml",
                f"<office:document-content {NAMES}><office:automatic-styles>{STYLES}</office:automatic-styles>"
                f"<office:body><office:text>{body}</office:text></office:body></office:document-content>",
            )
            archive.writestr("styles.xml", f"<office:document-styles {NAMES}>{running}</office:document-styles>")
            archive.writestr("META-INF/manifest.xml", manifest)
        path = tmp_path / "file"
        path.write_bytes(buffer.getvalue())
        document = CompiledDocument(compile_file(path, name="lease.odt"))
        assert document.report.coverage == 1.0
        return document

    return read


def texts(document: CompiledDocument, kind: NodeKind) -> list[str]:
    return [node.text for node in nodes(document, kind)]


def test_headings_make_the_outline(read):
    document = read(
        '<text:h text:outline-level="1">Rent</text:h><text:p>It is 4,200 euros.</text:p>'
        '<text:h text:outline-level="2">Deposit</text:h><text:p>Twice<text:s text:c="3"/>the rent.</text:p>'
        '<text:p text:style-name="Heading_20_1">End</text:p><text:p>In May.</text:p>'
    )

    found = [(section.title, section.depth) for section in nodes(document, NodeKind.SECTION)]
    assert found == [("Rent", 1), ("Deposit", 2), ("End", 1)]
    assert "Twice the rent." in texts(document, NodeKind.PARAGRAPH)


def test_items_of_lists_carry_the_numbers_that_are_printed(read):
    item = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    inner = f"<text:list>{item.format('Cranes', '')}{item.format('Ropes', '')}</text:list>"
    document = read(
        f'<text:list text:style-name="L1">{item.format("Gear", inner)}{item.format("Crew", "")}</text:list>'
    )

    assert texts(document, NodeKind.LIST) == ["1. Gear\n  (a) Cranes\n  (b) Ropes\n2. Crew"]


def test_a_table_keeps_spans_headers_and_its_caption(read):
    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"

    wide = 'table:number-columns-spanned="2"'
    document = read(
        '<text:p text:style-name="Table">Fees in euros</text:p><table:table><table:table-header-rows>'
        f"<table:table-row>{cell('Berth')}{cell('Fee', wide)}<table:covered-table-cell/></table:table-row>"
        f"<table:table-row>{cell('')}{cell('2023')}{cell('2024')}</table:table-row></table:table-header-rows>"
        f"<table:table-row>{cell('North')}{cell('12')}{cell('14')}</table:table-row></table:table>"
    )

    table = nodes(document)[0].table
    assert [column.header for column in table.columns] == ["Berth", "Fee / 2023", "Fee / 2024"]
    assert [cell.text for cell in table.body[0].cells] == ["North", "12", "14"]
    assert nodes(document)[0].title == "Fees in euros"


def test_a_footnote_stands_behind_what_refers_to_it(read):
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Net.</text:p></text:note-body>"
    document = read(f"<text:p>The rent{note}</text:note> is due in May.</text:p>")

    assert texts(document, NodeKind.PARAGRAPH) == ["The rent is due in May."]
    assert texts(document, NodeKind.FOOTNOTE) == ["1 Net."]


def test_deleted_hidden_and_commented_text_is_left_out_and_told(read):
    document = read(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>Two months.</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        '<text:p>Notice is<text:span text:style-name="Gone"> never</text:span> three months.'
        "<office:annotation><text:p>Check!</text:p></office:annotation></text:p>"
    )

    assert document.page_text(0).strip() == "Notice is three months."
    assert document.report.warnings[1:] == (
        "1 tracked deletion was left out.",
        "1 comment was left out.",
        "1 hidden passage was left out.",
    )


def test_text_boxes_and_headers_are_kept(read):
    box = "<draw:frame><draw:text-box><text:p>Boxed.</text:p></draw:text-box></draw:frame>"
    running = "<style:header><text:p>Harbour board</text:p></style:header>"
    document = read(f"<text:p>Before {box}after.</text:p>", running=running)

    assert texts(document, NodeKind.PARAGRAPH) == ["Before after.", "Boxed."]
    assert texts(document, NodeKind.RUNNING) == ["Harbour board"]


@pytest.mark.parametrize(
    ("body", "manifest", "code"),
    [
        ("<text:p>x</text:p>", "<manifest><file-entry><encryption-data/></file-entry></manifest>", "encrypted_odt"),
        ("<text:p>x", "<manifest/>", "damaged_odt"),
        ("<text:p/>", "<manifest/>", "no_text"),
    ],
)
def test_what_cannot_be_read_is_refused(read, body, manifest, code):
    with pytest.raises(UnreadableDocument) as refused:
        read(body, manifest=manifest)

    assert refused.value.code == code
