"""Who belongs to a workspace, as owners govern it: members, groups, roles, invitations; and the site's groups."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from django.urls import reverse
from ninja import ModelSchema, Router, Schema
from pydantic import Field

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import Scope
from vectorless_web.api.problems import read_form
from vectorless_web.api.replies import Number
from vectorless_web.api.routes.places import ForOwner
from vectorless_web.api.routes.schemas import NO_NUL, PRINTED, NamedOut
from vectorless_web.console.forms import PeopleGroupForm
from vectorless_web.console.subjects import people
from vectorless_web.console.views import require_staff
from vectorless_web.console.views.accounts import CHANGE, SEE
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.forms import GroupForm, InviteForm
from vectorless_web.workspaces.models import GroupMembership, Invitation, Membership, PeopleGroup, Role

router = Router(tags=["Members"], auth=Bearer(Scope.ADMIN))
MEMBERS = "/workspaces/{slug:slug}/members"
MEMBER = MEMBERS + "/{member}"
INVITATIONS = "/workspaces/{slug:slug}/invitations"
LET_IN = "/workspaces/{slug:slug}/groups"
GROUPS = "/groups"
GROUP = GROUPS + "/{group}"
Name = Annotated[str, Field(max_length=150, pattern=NO_NUL)]


class MemberOut(Schema):
    """A member of a workspace; programs that belong to it are members, too."""

    id: int
    user: str = Field(alias="user.username")
    role: str
    joined_at: datetime


class RoleIn(Schema):
    """Another role."""

    role: Role


class InviteIn(Schema):
    """The role of who accepts, for how many days (1, 7 or 30) the link is open, and the one address that it is for."""

    role: Role = Role.MEMBER
    days: int = 7
    email: Annotated[str, Field(max_length=254, pattern=NO_NUL)] = ""


class InvitationOut(ModelSchema):
    """An invitation that was neither used nor revoked."""

    id: int

    class Meta:
        model = Invitation
        fields = ("role", "email", "expires_at", "created_at")


class InvitationMadeOut(InvitationOut):
    """An invitation that was made just now, with its link."""

    address: str


class GroupIn(Schema):
    """A group's name, and what it is for."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=PRINTED)]
    description: Annotated[str, Field(max_length=300, pattern=NO_NUL)] = ""


class GroupOut(NamedOut):
    """A group of the site, how many people it has, and in how many workspaces it is."""

    description: str
    people: int = Field(alias="people_count")
    workspaces: int = Field(alias="workspace_count")


class PeopleIn(Schema):
    """The user names of all who shall be in a group."""

    people: Annotated[list[Name], Field(max_length=1000)]


class LetInIn(RoleIn):
    """The number of a group, and the role that its people get."""

    group: Number


class LetInOut(Schema):
    """A group that is in a workspace; `group` is its number in the site."""

    id: int
    group: int = Field(alias="group_id")
    name: str = Field(alias="group.name")
    role: str
    people: int = Field(alias="people_count")


@router.get(MEMBERS, response=list[MemberOut])
def list_members(request: HttpRequest, workspace: ForOwner) -> Any:
    """Who belongs to the workspace by themselves, and with which role."""
    return selectors.members_of(workspace)


@router.patch(MEMBER, response=MemberOut)
def change_role(request: HttpRequest, workspace: ForOwner, member: Number, asked: RoleIn) -> Membership:
    """Give a member another role; a workspace keeps at least one owner."""
    found = selectors.membership_in(workspace, member)
    return services.change_role(actor=request.user, membership=found, role=asked.role)


@router.delete(MEMBER, response={204: None})
def remove_member(request: HttpRequest, workspace: ForOwner, member: Number) -> None:
    """Take a member out; for an hour that can be undone. A workspace keeps at least one owner."""
    services.remove_member(actor=request.user, membership=selectors.membership_in(workspace, member))


@router.get(INVITATIONS, response=list[InvitationOut])
def list_invitations(request: HttpRequest, workspace: ForOwner) -> Any:
    """The invitations that were neither used nor revoked, the newest first."""
    return selectors.pending_invitations(workspace)


