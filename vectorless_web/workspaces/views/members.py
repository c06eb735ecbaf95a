"""Members, their roles, and the links that invite new ones."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.web.pages import go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.accounts.adapters import INVITATION
from vectorless_web.workspaces.forms import InviteForm, RoleForm
from vectorless_web.workspaces.models import Invitation, Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for
from vectorless_web.workspaces.services.members import NOT_CONFIRMED


@require_GET
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who belongs to the workspace, and which invitations are open."""
    return _members_page(request, workspace_for(request.user, slug, Role.OWNER), InviteForm())


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
    messages.success(request, "The invitation was revoked.")
    return go_to(request, "workspaces:members", slug=slug)


@require_POST
def member_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give a member another role."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Problem("There is no such role.", code="unknown_role", status=422)
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
    messages.success(request, f"{membership.user} was removed.")
    if membership.user_id == request.user.pk:
        return go_to(request, "/")
    return go_to(request, "workspaces:members", slug=slug)


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
        raise Problem(selectors.why_closed(token), code="invitation_closed", status=404)
    return found


def _members_page(
    request: HttpRequest,
    workspace: Workspace,
    form: BaseForm,
    *,
    status: int = 200,
    new_link: str = "",
    problem: Problem | None = None,
) -> HttpResponse:
    """The page; with a problem, that is said on it in place of what was asked for."""
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "members",
        "memberships": selectors.members_of(workspace),
        "only_owner": selectors.only_owner_of(workspace),
        "roles": Role.choices,
        "invitations": selectors.open_invitations(workspace),
        "invite_form": form,
        "new_link": new_link,
        "problem": problem,
    }
    response = render(request, "workspaces/members.html", context, status=status)
    return problem.mark(response) if problem is not None else response
