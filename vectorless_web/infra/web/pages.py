"""What every page may show, how htmx is answered, the site's icon, and what caches may keep of a page."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, resolve_url
from django.templatetags.static import static
from django.utils.cache import patch_cache_control
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from vectorless_web.infra.queues.jobs import queue_is_up

THEMES = ("light", "dark")


def common(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the reader's theme, whether the queue is away, and how people get in, for pages to say so."""
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "mail_on": settings.MAIL_ON,
        "sign_up_open": settings.SIGNUP_OPEN and settings.LOCAL_PASSWORDS,
        "redis_down": SimpleLazyObject(lambda: not queue_is_up()),
    }


@login_not_required
@require_safe
def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Point to the logo."""
    return HttpResponseRedirect(static("logo.svg"))


class PrivatePagesMiddleware:
    """Marks answers to people who are signed in `private, no-store`, unless the view said otherwise.

    So the Back button after a sign-out, and a proxy that caches more than it should, show nothing.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # A failure is nobody's page either, and after one the database must not be asked who it was for.
        if not response.has_header("Cache-Control") and (response.status_code >= 500 or request.user.is_authenticated):
            patch_cache_control(response, private=True, no_store=True)
        return response


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx asked, and so wants a fragment rather than a page."""
    return bool(getattr(request, "htmx", False))


def go_to(request: HttpRequest, to: Any, *args: Any, **kwargs: Any) -> HttpResponse | HttpResponseRedirect:
    """Send the browser to another page, whether htmx or a plain form asked."""
    if is_htmx(request):
        return HttpResponseClientRedirect(resolve_url(to, *args, **kwargs))
    return redirect(to, *args, **kwargs)


def go_saying(request: HttpRequest, sentence: str, to: Any, *args: Any, **kwargs: Any) -> HttpResponse:
    """Send the browser to another page, as `go_to`, which says what was done."""
    messages.success(request, sentence)
    return go_to(request, to, *args, **kwargs)


def offer_undo(request: HttpRequest, sentence: str, address: str) -> None:
    """Say on the next page what was done, with a button that posts to an address of ours and undoes it."""
    messages.success(request, sentence, extra_tags=address)


def csp_nonce(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the nonce under the name that django-htmx's script tag reads."""
    return {"csp_nonce": getattr(request, "csp_nonce", "")}
