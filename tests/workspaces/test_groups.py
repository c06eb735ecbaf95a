"""Groups of people: what their people may do, who lets them in, and who keeps them."""

import pytest

from vectorless_web.workspaces.models import AuditEvent, Membership, PeopleGroup, Role
from vectorless_web.workspaces.selectors import (
    belonging_pairs,
    is_only_owner,
    people_in,
    role_in,
    roles_in,
    workspaces_of,
)
from vectorless_web.workspaces.services import add_group, delete_group, remove_group, set_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def auditors(bob, charlie) -> PeopleGroup:
    group = PeopleGroup.objects.create(name="Auditors")
    group.people.set([bob, charlie])
    return group


def test_the_people_of_a_group_belong_with_its_role(workspace, alice, charlie, auditors):
    add_group(actor=alice, workspace=workspace, group=auditors, role=Role.VIEWER)
    assert role_in(workspace, charlie) == Role.VIEWER
    assert [(place.slug, place.role) for place in workspaces_of(charlie)] == [(workspace.slug, "viewer")]
    assert charlie in people_in(workspace)
    assert (charlie.pk, workspace.slug) in belonging_pairs([charlie.pk], [workspace.slug])


@pytest.mark.parametrize(("of_group", "best"), [(Role.VIEWER, Role.MEMBER), (Role.EDITOR, Role.EDITOR)])
def test_the_best_of_ones_own_role_and_the_groups_counts(workspace, alice, bob, auditors, of_group, best):
    add_group(actor=alice, workspace=workspace, group=auditors, role=of_group)
    assert role_in(workspace, bob) == best
    assert roles_in(workspace, [bob.pk]) == {bob.pk: best}


def test_who_leaves_the_group_or_whose_group_is_taken_out_is_a_stranger_and_no_group_is_the_owner_needed(
    workspace, alice, bob, charlie, auditors
):
    membership = add_group(actor=alice, workspace=workspace, group=auditors, role=Role.EDITOR)
    auditors.people.remove(charlie)
    assert role_in(workspace, charlie) == ""
    remove_group(actor=alice, membership=membership)
    assert role_in(workspace, bob) == Role.MEMBER, "bob was let in by himself"

    add_group(actor=alice, workspace=workspace, group=auditors, role=Role.OWNER)
    assert is_only_owner(Membership.objects.get(workspace=workspace, user=alice))


def test_owners_let_groups_in_change_their_role_take_them_out_and_changes_of_people_are_recorded(
    act, see, workspace, alice, auditors, bob, charlie
):
    act(alice, "groups/add/", group=auditors.pk, role="viewer")
    membership = workspace.group_memberships.get()
    act(alice, f"groups/{membership.pk}/role/", role="editor")
    shown = see(alice, "members/").content.decode()
    assert "The people of Auditors are now editor." in shown
    assert "Role of Auditors" in shown and "2 people" in shown
    act(alice, f"groups/{membership.pk}/remove/")
    assert not workspace.group_memberships.exists()
    verbs = AuditEvent.objects.filter(object_name="Auditors").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["member.group_added", "member.group_role_changed", "member.group_removed"]

    set_people(actor=alice, group=auditors, people=[bob])
    changed = AuditEvent.objects.get(verb="group.people_changed")
    assert changed.details == {"added": [], "removed": [charlie.username]}
    delete_group(actor=alice, group=auditors)
    assert AuditEvent.objects.filter(verb="group.deleted", object_name="Auditors").exists()
