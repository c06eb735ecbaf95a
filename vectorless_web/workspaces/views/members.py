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
from vectorless_web.workspaces.selectors import workspace_context, workspace_for
from vectorless_web.workspaces.services.members import NOT_CONFIRMED

RENEWED_DAYS = 7
"""How long the link of a renewed invitation is open, as a new one is at first."""


@require_GET
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who belongs to the workspace, and which invitations are open."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    removed = parse_whole_number(request.GET.get("removed"))
    removal = selectors.find_removal(workspace, removed) if removed else None
    return _members_page(request, workspace, InviteForm(), removal=removal)


@require_POST
@never_cache
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Make an invitation. Its link is shown on this one answer and never again."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _members_page(request, workspace, form, status=422)
    _, token = services.invite(actor=request.user, workspace=workspace, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("workspaces:invitation", kwargs={"token": token}))
    return _members_page(request, workspace, InviteForm(), new_link=link)


@require_POST
def revoke_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Close an invitation's link."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.revoke_invitation(actor=request.user, invitation=selectors.invitation_in(workspace, pk))
    return go_saying(request, "The invitation was revoked.", "workspaces:members", slug=slug)


@require_POST
def member_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give a member another role."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Problem("There is no such role.", remedy="Choose one of those offered.", code="unknown_role")
    membership = selectors.membership_in(workspace, pk)
    try:
        changed = services.change_role(actor=request.user, membership=membership, role=form.cleaned_data["role"])
    except Problem as problem:
        return _members_page(request, workspace, InviteForm(), problem=problem)
    messages.success(request, f"{changed.user} is now {changed.get_role_display().lower()}.")
    return go_to(request, "workspaces:members", slug=slug)


@require_POST
def remove_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a member out."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    membership = selectors.membership_in(workspace, pk)
    try:
        services.remove_member(actor=request.user, membership=membership)
    except Problem as problem:
        return _members_page(request, workspace, InviteForm(), problem=problem)
    if membership.user_id == request.user.pk:
        return go_saying(request, f"You have left {workspace.name}.", "/")
    address = reverse("workspaces:members", kwargs={"slug": slug})
    return go_to(request, f"{address}?removed={membership.user_id}")


@require_POST
def restore_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Undo a removal."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    try:
        back = services.restore_member(
            actor=request.user, workspace=workspace, account=parse_whole_number(request.POST.get("user")) or 0
        )
    except Problem as problem:
        return _members_page(request, workspace, InviteForm(), problem=problem)
    messages.success(request, f"{back.user} is back as {back.get_role_display().lower()}.")
    return go_to(request, "workspaces:members", slug=slug)


@require_POST
def renew_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make another link of an invitation; it is shown on this one answer, and the one of before ends."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    invitation = selectors.invitation_in(workspace, pk)
    try:
        token = services.renew_invitation(actor=request.user, invitation=invitation, days=RENEWED_DAYS)
    except Problem as problem:
        return _members_page(request, workspace, InviteForm(), problem=problem)
    link = request.build_absolute_uri(reverse("workspaces:invitation", kwargs={"token": token}))
    return _members_page(request, workspace, InviteForm(), new_link=link)


@require_POST
def add_group(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a group of people in."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = GroupForm(request.POST, workspace=workspace)
    if not form.is_valid():
        raise Problem("No group or role was chosen.", remedy="Choose both.", code="unknown_group")
    added = services.add_group(actor=request.user, workspace=workspace, **form.cleaned_data)
    messages.success(request, f"The people of {added.group} are here as {added.get_role_display().lower()}.")
    return go_to(request, "workspaces:members", slug=slug)


@require_POST
def group_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give a group another role."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Problem("There is no such role.", remedy="Choose one of those offered.", code="unknown_role")
    found = selectors.group_membership_in(workspace, pk)
    changed = services.change_group_role(actor=request.user, membership=found, role=form.cleaned_data["role"])
    messages.success(request, f"The people of {changed.group} are now {changed.get_role_display().lower()}.")
    return go_to(request, "workspaces:members", slug=slug)


@require_POST
def remove_group(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a group out."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    found = selectors.group_membership_in(workspace, pk)
    services.remove_group(actor=request.user, membership=found)
    messages.success(request, f"{found.group} was removed. Who was let in by themselves stays.")
    return go_to(request, "workspaces:members", slug=slug)


@require_GET
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """What leaving means; for the only owner, whom to hand the workspace over to."""
    return _leave_page(request, workspace_for(request.user, slug))


@require_POST
def leave_now(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave the workspace."""
    workspace = workspace_for(request.user, slug)
    own = selectors.own_membership(workspace, request.user)
    if own is None:
        sentence = "You belong to this workspace by a group."
        return _leave_page(
            request,
            workspace,
            Problem(sentence, remedy="Ask site staff to take you out of it.", code="member_by_group", status=409),
        )
    try:
        services.remove_member(actor=request.user, membership=own)
    except Problem as problem:
        return _leave_page(request, workspace, problem)
    return go_saying(request, f"You have left {workspace.name}. What you added stays.", "/")


@require_POST
def hand_over(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make another member an owner, so that one may leave."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    to = selectors.membership_in(workspace, pk)
    try:
        services.hand_over(actor=request.user, workspace=workspace, to=to)
    except Problem as problem:
        return _leave_page(request, workspace, problem)
    messages.success(request, f"{to.user} is an owner of {workspace.name} now. You may leave.")
    return go_to(request, "workspaces:leave", slug=slug)


def _leave_page(request: HttpRequest, workspace: Workspace, problem: Problem | None = None) -> HttpResponse:
    """The page; with a problem, that is said on it in place of what was asked for."""
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
    response = render(request, "workspaces/leave.html", context)
    return problem.mark(response) if problem is not None else response


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


def _members_page(
    request: HttpRequest,
    workspace: Workspace,
    form: BaseForm,
    *,
    status: int = 200,
    problem: Problem | None = None,
    **shown: Any,
) -> HttpResponse:
    """The page; with a problem, that is said on it in place of what was asked for.

    `shown` may hold a fresh invitation's `new_link` and the `removal` that can be undone.
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
        "invite_form": form,
        "problem": problem,
        **shown,
    }
    response = render(request, "workspaces/members.html", context, status=status)
    return problem.mark(response) if problem is not None else response
