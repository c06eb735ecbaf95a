"""Who belongs to a workspace, as owners govern it: members, roles, invitations."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from django.urls import reverse
from ninja import ModelSchema, Router, Schema
from pydantic import Field

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import Scope
from vectorless_web.api.problems import refuse_fields
from vectorless_web.api.replies import Number
from vectorless_web.api.routes.schemas import NO_NUL
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.forms import InviteForm
from vectorless_web.workspaces.models import Invitation, Membership, Role
from vectorless_web.workspaces.selectors import workspace_alone

router = Router(tags=["Members"], auth=Bearer(Scope.ADMIN))
MEMBERS = "/workspaces/{slug:slug}/members"
MEMBER = MEMBERS + "/{member}"
INVITATIONS = "/workspaces/{slug:slug}/invitations"


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


def _member(request: HttpRequest, slug: str, member: int) -> Membership:
    return selectors.membership_in(workspace_alone(request.user, slug, Role.OWNER), member)


@router.get(MEMBERS, response=list[MemberOut])
def list_members(request: HttpRequest, slug: str) -> Any:
    """Who belongs to the workspace by themselves, and with which role."""
    return selectors.members_of(workspace_alone(request.user, slug, Role.OWNER))


@router.patch(MEMBER, response=MemberOut)
def change_role(request: HttpRequest, slug: str, member: Number, asked: RoleIn) -> Membership:
    """Give a member another role; a workspace keeps at least one owner."""
    found = _member(request, slug, member)
    return services.change_role(actor=request.user, membership=found, role=asked.role)


@router.delete(MEMBER, response={204: None})
def remove_member(request: HttpRequest, slug: str, member: Number) -> None:
    """Take a member out; for an hour that can be undone. A workspace keeps at least one owner."""
    services.remove_member(actor=request.user, membership=_member(request, slug, member))


@router.get(INVITATIONS, response=list[InvitationOut])
def list_invitations(request: HttpRequest, slug: str) -> Any:
    """The invitations that were neither used nor revoked, the newest first."""
    return selectors.pending_invitations(workspace_alone(request.user, slug, Role.OWNER))


@router.post(INVITATIONS, response={201: InvitationMadeOut})
def invite(request: HttpRequest, slug: str, asked: InviteIn) -> dict[str, Any]:
    """Add somebody: who opens the link becomes a member. The link is in this reply alone."""
    workspace, form = workspace_alone(request.user, slug, Role.OWNER), InviteForm(asked.dict())
    if not form.is_valid():
        raise refuse_fields(form)
    made, token = services.invite(actor=request.user, workspace=workspace, **form.cleaned_data)
    address = request.build_absolute_uri(reverse("workspaces:invitation", args=[token]))
    return {**InvitationOut.from_orm(made).dict(), "address": address}


@router.delete(INVITATIONS + "/{invitation}", response={204: None})
def revoke_invitation(request: HttpRequest, slug: str, invitation: Number) -> None:
    """Close an invitation's link."""
    found = selectors.invitation_in(workspace_alone(request.user, slug, Role.OWNER), invitation)
    services.revoke_invitation(actor=request.user, invitation=found)
