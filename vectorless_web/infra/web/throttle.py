"""Limits on how often something may be done, and from which address a request comes."""

import time
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

HOUR = 3600
"""Seconds; the span of what one person may do at most: ask, replay, upload."""


def seconds_to_wait(name: str, *, amount: int, limit: int, seconds: int) -> int:
    """Count `amount` more of what `name` stands for: 0 when that stays within the limit, else when to come again.

    The count begins anew with every full `seconds` of the clock. What is refused is not
    counted, so that waiting as long as was said is enough.
    """
    key, passed = _window(name, seconds)
    cache.add(key, 0, seconds)
    try:
        counted = cache.incr(key, amount)
    except ValueError:
        # Forgotten between the two commands: its time was up.
        return 0
    if counted <= limit:
        return 0
    cache.incr(key, -amount)
    return seconds - passed


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
    what stands before them is anybody's claim. "" when there is none.
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
