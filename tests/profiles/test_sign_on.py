"""Signing in with an identity provider: a real one runs beside the tests, in a process of its own."""

import json
import re
import subprocess
import sys

import pytest
import requests
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from tests.conftest import PASSWORD, answers, free_port, wait_until
from vectorless_web.infra.site.identity import read_sign_on
from vectorless_web.profiles.models import SignOnProvider
from vectorless_web.workspaces.models import Membership, Role
from vectorless_web.workspaces.services import invite, remove_member

pytestmark = [pytest.mark.one_database, pytest.mark.django_db, pytest.mark.timeout(60)]
START = "/accounts/oidc/acme/login/"


@pytest.fixture(scope="module")
def provider():
    """The address of the provider."""
    port = free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--host", "127.0.0.1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    wait_until(lambda: answers(f"{address}/.well-known/openid-configuration"), seconds=20)
    yield address
    process.terminate()
    process.wait(10)


@pytest.fixture
def sign_on(provider, settings, workspace):
    """Switch the provider on; who has an address at example.org joins the workspace as a viewer."""

    def switch_on(*rules: dict) -> None:
        rows = [{"id": "acme", "name": "Acme", "issuer": provider, "client": "site", "secret": "s", "join": rules}]
        settings.SIGN_ON = read_sign_on(json.dumps(rows))
        settings.SOCIALACCOUNT_PROVIDERS = {
            "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [each.app for each in settings.SIGN_ON]}
        }

    switch_on({"workspace": workspace.slug, "role": "viewer", "domain": "example.org"})
    return switch_on


@pytest.fixture
def sign_in(provider):
    """Walk through the provider's own page as a person with these claims; the site's last answer."""

    def walk(subject: str, *, browser: Client | None = None, **claims) -> tuple[Client, object]:
        requests.put(f"{provider}/users/{subject}", json={"sub": subject, **claims}, timeout=10).raise_for_status()
        browser = browser or Client()
        away = browser.post(START)["Location"]
        assert away.startswith(provider)
        back = requests.post(away, data={"sub": subject}, timeout=10, allow_redirects=False).headers["Location"]
        return browser, browser.get(back[back.index("/accounts/") :], follow=True)

    return walk


def test_who_a_rule_names_gets_an_account_and_joins_and_strangers_are_kept_out(
    sign_on, sign_in, workspace, django_user_model, alice
):
    browser, page = sign_in("dora", email="dora@example.org", email_verified=True, name="Dora Diaz")
    assert page.status_code == 200
    person = django_user_model.objects.get(email="dora@example.org")
    assert person.get_full_name() == "Dora Diaz"
    assert not person.has_usable_password()
    assert Membership.objects.get(workspace=workspace, user=person).role == Role.VIEWER
    assert browser.get(f"/w/{workspace.slug}/runs/").status_code == 200

    sign_in("mallory", email="mallory@elsewhere.example", email_verified=True)
    assert not django_user_model.objects.filter(email="mallory@elsewhere.example").exists()

    browser, _page = sign_in("eve", email="eve@example.org", email_verified=False)
    assert browser.get("/account/").status_code == 302
    assert not django_user_model.objects.filter(email="eve@example.org").exists()

    sign_in("gus", email="gus@example.org", email_verified=True)
    person = django_user_model.objects.get(email="gus@example.org")
    remove_member(actor=alice, membership=Membership.objects.get(workspace=workspace, user=person))
    browser, _page = sign_in("gus", email="gus@example.org", email_verified=True)
    assert browser.get(f"/w/{workspace.slug}/runs/").status_code == 404


def test_an_invitation_opens_the_door_too(sign_on, sign_in, workspace, alice, django_user_model):
    _invitation, token = invite(actor=alice, workspace=workspace, role="editor", days=7)
    browser = Client()
    browser.get(f"/invitations/{token}/")
    sign_in("ida", browser=browser, email="ida@elsewhere.example", email_verified=True)
    assert "Join Acme diligence" in browser.get(f"/invitations/{token}/").content.decode()
    browser.post(f"/invitations/{token}/accept/")
    assert browser.get(f"/w/{workspace.slug}/runs/").status_code == 200


