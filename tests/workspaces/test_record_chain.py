"""The record of what was done can only be added to, and a row that was changed, removed or added shows."""

from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from tests.conftest import PASSWORD
from tests.support.together import at_once
from vectorless_web.profiles.services import delete_own_account
from vectorless_web.workspaces.models import AppendOnlyError, AuditEvent, Membership, Role, Workspace
from vectorless_web.workspaces.services import delete_workspace, record, verify_record

pytestmark = pytest.mark.django_db


@pytest.fixture
def five(workspace, bob):
    """Five events and that of making the workspace."""
    return [
        record(actor=bob, verb=f"act.number_{n}", workspace=workspace, details={"n": n, "f": n / 2}) for n in range(5)
    ]


def change(sql: str, *values) -> None:
    """What somebody with the database's password can do."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def test_an_event_says_who_did_what_to_what_and_is_never_changed_or_deleted(workspace, bob):
    event = record(actor=bob, verb="run.asked", workspace=workspace, target=workspace, details={"steps": 6})
    event.refresh_from_db()
    assert (event.actor, event.verb) == (bob, "run.asked")
    assert (event.object_type, event.object_id) == ("workspace", str(workspace.pk))
    assert event.object_name == "Acme diligence"

    event = record(actor=bob, verb="x", name="n" * 400)
    event.verb = "y"
    rows = AuditEvent.objects.filter(pk=event.pk)
    for change_it in (event.save, event.delete, rows.delete, partial(rows.update, verb="y")):
        with pytest.raises(AppendOnlyError):
            change_it()
    assert len(event.object_name) == 300


def test_an_untouched_record_holds_also_when_people_and_workspaces_are_deleted(five, workspace, bob):
    found = verify_record()
    assert (found.checked, found.total, found.problem) == (6, 6, "")
    assert verify_record(newest=3).problem == ""
    assert verify_record(newest=3).checked == 3

    bob.delete()
    workspace.delete()
    assert verify_record().problem == ""
    assert AuditEvent.objects.get(pk=five[0].pk).actor is None


@pytest.mark.parametrize(
    ("sql", "row", "breaks"),
    [
        ("UPDATE workspaces_auditevent SET verb = 'act.other' WHERE id = %s", 2, 2),
        ("UPDATE workspaces_auditevent SET address = '10.0.0.0/24' WHERE id = %s", 2, 2),
        ("UPDATE workspaces_auditevent SET details = '{\"n\": 7}' WHERE id = %s", 2, 2),
        ("UPDATE workspaces_auditevent SET actor_key = 999 WHERE id = %s", 2, 2),
        ("DELETE FROM workspaces_auditevent WHERE id = %s", 2, 3),
        ("DELETE FROM workspaces_auditevent WHERE id < %s", 1, 1),
    ],
    ids=["act", "network", "details", "person", "removed", "oldest cut off"],
)
def test_a_row_that_was_changed_or_removed_breaks_the_chain_there(five, sql, row, breaks):
    change(sql, five[row].pk)
    assert verify_record().first_bad == five[breaks].pk


def test_an_event_is_not_given_to_somebody_else(five, alice):
    change("UPDATE workspaces_auditevent SET actor_id = %s WHERE id = %s", alice.pk, five[1].pk)
    assert "another actor" in verify_record().problem


def test_the_newest_rows_cannot_be_cut_off(five):
    change("DELETE FROM workspaces_auditevent WHERE id >= %s", five[3].pk)
    found = verify_record()
    assert (found.first_bad, found.checked) == (None, 4)
    assert "newest events were removed" in found.problem


def test_the_command_says_which_event_was_changed(five, capsys):
    call_command("verify_audit")
    assert "All 6 events" in capsys.readouterr().out
    change("UPDATE workspaces_auditevent SET object_name = 'x' WHERE id = %s", five[4].pk)
    with pytest.raises(CommandError, match=f"Event {five[4].pk} was changed"):
        call_command("verify_audit")


def test_an_act_says_from_which_network_it_came(alice):
    browser = Client(REMOTE_ADDR="203.0.113.77")
    browser.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    browser.post("/account/save/", {"name": "Alice", "time_zone": ""})
    assert AuditEvent.objects.get(verb="account.profile_changed").address == "203.0.113.0/24"
    assert record(actor=alice, verb="x").address == "", "nothing is left of the request"


@pytest.mark.django_db(transaction=True)
def test_what_two_delete_at_once_is_recorded_once(alice, bob, workspace):
    other, number = type(workspace).objects.get(pk=workspace.pk), str(workspace.pk)
    writing = partial(record, actor=alice, verb="x")
    at_once(
        partial(delete_workspace, actor=alice, workspace=workspace),
        partial(delete_workspace, actor=bob, workspace=other),
        writing,
        writing,
    )
    assert AuditEvent.objects.filter(verb="workspace.deleted").count() == 1
    event = AuditEvent.objects.get(verb="workspace.deleted")
    assert (event.object_name, event.object_id) == ("Acme diligence", number)
    assert verify_record().problem == ""


@pytest.mark.django_db(transaction=True)
def test_an_account_that_leaves_twice_at_once_is_recorded_once(bob, workspace, django_user_model):
    twice = [partial(delete_own_account, user=django_user_model.objects.get(pk=bob.pk)) for _ in range(2)]
    assert sorted(at_once(*twice), key=str) == [None, "gone"]
    assert AuditEvent.objects.filter(verb="account.deleted_by_its_owner").count() == 1
    assert verify_record().problem == ""


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_who_leave_at_once_one_stays(alice, bob, workspace):
    Membership.objects.filter(user=bob).update(role=Role.OWNER)
    codes = at_once(partial(delete_own_account, user=alice), partial(delete_own_account, user=bob))
    assert sorted(codes, key=str) == [None, "only_owner"]
    assert Membership.objects.filter(role=Role.OWNER).count() == 1
    assert AuditEvent.objects.filter(verb="account.deleted_by_its_owner").count() == 1


@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_time_take_turns(alice):
    workspaces = [Workspace.objects.create(name=f"W{n}", slug=f"w{n}") for n in range(3)]

    def write(number: int) -> None:
        for _ in range(8):
            record(actor=alice, verb="x", workspace=workspaces[number % 3])

    at_once(*(partial(write, number) for number in range(6)))
    found = verify_record()
    assert (found.checked, found.total, found.problem) == (48, 48, "")
