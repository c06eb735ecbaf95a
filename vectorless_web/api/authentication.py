"""Who a program is: its bearer token, what that may do, and how often it may ask."""

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from vectorless_web.api.models import ApiToken, Scope
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import count_in_window, request_token
from vectorless_web.workspaces.selectors import lacks_two_steps
from vectorless_web.workspaces.site import is_read_only, refuse_while_read_only
from vectorless_web.workspaces.storage import hash_token

PREFIX = "vlw_"
"""What every token begins with, so that scanners of leaked secrets know one."""
TOKENS = (
    ApiToken.objects.filter(user__is_active=True)
    .select_related("user__service_account")
    .annotate(is_narrow=Exists(ApiToken.workspaces.through.objects.filter(apitoken=OuterRef("pk"))))
    .order_by()
)
"""Tokens as every request looks for one: made once, since that takes longer than asking the database."""
NOTED_EVERY = timedelta(minutes=10)
"""A use sooner after the last that was noted costs no write."""


class Bearer(HttpBearer):
    """`Authorization: Bearer vlw_...`; session cookies are not looked at, so that no page can be made to send one."""

    def __init__(self, scope: str = Scope.READ) -> None:
        super().__init__()
        self.scope = Scope(scope)

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """The token, with its person as the request's user; None for one that is unknown, revoked or expired."""
        found = find_token(token)
        if found is None:
            return None
        request.user = found.user
        request_token.set(found.name)
        request.api_rate = count_use(found)  # type: ignore[attr-defined]
        if not Scope(found.scope).covers(self.scope):
            raise PermissionDenied(f"This token has the scope “{found.scope}”; this needs “{self.scope}”.")
        if not hasattr(found.user, "service_account") and lacks_two_steps(found.user):
            raise PermissionDenied("This account must set up two-step sign-in first, under its own account's pages.")
        slug = (request.resolver_match.kwargs if request.resolver_match else {}).get("slug")
        if slug is not None and not may_reach(found, str(slug)):
            raise Http404("There is no such workspace, or this token does not reach it.")
        if slug is None and self.scope is Scope.ADMIN and found.is_narrow:  # type: ignore[attr-defined]
            raise Http404("This token is for some workspaces and does not govern the site.")
        if self.scope is not Scope.READ:
            refuse_while_read_only()
        return found


def find_token(text: str) -> ApiToken | None:
    """The open token with this text, whose person may sign in; its use is noted now and then.

    `is_narrow` says whether it is for some of its person's workspaces alone.
    """
    if not text.startswith(PREFIX):
        return None
    found = next(iter(TOKENS.filter(token_hash=hash_token(text))), None)
    if found is None or not found.is_open:
        return None
    now = timezone.now()
    if (found.last_used_at is None or now - found.last_used_at >= NOTED_EVERY) and not is_read_only():
        ApiToken.objects.filter(pk=found.pk).update(last_used_at=now)
    return found


def count_use(token: ApiToken) -> dict[str, str]:
    """Count one request of the token: the headers of its reply, which tell how much of the minute is used.

    Problem (429) when it has made as many in this minute as it may.
    """
    most = settings.API_PER_MINUTE
    used, reset = count_in_window(f"api-{token.pk}", seconds=60)
    if used > most:
        message, remedy = f"A token may make {most} requests a minute.", f"Try again in {reset} seconds."
        raise Problem(message, remedy=remedy, code="too_many_requests", status=429, retry_after=reset)
    counted = {"Limit": most, "Remaining": most - used, "Reset": reset}
    return {f"RateLimit-{name}": str(number) for name, number in counted.items()}


def may_reach(token: ApiToken, slug: str) -> bool:
    """Whether the token is for this workspace, or for all of its person's."""
    return not token.is_narrow or token.workspaces.filter(slug=slug).exists()  # type: ignore[attr-defined]
