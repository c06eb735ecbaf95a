"""Who must sign in in two steps, groups of people, and identity providers that are set in the console."""

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import get_adapter
from django.test import Client, RequestFactory

from tests.console.conftest import browser, text
from vectorless_web.profiles.models import SignOnProvider
from vectorless_web.profiles.sign_on import list_identity_providers
from vectorless_web.workspaces.accounts.live_rights import Connection, find_lapsed
from vectorless_web.workspaces.models import AuditEvent, PeopleGroup, TwoStepRule

pytestmark = pytest.mark.django_db
SET_UP = "/accounts/2fa/"
PROVIDER = {
    "name": "Acme",
    "key": "acme",
    "issuer": "https://id.acme.example/",
    "client": "site",
    "secret": "very-secret",
    "role": "viewer",
    "enabled": "on",
}


def test_who_must_set_up_two_steps_is_led_to_the_page_that_does(staff, bob, charlie, workspace):
    his = browser("bob")
    staff.post(f"/console/people/{bob.pk}/two-step/require/")
    refused = his.get(f"/w/{workspace.slug}/")
    assert (refused.status_code, refused["Location"]) == (302, SET_UP)
    assert his.get(f"/w/{workspace.slug}/", HTTP_HX_REQUEST="true")["HX-Redirect"] == SET_UP
    assert "Your administrators ask for two steps" in text(his.get(SET_UP))
    assert his.get("/accounts/logout/").status_code == 200
    assert browser("charlie").get("/").status_code == 200
    Authenticator.objects.create(user=bob, type="totp", data={})
    assert his.get(f"/w/{workspace.slug}/").status_code == 200
    staff.post(f"/console/people/{bob.pk}/two-step/waive/")
    assert not TwoStepRule.objects.exists()


def test_a_rule_holds_for_the_people_of_a_group_and_for_everyone(staff, grace, bob, charlie):
    group = PeopleGroup.objects.create(name="Auditors")
    group.people.add(bob)
    staff.post(f"/console/groups/{group.pk}/two-step/")
    assert browser("bob").get("/")["Location"] == SET_UP
    theirs = browser("charlie")
    assert theirs.get("/").status_code == 200
    assert "reset_access" in text(staff.get("/console/sign-in/")), "the way back in is told before it is needed"
    staff.post("/console/sign-in/two-step/")
    assert theirs.get("/")["Location"] == SET_UP
    assert staff.get("/console/")["Location"] == SET_UP, "administrators are no exception"
    assert [each.verb for each in AuditEvent.objects.order_by("pk")] == ["account.two_step_required"] * 2


def test_an_open_page_of_somebody_without_two_steps_is_closed(staff, bob, workspace):
    his = browser("bob")
    mark = bob.get_session_auth_hash()

    async def close() -> None:
        return None

    page = Connection(his.session.session_key, mark, bob.pk, workspace.slug, close)
    assert find_lapsed([page]) == []
    TwoStepRule.objects.create(user=bob)
    assert find_lapsed([page]) == [page]


def test_groups_are_made_filled_and_deleted(staff, bob, charlie):
    staff.post("/console/groups/add/", {"name": "Counsel", "description": "Lawyers"})
    group = PeopleGroup.objects.get()
    at = f"/console/groups/{group.pk}/"
    assert staff.post("/console/groups/add/", {"name": "Counsel"}).status_code == 422
    staff.post(f"{at}people/add/", {"name": "bob"})
    staff.post(f"{at}people/add/", {"name": "charlie@example.com"})
    assert staff.post(f"{at}people/add/", {"name": "nobody"}).status_code == 422
    staff.post(f"{at}people/{bob.pk}/remove/")
    assert list(group.people.all()) == [charlie]
    assert "charlie" in text(staff.get(at))
    assert "Counsel" in text(staff.get(f"/console/people/{charlie.pk}/"))
    staff.post(f"{at}change/", {"name": "Lawyers"})
    assert "Lawyers" in text(staff.get("/console/groups/"))
    staff.post(f"{at}delete/")
    assert not PeopleGroup.objects.exists()


def test_an_identity_provider_is_set_with_a_secret_that_nobody_sees_again(staff, workspace):
    staff.post(
        "/console/sign-in/providers/add/",
        {**PROVIDER, "workspace": workspace.pk, "domain": "Acme.example", "group": "finance"},
    )
    row = SignOnProvider.objects.get()
    assert "very-secret" not in row.encrypted_secret
    at = f"/console/sign-in/providers/{row.pk}/"
    for page in (staff.get("/console/sign-in/"), staff.get(at)):
        assert "very-secret" not in text(page)
        assert row.encrypted_secret not in text(page)
    [found] = list_identity_providers()
    assert (found.id, found.issuer, found.secret) == ("acme", "https://id.acme.example", "very-secret")
    assert any(join.covers({"acme.example"}, set()) for join in found.joins)
    assert any(join.covers(set(), {"finance"}) for join in found.joins)
    app = get_adapter().get_app(RequestFactory().get("/"), provider="acme")
    assert (app.client_id, app.settings) == ("site", {"server_url": "https://id.acme.example"})
    assert "Sign in with Acme" in text(Client().get("/accounts/login/"))
    assert "https://id.acme.example" in Client().get("/accounts/login/")["Content-Security-Policy"]
    staff.post(f"{at}change/", {**PROVIDER, "secret": "", "issuer": "https://other.example"})
    row.refresh_from_db()
    assert not row.has_secret, "a secret never goes to another issuer"
    staff.post(f"{at}change/", {**PROVIDER, "enabled": ""})
    assert list_identity_providers() == []
    assert "Sign in with Acme" not in text(Client().get("/accounts/login/"))


def test_a_provider_needs_a_plain_issuer_a_whole_rule_and_a_superuser(staff, workspace, client, alice, give):
    issuers = [{"issuer": "http://id.example"}, {"issuer": "http://127.0.0.1:9000"}]
    for wrong in (*issuers, {"workspace": workspace.pk}, {"domain": "a.example"}, {"key": "a b"}):
        assert staff.post("/console/sign-in/providers/add/", {**PROVIDER, **wrong}).status_code == 422
    assert not SignOnProvider.objects.exists()

    client.force_login(give(alice, "profiles.view_signonprovider", "profiles.change_signonprovider"))
    page = text(client.get("/console/sign-in/"))
    assert "Identity providers" in page
    assert "providers/add/" not in page
    answer = client.post("/console/sign-in/providers/add/", PROVIDER)
    assert answer.status_code == 403
    assert not SignOnProvider.objects.exists()
