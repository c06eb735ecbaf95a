"""The page where people make, see and revoke their own tokens."""

import pytest

from tests.api.conftest import ROOT
from vectorless_web.api.models import ApiToken
from vectorless_web.workspaces.storage import hash_token

pytestmark = pytest.mark.django_db


def test_a_token_is_shown_once_works_and_is_revoked(client, bob, workspace):
    client.force_login(bob)
    made = client.post("/account/tokens/make/", {"name": "importer", "scope": "read", "days": "30"})
    token = ApiToken.objects.get()
    text = made.content.decode().split('value="vlw_')[1].split('"')[0]
    assert token.token_hash == hash_token("vlw_" + text) and "no-store" in made.headers["Cache-Control"]
    page = client.get("/account/tokens/").content.decode()
    assert token.prefix in page and text not in page
    headers = {"Authorization": f"Bearer vlw_{text}"}
    assert client.get(f"{ROOT}/me", headers=headers).json()["user"] == "bob"
    client.post(f"/account/tokens/{token.pk}/revoke/")
    assert client.get(f"{ROOT}/me", headers=headers).status_code == 401
    assert token.prefix not in client.get("/account/tokens/").content.decode()


def test_a_form_without_a_name_keeps_what_was_chosen(client, bob, workspace):
    client.force_login(bob)
    answer = client.post(
        "/account/tokens/make/", {"name": " ", "scope": "ask", "days": "0", "workspaces": [workspace.pk]}
    )
    assert answer.status_code == 422 and "checked" in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_another_persons_token_and_workspace_are_out_of_reach(client, alice, charlie, workspace):
    client.force_login(charlie)
    refused = client.post(
        "/account/tokens/make/", {"name": "x", "scope": "read", "days": "0", "workspaces": [workspace.pk]}
    )
    assert refused.status_code == 422 and "Acme" not in refused.content.decode()
    token = ApiToken.objects.create(user=alice, name="hers", prefix="vlw_abc", token_hash="0" * 64)
    client.post(f"/account/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.is_open
