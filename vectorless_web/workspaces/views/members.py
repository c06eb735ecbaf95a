"""Members, their roles, and the links that invite new ones."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.limits import SEARCH_MAX, parse_whole_number
from vectorless_web.infra.web.pages import go_saying, go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.accounts.adapters import INVITATION
from vectorless_web.workspaces.forms import GroupForm, InviteForm, RoleForm
from vectorless_web.workspaces.models import Invitation, Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context
from vectorless_web.workspaces.services.members import NOT_CONFIRMED
from vectorless_web.workspaces.views.rights import done_by, shown_to

RENEWED_DAYS = 7
"""How long the link of a renewed invitation is open, as a new one is at first."""


def _members_page(
    request: HttpRequest, workspace: Workspace, form: BaseForm | None = None, *, status: int = 200, **shown: Any
) -> HttpResponse:
    """The page of members, with a form of an invitation that cannot be used if there is one.

    `shown` may hold a fresh invitation's `new_link`, the `removal` that can be undone, and the `problem` that is said
    on it in place of what was asked for.
    """
    search = request.GET.get("q", "").replace("\0", "")[:SEARCH_MAX]
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "members",
        "memberships": selectors.members_of(workspace, search),
        "member_count": workspace.memberships.count(),
        "search": search,
        "groups": selectors.groups_of(workspace),
        "group_form": GroupForm(workspace=workspace),
        "now": timezone.now(),
        "only_owner": selectors.only_owner_of(workspace),
        "roles": Role.choices,
        "invitations": selectors.pending_invitations(workspace),
        "invite_form": form or InviteForm(),
        **shown,
    }
    return render(request, "workspaces/members.html", context, status=status)


def _leave_page(request: HttpRequest, workspace: Workspace, problem: Problem | None = None) -> HttpResponse:
    """The page of leaving; with a problem, that is said on it in place of what was asked for."""
    own = selectors.own_membership(workspace, request.user)
    others = [row for row in selectors.members_of(workspace) if row.user_id != request.user.pk and row.user.is_active]
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "leave",
        "own": own,
        "by_groups": selectors.own_groups(workspace, request.user),
        "is_only_owner": own is not None and selectors.is_only_owner(own),
        "others": others,
        "problem": problem,
    }
    return render(request, "workspaces/leave.html", context)


def _go_back(request: HttpRequest, workspace: Workspace, said: str) -> HttpResponse:
    return go_saying(request, said, "workspaces:members", slug=workspace.slug)


def _read_role(request: HttpRequest) -> str:
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Problem("There is no such role.", remedy="Choose one of those offered.", code="unknown_role")
    return str(form.cleaned_data["role"])


@shown_to(Role.OWNER)
def members(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Who belongs to the workspace, and which invitations are open."""
    removed = parse_whole_number(request.GET.get("removed"))
    removal = selectors.find_removal(workspace, removed) if removed else None
    return _members_page(request, workspace, removal=removal)


