"""Live pages: whose websockets are let in, and notifications over the channel layer that say "read the rows again"."""

import asyncio
import logging
import os
import threading
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.utils.http import is_same_domain
from prometheus_client import Gauge
from redis.exceptions import RedisError

from vectorless_web.infra.site.patient_redis import redis_breaker

logger = logging.getLogger(__name__)

OPEN_SOCKETS = Gauge("vectorless_sockets", "Websockets of this web process that are open.", registry=None)
REFUSED = 4403
"""The close code of a websocket whose reader may not see the page any more; static/js/live.js does not reconnect."""
SEND_SECONDS = 1.0
"""Seconds to wait for Redis when a notification is sent. It may be lost, and its sender has other work to do."""


class Announcer:
    """An event loop in a daemon thread that sends hints for a process.

    One loop for the whole process keeps one Redis connection; `async_to_sync` would make
    a new loop and connection for every message.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="announcer", daemon=True).start()

    def send(self, group: str, message: dict[str, Any]) -> None:
        """Send one message and wait until Redis has it; RedisError or TimeoutError when it does not."""
        sending = asyncio.run_coroutine_threadsafe(get_channel_layer().group_send(group, message), self._loop)
        try:
            sending.result(SEND_SECONDS)
        except FutureTimeoutError:
            sending.cancel()  # It holds the connection's lock, behind which all later ones would wait.
            raise


_lock = threading.Lock()
_announcer: Announcer | None = None


def _current() -> Announcer:
    """The announcer of this process: a forked work-horse must not use its parent's thread."""
    global _announcer  # noqa: PLW0603 - one per process, made after the fork
    with _lock:
        if _announcer is None or _announcer.pid != os.getpid():
            _announcer = Announcer()
        return _announcer


def publish(group: str, message: dict[str, Any]) -> bool:
    """Send a hint to a group of sockets; false, never an error, when it could not be sent.

    Tried twice: the first send after Redis restarted meets a stale connection.
    """
    for _attempt in range(2):
        try:
            with redis_breaker.guard():
                _current().send(group, message)
        except (RedisError, OSError, FutureTimeoutError) as error:
            logger.info("hint to %s not sent: %s", group, error)
        else:
            return True
    return False


class LiveConsumer(AsyncWebsocketConsumer):
    """A socket that hears the notifications of one group and, since one may be lost, looks at the rows by itself."""

    group = ""
    looking: "asyncio.Task[None] | None" = None

    async def join(self, group: str) -> None:
        """Hear notifications; with Redis away the socket still lives by looking at the rows."""
        try:
            await self.channel_layer.group_add(group, self.channel_name)
            self.group = group
        except (RedisError, OSError) as error:
            logger.warning("no notifications for %s: %s", group, error)

    async def disconnect(self, code: int) -> None:
        """Leave the group and stop looking."""
        if self.looking is not None:
            self.looking.cancel()
        if self.group:
            with suppress(RedisError, OSError):
                await self.channel_layer.group_discard(self.group, self.channel_name)

    async def send_html(self, html: str | None) -> None:
        """Send fragments; None closes the socket of somebody who may look no more, "" sends nothing."""
        if html is None:
            await self.close(REFUSED)
        elif html:
            await self.send(text_data=html)


class SameOriginSockets:
    """Refuses a websocket unless its Origin is the site's own (scheme, host and port) or one of the trusted ones.

    The rules are those of Django's protection of forms: the same settings open both.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        application = self.application if is_own_origin(headers) else WebsocketDenier()
        with OPEN_SOCKETS.track_inprogress():
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
