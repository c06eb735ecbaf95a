"""Trying a model: a worker asks it over real HTTP, the page says what it can, and runs ask it in the way that works."""

import socket
from datetime import timedelta

import django_rq
import pytest
from django.utils import timezone

from tests.support.model_server import KEY, ModelServer, whole
from tests.support.page_text import visible_text
from vectorless_web.engine.llm.capability import SelfTest
from vectorless_web.workspaces.models import AuditEvent, ModelProvider
from vectorless_web.workspaces.selectors import settings_of
from vectorless_web.workspaces.services import test_provider as check_provider
from vectorless_web.workspaces.storage import encrypt

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _no_second_try(settings):
    settings.MODEL_RETRIES = 0


@pytest.fixture
def provider(own_model) -> ModelProvider:
    return own_model(name="House model", encrypted_key=encrypt(KEY))


@pytest.fixture
def found(act, alice, provider, work_off, httpserver):
    """Try the model as Alice; what was found out."""

    def attempt(server=None) -> dict:
        if server is not None:
            httpserver.expect_request("/v1/chat/completions").respond_with_handler(server)
        assert act(alice, f"models/{provider.pk}/test/").status_code == 302
        provider.refresh_from_db()
        assert provider.capabilities["testing"]
        work_off("runs")
        provider.refresh_from_db()
        return provider.capabilities

    return attempt


def test_a_good_model_works_and_suits_every_job(found, see, alice, provider):
    capabilities = found(ModelServer())

    assert (capabilities["works"], capabilities["usable"]) == (True, True)
    row = see(alice, f"models/{provider.pk}/row/").content.decode()
    assert "Answered as tiny-2026" in row
    assert "It suits every job" in row
    assert "JSON schema yes" in visible_text(row)
    assert row.count("<dt>") == 10 + 3
    assert "hx-trigger" not in row


def test_the_page_tells_which_check_is_under_way(found, see, alice, provider):
    told = []

    class Watched(ModelServer):
        def __call__(self, request):
            shown = visible_text(see(alice, f"models/{provider.pk}/row/").content.decode())
            told.append((shown.count(", done"), shown.count(", under way")))
            return super().__call__(request)

    found(Watched())
    assert told == sorted(told)
    assert {now for _, now in told} == {1}
    assert {done for done, _ in told} == {0, 1, 2, 3, 4, 5}


def test_a_server_without_schemas_is_asked_otherwise_from_then_on(found, provider, see, alice):
    found(ModelServer(schema=400, tools=400, stream=400, reads=4_096))

    chosen = settings_of(provider)
    assert (chosen.forms, chosen.streams) == (("json_object", ""), False)
    assert chosen.context_size == 4_000, "what it really reads, not what was stated"
    row = see(alice, f"models/{provider.pk}/row/").content.decode()
    assert "Replies are asked for as a JSON object and checked here." in row


def test_a_refused_key_is_a_plain_sentence(see, alice, provider):
    refused = SelfTest(False, "", (), (), "", error_code="provider_auth", error="The model's server refuses the key.")
    ModelProvider.objects.filter(pk=provider.pk).update(base_url="https://93.184.216.34/v1")
    provider.refresh_from_db()
    check_provider(provider=provider, examine=lambda _provider: refused)

    provider.refresh_from_db()
    capabilities = provider.capabilities
    assert (capabilities["works"], capabilities["code"]) == (False, "provider_auth")
    row = see(alice, f"models/{provider.pk}/row/").content.decode()
    assert "refuses the key" in row
    assert KEY not in row
    assert KEY not in str(capabilities)
    assert "hx-trigger" not in row


def test_a_model_that_was_changed_meanwhile_has_not_been_tested(found, provider):
    def change(request):
        ModelProvider.objects.filter(pk=provider.pk).update(model="small", capabilities={})
        return whole("ready")

    assert found(change) == {}


def test_another_model_at_the_same_address_has_not_been_tested(found, provider, act, alice):
    found(ModelServer())
    values = {"name": "House model", "base_url": provider.base_url, "model": "other", "context_size": 9000}

    act(alice, f"models/{provider.pk}/change/", **values, price_in=0, price_out=0, enabled="on")

    provider.refresh_from_db()
    assert (provider.model, provider.capabilities) == ("other", {})


def test_a_stored_private_address_is_not_reached_once_the_operator_forbids_them(found, httpserver, settings):
    settings.ALLOW_PRIVATE_MODEL_HOSTS = False

    capabilities = found(ModelServer())

    assert capabilities["code"] == "private_address"
    assert "private network" in capabilities["message"]
    assert not httpserver.log


