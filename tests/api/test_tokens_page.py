"""The pages where people make, see and revoke their own tokens, and owners those of programs."""

import pytest
from django.test import Client

from tests.api.conftest import ROOT
from vectorless_web.api.models import ApiToken
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import AuditEvent, Membership, ServiceAccount
from vectorless_web.workspaces.services import change_role, require_two_steps, waive_two_steps
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
    assert f"until {token.expires_at.day} {token.expires_at:%b %Y}" in page
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


def test_an_administrator_closes_a_token_that_leaked(client, program, bob, django_user_model):
    importer, grace = program(bob, "write"), django_user_model.objects.create_superuser("grace", password="x")
    client.force_login(grace)
    token = ApiToken.objects.get()
    page = client.get("/console/tokens/").content.decode()
    assert token.prefix in page and "bob" in page
    assert "all workspaces of the account" in page
    assert client.post("/console/tokens/999/revoke/").status_code == 404
    assert client.post(f"/console/tokens/{token.pk}/revoke/").status_code == 302
    assert (
        importer.get("/me").status_code == 401 and token.prefix not in client.get("/console/tokens/").content.decode()
    )
    assert AuditEvent.objects.get(verb="token.revoked").actor == grace


def test_owners_let_a_program_in_with_tokens_of_its_own(client, alice, workspace):
    client.force_login(alice)
    place = f"/w/{workspace.slug}/settings/programs/"
    made = client.post(f"{place}add/", {"name": "Nightly import", "role": "viewer"}, follow=True)
    account = ServiceAccount.objects.get()
    assert "Nightly import" in made.content.decode() and not account.user.has_usable_password()
    page = client.post(f"{place}{account.pk}/tokens/make/", {"name": "cron", "scope": "admin", "days": "30"})
    text = page.content.decode().split('value="vlw_')[1].split('"')[0]
    program = Client(headers={"Authorization": f"Bearer vlw_{text}"})
    require_two_steps(actor=alice)  # Of everyone who signs in, which a program does not.
    assert program.get(f"{ROOT}/me").json()["user"] == account.user.username
    assert program.get(f"{ROOT}/workspaces/{workspace.slug}").json()["role"] == "viewer"
    assert program.get(f"{ROOT}/workspaces/{workspace.slug}/members").status_code == 403
    waive_two_steps(actor=alice)
    assert "program" in client.get(f"/w/{workspace.slug}/settings/members/").content.decode()
    membership = Membership.objects.get(user=account.user)
    with pytest.raises(Problem):
        change_role(actor=alice, membership=membership, role="owner")
    token = ApiToken.objects.get(user=account.user)
    client.post(f"{place}{account.pk}/tokens/{token.pk}/revoke/")
    assert program.get(f"{ROOT}/me").status_code == 401
    ApiToken.objects.update(revoked_at=None)
    client.post(f"{place}{account.pk}/remove/")
    assert program.get(f"{ROOT}/me").status_code == 401
    assert not Membership.objects.filter(user=account.user).exists()
    verbs = set(AuditEvent.objects.filter(workspace=workspace).values_list("verb", flat=True))
    assert {"member.added", "token.made", "token.revoked", "member.removed", "service_account.removed"} <= verbs
