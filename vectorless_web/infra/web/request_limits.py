"""How large a request's body may be, how often something may be done, and from which address a request comes."""

import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from importlib import import_module
from ipaddress import ip_address, ip_network

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse, parse_cookie
from django.template.loader import render_to_string
from django.utils.module_loading import import_string

from vectorless_web.infra.web.problems import Problem


def signed_in_account(cookies: Mapping[str, str]) -> AbstractBaseUser | None:
    """The account whose session the cookies name; None for a visitor and for an account that was closed.

    Asks the database, which may raise DatabaseError.
    """
    key = cookies.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = get_user(request)
    return user if user.is_authenticated and user.is_active else None


def find_sender(headers: Mapping[str, str]) -> object | None:
    """Who sends a request, by the session of its cookies or by its bearer token; None for a visitor."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return import_string(settings.SENDER_BY_BEARER)(token.strip()) or None
    return signed_in_account(parse_cookie(headers.get("cookie", "")))


SMALL_BYTES = 256 * 2**10
"""What anybody may send: the longest form for visitors has a few hundred bytes, the longest question 20 KB."""


async def admit(headers: Mapping[str, str], length: int | None) -> None:
    """Let a body of more than SMALL_BYTES in, or raise Problem: 413 when it is too large for anybody who sends it.

    `headers` have lower-case names; `length` is None for a body whose size is not known in advance.
    """
    if length is not None and length > settings.REQUEST_MAX_BYTES:
        raise too_large(length)
    try:
        account = await database_sync_to_async(find_sender)(headers)
    except DatabaseError as error:
        message = "The database does not answer, so nothing can be taken in."
        raise Problem(
            message, remedy="Try again in a minute.", code="database_away", status=503, retry_after=60
        ) from error
    if account is None:
        raise Problem(
            f"Without being signed in you may send {format_megabytes(SMALL_BYTES)}, and this is more.",
            remedy="Sign in, then send it again.",
            code="sign_in_to_send",
            status=413,
        )


def too_large(length: int | None) -> Problem:
    """The problem of a body beyond REQUEST_MAX_BYTES."""
    size = format_megabytes(length) if length is not None else "more"
    return Problem(
        f"You sent {size} at once; the limit is {format_megabytes(settings.REQUEST_MAX_BYTES)}, "
        f"and {format_megabytes(settings.UPLOAD_MAX_BYTES)} for one file.",
        remedy="Send fewer or smaller files.",
        code="request_too_large",
        status=413,
    )


def format_megabytes(size: int) -> str:
    """A size in words: "200 MB", "0.3 MB"."""
    return f"{size / 2**20:.1f} MB".replace(".0 ", " ")


def answer_problem(problem: Problem, headers: Mapping[str, str]) -> HttpResponse:
    """The problem as the sender can show it: JSON, a fragment for htmx, or a page."""
    if "application/json" in headers.get("accept", ""):
        return JsonResponse({"code": problem.code, "message": problem.message}, status=problem.status)
    fetched = headers.get("hx-request") == "true" or headers.get("x-requested-with") == "XMLHttpRequest"
    html = render_to_string("_problem.html" if fetched else "problem.html", {"problem": problem})
    return HttpResponse(html, status=problem.status)


HOUR = 3600
"""Seconds; the span of what one person may do at most: ask, replay, upload."""


def seconds_to_wait(name: str, *, amount: int, limit: int, seconds: int) -> int:
    """Count `amount` more of what `name` stands for: 0 when that stays within the limit, else when to come again.

    The count begins anew with every full `seconds` of the clock. What is refused is not
    counted, so that waiting as long as was said is enough.
    """
    counted, left = count_in_window(name, seconds=seconds, amount=amount)
    if counted <= limit:
        return 0
    give_back(name, amount=amount, seconds=seconds)
    return left


def count_or_refuse(name: str, cause: str, *, limit: int, seconds: int, code: str, amount: int = 1) -> None:
    """Count as `seconds_to_wait` does; beyond the limit Problem (429), with the cause and when to come again."""
    wait = seconds_to_wait(name, amount=amount, limit=limit, seconds=seconds)
    if wait:
        raise Problem(cause, remedy=f"Try again in {describe_wait(wait)}.", code=code, status=429, retry_after=wait)


def describe_wait(seconds: int) -> str:
    """A time in words: "20 seconds", "3 minutes"."""
    return f"{seconds} seconds" if seconds < 90 else f"{-(-seconds // 60)} minutes"


def count_in_window(name: str, *, seconds: int, amount: int = 1) -> tuple[int, int]:
    """Count `amount` more of what `name` stands for: how many there are in this span of the clock, and when it ends."""
    key, passed = _window(name, seconds)
    try:
        counted = cache.incr(key, amount)
    except ValueError:
        # The first of this span; another request may be the first at the same time.
        counted = amount if cache.add(key, amount, seconds) else cache.incr(key, amount)
    return counted, seconds - passed


def give_back(name: str, *, amount: int, seconds: int) -> None:
    """Take `amount` off the present count again: what was counted turned out not to matter."""
    key, _passed = _window(name, seconds)
    if cache.get(key, 0) >= amount:
        cache.incr(key, -amount)


def _window(name: str, seconds: int) -> tuple[str, int]:
    """The key of the present count, and how many of its seconds have passed."""
    window, passed = divmod(int(time.time()), seconds)
    return f"throttle-{name}-{window}", passed


def client_address(request: HttpRequest) -> str:
    """The address of the person's browser: what the outermost of our own proxies saw, else who is connected.

    Only as many entries of X-Forwarded-For are believed as PROXIES says, counted from the end:
    what comes before them is anybody's claim. "" when there is none.
    """
    connected: str = request.META.get("REMOTE_ADDR") or ""
    count: int = settings.PROXIES
    seen = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    if not 0 < count <= len(seen):
        return connected
    return seen[-count] if _is_address(seen[-count]) else connected


def counted_address(request: HttpRequest) -> str:
    """What limits count by: an IPv4 address, or the /64 that one connection has of IPv6."""
    address = client_address(request)
    if ":" not in address or not _is_address(address):
        return address
    return str(ip_network(f"{address.partition('%')[0]}/64", strict=False))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


request_network: ContextVar[str] = ContextVar("request_network", default="")
"""The network that the request under way came from; "" outside requests, as in jobs and commands."""


request_token: ContextVar[str] = ContextVar("request_token", default="")
"""The name of the token by which the request under way came; "" for a browser's and outside requests."""

reads_alone: ContextVar[Callable[[], bool]] = ContextVar("reads_alone", default=lambda: False)
"""Tells whether the request under way writes nothing, not even what it would note beside its page; false outside
requests. Asked by what would note something alone, since the answer may cost a question to Redis."""


class RequestNetworkMiddleware:
    """Notes where the request comes from, for the record of what it does."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        network, token = request_network.set(network_of(client_address(request))), request_token.set("")
        try:
            return self.get_response(request)
        finally:
            request_network.reset(network)
            request_token.reset(token)


def network_of(address: str) -> str:
    """The network an address lies in: /24 of IPv4, /48 of IPv6; "" for what is no address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    return str(ip_network(f"{parsed}/{24 if parsed.version == 4 else 48}", strict=False))
