"""The record of what was done can only be added to."""

import pytest

from vectorless_web.workspaces.models import AppendOnlyError, AuditEvent
from vectorless_web.workspaces.services import record

pytestmark = pytest.mark.django_db


def test_an_event_says_who_did_what_to_what(workspace, bob):
    event = record(actor=bob, verb="run.asked", workspace=workspace, target=workspace, details={"steps": 6})
    event.refresh_from_db()
    assert (event.actor, event.verb, event.object_type, event.object_id) == (
        bob,
        "run.asked",
        "workspace",
        str(workspace.pk),
    )
    assert event.object_name == "Acme diligence"


def test_events_are_never_changed_or_deleted(workspace, bob):
    event = record(actor=bob, verb="x", name="n" * 400)
    event.verb = "y"
    with pytest.raises(AppendOnlyError):
        event.save()
    with pytest.raises(AppendOnlyError):
        event.delete()
    with pytest.raises(AppendOnlyError):
        AuditEvent.objects.update(verb="y")
    with pytest.raises(AppendOnlyError):
        AuditEvent.objects.filter(pk=event.pk).delete()
    assert len(event.object_name) == 300


def test_events_outlive_people_and_workspaces(workspace, bob, alice):
    record(actor=bob, verb="x", workspace=workspace)
    bob.delete()
    workspace.delete()
    event = AuditEvent.objects.get(verb="x")
    assert (event.actor, event.workspace) == (None, None)


def test_the_admin_site_shows_the_record_and_changes_nothing(admin_client, workspace, bob):
    event = record(actor=bob, verb="run.asked", workspace=workspace)
    assert "run.asked" in admin_client.get("/admin/workspaces/auditevent/").content.decode()
    assert admin_client.get("/admin/workspaces/auditevent/add/").status_code == 403
    page = admin_client.get(f"/admin/workspaces/auditevent/{event.pk}/change/").content.decode()
    assert 'name="_save"' not in page
    assert admin_client.post(f"/admin/workspaces/auditevent/{event.pk}/delete/", {"post": "yes"}).status_code == 403
