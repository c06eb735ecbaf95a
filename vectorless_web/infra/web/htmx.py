"""Small pieces that htmx responses share."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, resolve_url
from django_htmx.http import HttpResponseClientRedirect


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx asked, and so wants a fragment rather than a page."""
    return bool(getattr(request, "htmx", False))


def go_to(request: HttpRequest, to: Any, *args: Any, **kwargs: Any) -> HttpResponse | HttpResponseRedirect:
    """Send the browser to another page, whether htmx or a plain form asked."""
    if is_htmx(request):
        return HttpResponseClientRedirect(resolve_url(to, *args, **kwargs))
    return redirect(to, *args, **kwargs)


def csp_nonce(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the nonce under the name that django-htmx's script tag reads."""
    return {"csp_nonce": getattr(request, "csp_nonce", "")}
