"""Files that cannot be compiled: a stable code and a sentence that names cause and remedy."""

import codecs
import io

import pytest
from PIL import Image
from pptx import Presentation

from tests.engine.parsing.sheets.test_workbook import written
from tests.support.hostile.packages import pptx
from tests.support.open_documents import open_document, zipped
from tests.support.paper import Text, pdf
from tests.support.word_files import contract, with_parts, word
from vectorless_web.engine.parsing.limits import CompileLimits

PAGE = [Text(72, 80, "A page of text that says very little.")]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
CONTRACT = word(contract)
WORKBOOK = written(("Plain", [["Item", "Count"], ["Ropes", 12]]))
SHEET, SLIDE, SLIDES = "xl/worksheets/sheet1.xml", "ppt/slides/slide1.xml", "ppt/presentation.xml"
LOCKED = "<manifest><file-entry><encryption-data/></file-entry></manifest>"


def saved(made: Presentation) -> bytes:
    """The bytes of a presentation."""
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def with_part(content: bytes, name: str, change) -> bytes:
    """A packed document with one part changed."""
    return with_parts(content, {name: change})


DECK = pptx()
CASES = [
    ("a.pdf", b"", "empty_file"),
    ("a.txt", b" \n\t\n", "empty_file"),
    ("report.pdf", b"just some words", "not_a_pdf"),
    ("a.docx", b"PK\x03\x04" + b"\0" * 40, "unsupported_type"),
    ("a.txt", bytes(range(1, 32)) * 40, "binary_file"),
    ("page.html", b"<html><head></head></html>", "no_text"),
    ("page.txt", b"<html><body><script>app()</script><div id=app></div></body></html>", "no_text"),
    ("a.json", b'{"a":' * 60 + b"1" + b"}" * 60, "nested_too_deeply"),
    ("a.json", b'{"a":' * 200_000 + b"1" + b"}" * 200_000, "nested_too_deeply"),
    ("a.rtf", b"{\\rtf1" + b"{" * 5_000 + b"x", "damaged_rtf"),
    ("a.rtf", b"{\\rtf1\\pard\\par}", "no_text"),
    ("a.docx", with_part(CONTRACT, "word/document.xml", lambda _: b"\0\0<w:"), "damaged_docx"),
    ("a.docx", zipped({"[Content_Types].xml": "<Types/>", "visio/document.xml": "<x/>"}), "unsupported_type"),
    ("a.docx", zipped({"a.png": b"\x89PNG"}), "unsupported_type"),
    ("a.docx", OLE + "WordDocument".encode("utf-16-le"), "old_word"),
    ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted_docx"),
    ("a.docx", word(lambda _: None), "no_text"),
    ("a.xlsx", with_part(WORKBOOK, SHEET, lambda data: data[:300]), "damaged_xlsx"),
    ("a.xlsx", written(("Empty", [])), "no_text"),
    ("a.pptx", with_part(DECK, SLIDES, lambda data: data[:200]), "damaged_pptx"),
    ("a.pptx", with_part(DECK, SLIDE, lambda data: b"<p:sld"), "damaged_pptx"),
    ("a.pptx", saved(Presentation()), "no_text"),
    ("a.odt", open_document("text", "<text:p>x</text:p>", parts={"META-INF/manifest.xml": LOCKED}), "encrypted_odt"),
    ("a.odt", open_document("text", "<text:p>x"), "damaged_odt"),
    ("a.odt", open_document("text", "<text:p/>"), "no_text"),
    ("a.ods", open_document("spreadsheet", "<broken>"), "damaged_ods"),
]


@pytest.mark.parametrize(("name", "content", "code"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_each_kind_of_bad_file_has_its_own_code_and_sentence(refused, name, content, code):
    assert refused(content, name) == code


@pytest.mark.parametrize(
    ("name", "content", "limits", "code"),
    [
        ("a.pdf", pdf([PAGE] * 3), {"pages": 2}, "too_many_pages"),
        ("a.pdf", pdf([PAGE]), {"bytes": 100}, "too_large"),
        ("a.docx", CONTRACT, {"members": 5}, "zip_bomb"),
        ("a.docx", CONTRACT, {"part": 300}, "zip_bomb"),
        ("a.docx", CONTRACT, {"unpacked": 1000}, "zip_bomb"),
    ],
)
def test_limits_are_kept(refused, name, content, limits, code):
    assert refused(content, name, limits=CompileLimits(**limits)) == code


MESSAGE = "From: a\nTo: b\nDate: Fri, 21 Feb 2025 16:52\nContent-Type: text/plain; charset=utf-8\n\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("Zürich – café".encode(), "Zürich – café"),
        (codecs.BOM_UTF8 + "Zürich".encode(), "Zürich"),
        ("Zürich".encode("utf-16"), "Zürich"),
        ("Zürich costs 5 € a “day”, naïve as it may seem to some of us here.".encode("cp1252"), "5 € a “day”"),
        ("Büro – ".encode() * 3 + "£460,000".encode("cp1252"), "Büro – £460,000"),
        ("Die Miete für das Büro beträgt 300.".encode("cp850"), "Miete für das Büro beträgt"),
        (MESSAGE.encode() + "Liegt 4 m über dem Kai – £3".encode(), "über dem Kai – £3"),
        (MESSAGE.replace("utf-8", "iso-8859-2").encode() + "Žák má čas".encode("iso-8859-2"), "Žák má čas"),
        ("Договор вступает в силу со дня подписания сторонами и действует год.".encode("cp1251"), "Договор вступает"),
    ],
)
def test_text_is_decoded_whatever_its_encoding(compiled, data, expected):
    assert expected in compiled(data, "note.txt").page_text(0)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_read(compiled, encoding):
    words = "The lease of the north quay ends in May. Its rent is 12,000 a year."
    assert words in compiled(words.encode(encoding), "note.txt").page_text(0)


def test_a_letter_that_ends_early_is_kept_and_told(compiled):
    document = compiled(rb"{\rtf1\pard The rent is due in Ma", "lease.rtf")
    assert "The rent is due in Ma" in document.page_text(0)
    assert "may not have arrived whole" in document.report.warnings[-1]


def test_a_bitmap_of_white_pixels_is_no_text(refused):
    white = io.BytesIO()
    Image.new("RGB", (200, 70), "white").save(white, "BMP")
    assert refused(white.getvalue(), "sign.bmp") == "unsupported_type"