def test_on_a_private_network_it_is_not_told_what_answers(found, provider, httpserver):
    """A closed port, a server that is no model, and one that refuses the key are told alike."""
    told = [found(ModelServer(key="another"))]
    httpserver.clear()
    httpserver.expect_request("/v1/chat/completions").respond_with_data("<h1>Router</h1>")
    told.append(found())
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        ModelProvider.objects.filter(pk=provider.pk).update(base_url=f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        provider.refresh_from_db()
        told.append(found())

    assert [row["code"] for row in told] == ["no_model_there"] * 3
    assert len({row["message"] for row in told}) == 1


def test_models_are_tried_so_often_an_hour_and_no_more(act, alice, provider, settings):
    settings.MODEL_TRIES_PER_HOUR = 2
    answers = [act(alice, f"models/{provider.pk}/test/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert int(answers[2]["Retry-After"]) > 0
    assert AuditEvent.objects.filter(verb="provider.tested").count() == 2


def test_a_stored_address_that_cannot_be_called_ends_the_try_with_a_sentence(found, see, alice, provider):
    ModelProvider.objects.filter(pk=provider.pk).update(base_url="http://models.example/v1\r\nX: y")
    provider.refresh_from_db()

    capabilities = found()

    assert (capabilities["works"], capabilities["code"]) == (False, "invalid_address")
    row = see(alice, f"models/{provider.pk}/row/").content.decode()
    assert "Give an address that begins with https://" in row
    assert "hx-trigger" not in row


def test_a_try_that_a_worker_left_behind_is_not_waited_for(see, alice, provider):
    begun = timezone.now() - timedelta(minutes=12)
    for found in ({"testing": True, "since": begun.isoformat()}, {"testing": True}):
        ModelProvider.objects.filter(pk=provider.pk).update(capabilities=found)
        row = see(alice, f"models/{provider.pk}/row/").content.decode()
        assert "did not finish" in row
        assert "hx-trigger" not in row


def test_a_model_on_this_machine_is_found_and_used_in_one_click(
    act, see, alice, workspace, work_off, httpserver, settings
):
    settings.MODEL_PORTS = [httpserver.port]
    address = f"http://127.0.0.1:{httpserver.port}/v1"
    httpserver.expect_request("/v1/models").respond_with_json({"data": [{"id": "qwen3:30b"}]})

    assert act(alice, "models/look/").status_code == 302
    looking = see(alice, "models/nearby/").content.decode()
    assert "Looking" in visible_text(looking)
    assert "delay:1s" in looking, "the page goes on asking as long as the job waits"
    django_rq.get_queue("runs").empty()
    assert "Looking" not in visible_text(see(alice, "models/nearby/").content.decode()), "its job is lost"
    assert act(alice, "models/look/").status_code == 302
    work_off("runs")
    assert f"Use qwen3:30b from Port {httpserver.port}" in visible_text(see(alice, "models/").content.decode())

    elsewhere = act(alice, "models/use/", address="http://127.0.0.1:1/v1", model="qwen3:30b")
    assert elsewhere.status_code == 422, "only what was found can be used"
    assert act(alice, "models/use/", address=address, model="qwen3:30b").status_code == 302
    row = ModelProvider.objects.get(workspace=workspace)
    assert (row.base_url, row.model, row.is_being_tried) == (address, "qwen3:30b", True)
    assert "No other model was found" in see(alice, "models/nearby/").content.decode()


def test_an_empty_workspace_offers_a_model_of_this_machine_without_being_asked(
    act, client, html, alice, workspace, work_off, httpserver, settings
):
    settings.MODEL_PORTS, settings.MODEL_TRIES_PER_HOUR = [httpserver.port], 0
    httpserver.expect_request("/v1/models").respond_with_json({"data": [{"id": "qwen3:30b"}]})
    guide = html(alice, f"/w/{workspace.slug}/")
    assert "unasked" in guide
    act(alice, "models/look/", unasked="1")
    work_off("runs")
    guide = client.get(f"/w/{workspace.slug}/").content.decode()
    assert f"Use qwen3:30b from Port {httpserver.port}" in visible_text(guide)
    assert "unasked" not in guide


def test_what_is_no_model_server_is_not_offered_and_a_site_may_forbid_the_look(
    act, see, alice, work_off, httpserver, settings
):
    settings.MODEL_PORTS = [httpserver.port]
    httpserver.expect_request("/v1/models").respond_with_data("<h1>Hello</h1>", content_type="text/html")
    act(alice, "models/look/")
    work_off("runs")
    assert "No other model was found" in see(alice, "models/nearby/").content.decode()

    settings.ALLOW_PRIVATE_MODEL_HOSTS = False
    assert "This address lies in a private network" in see(alice, "models/").content.decode()
    assert act(alice, "models/look/").status_code == 422
