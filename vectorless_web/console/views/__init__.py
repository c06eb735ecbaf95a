"""The console's pages and acts, and who may open which."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class Place:
    """One page of the side navigation, and the right that opens it; "" opens it to all staff."""

    name: str
    label: str | Promise
    icon: str
    right: str = ""

    @property
    def url(self) -> str:
        """The name of its address; a room above names its own in full."""
        return self.name if ":" in self.name else f"console:{self.name}"


PLACES = (
    Place("overview", _("Overview"), "inbox"),
    Place("queues", _("Queues and workers"), "sort", "console.run_queues"),
    Place("usage", _("Usage and cost"), "coin", "console.view_dayusage"),
    Place("budgets", _("Budgets"), "coin", "workspaces.view_budget"),
    Place("people", _("People"), "users", "auth.view_user"),
    Place("groups", _("Groups"), "users", "workspaces.view_peoplegroup"),
    Place("sign_on", _("Sign-in"), "key", "profiles.view_signonprovider"),
    Place("workspaces", _("Workspaces"), "folder", "workspaces.view_workspace"),
    Place("work", _("Documents and runs"), "doc", "runs.view_run"),
    Place("models", _("Models"), "chip", "workspaces.view_modelprovider"),
    Place("links", _("Share links"), "link", "sharing.view_sharelink"),
    Place("api:live_tokens", _("API tokens"), "key", "api.view_apitoken"),
    Place("audit", _("Audit"), "eye", "workspaces.view_auditevent"),
    Place("retention", _("Retention"), "clock", "workspaces.view_sitesetting"),
    Place("maintenance", _("Maintenance"), "lock", "workspaces.view_sitesetting"),
    Place("site", _("Settings"), "gear", "console.view_site_settings"),
)


def require_staff(request: HttpRequest, right: str = "", *, superusers: bool = False) -> None:
    """Let staff who hold the right pass: everybody else finds nothing (404), staff without it are told (403).

    With `superusers` no right suffices: the act could make its author one.
    """
    if not (request.user.is_active and getattr(request.user, "is_staff", False)):
        raise Http404("There is no such page.")
    if right and not request.user.has_perm(right):
        raise PermissionDenied("Your account lacks the right to do this. Ask a superuser for it.")
    if superusers and not getattr(request.user, "is_superuser", False):
        raise PermissionDenied("Only superusers do this: who sets up sign-in decides whom the site trusts.")


def _let_staff_in(
    by_method: Callable[[View], View], right: str = "", *, superusers: bool = False
) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @by_method
        @wraps(view)
        def check_staff(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            require_staff(request, right, superusers=superusers)
            return view(request, *args, **kwargs)

        return check_staff

    return decorate


staff_page, staff_act = partial(_let_staff_in, require_GET), partial(_let_staff_in, require_POST)
"""What staff look at, by GET, and what they do, by POST."""


def show_page(request: HttpRequest, name: str, context: dict[str, Any], *, template: str = "") -> HttpResponse:
    """A page of the console, with the places that the person may open beside it.

    Its status is that of its `problem`, and 422 in answer to a form among its values that was filled in wrongly.
    """
    places = [each for each in PLACES if not each.right or request.user.has_perm(each.right)]
    around = {"places": places, "tab": name}
    status = context["problem"].status if context.get("problem") else 200
    if request.method == "POST" and any(isinstance(value, BaseForm) and value.errors for value in context.values()):
        status = 422
    return render(request, template or f"console/{name}.html", {**around, **context}, status=status)
