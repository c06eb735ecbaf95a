"""What may be done to workspaces and their members, and the one writer of the record."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import models, transaction
from django.utils import timezone
from django.utils.text import slugify

from vectorless_web.lib.problems import Problem
from vectorless_web.workspaces.models import AuditEvent, Invitation, Membership, Role, Workspace
from vectorless_web.workspaces.storage import hash_token, new_token

SLUG_LENGTH = 50
RESERVED_SLUGS = frozenset({"new", "create", "settings", "admin"})


def record(
    *,
    actor: AbstractBaseUser | None,
    verb: str,
    workspace: Workspace | None = None,
    target: models.Model | None = None,
    name: str = "",
    details: dict[str, Any] | None = None,
) -> AuditEvent:
    """Add one row to the record. `verb` reads "document.added"; `target` is what it was done to."""
    return AuditEvent.objects.create(
        actor=actor,
        verb=verb,
        workspace=workspace,
        object_type=target._meta.model_name or "" if target is not None else "",
        object_id=str(target.pk) if target is not None else "",
        object_name=(name or str(target or ""))[:300],
        details=details or {},
    )


@transaction.atomic
def create_workspace(*, user: AbstractBaseUser, name: str, description: str = "") -> Workspace:
    """Make a workspace that `user` owns. Its address comes from the name, numbered when taken."""
    workspace = Workspace.objects.create(
        name=name, slug=_free_slug(name), description=description, created_by_id=user.pk
    )
    Membership.objects.create(workspace=workspace, user_id=user.pk, role=Role.OWNER)
    workspace.role = Role.OWNER
    record(actor=user, verb="workspace.created", workspace=workspace, target=workspace)
    return workspace


@transaction.atomic
def update_workspace(
    *, actor: AbstractBaseUser, workspace: Workspace, name: str, description: str, settings: dict[str, Any]
) -> Workspace:
    """Change name, description and limits; the address stays, so links hold."""
    changed = {key: value for key, value in settings.items() if workspace.setting(key) != value}
    workspace.name, workspace.description = name, description
    workspace.settings = {**workspace.settings, **settings}
    workspace.save(update_fields=["name", "description", "settings"])
    record(actor=actor, verb="workspace.changed", workspace=workspace, target=workspace, details=changed)
    return workspace


@transaction.atomic
def add_member(
    *, workspace: Workspace, user: AbstractBaseUser, role: str, actor: AbstractBaseUser | None = None
) -> Membership:
    """Let `user` in. Somebody who is in already keeps the role they have."""
    membership, created = Membership.objects.get_or_create(
        workspace=workspace, user_id=user.pk, defaults={"role": role}
    )
    if created:
        _record_member(actor or user, "member.added", membership, {"role": role})
    return membership


@transaction.atomic
def change_role(*, actor: AbstractBaseUser, membership: Membership, role: str) -> Membership:
    """Give a member another role; a workspace keeps at least one owner."""
    _keep_an_owner(membership, becoming=role)
    before, membership.role = membership.role, role
    membership.save(update_fields=["role"])
    _record_member(actor, "member.role_changed", membership, {"from": before, "to": role})
    return membership


@transaction.atomic
def remove_member(*, actor: AbstractBaseUser, membership: Membership) -> None:
    """Take a member out (or leave); a workspace keeps at least one owner."""
    _keep_an_owner(membership, becoming="")
    _record_member(actor, "member.removed", membership, {"role": membership.role})
    membership.delete()


@transaction.atomic
def invite(
    *, actor: AbstractBaseUser, workspace: Workspace, role: str, days: int, email: str = ""
) -> tuple[Invitation, str]:
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
def revoke_invitation(*, actor: AbstractBaseUser, invitation: Invitation) -> None:
    """Close an invitation's link; closing it twice changes nothing."""
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor=actor, verb="invitation.revoked", workspace=invitation.workspace, target=invitation)


@transaction.atomic
def accept_invitation(*, user: AbstractBaseUser, invitation: Invitation) -> Membership:
    """Join by an invitation. Problem when it is meant for another address or was just used."""
    if invitation.email and invitation.email.casefold() != _address(user).casefold():
        raise Problem(
            f"This invitation is for {invitation.email}. Sign in with that address, or ask for another link.",
            code="invitation_for_another",
            status=403,
        )
    still_open = models.Q(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
    used = Invitation.objects.filter(still_open, pk=invitation.pk).update(
        accepted_by=user.pk, accepted_at=timezone.now()
    )
    if not used:
        raise Problem(
            "This invitation can no longer be used. Ask for another link.", code="invitation_closed", status=410
        )
    return add_member(workspace=invitation.workspace, user=user, role=invitation.role)


def _address(user: AbstractBaseUser) -> str:
    return str(getattr(user, "email", ""))


def _record_member(actor: AbstractBaseUser, verb: str, membership: Membership, details: dict[str, Any]) -> None:
    record(
        actor=actor,
        verb=verb,
        workspace=membership.workspace,
        target=membership,
        name=str(membership.user),
        details=details,
    )


def _keep_an_owner(membership: Membership, *, becoming: str) -> None:
    """Refuse to leave a workspace without an owner."""
    if membership.role != Role.OWNER or becoming == Role.OWNER:
        return
    others = Membership.objects.filter(workspace=membership.workspace_id, role=Role.OWNER).exclude(pk=membership.pk)
    if not others.exists():
        raise Problem("A workspace needs an owner. Make somebody else an owner first.", code="last_owner", status=422)


def _free_slug(name: str) -> str:
    """An unused address made from the name; the unique constraint settles a race."""
    base = slugify(name)[:SLUG_LENGTH].strip("-") or "workspace"
    taken = set(Workspace.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED_SLUGS
    if base not in taken:
        return base
    return next(f"{base}-{number}" for number in range(2, len(taken) + 3) if f"{base}-{number}" not in taken)
