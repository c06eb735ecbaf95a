"""A question put to a scan: the run says which pages it could not read, and nothing is shown as a fault."""

import pytest

from tests.support.compiled import compiled_document
from tests.support.files import scan
from tests.support.page_text import visible_text
from tests.support.scans import FixedRecogniser, page, scanned_pdf, words_of
from vectorless_web.documents.models import Document
from vectorless_web.runs import jobs

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(workspace, alice, make_run):
    """A run over documents of these bytes alone, compiled with these options."""

    def ask(*files: bytes, **options):
        Document.objects.all().delete()
        for number, content in enumerate(files):
            compiled_document(workspace, alice, content, f"lease-{number}.pdf", **options)
        run = make_run(question="What is the rent a month?")
        jobs.execute_run(run.pk)
        run.refresh_from_db()
        return run

    return ask


def test_a_run_over_scans_names_the_pages_it_could_not_read_and_faults_no_step(asked, html, workspace, bob):
    run = asked(scan(2), scan(3))
    shown = visible_text(html(bob, f"/w/{workspace.slug}/runs/{run.pk}/"))

    assert run.status == "not_found"
    assert "2 of 2 pages of lease-0 have no text and could not be read." in shown
    assert "3 of 3 pages of lease-1 have no text and could not be read." in shown
    assert not any("error" in step.observation for step in run.steps.all())


@pytest.mark.parametrize(("confidence", "unsure"), [(61, True), (96, False)])
def test_a_quote_from_a_scan_says_how_sure_its_reading_was_and_is_lit_where_its_words_stand(
    asked, html, workspace, bob, confidence, unsure
):
    reader = FixedRecogniser(words_of("Lease\nThe rent is 4,200 crowns a month.", confidence=confidence))
    run = asked(scanned_pdf([page()]), recogniser=reader)
    citations = list(run.citations.all())
    shown = visible_text(html(bob, f"/w/{workspace.slug}/runs/{run.pk}/"))

    assert {(row.recognised, row.is_unsure) for row in citations} == {(confidence, unsure)}
    assert f"read by OCR, {confidence} %" in shown
    heading, (page_index, x, y, width, height) = citations[0].boxes
    assert heading[2] < y
    assert page_index == 0
    assert (round(x, 1), round(y, 1), round(height, 1)) == (12.0, 33.6, 4.8)
    assert 60 < width < 90
