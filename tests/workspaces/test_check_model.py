"""`manage.py check_model`: what a model can do, in words, as JSON, and as an exit code."""

import html
import io
import json

import pytest
from django.core.management import call_command

from tests.support.model_server import KEY, ModelServer
from vectorless_web.engine.llm.capability import PRESETS, model_address
from vectorless_web.workspaces.storage import encrypt

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


@pytest.fixture
def check(httpserver, settings, own_model):
    """Run the command; its exit code, what it prints and what it complains of."""
    settings.MODEL_RETRIES, settings.MODEL_SECONDS = 0, 2.0
    settings.MODEL, settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = "tiny", httpserver.url_for("/v1"), KEY
    own_model(name="House model", model="house", encrypted_key=encrypt(KEY), context_size=8_000)

    def run(server: ModelServer | None = None, *arguments: str) -> tuple[int, str, str]:
        if server is not None:
            httpserver.expect_request("/v1/chat/completions").respond_with_handler(server)
        out, err = io.StringIO(), io.StringIO()
        with pytest.raises(SystemExit) as left:
            call_command("check_model", *arguments, stdout=out, stderr=err)
        assert KEY not in out.getvalue() + err.getvalue()
        return left.value.code, out.getvalue(), err.getvalue()

    return run


def test_a_usable_model_is_exit_0_with_its_verdict(check):
    code, text, _ = check(ModelServer())

    assert code == 0
    assert "yes      JSON schema    It keeps to a JSON schema." in text
    assert "It suits every job: it can plan, guide and write." in text


def test_a_model_that_only_chats_is_exit_1(check):
    assert check(ModelServer(prose=True))[0] == 1


def test_a_workspace_s_model_is_tested_by_its_name(check, workspace):
    server = ModelServer(model="house")

    assert check(server, "--workspace", workspace.slug, "--provider", "House model")[0] == 0
    assert check(None, "--workspace", workspace.slug)[0] == 0
    assert {body["model"] for body in server.requests} == {"house"}


@pytest.mark.parametrize("server", [ModelServer(key="another"), ModelServer(model="another")])
def test_a_wrong_key_and_an_unknown_model_are_settings_to_be_changed(check, server):
    assert check(server)[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [("--workspace", "nowhere"), ("--workspace", "acme-diligence", "--provider", "Nobody"), ("--provider", "House")],
)
def test_what_does_not_exist_is_bad_settings(check, arguments):
    code, _, complaint = check(None, *arguments)

    assert code == 2
    assert complaint.count("\n") == 1


def test_no_model_at_all_is_bad_settings(check, settings):
    settings.MODEL = ""

    code, text, complaint = check(None, "--json")

    assert code == 2
    assert json.loads(text)["error"] == complaint.strip()


def test_each_preset_fills_in_the_form_with_and_without_htmx(see, alice):
    for preset in PRESETS:
        answer = see(alice, f"models/?preset={preset.name}")
        text = html.unescape(answer.content.decode())
        assert answer.context["form"]["base_url"].value() == preset.base_url
        assert f'<option value="{preset.name}" selected>' in text
        assert preset.help.split("“")[0] in text
        assert ("It needs a key." in text) is preset.needs_key
    assert "selected" not in see(alice, "models/?preset=nonsense").content.decode().split('id="preset"')[1][:600]


def test_a_provider_in_the_environment_stands_for_its_address():
    assert model_address(provider="ollama", model="m", given="") == "http://localhost:11434/v1"
    assert model_address(provider="ollama", model="m", given="http://gpu:1/v1") == "http://gpu:1/v1"
    assert model_address(provider="", model="", given="") == "https://api.openai.com/v1"


@pytest.mark.parametrize(("provider", "model"), [("nobody", "m"), ("ollama", ""), ("custom", "m"), ("custom", "")])
def test_half_a_provider_in_the_environment_is_refused_with_what_is_missing(provider, model):
    with pytest.raises(ValueError, match="VECTORLESS_PROVIDER"):
        model_address(provider=provider, model=model, given="")
