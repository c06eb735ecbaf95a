"""Where the web server listens, where this machine reaches it, and the address that people open."""

import errno
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not chosen
"""Addresses that mean all of the machine's, and the one of them by which it reaches itself."""
PROBE_SECONDS = 2.0
OWN_NAMES = ("localhost", "127.0.0.1", "[::1]", "::1")


class CannotListen(Exception):
    """Raised when the address is taken or is not this machine's; the message names the remedy."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A host name or address of this machine, without brackets, and a port."""

    host: str
    port: int

    @classmethod
    def at(cls, host: str, port: int) -> "Listening":
        """From what an operator wrote; an IPv6 address may stand in brackets."""
        return cls(host.strip().strip("[]"), port)

    @property
    def local_url(self) -> str:
        """The address by which this machine reaches the server, without a path."""
        return f"http://{_bracket_host(EVERYWHERE.get(self.host, self.host))}:{self.port}"

    def refuse_taken(self) -> None:
        """CannotListen with the remedy unless this process could listen here now."""
        try:
            family, kind, _, _, address = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
        except socket.gaierror as error:
            raise CannotListen(f"HOST={self.host} is no address of this machine: {error.strerror}.") from error
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except PermissionError as error:
                raise CannotListen(
                    f"Port {self.port} needs more rights than this user has. Choose one above 1023 and put a proxy "
                    "in front, as docs/operating.md shows."
                ) from error
            except OSError as error:
                raise CannotListen(self._why_not(error)) from error

    def answers(self, path: str) -> bool:
        """Whether the server answers 200 at that path."""
        # Not urllib's opener, which would ask a proxy named in the environment.
        connection = HTTPConnection(EVERYWHERE.get(self.host, self.host), self.port, timeout=PROBE_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == HTTPStatus.OK
        except (HTTPException, OSError):
            return False
        finally:
            connection.close()

    def public_url(self, *, hosts: Sequence[str], origins: Sequence[str], https: bool) -> str:
        """The address that people open: a trusted origin, else the first host name that is not this machine's own."""
        if origins:
            return f"{origins[0].rstrip('/')}/"
        names = [host.removeprefix(".") for host in hosts if host != "*" and host not in OWN_NAMES]
        if https:
            return f"https://{names[0] if names else 'localhost'}/"
        if not names:
            return f"{self.local_url}/"
        return f"http://{names[0]}:{self.port}/"

    def _why_not(self, error: OSError) -> str:
        if error.errno == errno.EADDRNOTAVAIL:
            return f"This machine has no address {self.host}. HOST=0.0.0.0 listens on all that it has."
        return f"Port {self.port} is taken. Choose another: PORT={self.port + 1} make run"


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
