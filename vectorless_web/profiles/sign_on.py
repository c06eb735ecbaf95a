"""Signing in with an identity provider: who may make an account by it, which workspaces they join, where forms lead."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

from allauth.account.signals import user_logged_in
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from django.conf import settings
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from vectorless_web.infra.site.identity import IdentityProvider, JoinRule
from vectorless_web.infra.web.pages import go_to
from vectorless_web.profiles.models import SignOnProvider
from vectorless_web.profiles.selectors import was_removed
from vectorless_web.workspaces.accounts.adapters import find_followed_invitation
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User, lacks_two_steps
from vectorless_web.workspaces.services import add_member
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt

logger = logging.getLogger(__name__)

LEADING_AWAY = ("account_login", "account_signup", "socialaccount_connections", "openid_connect_login")
"""Pages with a form that ends at an identity provider."""


def list_identity_providers() -> list[IdentityProvider]:
    """The providers of the settings, then those that administrators set in the console and that are in use.

    One whose secret was stored under another encryption key is left out: nobody could sign in by it.
    """
    named = {each.id for each in settings.SIGN_ON}
    rows = SignOnProvider.objects.filter(enabled=True).exclude(key__in=named).select_related("workspace")
    return [*settings.SIGN_ON, *(found for row in rows if (found := _read_row(row)) is not None)]


def show_providers(_request: HttpRequest) -> dict[str, Any]:
    """Context processor: the identity providers, for pages that offer to sign in by one."""
    return {"sign_on": SimpleLazyObject(list_identity_providers)}


def _read_row(row: SignOnProvider) -> IdentityProvider | None:
    try:
        secret = decrypt(row.encrypted_secret)
    except SecretUnreadable:
        logger.warning("nobody signs in by %s: its secret was stored under another encryption key", row)
        return None
    joins: list[JoinRule] = []
    if row.workspace is not None and row.domain:
        joins.append(JoinRule(workspace=row.workspace.slug, role=row.role, domain=row.domain.casefold()))
    if row.workspace is not None and row.group:
        joins.append(JoinRule(workspace=row.workspace.slug, role=row.role, group=row.group))
    return IdentityProvider(row.key, row.name, row.issuer, row.client, secret, tuple(joins))


class SignOnAdapter(DefaultSocialAccountAdapter):
    """Lets in whom a rule names, and matches accounts by addresses that the provider has verified."""

    def list_apps(self, request: HttpRequest, provider: str | None = None, client_id: str | None = None) -> list[Any]:
        """The providers as the library knows them, those of the console among them."""
        apps: list[Any] = super().list_apps(request, provider=provider, client_id=client_id)
        known = {app.provider_id for app in apps}
        own = [SocialApp(provider="openid_connect", **each.app) for each in list_identity_providers()]
        asked = (provider, client_id)
        return apps + [app for app in own if app.provider_id not in known and _is_asked_for(app, *asked)]

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Whether somebody without an account here may make one by this sign-in."""
        invited = find_followed_invitation(request) is not None
        return settings.SIGNUP_OPEN or invited or next(find_rules(sociallogin), None) is not None

    def authenticate_by_email(self, sociallogin: Any) -> tuple[Any, str] | None:
        """The account with an address that the provider has verified; never one of staff or of a superuser.

        A provider says which addresses it has verified, so one that lies could name an administrator's. Those
        connect a provider themselves, under Account, once they have signed in.
        """
        found = super().authenticate_by_email(sociallogin)
        return found if found is not None and not (found[0].is_staff or found[0].is_superuser) else None


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
    return next((each for each in list_identity_providers() if each.id == named), None)


def _is_asked_for(app: SocialApp, provider: str | None, client_id: str | None) -> bool:
    return provider in (None, app.provider, app.provider_id) and client_id in (None, app.client_id)


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
        if match is not None and match.url_name in LEADING_AWAY:
            origins = [each.origin for each in list_identity_providers()]
            if origins:
                response._csp_update = {"form-action": origins}  # type: ignore[attr-defined]
        return response


FREE_OF_TWO_STEPS = ("account_logout", "account_reauthenticate", "help", "favicon")
"""Pages that somebody who has yet to set up two steps may open, besides those that set them up."""


class TwoStepMiddleware:
    """Leads people who must sign in in two steps, and have not set these up, to the page that does."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """The page that sets two steps up, in the place of any other; None lets a page be shown."""
        name = request.resolver_match.url_name or "" if request.resolver_match else ""
        if not request.user.is_authenticated or name in FREE_OF_TWO_STEPS or not lacks_two_steps(request.user):
            return None
        request.must_set_up_two_steps = True  # type: ignore[attr-defined]
        return None if name.startswith("mfa_") else go_to(request, "mfa_index")
