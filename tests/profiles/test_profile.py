"""One's own account: the name others read, the zone of times, and who may look."""

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.conftest import PASSWORD
from vectorless_web.runs.models import Run, Thread
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db


def save(client, **values):
    return client.post(reverse("profiles:save"), {"name": "", "time_zone": "", **values})


def test_the_name_is_read_by_others_and_an_empty_one_is_the_user_name_again(client, html, alice, bob, workspace):
    client.force_login(bob)
    save(client, name="  Robert   van Dyke ")
    page = html(alice, f"/w/{workspace.slug}/settings/members/")
    assert "Robert van Dyke" in page
    assert AuditEvent.objects.filter(verb="account.profile_changed", actor=bob).count() == 1

    client.force_login(bob)
    save(client, name="")
    assert "<b>bob</b>" in client.get(reverse("profiles:profile")).content.decode()

    assert save(client, name="x" * 151).status_code == 422
    assert save(client, name="x" * 150).status_code == 302
    bob.refresh_from_db()
    bob.full_clean()


def test_times_are_shown_in_the_zone_that_was_chosen(client, alice, workspace):
    thread = Thread.objects.create(workspace=workspace, title="When?", created_by=alice)
    run = Run.objects.create(thread=thread, workspace=workspace, question="When?", asked_by=alice, status="failed")
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now().replace(hour=1, minute=7))
    client.force_login(alice)
    address = f"/w/{workspace.slug}/runs/"
    before = client.get(address).content.decode()
    save(client, time_zone="Asia/Kolkata")
    after = client.get(address).content.decode()
    assert "01:07" in before
    assert "data-zone" not in before  # The browser puts times into its own zone.
    assert "06:37" in after
    assert 'data-zone="Asia/Kolkata"' in after


def test_the_zone_holds_in_the_next_session_and_one_that_does_not_exist_nowhere(client, alice):
    client.force_login(alice)
    assert save(client, time_zone="Mars/Olympus").status_code == 422

    save(client, time_zone="Asia/Kolkata")
    client.logout()
    client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert client.session["time_zone"] == "Asia/Kolkata"

    session = client.session
    session["time_zone"] = "Mars/Olympus"
    session.save()
    page = client.get(reverse("profiles:profile"))
    assert page.status_code == 200
    assert b"data-zone" not in page.content
