"""Reading a document in the browser: outline, pages, find, versions, the original."""

from pathlib import Path

import pytest

from tests.support.files import HANDBOOK, REPORT, pdf
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.selectors import section_path

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


def test_pages_are_opened_with_the_sections_they_stand_under(ready, look):
    document = ready()
    sheet = look(document, "?page=2&view=text").context["sheet"]
    assert sheet["page"] == 2
    assert "1,577 million" in "".join(segment.text for segment in sheet["text_segments"])
    assert (sheet["previous_url"][-9:], sheet["next_url"][-9:]) == ("/pages/1/", "/pages/3/")
    assert look(document, "?page=900").context["sheet"]["page"] == 3
    assert look(document, "?page=none&version=x&view=odd").status_code == 200

    assert [section.title for section in section_path(document.current_version, 1)] == ["2. Financial review"]

    html = look(document, "pages/2/?view=text").content.decode().strip()
    assert html.startswith("<figure")
    assert "1,577 million" in html
    assert "<html" not in html


def test_words_are_found_on_their_pages_however_odd(ready, look):
    document = ready(pdf([("Net debt",), ("Other things",), ("The net", "debt of the year")]), "found.pdf")
    answer = look(document, "?find=net+debt&view=text")
    results = answer.context["find_results"]
    assert [result["page"] for result in results] == [1, 3]
    assert "find=net+debt" in results[1]["url"]
    assert any(segment.found for segment in answer.context["sheet"]["text_segments"])
    empty = look(document, "?find=absent")
    assert empty.context["find_results"] == []
    assert "does not occur" in empty.content.decode()

    document = ready(HANDBOOK, "handbook.md")
    for words in ("(", "[a-z", "\\", "*", "%00", "a" * 200):
        assert look(document, f"?find={words}").status_code == 200


def test_a_version_can_be_looked_at_after_the_next_one_came(ready, look, revise):
    document = ready(HANDBOOK, "handbook.md")
    revise(document, HANDBOOK.replace(b"30 days", b"31 days"), "handbook.md")
    assert "31 days" in look(document).content.decode()
    old = look(document, "?version=1")
    assert "30 days" in old.content.decode()
    assert "version=1" in old.context["sheet"]["url"]
    assert look(document, "?version=7").status_code == 404


def test_a_document_that_is_not_ready_says_so(add, look):
    version = add()
    page = look(version.document).content.decode()
    assert "Being read" in page
    DocumentVersion.objects.update(status="failed", error_message="This file is odd.", error_code="odd")
    assert "This file is odd." in look(version.document).content.decode()


def test_the_original_is_a_download(ready, look):
    answer = look(ready(), "original/")
    assert b"".join(answer) == REPORT
    assert answer["Content-Disposition"] == 'attachment; filename="annual-report.pdf"'
    assert answer["Content-Type"] == "application/octet-stream"
    assert int(answer["Content-Length"]) == len(REPORT)


@pytest.mark.parametrize("left", [None, b"", REPORT[:100]])
def test_an_original_that_was_lost_or_cut_is_a_page_that_says_so(ready, look, left):
    document = ready()
    path = Path(document.current_version.file.path)
    path.unlink() if left is None else path.write_bytes(left)
    answer = look(document, "original/")
    assert answer.status_code == 404
    assert "Upload the same file once more" in answer.content.decode()
    assert ("missing from storage" in look(document).content.decode()) == (left is None)
