"""Websockets are for our own pages: a browser sends its cookies along whichever site asks for the connection."""

from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.utils.http import is_same_domain


class SameOriginSockets:
    """Refuses a websocket unless its Origin is the site's own (scheme, host and port) or one of the trusted ones.

    The rules are those of Django's protection of forms: the same settings open both.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        application = self.application if is_own_origin(headers) else WebsocketDenier()
        await application(scope, receive, send)


def is_own_origin(headers: dict[str, str]) -> bool:
    """Whether a request with these headers (names in lower case) comes from a page of this site."""
    origin = _parts(headers.get("origin", ""))
    if origin is None:
        return False
    request = HttpRequest()
    request.META = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    try:
        own = _parts(f"{request.scheme}://{request.get_host()}")
    except DisallowedHost:
        own = None
    return origin == own or any(_is_trusted(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


Origin = tuple[str, str, int]
PORTS = {"http": 80, "https": 443}


def _parts(address: str) -> Origin | None:
    """Scheme, host and port of an origin; None for what is none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or PORTS[parts.scheme]


def _is_trusted(origin: Origin, trusted: str) -> bool:
    """Whether a setting such as `https://docs.example.com` or `https://*.example.com` means this origin."""
    parts = _parts(trusted.replace("://*.", "://.", 1))
    if parts is None:
        return False
    return (origin[0], origin[2]) == (parts[0], parts[2]) and is_same_domain(origin[1], parts[1])
