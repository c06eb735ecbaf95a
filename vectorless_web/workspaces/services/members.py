"""Workspaces and who belongs to them: making, changing and deleting them, letting people in and go."""

from datetime import timedelta
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify

from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import notify
from vectorless_web.workspaces.models import Invitation, Membership, Role, Workspace
from vectorless_web.workspaces.selectors import (
    User,
    account_id,
    find_removal,
    has_address,
    has_confirmed,
    is_only_owner,
)
from vectorless_web.workspaces.services.recording import record
from vectorless_web.workspaces.storage import hash_token, new_token

SLUG_LENGTH = 50
"""Characters of a slug made of a name; the column holds 60, so a number fits behind it."""
RESERVED_SLUGS = frozenset({"new", "create", "settings", "admin"})


@transaction.atomic
def create_workspace(*, user: User, name: str, description: str = "") -> Workspace:
    """Make a workspace that `user` owns. Its address comes from the name, numbered when taken."""
    workspace = Workspace.objects.create(
        name=name, slug=_free_slug(name), description=description, created_by_id=account_id(user)
    )
    Membership.objects.create(workspace=workspace, user_id=account_id(user), role=Role.OWNER)
    workspace.role = Role.OWNER
    record(actor=user, verb="workspace.created", workspace=workspace, target=workspace)
    return workspace


@transaction.atomic
def update_workspace(
    *, actor: User, workspace: Workspace, name: str, description: str, settings: dict[str, Any]
) -> Workspace:
    """Change name, description and limits; the address stays, so links hold."""
    changed = {key: value for key, value in settings.items() if workspace.setting(key) != value}
    workspace.name, workspace.description = name, description
    workspace.settings = {**workspace.settings, **settings}
    workspace.save(update_fields=["name", "description", "settings"])
    record(actor=actor, verb="workspace.changed", workspace=workspace, target=workspace, details=changed)
    return workspace


def delete_workspace(*, actor: User, workspace: Workspace) -> None:
    """Remove a workspace with everything in its rows; the record keeps that it was there."""
    with transaction.atomic():
        record(actor=actor, verb="workspace.deleted", target=workspace, details={"slug": workspace.slug})
        workspace.delete()


def _free_slug(name: str) -> str:
    """An unused address made from the name; the unique constraint settles a race."""
    base = slugify(name)[:SLUG_LENGTH].strip("-") or "workspace"
    taken = set(Workspace.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED_SLUGS
    if base not in taken:
        return base
    return next(f"{base}-{number}" for number in range(2, len(taken) + 3) if f"{base}-{number}" not in taken)


NOT_CONFIRMED = "address_not_confirmed"


@transaction.atomic
def add_member(*, workspace: Workspace, user: User, role: str, actor: User | None = None) -> Membership:
    """Let `user` in. Somebody who is in already keeps the role they have."""
    membership, created = Membership.objects.get_or_create(
        workspace=workspace, user_id=account_id(user), defaults={"role": role}
    )
    if created:
        _record_member(actor or user, "member.added", membership, {"role": role})
    return membership


@transaction.atomic
def change_role(*, actor: User, membership: Membership, role: str) -> Membership:
    """Give a member another role; a workspace keeps at least one owner."""
    membership = _lock_membership(membership)
    _keep_an_owner(membership, becoming=role)
    before, membership.role = membership.role, role
    membership.save(update_fields=["role"])
    if role != before:
        notify(
            people=[membership.user_id],
            kind=Kind.ROLE_CHANGED,
            workspace_id=membership.workspace_id,
            about=membership.user_id,
            actor_id=actor.pk,
            more={"details": {"role": role}},
        )
    _record_member(actor, "member.role_changed", membership, {"from": before, "to": role})
    return membership


@transaction.atomic
def remove_member(*, actor: User, membership: Membership) -> None:
    """Take a member out (or leave); a workspace keeps at least one owner."""
    membership = _lock_membership(membership)
    _keep_an_owner(membership, becoming="")
    details = {"role": membership.role, "user": membership.user_id}
    _record_member(actor, "member.removed", membership, details)
    membership.delete()


@transaction.atomic
def restore_member(*, actor: User, workspace: Workspace, account: int) -> Membership:
    """Undo a removal: the person is back with the role they had. Problem when it can no longer be undone."""
    removal = find_removal(workspace, account)
    person = get_user_model()._default_manager.filter(pk=account, is_active=True).first()
    if removal is None or person is None:
        sentence = "This removal can no longer be undone. Invite the person again."
        raise Problem(sentence, code="removal_final", status=409)
    membership = Membership.objects.create(workspace=workspace, user=person, role=removal.details["role"])
    _record_member(actor, "member.restored", membership, {"role": membership.role})
    return membership


@transaction.atomic
def hand_over(*, actor: User, workspace: Workspace, to: Membership) -> Membership:
    """Make another member an owner beside oneself, so that one may leave. Problem for who cannot sign in."""
    if not to.user.is_active:
        sentence = f"The account of {to.user} is switched off. Choose somebody who can sign in."
        raise Problem(sentence, code="account_inactive", status=422)
    return change_role(actor=actor, membership=to, role=Role.OWNER)


@transaction.atomic
def renew_invitation(*, actor: User, invitation: Invitation, days: int) -> str:
    """Make another link of an invitation, open from now on; the link of before ends. The token is returned once."""
    token = new_token()
    pending = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None)
    until = timezone.now() + timedelta(days=days)
    if not pending.update(token_hash=hash_token(token), expires_at=until):
        raise invitation_closed()
    record(
        actor=actor,
        verb="invitation.renewed",
        workspace=invitation.workspace,
        target=invitation,
        details={"days": days},
    )
    return token


