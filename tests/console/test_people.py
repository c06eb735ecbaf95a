"""What an administrator does for people: each act works, is recorded, and keeps its rule."""

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.utils import timezone

from tests.console.conftest import ask, browser, text
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import AuditEvent, Invitation, Membership

pytestmark = pytest.mark.django_db


def last_verb() -> str:
    return AuditEvent.objects.latest("pk").verb


def test_people_are_found_by_name_and_by_how_they_sign_in(staff, alice, bob, workspace):
    Authenticator.objects.create(user=alice, type="totp", data={})
    browser("bob")
    page = text(staff.get("/console/people/"))
    assert "alice@example.com" in page
    assert "bob@example.com" in page
    assert "alice" not in text(staff.get("/console/people/", {"state": "plain", "q": "@example.com"}))
    assert "bob@" not in text(staff.get("/console/people/", {"q": "ALICE"}))
    assert "No account fits" in text(staff.get("/console/people/", {"state": "off"}))


def test_a_switched_off_account_is_signed_out_and_stays_out_and_nobody_switches_off_their_own(staff, bob, grace):
    his = browser("bob")
    staff.post(f"/console/people/{bob.pk}/switch-off/")
    assert his.get("/account/").status_code == 302
    assert browser("bob").get("/account/").status_code == 302
    assert last_verb() == "account.switched_off"
    staff.post(f"/console/people/{bob.pk}/switch-on/")
    assert browser("bob").get("/account/").status_code == 200

    assert staff.post(f"/console/people/{grace.pk}/switch-off/").status_code == 409
    grace.refresh_from_db()
    assert grace.is_active


def test_a_reset_link_is_shown_once_and_works_sessions_are_ended_and_two_step_is_switched_off(staff, bob):
    page = text(staff.post(f"/console/people/{bob.pk}/reset-link/"))
    path = page.partition('value="http://testserver')[2].partition('"')[0]
    assert path.startswith("/accounts/password/reset/key/")
    assert path not in text(staff.get(f"/console/people/{bob.pk}/"))
    assert last_verb() == "account.reset_link_made"
    assert Client().get(path).status_code == 302

    his = browser("bob")
    Authenticator.objects.create(user=bob, type="totp", data={})
    staff.post(f"/console/people/{bob.pk}/end-sessions/")
    assert his.get("/account/").status_code == 302
    staff.post(f"/console/people/{bob.pk}/two-step-off/")
    assert not Authenticator.objects.filter(user=bob).exists()
    assert last_verb() == "account.two_step_removed"


def test_what_somebody_owns_is_handed_over(staff, alice, bob, workspace):
    link = ShareLink.objects.create(run=ask(workspace), created_by=alice, token_hash="x", expires_at=timezone.now())
    assert "only owner" in text(staff.get(f"/console/people/{alice.pk}/"))
    staff.post(f"/console/people/{alice.pk}/hand-over/", {"to": "bob"})
    assert Membership.objects.get(user=bob, workspace=workspace).role == "owner"
    link.refresh_from_db()
    assert link.created_by == bob
    assert AuditEvent.objects.get(verb="account.handed_over").details == {"to": "bob", "workspaces": 1, "links": 1}
    assert staff.post(f"/console/people/{alice.pk}/hand-over/", {"to": "nobody"}).status_code == 422
    assert staff.post(f"/console/people/{alice.pk}/hand-over/", {"to": "alice"}).status_code == 409


def test_an_invitation_is_shown_once_and_lets_one_person_in(staff, charlie, workspace):
    page = text(staff.post("/console/people/invite/", {"workspace": workspace.pk, "role": "viewer", "days": 7}))
    path = page.partition('value="http://testserver')[2].partition('"')[0]
    theirs = browser("charlie")
    assert theirs.get(path).status_code == 200
    theirs.post(path + "accept/")
    assert Membership.objects.filter(user=charlie, workspace=workspace, role="viewer").exists()
    assert Invitation.objects.count() == 1
    assert staff.post("/console/people/invite/", {"role": "viewer"}).status_code == 422


def test_only_superusers_touch_a_superusers_account(client, grace, alice, give):
    client.force_login(give(alice, "auth.view_user", "auth.change_user"))
    for act in ("switch-off", "switch-on", "reset-link", "end-sessions", "two-step-off", "hand-over"):
        assert client.post(f"/console/people/{grace.pk}/{act}/").status_code == 403
    assert client.get(f"/console/people/{grace.pk}/").status_code == 200
    assert client.get("/console/people/999999/").status_code == 404
