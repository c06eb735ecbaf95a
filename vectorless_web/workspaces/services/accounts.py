"""What an administrator does for an account: a link to choose a new password, switching off a lost second step."""

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import AbstractUser
from django.db import transaction
from django.urls import reverse

from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Membership, Role
from vectorless_web.workspaces.selectors import User, is_only_owner
from vectorless_web.workspaces.services.recording import record


def make_reset_link(*, actor: User | None, user: AbstractUser) -> str:
    """The path of a page where the account's password is chosen anew. It works once, for three days.

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
