"""The record of what was done can only be added to."""

import pytest

from vectorless_web.workspaces.models import AppendOnlyError, AuditEvent
from vectorless_web.workspaces.services import record

pytestmark = pytest.mark.django_db


def test_an_event_says_who_did_what_to_what_and_is_never_changed_or_deleted(workspace, bob):
    event = record(actor=bob, verb="run.asked", workspace=workspace, target=workspace, details={"steps": 6})
    event.refresh_from_db()
    assert (event.actor, event.verb, event.object_type, event.object_id) == (
        bob,
        "run.asked",
        "workspace",
        str(workspace.pk),
    )
    assert event.object_name == "Acme diligence"

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
