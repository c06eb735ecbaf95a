"""Acts on one's own account, and on the providers by which people sign in. Each is recorded."""

import hashlib
from collections.abc import Callable

from allauth.usersessions.adapter import get_adapter as get_session_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import AbstractUser
from django.db import transaction

from vectorless_web.documents.drawing.client import RenderUnavailable, redraw_portrait
from vectorless_web.infra.web.problems import Problem
from vectorless_web.profiles.models import Portrait, Profile, SignOnProvider
from vectorless_web.workspaces.models import Membership, Role, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import delete_and_record, describe_orphaned_workspaces, record
from vectorless_web.workspaces.storage import encrypt


@transaction.atomic
def save_profile(*, user: AbstractUser, name: str, time_zone: str) -> None:
    """Set the name that others read, and the zone of the times that are shown to this person."""
    user.first_name, _blank, user.last_name = name.partition(" ")
    user.save(update_fields=["first_name", "last_name"])
    Profile.objects.update_or_create(user_id=user.pk, defaults={"time_zone": time_zone})
    record(actor=user, verb="account.profile_changed", target=user, details={"time_zone": time_zone})


PORTRAIT_BYTES = 2 * 2**20
"""Bytes of a picture that is taken: a photo of a phone made half as large."""


def save_portrait(*, user: AbstractUser, data: bytes, redraw: Callable[[bytes], bytes] = redraw_portrait) -> None:
    """Keep a picture of the person, as `redraw` makes it of the upload. Problem for what is none, or too large."""
    if len(data) > PORTRAIT_BYTES:
        raise Problem("A picture may have 2 MB at most.", remedy="Make it smaller first.", code="picture_too_large")
    try:
        jpeg = redraw(data)
    except RenderUnavailable as error:
        status = 422 if error.code in ("not_a_picture", "picture_too_large") else 503
        message, remedy = (
            (error.message, "Choose another picture.")
            if status == 422
            else ("Pictures cannot be taken just now.", "Try again in a moment.")
        )
        raise Problem(message, remedy=remedy, code=error.code, status=status, retryable=status == 503) from error
    digest = hashlib.sha256(jpeg).hexdigest()[:16]
    with transaction.atomic():
        Portrait.objects.update_or_create(user_id=user.pk, defaults={"jpeg": jpeg, "digest": digest})
        record(actor=user, verb="account.picture_changed", target=user)


@transaction.atomic
def remove_portrait(*, user: AbstractUser) -> None:
    """Let initials stand for the person again."""
    removed, _ = Portrait.objects.filter(user_id=user.pk).delete()
    if removed:
        record(actor=user, verb="account.picture_removed", target=user)


@transaction.atomic
def end_sessions(*, user: AbstractUser, sessions: list[UserSession]) -> int:
    """Sign the browsers of these sessions out; how many. Their open pages close within seconds."""
    get_session_adapter().end_sessions(sessions)
    if sessions:
        record(actor=user, verb="account.sessions_ended", target=user, details={"sessions": len(sessions)})
    return len(sessions)


@transaction.atomic
def save_sign_on(*, actor: User, provider: SignOnProvider, secret: str = "") -> SignOnProvider:
    """Store a new or changed identity provider. The secret is encrypted; "" keeps the stored one.

    A secret never goes to another issuer: with another address the stored one is forgotten.
    """
    before = SignOnProvider.objects.select_for_update().filter(pk=provider.pk).first()
    moved = before is not None and before.issuer != provider.issuer
    if secret or moved:
        provider.encrypted_secret = encrypt(secret)
    elif before is not None:
        provider.encrypted_secret = before.encrypted_secret
    provider.save()
    details = {"issuer": provider.issuer, "client": provider.client, "new_secret": bool(secret)}
    details |= {"enabled": provider.enabled, "domain": provider.domain, "group": provider.group, "role": provider.role}
    verb = "sign_on.changed" if before else "sign_on.added"
    record(actor=actor, verb=verb, target=provider, details=details)
    return provider


@transaction.atomic
def remove_sign_on(*, actor: User, provider: SignOnProvider) -> None:
    """Forget an identity provider and its secret; accounts that were made by it stay."""
    record(actor=actor, verb="sign_on.removed", target=provider)
    provider.delete()


@transaction.atomic
def delete_own_account(*, user: AbstractUser) -> None:
    """Delete the account. What it added to workspaces stays there, without the name.

    Problem (409) while it is the only owner of a workspace.
    """
    # Two owners who leave at one moment: the second counts after the first has gone.
    owned = Membership.objects.filter(user_id=user.pk, role=Role.OWNER).values("workspace")
    list(Workspace.objects.select_for_update(no_key=True).filter(pk__in=owned).order_by("pk").values_list("pk"))
    reasons = describe_orphaned_workspaces(user)
    if reasons:
        raise Problem(reasons[0], remedy="Make somebody else owner first.", code="only_owner", status=409)
    sessions = list(UserSession.objects.filter(user_id=user.pk))
    get_session_adapter().end_sessions(sessions)
    delete_and_record(user, actor=None, verb="account.deleted_by_its_owner")
