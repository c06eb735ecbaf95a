"""A file whose pages are pictures is told to be one, wherever its state is shown."""

import pytest

from tests.support.files import REPORT, pdf, scan
from tests.support.page_text import visible_text
from vectorless_web.documents.rendering.tree_report import report_pairs

pytestmark = pytest.mark.django_db


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


def test_nothing_is_kept_of_a_scan(ready):
    assert dict(report_pairs(ready(scan(3)).current_version))["Text kept"] == "nothing; no page could be read"


def test_a_file_with_some_scanned_pages_is_ready_in_part(ready, words_of):
    version = ready(scan(4, read=1), "half.pdf").current_version

    assert dict(report_pairs(version))["Text kept"] == "100 % of characters on 1 of 4 pages"
    assert "partly readable" in words_of("")
    assert "3 of 4 pages are pictures whose text was not read" in words_of("")


def test_a_blank_page_makes_no_scan(ready, words_of):
    book = ready(pdf([("The lease",)] * 9 + [()]), "book.pdf")
    ready(REPORT, "report.pdf")

    assert book.current_version.unread_pages == 0
    assert "whose text was not read" not in words_of("")
    assert dict(report_pairs(book.current_version))["Text kept"] == "100 % of characters"
