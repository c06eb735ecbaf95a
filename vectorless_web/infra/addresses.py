"""Which network addresses a model may have: public ones, and those private ones that the operator allows."""

import ipaddress
import socket
from collections.abc import Iterable

LOOPBACK = "loopback"
"""In a list of allowed hosts: this machine by its own addresses and names."""
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv6 addresses whose last 32 bits are the IPv4 address that is reached through them (RFC 6052)."""
LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
"""Translated as each network likes (RFC 8215): what they reach cannot be told, so none of them is public."""


class PrivateAddress(Exception):
    """Raised for a host that is, or resolves to, an address of a private network or of this machine."""


def public_addresses(host: str, port: int | None = None, allowed: Iterable[str] = ()) -> list[str]:
    """The addresses a host has, all public or allowed. PrivateAddress when one is not; OSError when it has none.

    `allowed` holds names of hosts, addresses, networks ("10.1.0.0/16") and LOOPBACK. Whatever spelling
    the system's resolver takes for an address (127.1, 0x7f.1) is read as it would be.
    """
    listed = [entry.strip().lower() for entry in allowed]
    is_named = host.rstrip(".").lower() in listed
    if _is_local_name(host) and not listed:
        raise PrivateAddress(host)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"not a host name: {host[:60]!r}") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    must_be_listed = _is_local_name(host)
    if not is_named and not all(_may_be(address, listed, must_be_listed) for address in addresses):
        raise PrivateAddress(host)
    return addresses


def is_private(host: str, allowed: Iterable[str] = ()) -> bool:
    """Whether a host has a private address that is not allowed; false for one that has none yet."""
    try:
        public_addresses(host, allowed=allowed)
    except PrivateAddress:
        return True
    except OSError:
        return _is_local_name(host)
    return False


def allowed_hosts(text: str) -> bool | tuple[str, ...]:
    """What an operator's setting means: True allows every address, False public ones alone, else these hosts too.

    ValueError for an entry that is neither a name nor an address nor a network.
    """
    word = text.strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("", "0", "false", "no", "off"):
        return False
    entries = tuple(entry.strip().lower() for entry in text.split(",") if entry.strip())
    for entry in entries:
        if "/" in entry:
            ipaddress.ip_network(entry)
    return entries


def _may_be(address: str, listed: list[str], must_be_listed: bool) -> bool:
    return _is_listed(address, listed) or (not must_be_listed and _is_public(address))


def _is_listed(text: str, listed: list[str]) -> bool:
    address = _map_to_ipv4(ipaddress.ip_address(text.partition("%")[0]))
    if address.is_loopback and LOOPBACK in listed:
        return True
    return str(address) in listed or any("/" in entry and address in ipaddress.ip_network(entry) for entry in listed)


def _is_local_name(host: str) -> bool:
    name = host.rstrip(".").lower()
    return name.endswith((".localhost", ".local", ".internal")) or ("." not in name and ":" not in name)


def _is_public(text: str) -> bool:
    named = ipaddress.ip_address(text.partition("%")[0])
    if named in LOCAL_NAT64:
        return False
    address = _map_to_ipv4(named)
    return address.is_global and not address.is_multicast


def _map_to_ipv4(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