@done_by(Role.OWNER)
@never_cache
def invite(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Make an invitation. Its link is shown on this one answer and never again."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _members_page(request, workspace, form, status=422)
    _, token = services.invite(actor=request.user, workspace=workspace, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("workspaces:invitation", kwargs={"token": token}))
    return _members_page(request, workspace, new_link=link)


@done_by(Role.OWNER)
def revoke_invitation(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Close an invitation's link."""
    services.revoke_invitation(actor=request.user, invitation=selectors.invitation_in(workspace, pk))
    return _go_back(request, workspace, "The invitation was revoked.")


@done_by(Role.OWNER, refused=_members_page)
def member_role(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Give a member another role."""
    membership = selectors.membership_in(workspace, pk)
    changed = services.change_role(actor=request.user, membership=membership, role=_read_role(request))
    return _go_back(request, workspace, f"{changed.user} is now {changed.get_role_display().lower()}.")


@done_by(Role.OWNER, refused=_members_page)
def remove_member(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Take a member out."""
    membership = selectors.membership_in(workspace, pk)
    services.remove_member(actor=request.user, membership=membership)
    if membership.user_id == request.user.pk:
        return go_saying(request, f"You have left {workspace.name}.", "/")
    address = reverse("workspaces:members", kwargs={"slug": workspace.slug})
    return go_to(request, f"{address}?removed={membership.user_id}")


@done_by(Role.OWNER, refused=_members_page)
def restore_member(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Undo a removal."""
    back = services.restore_member(
        actor=request.user, workspace=workspace, account=parse_whole_number(request.POST.get("user")) or 0
    )
    return _go_back(request, workspace, f"{back.user} is back as {back.get_role_display().lower()}.")


@done_by(Role.OWNER, refused=_members_page)
def renew_invitation(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Make another link of an invitation; it is shown on this one answer, and the one of before ends."""
    invitation = selectors.invitation_in(workspace, pk)
    token = services.renew_invitation(actor=request.user, invitation=invitation, days=RENEWED_DAYS)
    link = request.build_absolute_uri(reverse("workspaces:invitation", kwargs={"token": token}))
    return _members_page(request, workspace, new_link=link)


@done_by(Role.OWNER)
def add_group(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Let a group of people in."""
    form = GroupForm(request.POST, workspace=workspace)
    if not form.is_valid():
        raise Problem("No group or role was chosen.", remedy="Choose both.", code="unknown_group")
    added = services.add_group(actor=request.user, workspace=workspace, **form.cleaned_data)
    return _go_back(request, workspace, f"The people of {added.group} are here as {added.get_role_display().lower()}.")


@done_by(Role.OWNER)
def group_role(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Give a group another role."""
    found = selectors.group_membership_in(workspace, pk)
    changed = services.change_group_role(actor=request.user, membership=found, role=_read_role(request))
    return _go_back(request, workspace, f"The people of {changed.group} are now {changed.get_role_display().lower()}.")


@done_by(Role.OWNER)
def remove_group(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Take a group out."""
    found = selectors.group_membership_in(workspace, pk)
    services.remove_group(actor=request.user, membership=found)
    return _go_back(request, workspace, f"{found.group} was removed. Who was let in by themselves stays.")


@shown_to(Role.VIEWER)
def leave(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """What leaving means; for the only owner, whom to hand the workspace over to."""
    return _leave_page(request, workspace)


@done_by(Role.VIEWER, refused=_leave_page)
def leave_now(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Leave the workspace."""
    own = selectors.own_membership(workspace, request.user)
    if own is None:
        sentence = "You belong to this workspace by a group."
        raise Problem(sentence, remedy="Ask site staff to take you out of it.", code="member_by_group", status=409)
    services.remove_member(actor=request.user, membership=own)
    return go_saying(request, f"You have left {workspace.name}. What you added stays.", "/")


@done_by(Role.OWNER, refused=_leave_page)
def hand_over(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Make another member an owner, so that one may leave."""
    to = selectors.membership_in(workspace, pk)
    services.hand_over(actor=request.user, workspace=workspace, to=to)
    messages.success(request, f"{to.user} is an owner of {workspace.name} now. You may leave.")
    return go_to(request, "workspaces:leave", slug=workspace.slug)


@require_GET
@login_not_required
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What an invitation is for. A visitor without an account may make one: the session remembers the link."""
    joined = selectors.find_joined_workspace(token, request.user)
    if joined is not None:
        return redirect("runs:workspace", slug=joined.slug)
    found = _open_invitation(token)
    request.session[INVITATION] = token
    if not request.user.is_authenticated:
        return redirect(f"{reverse('account_signup')}?next={request.path}")
    return _invitation_page(request, found, token, services.address_problem(request.user, found))


@require_POST
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Join by an invitation."""
    found = _open_invitation(token)
    problem = services.address_problem(request.user, found)
    if problem is not None:
        return problem.mark(_invitation_page(request, found, token, problem))
    services.accept_invitation(user=request.user, invitation=found)
    request.session.pop(INVITATION, None)
    return go_to(request, "runs:workspace", slug=found.workspace.slug)


def _invitation_page(request: HttpRequest, found: Invitation, token: str, problem: Problem | None) -> HttpResponse:
    """What the invitation is for, and why this account cannot use it, if so."""
    context = {
        "invitation": found,
        "workspace": None,
        "invited_to": found.workspace,
        "token": token,
        "problem": problem,
        "may_confirm": problem is not None and problem.code == NOT_CONFIRMED and settings.MAIL_ON,
    }
    return render(request, "workspaces/accept.html", context)


def _open_invitation(token: str) -> Invitation:
    found = selectors.invitation_by(token)
    if found is None:
        raise selectors.why_closed(token)
    return found