@router.post(INVITATIONS, response={201: InvitationMadeOut})
def invite(request: HttpRequest, workspace: ForOwner, asked: InviteIn) -> dict[str, Any]:
    """Add somebody: who opens the link becomes a member. The link is in this reply alone."""
    typed = read_form(InviteForm(asked.dict()))
    made, token = services.invite(actor=request.user, workspace=workspace, **typed)
    address = request.build_absolute_uri(reverse("workspaces:invitation", args=[token]))
    return {**InvitationOut.from_orm(made).dict(), "address": address}


@router.delete(INVITATIONS + "/{invitation}", response={204: None})
def revoke_invitation(request: HttpRequest, workspace: ForOwner, invitation: Number) -> None:
    """Close an invitation's link."""
    services.revoke_invitation(actor=request.user, invitation=selectors.invitation_in(workspace, invitation))


@router.get(LET_IN, response=list[LetInOut])
def list_groups_let_in(request: HttpRequest, workspace: ForOwner) -> Any:
    """The groups whose people are here, and with which role."""
    return selectors.groups_of(workspace)


@router.get(LET_IN + "/others", response=list[NamedOut])
def list_other_groups(request: HttpRequest, workspace: ForOwner) -> Any:
    """The groups of the site that could be let in."""
    return selectors.groups_to_add(workspace)


@router.post(LET_IN, response={201: LetInOut})
def let_group_in(request: HttpRequest, workspace: ForOwner, asked: LetInIn) -> GroupMembership:
    """Let the people of a group in."""
    typed = read_form(GroupForm(asked.dict(), workspace=workspace))
    made = services.add_group(actor=request.user, workspace=workspace, **typed)
    return selectors.group_membership_in(workspace, made.pk)


@router.patch(LET_IN + "/{membership}", response=LetInOut)
def change_group_role(request: HttpRequest, workspace: ForOwner, membership: Number, asked: RoleIn) -> GroupMembership:
    """Give the people of a group another role."""
    found = selectors.group_membership_in(workspace, membership)
    return services.change_group_role(actor=request.user, membership=found, role=asked.role)


@router.delete(LET_IN + "/{membership}", response={204: None})
def remove_group(request: HttpRequest, workspace: ForOwner, membership: Number) -> None:
    """Take a group out; those of its people who were let in by themselves stay."""
    services.remove_group(actor=request.user, membership=selectors.group_membership_in(workspace, membership))


@router.get(GROUPS, response=list[GroupOut])
def list_groups(request: HttpRequest) -> Any:
    """The groups of the site, by name; for staff, as are all operations under /groups."""
    require_staff(request, SEE)
    return people.list_groups()


@router.post(GROUPS, response={201: GroupOut})
def make_group(request: HttpRequest, asked: GroupIn) -> PeopleGroup:
    """Make a group without people."""
    require_staff(request, CHANGE)
    return _save_group(request, PeopleGroup(), asked)


@router.put(GROUP, response=GroupOut)
def change_group(request: HttpRequest, group: Number, asked: GroupIn) -> PeopleGroup:
    """Give a group another name and description."""
    require_staff(request, CHANGE)
    return _save_group(request, people.find_group(group), asked)


def _save_group(request: HttpRequest, group: PeopleGroup, asked: GroupIn) -> PeopleGroup:
    form = PeopleGroupForm(asked.dict(), instance=group)
    read_form(form)
    return people.find_group(services.save_group(actor=request.user, group=form.save(commit=False)).pk)


@router.delete(GROUP, response={204: None})
def delete_group(request: HttpRequest, group: Number) -> None:
    """Delete a group; its people keep what they were given by themselves."""
    require_staff(request, CHANGE)
    services.delete_group(actor=request.user, group=people.find_group(group))


@router.get(GROUP + "/people", response=list[str])
def list_people(request: HttpRequest, group: Number) -> list[str]:
    """The user names of the people of a group."""
    require_staff(request, SEE)
    return sorted(person.username for person in people.find_group(group).people.all())


@router.put(GROUP + "/people", response=list[str])
def set_people(request: HttpRequest, group: Number, asked: PeopleIn) -> list[str]:
    """Make these accounts, and no others, the people of a group."""
    require_staff(request, CHANGE)
    accounts = [people.find_by_name(name) for name in asked.people]
    services.set_people(actor=request.user, group=people.find_group(group), people=accounts)
    return sorted(account.username for account in accounts)
