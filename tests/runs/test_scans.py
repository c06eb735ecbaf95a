"""A question put to a scan: the run says which pages it could not read, and nothing is shown as a fault."""

import pytest

from tests.support.compiled import compiled_document
from tests.support.files import scan
from vectorless_web.documents.models import Document
from vectorless_web.runs import jobs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"


@pytest.fixture
def asked(workspace, alice, make_run):
    """A run over documents of these bytes alone."""

    def ask(*files: bytes):
        Document.objects.all().delete()
        for number, content in enumerate(files):
            compiled_document(workspace, alice, content, f"lease-{number}.pdf")
        run = make_run(question="What is the rent a month?")
        jobs.execute_run(run.pk)
        run.refresh_from_db()
        return run

    return ask


def test_a_run_over_a_scan_names_the_pages_it_could_not_read(asked):
    run = asked(scan(3))

    assert run.status == "not_found"
    assert run.reason.endswith("; 3 of 3 pages of lease-0 have no text and could not be read")


def test_a_document_without_passages_is_no_fault_of_a_step(asked):
    run = asked(scan(2), scan(3), scan(4))
    said = [step.say for step in run.steps.order_by("sequence") if step.kind == "retrieve"]

    assert len(said) == len(set(said)) > 0
    assert all(sentence.endswith("and found nothing") for sentence in said)
    assert not any("error" in step.observation for step in run.steps.all())
    assert "; 2 of 2 pages of lease-0, 3 of 3 pages of lease-1 and 4 of 4 pages of lease-2 have no text" in run.reason
