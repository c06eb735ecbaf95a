"""Groups of people: site staff keep them, owners let them into a workspace."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from vectorless_web.workspaces.models import GroupMembership, PeopleGroup, Role, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services.recording import delete_and_record, record


@transaction.atomic
def save_group(*, actor: User, group: PeopleGroup) -> PeopleGroup:
    """Store a new group, or another name or description of one."""
    verb = "group.changed" if group.pk else "group.added"
    group.save()
    record(actor=actor, verb=verb, target=group, details={"description": group.description})
    return group


@transaction.atomic
def set_people(*, actor: User, group: PeopleGroup, people: Iterable[Any]) -> None:
    """Make these accounts the people of a group. Who comes or goes gains or loses what the group may do, at once."""
    before = {person.pk: str(person) for person in group.people.all()}
    after = {person.pk: str(person) for person in people}
    if before.keys() == after.keys():
        return
    group.people.set(after)
    details = {
        "added": sorted(after[pk] for pk in after.keys() - before.keys()),
        "removed": sorted(before[pk] for pk in before.keys() - after.keys()),
    }
    record(actor=actor, verb="group.people_changed", target=group, details=details)


@transaction.atomic
def delete_group(*, actor: User, group: PeopleGroup) -> None:
    """Delete a group; its people keep what they were given by themselves."""
    delete_and_record(group, actor=actor, verb="group.deleted")


@transaction.atomic
def add_group(*, actor: User, workspace: Workspace, group: PeopleGroup, role: str) -> GroupMembership:
    """Let a group in. One that is in already gets the role."""
    membership, created = GroupMembership.objects.get_or_create(
        workspace=workspace, group=group, defaults={"role": role}
    )
    if not created:
        return change_group_role(actor=actor, membership=membership, role=role)
    _record(actor, "member.group_added", membership, {"role": role})
    return membership


@transaction.atomic
def change_group_role(*, actor: User, membership: GroupMembership, role: str) -> GroupMembership:
    """Give a group another role. It never counts as the owner that a workspace needs: its people may all leave it."""
    before, membership.role = membership.role, Role(role).value
    membership.save(update_fields=["role"])
    _record(actor, "member.group_role_changed", membership, {"from": before, "to": role})
    return membership


@transaction.atomic
def remove_group(*, actor: User, membership: GroupMembership) -> None:
    """Take a group out; those of its people who were let in by themselves stay."""
    workspace, details = membership.workspace, {"role": membership.role}
    name = membership.group.name
    delete_and_record(
        membership, actor=actor, verb="member.group_removed", workspace=workspace, name=name, details=details
    )


def _record(actor: User, verb: str, membership: GroupMembership, details: dict[str, Any]) -> None:
    record(
        actor=actor,
        verb=verb,
        workspace=membership.workspace,
        target=membership,
        name=membership.group.name,
        details=details,
    )
