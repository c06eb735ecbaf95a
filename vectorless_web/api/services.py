"""Making and revoking tokens, and forgetting replies that were kept long enough."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from vectorless_web.api.authentication import PREFIX
from vectorless_web.api.models import ApiToken, KeptReply, Scope
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import ServiceAccount, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record
from vectorless_web.workspaces.storage import hash_token, new_token

TOKENS_MOST = 50
"""Open tokens that one person may have."""


def open_tokens(holder: User) -> QuerySet[ApiToken]:
    """The tokens of a person or a service account that were not revoked."""
    return ApiToken.objects.filter(user=holder.pk, revoked_at=None)


def live_tokens() -> QuerySet[ApiToken]:
    """The tokens of the whole site that let somebody in, the newest first, with whose they are and what they reach."""
    rows = ApiToken.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)
    return rows.select_related("user__service_account__workspace").prefetch_related("workspaces")


@transaction.atomic
def make_token(
    *,
    user: User,
    name: str,
    scope: str,
    days: int | None,
    workspaces: Iterable[Workspace] = (),
    account: ServiceAccount | None = None,
) -> tuple[ApiToken, str]:
    """A token and its text, which is returned this once. `days` is None for one that does not end by itself.

    It acts for `user`, or for the service account of whose workspace `user` is an owner.
    """
    holder = user if account is None else account.user
    name = " ".join(name.replace("\0", "").split())[:NAME_MAX]
    if not name:
        raise Problem("The token has no name.", remedy="Give it one, by which you will know it.", code="no_name")
    if open_tokens(holder).count() >= TOKENS_MOST:
        message = f"You have {TOKENS_MOST} tokens, which is the most."
        raise Problem(message, remedy="Revoke one first.", code="too_many_tokens")
    text = PREFIX + new_token()
    token = ApiToken.objects.create(
        user_id=holder.pk or 0,
        name=name,
        prefix=text[:12],
        token_hash=hash_token(text),
        scope=Scope(scope),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    token.workspaces.set(workspaces)
    place = account.workspace if account else None
    details = {"scope": scope, "days": days, **({"account": holder.get_username()} if account else {})}
    record(actor=user, verb="token.made", workspace=place, target=token, name=name, details=details)
    return token, text


@transaction.atomic
def revoke_token(*, user: User, token: ApiToken) -> None:
    """Close a token for good; closing it twice changes nothing."""
    account = getattr(token.user, "service_account", None)
    place = account.workspace if account else None
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor=user, verb="token.revoked", workspace=place, target=token, name=token.name)


def tidy_replies() -> int:
    """Forget replies to repeated requests that are older than they are kept; how many."""
    return KeptReply.objects.filter(created_at__lt=timezone.now() - KeptReply.KEPT).delete()[0]