def test_a_group_gives_the_role(sign_on, sign_in, workspace, django_user_model):
    sign_on({"workspace": workspace.slug, "role": "editor", "group": "finance"})
    sign_in("fred", email="fred@example.org", email_verified=True, groups=["finance"])
    person = django_user_model.objects.get(email="fred@example.org")
    assert Membership.objects.get(workspace=workspace, user=person).role == Role.EDITOR


def test_a_verified_address_is_the_account_that_has_it(sign_on, sign_in, bob, workspace):
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    browser, _page = sign_in("bob-at-acme", email=bob.email, email_verified=True)
    assert browser.get(f"/w/{workspace.slug}/runs/").status_code == 200
    bob.refresh_from_db()
    assert bob.has_usable_password()


@pytest.mark.parametrize("rank", ["is_staff", "is_superuser"])
def test_no_address_signs_in_as_an_administrator(sign_on, sign_in, bob, workspace, rank):
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    setattr(bob, rank, True)
    bob.save()
    browser, _page = sign_in("bob-at-acme", email=bob.email, email_verified=True)
    assert browser.get("/account/").status_code == 302
    bob.refresh_from_db()
    assert bob.has_usable_password()


def test_the_sign_in_page_offers_it_and_lets_the_form_lead_there(sign_on, provider, client):
    page = client.get("/accounts/login/")
    assert "Sign in with Acme" in page.content.decode()
    policy = page["Content-Security-Policy"]
    assert re.search(r"form-action ([^;]*)", policy)[1].split() == ["'self'", provider]
    assert provider not in client.get("/help/")["Content-Security-Policy"]


def test_who_signs_in_by_a_provider_set_in_the_console_does_so_until_it_is_switched_off(
    provider, admin_client, settings, sign_in, workspace
):
    settings.SIGN_ON_LOOPBACK = True
    terms = {"name": "Acme", "key": "acme", "issuer": provider, "client": "site", "secret": "s", "enabled": "on"}
    rule = {"workspace": workspace.pk, "role": "editor", "domain": "example.org"}
    admin_client.post("/console/sign-in/providers/add/", {**terms, **rule})
    for _visit in range(2):
        browser, _page = sign_in("dora", email="dora@example.org", email_verified=True)
        assert browser.get("/account/").status_code == 200
    assert Membership.objects.get(workspace=workspace, user__email="dora@example.org").role == Role.EDITOR
    at = f"/console/sign-in/providers/{SignOnProvider.objects.get().pk}/change/"
    assert admin_client.post(at, {**terms, **rule, "enabled": ""}).status_code == 302
    assert Client().post(START).status_code == 404
    assert "Sign in with Acme" not in Client().get("/accounts/login/").content.decode()


def test_passwords_sign_nobody_up_nor_in_but_superusers(sign_on, client, bob, settings, admin_user):
    settings.LOCAL_PASSWORDS = False
    page = client.post("/accounts/login/", {"login": "bob", "password": PASSWORD}).content.decode()
    assert "Passwords of this site are switched off" in page
    assert client.get("/account/").status_code == 302

    settings.SIGNUP_OPEN = True
    page = client.get("/accounts/signup/").content.decode()
    assert "password1" not in page
    assert "Sign in with Acme" in page
    settings.MAIL_ON = True
    page = client.post("/accounts/password/reset/", {"email": bob.email}).content.decode()
    assert "Passwords of this site are switched off" in page
    assert not mail.outbox

    admin_user.set_password(PASSWORD)
    admin_user.save()
    client.post("/accounts/login/", {"login": admin_user.username, "password": PASSWORD})
    assert client.get("/account/").status_code == 200


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "is no JSON"),
        ("{}", "must be a list"),
        ('[{"id": "a", "client": "c"}]', "has no issuer"),
        ('[{"id": "a", "client": "c", "issuer": "id.acme"}]', "is no address"),
        ('[{"id": "a", "client": "c", "issuer": "https://i", "join": [{"workspace": "w"}]}]', "a domain or a group"),
        (
            '[{"id": "a", "client": "c", "issuer": "https://i", '
            '"join": [{"workspace": "w", "domain": "d", "role": "x"}]}]',
            "there is no role x",
        ),
        ("@/nowhere.json", "cannot be read"),
    ],
)
def test_a_wrong_setting_says_what_is_wrong(text, said):
    with pytest.raises(ValueError, match=said):
        read_sign_on(text)