@transaction.atomic
def invite(*, actor: User, workspace: Workspace, role: str, days: int, email: str = "") -> tuple[Invitation, str]:
    """Make an invitation good for one person. The token is returned once and kept only as a hash."""
    token = new_token()
    invitation = Invitation.objects.create(
        workspace=workspace,
        token_hash=hash_token(token),
        role=role,
        email=email,
        created_by_id=actor.pk,
        expires_at=timezone.now() + timedelta(days=days),
    )
    details = {"role": role, "email": email, "days": days}
    record(actor=actor, verb="invitation.made", workspace=workspace, target=invitation, details=details)
    return invitation, token


@transaction.atomic
def revoke_invitation(*, actor: User, invitation: Invitation) -> None:
    """Close an invitation's link; closing it twice changes nothing."""
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor=actor, verb="invitation.revoked", workspace=invitation.workspace, target=invitation)


@transaction.atomic
def accept_invitation(*, user: User, invitation: Invitation, at_sign_up: bool = False) -> Membership:
    """Join by an invitation. Problem when it is meant for another address or was just used.

    An invitation for one address takes a confirmed one. While this site sends no mail nothing
    can be confirmed: then the account that is made through this very invitation, with its
    address (`at_sign_up`), may join too. An address that was added later proves nothing.
    """
    problem = address_problem(user, invitation, at_sign_up=at_sign_up)
    if problem is not None:
        raise problem
    still_open = models.Q(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
    used = Invitation.objects.filter(still_open, pk=invitation.pk).update(
        accepted_by=user.pk, accepted_at=timezone.now()
    )
    if not used:
        raise invitation_closed()
    notify(
        people=[invitation.created_by_id],
        kind=Kind.INVITATION_ACCEPTED,
        workspace_id=invitation.workspace_id,
        about=account_id(user),
        actor_id=user.pk,
        more={"details": {"role": invitation.role}},
    )
    return add_member(workspace=invitation.workspace, user=user, role=invitation.role)


def address_problem(user: User, invitation: Invitation, *, at_sign_up: bool = False) -> Problem | None:
    """Why the account may not use an invitation that is for one address; None when it may."""
    if not invitation.email or has_confirmed(user, invitation.email):
        return None
    is_own = invitation.is_for(str(getattr(user, "email", "")))
    if is_own and at_sign_up and not settings.MAIL_ON:
        return None
    if not is_own and not has_address(user, invitation.email):
        sentence = f"This invitation is for {invitation.email}. Sign in with that address, or ask for another link."
        return Problem(sentence, code="invitation_for_another", status=403)
    remedy = (
        "Confirm it first; a link to do so can be sent to it."
        if settings.MAIL_ON
        else "This site sends no mail, so it cannot be: ask for a link without an address."
    )
    sentence = f"This invitation is for {invitation.email}, which your account has not confirmed. {remedy}"
    return Problem(sentence, code=NOT_CONFIRMED, status=403)


def needs_owner(membership: Membership) -> Problem:
    """The refusal to let the only owner go or take another role."""
    sentence = f"{membership.user} is the only owner of {membership.workspace}. Make somebody else owner first."
    return Problem(sentence, code="last_owner", status=422)


def invitation_closed() -> Problem:
    """The refusal of an invitation that was used, revoked, or has expired."""
    return Problem("This invitation can no longer be used. Ask for another link.", code="invitation_closed", status=410)


def _record_member(actor: User, verb: str, membership: Membership, details: dict[str, Any]) -> None:
    record(
        actor=actor,
        verb=verb,
        workspace=membership.workspace,
        target=membership,
        name=str(membership.user),
        details=details,
    )


def _lock_membership(membership: Membership) -> Membership:
    """The membership as it stands now, under its workspace's lock: else two owners could let each other go at once."""
    Workspace.objects.select_for_update().filter(pk=membership.workspace_id).first()
    rows = Membership.objects.select_related("workspace", "user").filter(pk=membership.pk)
    current: Membership | None = rows.first()
    if current is None:
        raise Problem("This member has left already.", code="not_a_member", status=404)
    return current


def _keep_an_owner(membership: Membership, *, becoming: str) -> None:
    """Refuse to leave a workspace without an owner who can sign in."""
    if becoming != Role.OWNER and is_only_owner(membership):
        raise needs_owner(membership)


def make_reset_link(*, actor: User | None, user: AbstractUser) -> str:
    """The path of a page where the account's password is chosen anew. It works once, for an hour.

    It ends with the next sign-in, too. Problem (409) for an account that is switched off.
    """
    if not user.is_active:
        raise Problem(f"{user} is switched off. Switch the account on first.", code="account_inactive", status=409)
    record(actor=actor, verb="account.reset_link_made", target=user)
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


@transaction.atomic
def remove_two_step(*, actor: User | None, user: AbstractUser) -> bool:
    """Let the account sign in by its password alone, as when a phone was lost; false when it does already."""
    removed, _kinds = Authenticator.objects.filter(user_id=user.pk).delete()
    if removed:
        record(actor=actor, verb="account.two_step_removed", target=user)
    return bool(removed)


def describe_orphaned_workspaces(user: AbstractUser) -> list[str]:
    """A sentence for each workspace that would have no owner who can sign in without this account."""
    rows = Membership.objects.filter(user_id=user.pk, role=Role.OWNER).select_related("user", "workspace")
    return [
        f"{row.user} is the only owner of {row.workspace}: make somebody else owner first."
        for row in rows
        if is_only_owner(row)
    ]
