"""Workspaces and who belongs to them: making, changing and deleting them, letting people and groups in and go."""

from collections.abc import Iterable
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

from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import notify
from vectorless_web.workspaces.models import (
    GroupMembership,
    Invitation,
    Membership,
    PeopleGroup,
    Role,
    ServiceAccount,
    TwoStepRule,
    Visit,
    Workspace,
)
from vectorless_web.workspaces.selectors import (
    User,
    account_id,
    find_removal,
    has_address,
    has_confirmed,
    is_only_owner,
)
from vectorless_web.workspaces.services.recording import delete_and_record, record
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


@transaction.atomic
def delete_workspace(*, actor: User, workspace: Workspace) -> None:
    """Put a workspace into the bin: it is closed to all at once, and can be brought back for BIN_DAYS."""
    if _change_state(workspace, deleted_at=None).update(deleted_at=timezone.now()):
        details = {"slug": workspace.slug, "days": Workspace.BIN_DAYS}
        record(actor=actor, verb="workspace.deleted", workspace=workspace, target=workspace, details=details)


@transaction.atomic
def restore_workspace(*, actor: User, workspace: Workspace) -> None:
    """Take a workspace out of the bin, with everything in it. Problem (409) when it is not there."""
    if not _change_state(workspace, deleted_at__isnull=False).update(deleted_at=None):
        raise Problem(
            "This workspace is not in the bin (any more).",
            remedy="Load the page again.",
            code="not_deleted",
            status=409,
        )
    record(actor=actor, verb="workspace.restored", workspace=workspace, target=workspace)


def purge_workspaces() -> int:
    """Remove for good what was put into the bin BIN_DAYS ago; how many. The record keeps that they were there."""
    before = timezone.now() - timedelta(days=Workspace.BIN_DAYS)
    overdue = list(Workspace.objects.filter(deleted_at__lt=before))
    for workspace in overdue:
        with transaction.atomic():
            delete_and_record(workspace, actor=None, verb="workspace.purged", details={"slug": workspace.slug})
    return len(overdue)


@transaction.atomic
def archive_workspace(*, actor: User, workspace: Workspace) -> None:
    """Let a workspace be read and nothing in it change. What is under way comes to its end."""
    if _change_state(workspace, archived_at=None).update(archived_at=timezone.now()):
        record(actor=actor, verb="workspace.archived", workspace=workspace, target=workspace)


@transaction.atomic
def reopen_workspace(*, actor: User, workspace: Workspace) -> None:
    """Take a workspace out of the archive: every role may do again what it might."""
    if _change_state(workspace, archived_at__isnull=False).update(archived_at=None):
        record(actor=actor, verb="workspace.reopened", workspace=workspace, target=workspace)


@transaction.atomic
def limit_workspace(*, actor: User, workspace: Workspace, max_bytes: int | None, max_documents: int | None) -> None:
    """Say how much a workspace may store. What is there already stays."""
    limits = {"max_bytes": max_bytes, "max_documents": max_documents}
    _change_state(workspace).update(**limits)
    record(actor=actor, verb="workspace.limited", workspace=workspace, target=workspace, details=limits)


def _change_state(workspace: Workspace, **state: Any) -> models.QuerySet[Workspace]:
    """The workspace, if it is in that state still."""
    return Workspace.objects.filter(pk=workspace.pk, **state)


VISIT = timedelta(hours=1)
"""How long a workspace stays open to an administrator."""


@transaction.atomic
def begin_visit(*, actor: User, workspace: Workspace, reason: str) -> Visit:
    """Open a workspace to an administrator for an hour, with an owner's role; its owners are shown that, and why.

    Restricted folders and private runs stay closed. Problem (422) without a reason.
    """
    if not reason.strip():
        raise Problem("No reason was given.", remedy="Say why: the owners of the workspace read it.", code="no_reason")
    visit = Visit.objects.create(
        workspace=workspace, user_id=account_id(actor), reason=reason.strip()[:300], ends_at=timezone.now() + VISIT
    )
    details = {"reason": visit.reason, "until": visit.ends_at.isoformat()}
    record(actor=actor, verb="workspace.visited", workspace=workspace, target=workspace, details=details)
    return visit


