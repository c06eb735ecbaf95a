"""What a file is told by its content: documents packed in unusual ways are still what they are."""

import io
import zipfile

import pytest

from tests.support.open_documents import zipped
from tests.support.paper import Text, pdf
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.sniff import DOCX, ODS, PDF, PPTX, sniff

PAGE = pdf([[Text(72, 80, "A page of text that says very little.")]])


def packed(first: str, *names: str) -> bytes:
    """A ZIP of small parts in this order."""
    return zipped(dict.fromkeys((first, *names), "<x/>"))


def test_a_deck_is_a_deck_whatever_is_stored_within_it():
    deck = io.BytesIO(packed("[Content_Types].xml"))
    with zipfile.ZipFile(deck, "a") as archive:
        workbook = packed("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml")
        archive.writestr("ppt/embeddings/sheet1.xlsx", workbook, zipfile.ZIP_STORED)
        archive.writestr("ppt/presentation.xml", "<x/>")
    assert sniff(deck.getvalue(), name="deck.pptx", tail=deck.getvalue()) == PPTX


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
    sheet = packed("META-INF/manifest.xml", "content.xml", "mimetype")
    assert sniff(sheet, name="fees.ods", tail=sheet) == ODS
