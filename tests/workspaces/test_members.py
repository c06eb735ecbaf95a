"""Members: roles, invitations by link, and the last owner."""

import re
from datetime import timedelta
from functools import partial

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.http import Http404
from django.test import Client
from django.utils import timezone

from tests.support.together import at_once
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import AuditEvent, Invitation, Membership, Role
from vectorless_web.workspaces.selectors import workspace_for
from vectorless_web.workspaces.services import change_role, remove_member
from vectorless_web.workspaces.storage import hash_token

pytestmark = pytest.mark.django_db


def membership(user) -> Membership:
    return Membership.objects.get(user=user)


@pytest.fixture
def link(act, alice):
    """The path of a fresh invitation: `link(role="editor")`."""

    def make(**data):
        answer = act(alice, "invitations/new/", **{"role": "member", "days": 7, "email": "", **data})
        assert answer.status_code == 200
        return answer.context["new_link"].removeprefix("http://testserver")

    return make


def test_an_owner_changes_roles_to_those_there_are_of_which_each_may_do_what_the_ones_before_may(
    act, see, workspace, alice, bob
):
    for role in ("viewer", "editor"):
        act(alice, f"members/{membership(bob).pk}/role/", role=role)
        assert f"bob is now {role}." in see(alice, "members/").content.decode()
    assert workspace_for(bob, workspace.slug).role == "editor"
    event = AuditEvent.objects.first()
    assert (event.verb, event.details) == ("member.role_changed", {"from": "viewer", "to": "editor"})

    assert act(alice, f"members/{membership(bob).pk}/role/", role="king").status_code == 422

    order = [Role.VIEWER, Role.MEMBER, Role.EDITOR, Role.OWNER]
    for rank, role in enumerate(order):
        assert [role.covers(other) for other in order] == [other_rank <= rank for other_rank in range(4)]


def test_the_only_owner_is_told_why_they_cannot_leave_on_the_page_itself(act, see, alice, bob):
    own = membership(alice).pk
    before = see(alice, "members/").content.decode()
    assert "You are the only owner" in before
    assert f"/members/{own}/remove/" not in before

    refused = [act(alice, f"members/{own}/remove/"), act(alice, f"members/{own}/role/", role="viewer")]

    for answer in refused:
        text = answer.content.decode()
        assert answer.status_code == 422
        assert "alice is the only owner of Acme diligence. Make somebody else owner first." in text
        assert "What roles may do" in text, "the members page, not an error page"
    act(alice, f"members/{membership(bob).pk}/role/", role="owner")
    assert "only owner" not in see(alice, "members/").content.decode()
    assert act(alice, f"members/{own}/role/", role="viewer").status_code == 302


def test_an_owner_whose_account_is_switched_off_does_not_count(act, alice, bob):
    act(alice, f"members/{membership(bob).pk}/role/", role="owner")
    bob.is_active = False
    bob.save()
    assert act(alice, f"members/{membership(alice).pk}/remove/").status_code == 422


def test_the_last_owner_stays_whatever_was_read_before(workspace, alice, bob):
    read_before = membership(bob)
    change_role(actor=alice, membership=membership(bob), role=Role.OWNER)
    remove_member(actor=alice, membership=membership(alice))
    with pytest.raises(Problem, match="only owner"):
        remove_member(actor=bob, membership=read_before)
    with pytest.raises(Problem, match="only owner"):
        change_role(actor=bob, membership=read_before, role=Role.VIEWER)
    assert membership(bob).role == Role.OWNER


@pytest.mark.django_db(transaction=True)
def test_two_owners_cannot_let_each_other_go_at_once(workspace, alice, bob):
    change_role(actor=alice, membership=membership(bob), role=Role.OWNER)
    acts = [partial(remove_member, actor=alice, membership=own) for own in (membership(alice), membership(bob))]
    assert at_once(*acts).count("last_owner") == 1
    assert Membership.objects.get(workspace=workspace).role == Role.OWNER