@transaction.atomic
def end_visit(*, actor: User, workspace: Workspace) -> None:
    """Close a workspace to the administrator who has it open."""
    now = timezone.now()
    if Visit.objects.filter(workspace=workspace, user_id=account_id(actor), ends_at__gt=now).update(ends_at=now):
        record(actor=actor, verb="workspace.visit_ended", workspace=workspace, target=workspace)


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


SERVICE_ACCOUNTS_MOST = 50
"""Service accounts of one workspace."""


@transaction.atomic
def add_service_account(*, actor: User, workspace: Workspace, name: str, role: str) -> ServiceAccount:
    """A program as a member: an account without a password, which no owner's power is given to."""
    _refuse_owner(role)
    if workspace.service_accounts.count() >= SERVICE_ACCOUNTS_MOST:
        message = f"This workspace has {SERVICE_ACCOUNTS_MOST} service accounts, which is the most."
        raise Problem(message, remedy="Remove one first.", code="too_many_accounts")
    called = f"{slugify(name)[:40] or 'program'}.{workspace.slug[:40]}.{new_token()[:6]}"
    person = get_user_model()(username=called, first_name=name[:NAME_MAX])
    person.set_unusable_password()
    person.save()
    row = ServiceAccount.objects.create(user=person, workspace=workspace, created_by_id=actor.pk)
    add_member(workspace=workspace, user=person, role=role, actor=actor)
    return row


@transaction.atomic
def remove_service_account(*, actor: User, account: ServiceAccount) -> None:
    """End a service account: it is no member any more, and its tokens let nobody in."""
    membership = Membership.objects.filter(workspace=account.workspace_id, user=account.user_id).first()
    if membership is not None:
        remove_member(actor=actor, membership=membership)
    get_user_model()._default_manager.filter(pk=account.user_id).update(is_active=False)
    delete_and_record(account, actor=actor, verb="service_account.removed")


def _refuse_owner(role: str) -> None:
    if role == Role.OWNER:
        message = "A program cannot be an owner: somebody who signs in must answer for a workspace."
        raise Problem(message, remedy="Choose another role.", code="no_owner")


@transaction.atomic
def change_role(*, actor: User, membership: Membership, role: str) -> Membership:
    """Give a member another role; a workspace keeps at least one owner."""
    membership = _lock_membership(membership)
    _keep_an_owner(membership, becoming=role)
    if ServiceAccount.objects.filter(user=membership.user_id).exists():
        _refuse_owner(role)
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
    _record_member(actor, "member.removed", membership, {"role": membership.role, "user": membership.user_id})
    membership.delete()


@transaction.atomic
def restore_member(*, actor: User, workspace: Workspace, account: int) -> Membership:
    """Undo a removal: the person is back with the role they had. Problem when it can no longer be undone."""
    removal = find_removal(workspace, account)
    person = get_user_model()._default_manager.filter(pk=account, is_active=True).first()
    if removal is None or person is None:
        sentence = "This removal can no longer be undone."
        raise Problem(sentence, remedy="Invite the person again.", code="removal_final", status=409)
    membership = Membership.objects.create(workspace=workspace, user=person, role=removal.details["role"])
    _record_member(actor, "member.restored", membership, {"role": membership.role})
    return membership


@transaction.atomic
def hand_over(*, actor: User, workspace: Workspace, to: Membership) -> Membership:
    """Make another member an owner beside oneself, so that one may leave. Problem for who cannot sign in."""
    if not to.user.is_active:
        sentence = f"The account of {to.user} is switched off."
        raise Problem(sentence, remedy="Choose somebody who can sign in.", code="account_inactive")
    return change_role(actor=actor, membership=to, role=Role.OWNER)


@transaction.atomic
def renew_invitation(*, actor: User, invitation: Invitation, days: int) -> str:
    """Make another link of an invitation, open from now on; the link of before ends. The token is returned once."""
    token = new_token()
    pending = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None)
    until = timezone.now() + timedelta(days=days)
    if not pending.update(token_hash=hash_token(token), expires_at=until):
        raise invitation_closed()
    record(actor=actor, verb="invitation.renewed", target=invitation, details={"days": days})
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
    record(actor=actor, verb="invitation.made", target=invitation, details={"role": role, "email": email, "days": days})
    return invitation, token


