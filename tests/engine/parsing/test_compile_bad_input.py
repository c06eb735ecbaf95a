"""Files that cannot be compiled: a stable code and a sentence that names cause and remedy."""

import codecs

import pytest

from tests.support.paper import Text, pdf
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits

ENCRYPTED = (
    "/Encrypt << /Filter /Standard /V 1 /R 2 /O <" + "41" * 32 + "> /U <" + "42" * 32 + "> /P -4 >> /ID [<00> <00>]"
)
PAGE = [Text(72, 80, "A page of text that says very little.")]

CASES = {
    "empty_file": (b"", "a.pdf"),
    "encrypted_pdf": (pdf([PAGE], trailer=ENCRYPTED), "a.pdf"),
    "html_named_pdf": (b"<!DOCTYPE html><html><body>Sign in</body></html>", "report.pdf"),
    "not_a_pdf": (b"just some words", "report.pdf"),
    "no_pages": (pdf([]), "a.pdf"),
    "damaged_pdf": (b"%PDF-1.7\n1 0 obj\n<< /Type /Cat", "a.pdf"),
    "unsupported_type": (b"PK\x03\x04" + b"\0" * 40, "a.docx"),
    "binary_file": (bytes(range(1, 32)) * 40, "a.txt"),
}


@pytest.mark.parametrize("code", CASES)
def test_each_kind_of_bad_file_has_its_own_code_and_sentence(compiled, code):
    content, name = CASES[code]
    with pytest.raises(UnreadableDocument) as caught:
        compiled(content, name)
    assert caught.value.code == code
    assert caught.value.message.count(".") >= 2, "a sentence for the cause and one for the remedy"
    assert not caught.value.retryable


def test_white_space_alone_is_an_empty_file(compiled):
    with pytest.raises(UnreadableDocument) as caught:
        compiled(" \n\t\n", "a.txt")
    assert caught.value.code == "empty_file"


def test_limits_of_pages_and_bytes_are_told(compiled):
    with pytest.raises(UnreadableDocument) as caught:
        compiled(pdf([PAGE] * 3), limits=CompileLimits(pages=2))
    assert caught.value.code == "too_many_pages"
    assert "3 pages" in caught.value.message
    with pytest.raises(UnreadableDocument) as caught:
        compiled(pdf([PAGE]), limits=CompileLimits(bytes=100))
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("Zürich – café".encode(), "Zürich – café"),
        (codecs.BOM_UTF8 + "Zürich".encode(), "Zürich"),
        ("Zürich".encode("utf-16"), "Zürich"),
        ("Zürich costs 5 € a “day”, naïve as it may seem to some of us here.".encode("cp1252"), "5 € a “day”"),
        ("Договор вступает в силу со дня подписания сторонами и действует год.".encode("cp1251"), "Договор вступает"),
    ],
)
def test_text_is_decoded_whatever_its_encoding(compiled, data, expected):
    assert expected in compiled(data, "note.txt").page_text(0)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_read(compiled, encoding):
    words = "The lease of the north quay ends in May. Its rent is 12,000 a year."
    assert words in compiled(words.encode(encoding), "note.txt").page_text(0)


def test_a_text_that_speaks_of_pdf_is_text(compiled):
    assert "header %PDF-1.7" in compiled(b"A file begins with the header %PDF-1.7 and a line end.", "n.txt").page_text(
        0
    )
