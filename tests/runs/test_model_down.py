"""A model that does not answer: the page says at its head who answered instead, and why."""

import pytest

from tests.conftest import free_port
from tests.support.compiled import compiled_document
from vectorless_web.documents.models import Document
from vectorless_web.runs import jobs
from vectorless_web.runs.models import ModelCall
from vectorless_web.workspaces.models import ModelProvider

pytestmark = pytest.mark.django_db(transaction=True)
REPORT = b"# Annual report\n\n## Revenue\n\nRevenue was 412 million in 2024.\n"
SILENT = "qwen3:8b did not answer; the offline reasoner took over."


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    settings.MODEL_RETRIES = 0


@pytest.fixture
def page_of(workspace, alice, make_run, client):
    """The page of a question that was put to a model at an address where nothing listens."""
    client.force_login(alice)
    ModelProvider.objects.create(
        workspace=workspace, name="Q", base_url=f"http://127.0.0.1:{free_port()}/v1", model="qwen3:8b"
    )
    Document.objects.all().delete()
    compiled_document(workspace, alice, REPORT)

    def ask(question: str) -> tuple:
        run = make_run(question=question)
        jobs.execute_run(run.pk)
        run.refresh_from_db()
        return run, client.get(f"/w/{workspace.slug}/runs/{run.pk}/").content.decode()

    return ask


@pytest.mark.parametrize(
    ("question", "status"), [("What was revenue in 2024?", "answered"), ("Who chairs the board?", "not_found")]
)
def test_a_model_that_is_down_is_told_at_the_head_of_the_page(page_of, question, status):
    run, page = page_of(question)

    assert run.status == status
    assert SILENT in page
    assert "Nothing answers at the model" in page.split('id="takeover"')[1][:600]
    assert "offline reasoner, no model" in page.split('id="outcome"')[1][:1500]


def test_what_search_by_meaning_brought_is_no_answer_of_the_model(page_of, client):
    run, _ = page_of("What was revenue in 2024?")
    for purpose in ("embedding", "nearness"):
        ModelCall.objects.create(run=run, purpose=purpose, request_hash="0" * 64, model="e5", reply="{}")

    assert SILENT in client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()


def test_a_model_that_stopped_answering_is_not_said_to_have_been_silent(page_of, client):
    run, _ = page_of("What was revenue in 2024?")
    ModelCall.objects.create(run=run, purpose="plan", request_hash="0" * 64, model="qwen3:8b", reply="{}")

    page = client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()

    assert SILENT not in page
    assert "qwen3:8b stopped answering; the offline reasoner wrote the answer." in page


def test_a_model_that_answered_is_not_spoken_of(page_of, client):
    run, _ = page_of("What was revenue in 2024?")
    ModelCall.objects.filter(run=run).update(error_code="", error="")
    run.steps.filter(kind="verify").update(observation={})

    assert 'id="takeover"' not in client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()