@transaction.atomic
def revoke_invitation(*, actor: User, invitation: Invitation) -> None:
    """Close an invitation's link; closing it twice changes nothing."""
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor=actor, verb="invitation.revoked", target=invitation)


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
        sentence = f"This invitation is for {invitation.email}."
        return Problem(
            sentence,
            remedy="Sign in with that address, or ask for another link.",
            code="invitation_for_another",
            status=403,
        )
    remedy = (
        "Confirm it first; a link to do so can be sent to it."
        if settings.MAIL_ON
        else "This site sends no mail, so it cannot be: ask for a link without an address."
    )
    sentence = f"This invitation is for {invitation.email}, which your account has not confirmed."
    return Problem(sentence, remedy=remedy, code=NOT_CONFIRMED, status=403)


def needs_owner(membership: Membership) -> Problem:
    """The refusal to let the only owner go or take another role."""
    sentence = f"{membership.user} is the only owner of {membership.workspace}."
    return Problem(sentence, remedy="Make somebody else owner first.", code="last_owner")


def invitation_closed() -> Problem:
    """The refusal of an invitation that was used, revoked, or has expired."""
    return Problem(
        "This invitation can no longer be used.", remedy="Ask for another link.", code="invitation_closed", status=410
    )


def _record_member(actor: User, verb: str, membership: Membership | GroupMembership, details: dict[str, Any]) -> None:
    """Record what was done to a membership, under the name of who has it."""
    who = membership.user if isinstance(membership, Membership) else membership.group
    record(actor=actor, verb=verb, target=membership, name=str(who), details=details)


def _lock_membership(membership: Membership) -> Membership:
    """The membership as it is now, under its workspace's lock: else two owners could let each other go at once."""
    Workspace.objects.select_for_update().filter(pk=membership.workspace_id).first()
    rows = Membership.objects.select_related("workspace", "user").filter(pk=membership.pk)
    current: Membership | None = rows.first()
    if current is None:
        raise Problem("This member has left already.", remedy="Load the list again.", code="not_a_member", status=404)
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
        raise Problem(
            f"{user} is switched off.", remedy="Switch the account on first.", code="account_inactive", status=409
        )
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


@transaction.atomic
def require_two_steps(*, actor: User, user: Any = None, group: PeopleGroup | None = None) -> None:
    """Ask one person, the people of a group or, with neither, everyone for two steps from the next page on."""
    rule, created = TwoStepRule.objects.get_or_create(user=user, group=group)
    if created:
        record(actor=actor, verb="account.two_step_required", target=user or group, name=str(rule))


@transaction.atomic
def waive_two_steps(*, actor: User, user: Any = None, group: PeopleGroup | None = None) -> None:
    """Take such a rule back. Who has set two steps up keeps them."""
    rule = TwoStepRule.objects.filter(user=user, group=group).first()
    if rule is not None:
        record(actor=actor, verb="account.two_step_waived", target=user or group, name=str(rule))
        rule.delete()


def describe_orphaned_workspaces(user: AbstractUser) -> list[str]:
    """A sentence for each workspace that would have no owner who can sign in without this account."""
    rows = Membership.objects.filter(user_id=user.pk, role=Role.OWNER).select_related("user", "workspace")
    return [
        f"{row.user} is the only owner of {row.workspace}: make somebody else owner first."
        for row in rows
        if is_only_owner(row)
    ]


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
    _record_member(actor, "member.group_added", membership, {"role": role})
    return membership


@transaction.atomic
def change_group_role(*, actor: User, membership: GroupMembership, role: str) -> GroupMembership:
    """Give a group another role. It never counts as the owner that a workspace needs: its people may all leave it."""
    before, membership.role = membership.role, Role(role).value
    membership.save(update_fields=["role"])
    _record_member(actor, "member.group_role_changed", membership, {"from": before, "to": role})
    return membership


@transaction.atomic
def remove_group(*, actor: User, membership: GroupMembership) -> None:
    """Take a group out; those of its people who were let in by themselves stay."""
    name, details = membership.group.name, {"role": membership.role}
    delete_and_record(membership, actor=actor, verb="member.group_removed", name=name, details=details)
