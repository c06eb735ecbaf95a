"""Which network addresses a model may have when the operator allows public ones alone."""

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv6 addresses whose last 32 bits are the IPv4 address that is reached through them (RFC 6052)."""
LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
"""Translated as each network likes (RFC 8215): what they reach cannot be told, so none of them is public."""


class PrivateAddress(Exception):
    """Raised for a host that is, or resolves to, an address of a private network or of this machine."""


def public_addresses(host: str, port: int | None = None) -> list[str]:
    """The addresses a host has, all of them public. PrivateAddress when one is not; OSError when it has none.

    Whatever spelling the system's resolver takes for an address (127.1, 0x7f.1) is read as it would be.
    """
    if _is_local_name(host):
        raise PrivateAddress(host)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"not a host name: {host[:60]!r}") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not all(_is_public(address) for address in addresses):
        raise PrivateAddress(host)
    return addresses


def is_private(host: str) -> bool:
    """Whether a host has a private address, or a name of a private network; false for one that has none yet."""
    try:
        public_addresses(host)
    except PrivateAddress:
        return True
    except OSError:
        return False
    return False


def _is_local_name(host: str) -> bool:
    name = host.rstrip(".").lower()
    return name.endswith((".localhost", ".local", ".internal")) or ("." not in name and ":" not in name)


def _is_public(text: str) -> bool:
    named = ipaddress.ip_address(text.partition("%")[0])
    if named in LOCAL_NAT64:
        return False
    address = _reached(named)
    return address.is_global and not address.is_multicast


def _reached(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
