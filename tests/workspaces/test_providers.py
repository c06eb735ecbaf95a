"""Chat models of a workspace: the key is encrypted, never shown, and never sent to another address."""

from datetime import timedelta

import pytest
from django.utils import timezone

from vectorless_web.documents.models import EmbeddingChoice
from vectorless_web.infra.addresses import allowed_hosts
from vectorless_web.workspaces.models import AuditEvent, ModelProvider
from vectorless_web.workspaces.selectors import model_settings
from vectorless_web.workspaces.services import purge_providers
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt, encrypt

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

KEY = "sk-very-secret-1234567890"
VALUES = {
    "name": "House model",
    "base_url": "https://models.example/v1/",
    "model": "large",
    "price_in": "2.5",
    "price_out": "10",
    "context_size": 64000,
    "enabled": "on",
}


@pytest.fixture
def stored(act, alice) -> ModelProvider:
    assert act(alice, "models/add/", **VALUES, api_key=KEY).status_code == 302
    return ModelProvider.objects.get()


def test_the_key_is_encrypted_read_by_the_job_only_and_shown_on_no_page(stored, workspace, see, alice, admin_client):
    assert KEY not in str(ModelProvider.objects.values())
    found = model_settings(workspace)
    assert (found.api_key, found.base_url, found.context_size) == (KEY, "https://models.example/v1", 64000)
    assert KEY not in repr(found)

    for path in ("models/", f"models/{stored.pk}/"):
        text = see(alice, path).content.decode()
        assert "House model" in text
        assert KEY not in text
        assert stored.encrypted_key not in text
    admin = admin_client.get(f"/admin/workspaces/modelprovider/{stored.pk}/change/").content.decode()
    assert "House model" in admin
    assert KEY not in admin
    assert stored.encrypted_key not in admin
    assert KEY not in str(list(AuditEvent.objects.values()))


def test_an_empty_key_field_keeps_the_key(stored, act, alice, workspace):
    act(alice, f"models/{stored.pk}/change/", **{**VALUES, "model": "larger"}, api_key="")
    assert (model_settings(workspace).model, model_settings(workspace).api_key) == ("larger", KEY)


def test_a_new_address_forgets_the_key_and_the_record_says_so(stored, act, alice, workspace):
    act(alice, f"models/{stored.pk}/change/", **{**VALUES, "base_url": "https://elsewhere.example/v1"}, api_key="")
    assert model_settings(workspace).api_key == ""
    details = AuditEvent.objects.filter(verb="provider.changed").first().details
    assert (details["from"], details["base_url"]) == ("https://models.example/v1", "https://elsewhere.example/v1")
    assert (details["key_forgotten"], details["new_key"]) == (True, False)


@pytest.mark.parametrize(
    "address",
    [
        "ftp://x.example",
        "javascript:alert(1)",
        "https://",
        "nonsense",
        "http://u:p@x.example",
        "https://x.example/v1\r\nHost: y",
        "https://x.example/\nv1",
        "https://x.example/v 1",
        "https://[::1",
        "https://x.example:99999/v1",
        "https://x.\u200bexample/v1",
    ],
)
def test_odd_addresses_are_refused(act, alice, address):
    answer = act(alice, "models/add/", **{**VALUES, "base_url": address})
    assert answer.status_code == 422
    assert answer.context["form"].errors["base_url"]


@pytest.mark.parametrize(("setting", "status"), [("off", 422), ("on", 302), ("loopback", 302), ("10.1.0.0/16", 422)])
def test_a_private_address_needs_the_operator_s_leave(act, alice, settings, setting, status):
    settings.ALLOW_PRIVATE_MODEL_HOSTS = allowed_hosts(setting)
    assert act(alice, "models/add/", **{**VALUES, "base_url": "http://127.0.0.1:11434/v1"}).status_code == status


def test_unless_told_otherwise_a_site_lets_models_be_on_this_machine_only():
    from django.conf import settings

    assert settings.ALLOW_PRIVATE_MODEL_HOSTS == ("loopback",)


def test_a_key_is_one_line_of_plain_characters_and_never_sent_back(act, alice):
    for key in ("sk-1\r\nX: y", "schlüssel"):
        answer = act(alice, "models/add/", **VALUES, api_key=key)
        assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["api_key"])

    answer = act(alice, "models/add/", **{**VALUES, "name": ""}, api_key=KEY)
    assert answer.status_code == 422
    assert KEY not in answer.content.decode()


def test_the_workspaces_own_model_comes_before_the_sites(stored, workspace):
    ModelProvider.objects.create(name="Site", base_url="https://site.example", model="s")
    assert model_settings(workspace).name == "House model"
    ModelProvider.objects.filter(pk=stored.pk).update(enabled=False)
    assert model_settings(workspace).name == "Site"
    ModelProvider.objects.all().delete()
    assert model_settings(workspace) is None


def test_the_removal_of_a_model_can_be_undone_until_it_is_forgotten_with_its_key(stored, act, see, alice, workspace):
    shown = see(alice, "models/").content.decode()
    assert "Remove House model?" in shown
    assert "It answers the questions here." in shown
    act(alice, f"models/{stored.pk}/remove/")
    shown = see(alice, "models/").content.decode()
    assert f"models/{stored.pk}/restore/" in shown
    assert model_settings(workspace) is None
    act(alice, f"models/{stored.pk}/restore/")
    assert model_settings(workspace).api_key == KEY
    assert see(alice, f"models/{stored.pk}/").status_code == 200

    act(alice, f"models/{stored.pk}/remove/")
    assert act(alice, "models/add/", **VALUES, api_key="another").status_code == 302
    assert act(alice, f"models/{stored.pk}/restore/").status_code == 409
    ModelProvider.with_removed.filter(pk=stored.pk).update(removed_at=timezone.now() - timedelta(hours=2))
    assert purge_providers() == 1
    assert act(alice, f"models/{stored.pk}/restore/").status_code == 404


def test_a_model_that_search_by_meaning_rests_on_is_not_removed_before_that_is(stored, act, see, alice, workspace):
    choice = EmbeddingChoice.objects.create(workspace=workspace, provider=stored, model="vectors")
    assert "Search by meaning in Acme diligence uses its address and key." in see(alice, "models/").content.decode()
    assert act(alice, f"models/{stored.pk}/remove/").status_code == 409
    choice.delete()
    assert act(alice, f"models/{stored.pk}/remove/").status_code == 302


def test_models_of_the_site_and_of_others_are_out_of_reach(act, alice, bob):
    from vectorless_web.workspaces.services import create_workspace

    other = create_workspace(user=bob, name="Other")
    for owner in (None, other):
        row = ModelProvider.objects.create(workspace=owner, name="x", base_url="https://x.example", model="x")
        assert act(alice, f"models/{row.pk}/change/", **VALUES).status_code == 404
        assert act(alice, f"models/{row.pk}/remove/").status_code == 404


def test_another_encryption_key_is_a_plain_error(settings):
    sealed = encrypt(KEY)
    assert decrypt(sealed) == KEY
    settings.ENCRYPTION_KEY = "another"
    with pytest.raises(SecretUnreadable):
        decrypt(sealed)
