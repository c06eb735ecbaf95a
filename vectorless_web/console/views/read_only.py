"""Read-only mode as visitors meet it: what would write is refused, and every page says so."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from vectorless_web.infra.web.problems import show_problem
from vectorless_web.infra.web.request_limits import reads_alone
from vectorless_web.infra.web.sign_in import list_typed
from vectorless_web.workspaces.site import announcement, explain_read_only, hold_values, is_read_only, read_only_plan

SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE")
LET_THROUGH = {
    "account_login",
    "account_logout",
    "account_reauthenticate",
    "mfa_authenticate",
    "mfa_login_webauthn",
    "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
    "mfa_trust",
    "admin:login",
    "admin:logout",
    "sharing:unlock",
    "console:plan_read_only",
    "console:end_read_only",
    "console:announce",
    "console:back_up",
    "console:verify_backup",
    "console:pause_queue",
    "console:resume_queue",
    "console:drain_worker",
}
"""What may be sent while the site is read-only: signing in and out, reading by a password, and an operator's acts."""
TELLS_ITSELF = {"api-1"}
"""Addresses that refuse by themselves what would write, in a form that programs read."""


class ReadOnlyMiddleware:
    """Refuses requests that would write, with status 503, while the site is read-only and before a view begins.

    Those that only read note nothing beside it meanwhile: neither what was seen nor when.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with hold_values():
            token = reads_alone.set(is_read_only)
            try:
                return self.get_response(request)
            finally:
                reads_alone.reset(token)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Django calls this once it knows which view an address belongs to."""
        match = request.resolver_match
        if request.method in SAFE_METHODS or (match is not None and match.view_name in LET_THROUGH):
            return None
        if match is not None and match.namespace in TELLS_ITSELF:
            return None
        plan = read_only_plan()
        if plan is None or not plan.is_on:
            return None
        return show_problem(request, explain_read_only(plan), kept=list_typed(request))


def tell_of_site(_request: HttpRequest) -> dict[str, Any]:
    """Context processor: what every page says at its top of read-only mode and of what staff announce."""
    return {"read_only": SimpleLazyObject(read_only_plan), "announced": SimpleLazyObject(announcement)}
