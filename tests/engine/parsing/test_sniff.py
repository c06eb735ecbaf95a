"""What a file is told by its content: documents packed in unusual ways are still what they are."""

import io
import zipfile

import pytest

from tests.support.paper import Text, pdf
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.sniff import DOCX, ODS, PDF, PPTX, sniff

PAGE = pdf([[Text(72, 80, "A page of text that says very little.")]])


def packed(first: str, *names: str, stored: bytes = b"") -> bytes:
    """A ZIP of small parts in this order, with one more that is stored as it is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(first, b"<x/>")
        if stored:
            archive.writestr("ppt/embeddings/sheet1.xlsx", stored, zipfile.ZIP_STORED)
        for name in names:
            archive.writestr(name, b"<x/>")
    return buffer.getvalue()


def test_a_deck_is_a_deck_whatever_is_stored_within_it():
    workbook = packed("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml")
    deck = packed("[Content_Types].xml", "ppt/presentation.xml", stored=workbook)
    assert sniff(deck, name="deck.pptx", tail=deck) == PPTX


@pytest.mark.parametrize("first", ["docMetadata/LabelInfo.xml", "anything.bin"])
def test_an_office_document_is_told_by_its_list_and_not_by_its_first_part(first):
    document = packed(first, "[Content_Types].xml", "word/document.xml")
    assert sniff(document, name="a.docx", tail=document) == DOCX


@pytest.mark.parametrize(
    ("before", "name"),
    [
        (b"\xef\xbb\xbf", "a.bin"),
        (b"\r\n \0", "a.bin"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "a.bin"),
        (b"junk before ", "a.pdf"),
        (bytes(range(40)), "a.pdf"),
    ],
)
def test_a_pdf_is_found_behind_other_bytes(tmp_path, before, name):
    path = tmp_path / "upload"
    path.write_bytes(before + PAGE)
    document = CompiledDocument(compile_file(path, name=name))
    assert document.media_type == PDF
    assert "says very little" in document.page_text(0)


def test_an_opendocument_is_one_wherever_its_parts_stand_in_the_file():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in ("META-INF/manifest.xml", "content.xml", "mimetype"):
            file.writestr(name, "x")
    packed = buffer.getvalue()

    assert sniff(packed, name="fees.ods", tail=packed) == ODS
