"""What visitors and those whose session has ended are shown where an account is needed."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from vectorless_web.infra.web.pages import is_htmx
from vectorless_web.infra.web.problems import Problem, page_above, show_problem
from vectorless_web.infra.web.request_limits import SMALL_BYTES

SHOWN_FIELDS, SHOWN_LETTERS = 10, 20_000
"""Fields, and characters of one, that a refused form is given back with: the longest question fits."""
HIDDEN = ("password", "token", "secret", "key", "code")
"""Parts of names of fields that are not given back."""


class SignInMiddleware(LoginRequiredMiddleware):
    """Leads visitors to the page for signing in, and keeps what somebody has typed whose session has ended.

    A redirect would put that page in the place of htmx's fragment, and lead back to an address without a page.
    """

    def handle_no_permission(  # type: ignore[override]  # Its type only knows of redirects.
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponse:
        """Django calls this for what needs an account."""
        if request.method in ("GET", "HEAD") and not is_htmx(request):
            return super().handle_no_permission(request, view_func)
        sentence = _("You are signed out, so nothing was stored.")
        back = QueryDict(mutable=True)
        back["next"] = page_above(request.path)
        return show_problem(
            request,
            Problem(sentence, remedy=_("Sign in, then send it once more."), code="signed_out", status=401),
            kept=list_typed(request),
            sign_in=f"{reverse('account_login')}?{back.urlencode(safe='/')}",
        )


def list_typed(request: HttpRequest) -> list[tuple[str, str]]:
    """Name and text of what was typed into a plain form; htmx leaves its form on the page as it is.

    Larger bodies are uploads, which nobody has to read to refuse them.
    """
    if is_htmx(request) or int(request.META.get("CONTENT_LENGTH") or 0) > SMALL_BYTES:
        return []
    typed = [
        (name.replace("_", " ").capitalize(), str(text)[:SHOWN_LETTERS])
        for name, text in request.POST.items()
        if str(text).strip() and name != "csrfmiddlewaretoken" and not any(part in name.lower() for part in HIDDEN)
    ]
    return typed[:SHOWN_FIELDS]
