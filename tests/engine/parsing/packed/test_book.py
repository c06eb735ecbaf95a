"""EPUB books: chapters in the order of the spine, entities, locked and damaged ones."""

import io
import zipfile

import pytest

from tests.engine.parsing.sheets.test_workbook import nodes
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
OPF = """<?xml version="1.0"?><package><metadata><title>The rope maker's handbook</title></metadata>
<manifest><item id="b" href="two%20b.xhtml"/><item id="a" href="one.xhtml"/><item id="c" href="cover.xhtml"/></manifest>
<spine><itemref idref="c"/><itemref idref="a"/><itemref idref="b"/></spine></package>"""
HEAD = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
PARTS = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": OPF,
    "OEBPS/one.xhtml": HEAD + "<body><h1>Fibres</h1><p>Hemp is twisted&nbsp;twice.</p></body></html>",
    "OEBPS/two b.xhtml": HEAD + "<body><h1>Knots</h1><table><tr><th>Knot</th><th>Loss</th></tr>"
    "<tr><td>Bowline</td><td>30 %</td></tr><tr><td>Reef</td><td>55 %</td></tr></table></body></html>",
    "OEBPS/cover.xhtml": HEAD + '<body><img src="cover.png"/></body></html>',
}


@pytest.fixture
def read(tmp_path):
    def read(**changes: str) -> CompiledDocument:
        path = tmp_path / "book.epub"
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("mimetype", "application/epub+zip")
            for name, content in (PARTS | changes).items():
                archive.writestr(name, content)
        path.write_bytes(buffer.getvalue())
        document = CompiledDocument(compile_file(path, name="book.epub"))
        assert document.report.coverage == 1.0
        return document

    return read


def test_chapters_follow_the_spine(read):
    document = read()

    assert document.tree.node(0).title == "The rope maker's handbook"
    assert [section.title for section in nodes(document, NodeKind.SECTION)] == ["Fibres", "Knots"]
    assert "Hemp is twisted twice." in document.page_text(0).replace("\xa0", " ")
    assert [cell.text for cell in nodes(document)[0].table.body[1].cells] == ["Reef", "55 %"]
    assert document.report.warnings == ("1 part of this book holds no text, as covers and pictures.",)


def test_a_locked_book_is_refused(read):
    locked = (
        '<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/one.xhtml"/></CipherData></EncryptedData>'
    )
    with pytest.raises(UnreadableDocument) as refused:
        read(**{"META-INF/encryption.xml": locked + "</encryption>"})
    assert refused.value.code == "encrypted_epub"


def test_a_book_whose_fonts_alone_are_hidden_is_read(read):
    fonts = '<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/a.otf"/></CipherData></EncryptedData>'
    assert read(**{"META-INF/encryption.xml": fonts + "</encryption>"})


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"OEBPS/book.opf": "<package"}, "damaged_epub"),
        ({"META-INF/container.xml": "<container/>"}, "damaged_epub"),
        ({"OEBPS/one.xhtml": "", "OEBPS/two b.xhtml": ""}, "no_text"),
    ],
    ids=["a broken list of parts", "no list of parts", "empty chapters"],
)
def test_a_damaged_book_is_refused_with_its_reason(read, changes, code):
    with pytest.raises(UnreadableDocument) as refused:
        read(**changes)
    assert refused.value.code == code


def test_entities_of_a_chapter_bring_nothing_in(read):
    hostile = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><body><p>Safe &x; text</p></body></html>'
    assert "root:" not in read(**{"OEBPS/one.xhtml": hostile}).page_text(0)
