"""A file whose pages are pictures is told to be one, wherever its state is shown."""

import pytest

from tests.support.compiled import compiled_document
from tests.support.files import REPORT, pdf, scan
from tests.support.page_text import visible_text
from tests.support.scans import FixedRecogniser, scanned_pdf
from tests.support.scans import page as scanned_page
from tests.support.scans import words_of as seen_words
from vectorless_web.documents import services
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import boxes, page_view
from vectorless_web.documents.rendering.tree_report import report_pairs
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.documents.storage.files import open_version

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


@pytest.fixture
def words_of(client, workspace, bob):
    """What an address of the workspace shows Bob, in words."""
    client.force_login(bob)

    def read(address: str) -> str:
        return visible_text(client.get(f"/w/{workspace.slug}/documents/{address}").content.decode())

    return read


@pytest.fixture(autouse=True)
def without_recognition(settings):
    """A site whose operator has switched text recognition off."""
    settings.OCR_PAGES = 0


def test_a_scan_is_told_to_be_one_in_the_list_and_on_its_page(ready, words_of):
    document = ready(scan(3), "lease.pdf")
    sentence = (
        "Ready, but 3 of 3 pages are pictures whose text was not read: text recognition (OCR) is switched off here."
    )

    assert sentence in words_of("")
    assert "remark" not in words_of("")
    assert sentence in words_of(f"{document.pk}/")
    assert "Ask your administrator about text recognition (OCR)" in words_of(f"{document.pk}/")
    assert dict(report_pairs(document.current_version))["Text kept"] == "nothing; no page could be read"
    assert services.queue_outdated() == 0, "what is switched off is not waited for"


def test_a_blank_page_makes_no_scan(ready, words_of):
    book = ready(pdf([("The lease",)] * 9 + [()]), "book.pdf")
    ready(REPORT, "report.pdf")

    assert book.current_version.unread_pages == 0
    assert "whose text was not read" not in words_of("")
    assert dict(report_pairs(book.current_version))["Text kept"] == "100 % of characters"


def test_a_scan_is_read_and_its_quotes_lit_without_the_render_server(ready, settings, words_of):
    settings.OCR_PAGES = 2_000
    version = ready(scanned_pdf([scanned_page()]), "fees.pdf").current_version
    pairs = dict(report_pairs(version))

    assert (pairs["Text kept"], pairs["Read by OCR"]) == ("100 % of characters", "1 page: 1")
    assert "whose text was not read" not in words_of("")
    assert version.recognised_pages == 1

    text = open_version(version).page_text(0)
    span = [0, text.index("1,577 million"), len("1,577 million")]

    ((page, x, y, width, height),) = boxes(version, [span])
    assert page == 0
    assert 220 < x < 300
    assert 158 < y < 182
    assert 60 < width < 130
    assert 5 < height < 20


def test_a_document_is_read_again_once_text_recognition_is_there(ready, settings):
    settings.OCR_PAGES, settings.OCR_LANGUAGES = 2_000, "xxq"
    version = ready(scanned_pdf([scanned_page()]), "fees.pdf").current_version
    assert version.unread_pages == 1
    assert services.queue_outdated() == 0

    settings.OCR_LANGUAGES = "eng"
    assert services.queue_outdated() == 1
    compile_version(version.pk)
    version.refresh_from_db()
    assert (version.unread_pages, version.recognised_pages, version.repair) == (0, 1, "")
    assert services.queue_outdated() == 0


def test_words_that_may_be_misread_are_underlined_on_their_page(workspace, alice, html, bob):
    words = [*seen_words("The rent is"), *seen_words("4,200", confidence=62)]
    document = compiled_document(
        workspace, alice, scanned_pdf([scanned_page()]), "lease.pdf", recogniser=FixedRecogniser(words)
    )
    sheet = page_view(document.current_version or DocumentVersion.objects.get(document=document), 0)["recognised"]

    assert (sheet.words, [(word.text, word.confidence) for word in sheet.unsure]) == (4, [("4,200", 62)])
    page = html(bob, f"/w/{workspace.slug}/documents/{document.pk}/")
    assert "1 word may be misread; it is underlined on the page." in visible_text(page)
