"""What a model's self-test found is heeded by runs: nothing that its server refused is tried on it again."""

import pytest

from tests.support.model_server import ModelServer
from vectorless_web.runs import jobs

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("found", "form", "streams"),
    [
        ({}, "json_schema", True),
        ({"forms": ["json_object", ""], "streams": False}, "json_object", False),
        ({"forms": [""], "streams": True}, "", True),
    ],
    ids=["not tested", "JSON objects only", "no JSON mode"],
)
def test_a_run_asks_in_the_way_that_was_found_to_work(own_model, make_run, read_report, settings, found, form, streams):
    settings.MODEL_RETRIES = 0
    server = ModelServer(prose=True)
    own_model(server, capabilities=found)

    jobs.execute_run(make_run(question="What was revenue in 2024?").pk)

    assert set(server.forms()) == {form}
    assert {body["stream"] for body in server.requests} == {streams}


def test_a_stored_address_that_cannot_be_called_leaves_the_answer_to_the_offline_reasoner(
    workspace, alice, own_model, make_run, read_report, html
):
    own_model(base_url="http://[::1")
    run = make_run(question="What was revenue in 2024?")

    jobs.execute_run(run.pk)

    run.refresh_from_db()
    assert run.status == "passages"
    page = html(alice, f"/w/{workspace.slug}/runs/{run.pk}/")
    assert "412 million" in page
    assert run.answer.note and 'id="takeover"' in page
