"""Trying a model: a worker asks it one question over real HTTP, and the page says what came of it."""

import json

import pytest

from vectorless_web.workspaces.models import ModelProvider

pytestmark = pytest.mark.django_db(transaction=True)


def answer(text: str) -> dict:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 30, "completion_tokens": 8, "total_tokens": 38}
    return {
        "id": "1", "object": "chat.completion", "created": 1, "model": "large-2", "choices": [choice], "usage": usage
    }  # fmt: skip


@pytest.fixture
def provider(workspace, httpserver) -> ModelProvider:
    return ModelProvider.objects.create(
        workspace=workspace, name="House model", base_url=httpserver.url_for("/v1"), model="large"
    )


@pytest.fixture
def found(act, alice, provider, work_off):
    """Try the model as Alice; what was found out."""

    def attempt() -> dict:
        assert act(alice, f"models/{provider.pk}/test/").status_code == 302
        provider.refresh_from_db()
        assert provider.capabilities["testing"]
        work_off("runs")
        provider.refresh_from_db()
        return provider.capabilities

    return attempt


def test_a_good_model_works_and_keeps_to_json(found, httpserver, page, alice):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(answer(json.dumps({"greater": 52})))
    capabilities = found()
    assert (capabilities["works"], capabilities["json"], capabilities["counts_tokens"]) == (True, True, True)
    text = page(alice, "models/").content.decode()
    assert "Answered as large-2" in text
    assert "keeps to JSON" in text


def test_a_chatty_model_works_without_json(found, httpserver):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(answer("Why, 52 of course."))
    capabilities = found()
    assert (capabilities["works"], capabilities["json"]) == (True, False)


def test_a_refused_key_is_a_plain_sentence(found, httpserver, page, alice, provider):
    httpserver.expect_request("/v1/chat/completions").respond_with_json({"error": {"message": "no"}}, status=401)
    capabilities = found()
    assert (capabilities["works"], capabilities["code"]) == (False, "provider_auth")
    row = page(alice, f"models/{provider.pk}/row/").content.decode()
    assert "provider_auth" in row
    assert "hx-trigger" not in row


def test_a_model_that_was_changed_meanwhile_has_not_been_tested(found, httpserver, provider):
    def change(request):
        ModelProvider.objects.filter(pk=provider.pk).update(model="small", capabilities={})
        from werkzeug import Response

        return Response(json.dumps(answer("{}")), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(change)
    assert found() == {}


def test_a_stored_private_address_is_not_reached_once_the_operator_forbids_them(found, httpserver, settings):
    settings.ALLOW_PRIVATE_MODEL_HOSTS = False
    settings.MODEL_RETRIES = 0
    httpserver.expect_request("/v1/chat/completions").respond_with_json(answer("{}"))
    assert found()["code"] == "network_error"
    assert not httpserver.log
