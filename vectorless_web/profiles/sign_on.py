"""Signing in with an identity provider: who may make an account by it, which workspaces they join, where forms lead."""

from collections.abc import Callable, Iterator
from typing import Any

from allauth.account.signals import user_logged_in
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from vectorless_web.infra.site.identity import IdentityProvider, JoinRule
from vectorless_web.profiles.selectors import was_removed
from vectorless_web.workspaces.accounts.adapters import find_followed_invitation
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import add_member

LEADING_AWAY = ("account_login", "account_signup", "socialaccount_connections", "openid_connect_login")
"""Pages with a form that ends at an identity provider."""


class SignOnAdapter(DefaultSocialAccountAdapter):
    """Lets in whom a rule names, and matches accounts by addresses that the provider has verified."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Whether somebody without an account here may make one by this sign-in."""
        invited = find_followed_invitation(request) is not None
        return settings.SIGNUP_OPEN or invited or next(find_rules(sociallogin), None) is not None

    def authenticate_by_email(self, sociallogin: Any) -> tuple[Any, str] | None:
        """The account with an address that the provider has verified; a superuser's only when it is verified here too.

        The library takes the password from an account whose address was not confirmed here. A superuser's
        password is what lets an administrator in when the provider is away, so that account is not matched.
        """
        found = super().authenticate_by_email(sociallogin)
        if found is None:
            return None
        user, address = found
        confirmed = user.emailaddress_set.filter(email__iexact=address, verified=True).exists()
        return found if confirmed or not user.is_superuser else None


def find_rules(sociallogin: Any) -> Iterator[JoinRule]:
    """The rules of the provider that cover this sign-in."""
    provider = _provider_of(sociallogin)
    if provider is None:
        return
    domains = {each.email.rpartition("@")[2].lower() for each in sociallogin.email_addresses if each.verified}
    groups = _groups_of(sociallogin.account.extra_data)
    yield from (rule for rule in provider.joins if rule.covers(domains, groups))


@receiver(user_logged_in)
def join_by_rules(sender: object, request: HttpRequest, user: User, **more: Any) -> None:
    """Make somebody who signed in by a provider a member of the workspaces whose rules cover them.

    Who is a member keeps the role they have; who was removed by an owner comes back only by an invitation.
    """
    sociallogin = more.get("sociallogin")
    if sociallogin is None:
        return
    for rule in find_rules(sociallogin):
        workspace = Workspace.objects.filter(slug=rule.workspace).first()
        if workspace is not None and not was_removed(workspace, user):
            add_member(workspace=workspace, user=user, role=rule.role)


def _provider_of(sociallogin: Any) -> IdentityProvider | None:
    named = sociallogin.account.provider
    return next((each for each in settings.SIGN_ON if each.id == named), None)


def _groups_of(data: dict[str, Any]) -> set[str]:
    """The entries of the claim `groups`, wherever the provider says them."""
    found: set[str] = set()
    for part in (data, data.get("userinfo") or {}, data.get("id_token") or {}):
        groups = part.get("groups", [])
        found |= {groups} if isinstance(groups, str) else {str(each) for each in groups}
    return found


class SignOnPagesMiddleware:
    """Lets forms of the sign-in pages lead to the identity providers: browsers check where a form's redirect ends."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        if settings.SIGN_ON and match is not None and match.url_name in LEADING_AWAY:
            origins = [each.origin for each in settings.SIGN_ON]
            response._csp_update = {"form-action": origins}  # type: ignore[attr-defined]
        return response