def test_an_invitation_lets_a_stranger_in_once_and_keeps_a_hash_of_its_token(
    client, html, link, see, workspace, alice, charlie, django_user_model
):
    path = link(role="editor")
    row, token = Invitation.objects.values().get(), path.split("/")[2]
    assert row["token_hash"] == hash_token(token)
    assert not any(
        token in kept
        for kept in (str(row), str(list(AuditEvent.objects.values())), see(alice, "members/").content.decode())
    )
    assert workspace.name in html(charlie, path)
    assert client.post(f"{path}accept/")["Location"] == f"/w/{workspace.slug}/"
    assert membership(charlie).role == "editor"
    client.force_login(django_user_model.objects.create_user("eve", "eve@example.com", "correct horse battery"))
    assert client.get(path).status_code == 404
    assert client.post(f"{path}accept/").status_code == 404


def has_address(user, email: str, *, verified: bool) -> None:
    EmailAddress.objects.create(user=user, email=email, verified=verified)


@pytest.mark.parametrize("mail_on", [True, False])
def test_an_invitation_for_one_address_takes_a_confirmed_one(client, link, charlie, bob, settings, mail_on):
    settings.MAIL_ON = mail_on
    path = link(email="Charlie@Example.com")
    client.force_login(bob)
    assert client.post(f"{path}accept/").status_code == 403
    client.force_login(charlie)
    refused = client.post(f"{path}accept/")
    assert refused.status_code == 403
    assert "has not confirmed" in refused.content.decode()
    has_address(charlie, "charlie@example.com", verified=True)
    assert client.post(f"{path}accept/").status_code == 302


@pytest.mark.parametrize("mail_on", [True, False])
def test_an_address_that_was_merely_added_opens_no_invitation(client, link, bob, charlie, settings, mail_on):
    settings.MAIL_ON = mail_on
    path = link(email="dora@example.com")
    client.force_login(charlie)
    client.post("/accounts/email/", {"action_add": "", "email": "dora@example.com"})
    charlie.email = "dora@example.com"
    charlie.save()

    page = client.get(path).content.decode()
    answer = client.post(f"{path}accept/")

    assert "has not confirmed" in page
    assert ("Send the link" in page) == mail_on
    assert answer.status_code == 403
    assert not Membership.objects.filter(user=charlie).exists()


def test_with_mail_an_account_made_by_an_invitation_for_one_address_joins_once_that_is_confirmed(
    client, link, settings, django_user_model
):
    settings.SIGNUP_OPEN, settings.MAIL_ON = False, True
    path = link(email="erin@example.com")
    client.logout()
    client.get(path)
    sign_up(client, "erin")
    assert not Membership.objects.filter(user__username="erin").exists()
    client.post("/accounts/email/", {"action_send": "", "email": "erin@example.com"})
    client.post(re.search(r"/accounts/confirm-email/[^/\s]+/", mail.outbox[-1].body)[0])
    assert client.post(f"{path}accept/").status_code == 302
    assert Membership.objects.filter(user__username="erin").exists()


@pytest.mark.parametrize("is_open", [True, False])
def test_without_mail_the_account_made_by_the_very_invitation_joins(client, link, settings, django_user_model, is_open):
    settings.SIGNUP_OPEN, settings.MAIL_ON = is_open, False
    path = link(email="erin@example.com", role="editor")
    client.logout()
    client.get(path)
    sign_up(client, "erin")
    assert membership(django_user_model.objects.get(username="erin")).role == "editor"


def test_sign_up_is_closed_but_for_the_invited_unless_it_is_opened(client, link, settings, db):
    path = link()
    client.logout()
    settings.SIGNUP_OPEN = False
    assert 'name="password1"' not in client.get("/accounts/signup/").content.decode()
    answer = client.get(path)
    assert answer["Location"] == f"/accounts/signup/?next={path}"
    assert 'name="password1"' in client.get(answer["Location"]).content.decode()

    settings.SIGNUP_OPEN = True
    assert 'name="password1"' in client.get("/accounts/signup/").content.decode()


def sign_up(client, name: str):
    values = {"email": f"{name}@example.com", "username": name, "password1": "correct horse battery"}
    return client.post("/accounts/signup/", values)


