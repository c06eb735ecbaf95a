"""From which address a request comes, proxies in front of the site taken into account."""

from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest


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
