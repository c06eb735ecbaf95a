"""EPUB books: chapters in the order of the spine, entities, locked and damaged ones."""

import pytest

from tests.engine.parsing.conftest import outline, rows, tables
from tests.support.open_documents import zipped

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


def book(**changes: str) -> bytes:
    return zipped({"mimetype": "application/epub+zip", **PARTS, **changes})


def locked(part: str) -> bytes:
    data = f'<EncryptedData><CipherData><CipherReference URI="{part}"/></CipherData></EncryptedData>'
    return book(**{"META-INF/encryption.xml": f"<encryption>{data}</encryption>"})


def test_chapters_follow_the_spine(compiled):
    document = compiled(book(), "book.epub")
    assert document.title == "The rope maker's handbook"
    assert [title for _, title in outline(document)] == ["Fibres", "Knots"]
    assert "Hemp is twisted twice." in document.page_text(0).replace("\xa0", " ")
    assert rows(tables(document)[0])[1] == ["Reef", "55 %"]
    assert document.report.warnings == ("1 part of this book holds no text, as covers and pictures.",)


def test_a_book_whose_fonts_alone_are_hidden_is_read(compiled):
    assert compiled(locked("OEBPS/a.otf"), "book.epub")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (locked("OEBPS/one.xhtml"), "encrypted_epub"),
        (book(**{"OEBPS/book.opf": "<package"}), "damaged_epub"),
        (book(**{"META-INF/container.xml": "<container/>"}), "damaged_epub"),
        (book(**{"OEBPS/one.xhtml": "", "OEBPS/two b.xhtml": ""}), "no_text"),
    ],
    ids=["locked", "a broken list of parts", "no list of parts", "empty chapters"],
)
def test_a_damaged_book_is_refused_with_its_reason(refused, content, code):
    assert refused(content, "book.epub") == code