def test_an_invitation_makes_one_account_which_has_joined_by_it(client, link, workspace, settings, django_user_model):
    settings.SIGNUP_OPEN = False
    path = link(role="editor")
    client.logout()
    client.get(path)
    second = Client()
    second.get(path)
    sign_up(client, "erin")
    assert membership(django_user_model.objects.get(username="erin")).role == "editor"
    assert client.get(path)["Location"] == f"/w/{workspace.slug}/"
    sign_up(second, "frank")
    client.logout()
    sign_up(client, "grace")
    assert not django_user_model.objects.filter(username__in=["frank", "grace"]).exists()


def test_an_invitation_for_one_address_makes_no_account_of_another(client, link, settings, django_user_model):
    settings.SIGNUP_OPEN = False
    path = link(email="Erin@Example.com")
    client.logout()
    client.get(path)
    assert "another address" in sign_up(client, "frank").content.decode()
    sign_up(client, "erin")
    assert set(django_user_model.objects.filter(username__in=["frank", "erin"]).values_list("username", flat=True)) == {
        "erin"
    }


def test_a_removal_of_yesterday_needs_a_new_invitation(act, workspace, alice, bob):
    act(alice, f"members/{membership(bob).pk}/remove/")
    removal = AuditEvent.objects.get(verb="member.removed")
    with connection.cursor() as cursor:
        before = timezone.now() - timedelta(days=1)
        cursor.execute("UPDATE workspaces_auditevent SET at = %s WHERE id = %s", [before, removal.pk])
    answer = act(alice, "members/restore/", user=bob.pk)
    assert answer.status_code == 409 and "Invite the person again." in answer.content.decode()


def test_a_removal_can_be_undone_and_brings_the_role_back_but_no_stranger(act, workspace, alice, charlie, see, bob):
    assert act(alice, "members/restore/", user=charlie.pk).status_code == 409

    act(alice, f"members/{membership(bob).pk}/role/", role="editor")
    answer = act(alice, f"members/{membership(bob).pk}/remove/")
    assert answer["Location"].endswith(f"?removed={bob.pk}")
    assert "bob was removed." in see(alice, f"members/?removed={bob.pk}").content.decode()
    with pytest.raises(Http404):
        workspace_for(bob, workspace.slug)
    act(alice, "members/restore/", user=bob.pk)
    assert workspace_for(bob, workspace.slug).role == "editor"
    assert act(alice, "members/restore/", user=bob.pk).status_code == 409


def test_anybody_leaves_but_for_the_only_owner_who_hands_over_first(act, see, workspace, alice, bob):
    refused = act(alice, "leave/now/")
    assert refused.status_code == 422 and "First hand it over" in refused.content.decode()
    act(alice, f"members/{membership(bob).pk}/hand-over/")
    assert "Leave the workspace" in see(alice, "leave/").content.decode()
    act(alice, "leave/now/")
    assert list(workspace.memberships.values_list("user", "role")) == [(bob.pk, "owner")]


def test_an_invitation_gets_a_new_link_and_the_old_one_ends(act, link, client, alice, charlie):
    old = link()
    invitation = Invitation.objects.get()
    Invitation.objects.update(expires_at=timezone.now() - timedelta(days=1))
    new = act(alice, f"invitations/{invitation.pk}/renew/").context["new_link"].removeprefix("http://testserver")
    client.force_login(charlie)
    assert client.get(old).status_code == 404
    assert client.get(new).status_code == 200
    assert AuditEvent.objects.first().verb == "invitation.renewed"


def test_members_are_found_by_name_and_address_and_a_wrong_invitation_is_refused_in_place(see, alice, bob, act):
    found = see(alice, "members/?q=bob@").content.decode()
    assert "Role of bob" in found and "Role of alice" not in found
    assert "No member has such a name" in see(alice, "members/?q=zoe").content.decode()

    answer = act(alice, "invitations/new/", role="member", days=7, email="not an address")
    assert answer.status_code == 422
    assert answer.context["invite_form"].errors["email"]
