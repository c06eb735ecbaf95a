"""The address of a model's server, and HTTP connections that reach only allowed addresses."""

import socket
import threading
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

import httpx2

from vectorless_web.engine.llm.calls import start_in_thread
from vectorless_web.infra.addresses import PrivateAddress, public_addresses

FORMS = ("json_schema", "json_object", "")
"""How an object can be asked for, the strictest first; "" is by the words of the prompt alone.

Before them "tools" may stand, where a server was found to have native tool calling: it is used for
schemas that describe tools, and for no others.
"""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server and model that answer calls. Prices are US dollars per million tokens.

    `seconds` of silence end one try, and a failed try is repeated `retries` times. With
    `public_only` nothing is sent to a private network or to this machine, except to the hosts
    and networks in `private_allowed`. `forms` and `streams` say what the server is known to
    support; anything else it refuses is found out by the first call.
    """

    base_url: str
    model: str
    api_key: str = field(repr=False)
    price_in: Decimal = Decimal(0)
    price_out: Decimal = Decimal(0)
    seconds: float = 60.0
    retries: int = 2
    public_only: bool = False
    private_allowed: tuple[str, ...] = ()
    forms: tuple[str, ...] = FORMS
    streams: bool = True


Result = TypeVar("Result")
GLANCE_SECONDS = 0.05
"""How often a wait looks whether it should be given up."""


class GivenUp(Exception):
    """Raised in a waiting thread when the wait was given up."""


class Connections:
    """Every connection that a client has opened. Closing a socket wakes no thread that reads it; shutting it down does.

    `attend` is a request hook of the client, `cut` ends all of them for good.
    """

    def __init__(self) -> None:
        self._streams: list[Any] = []
        self._lock = threading.Lock()
        self._is_cut = False

    def attend(self, request: httpx2.Request) -> None:
        """Have the request tell of the connection it opens; none is opened once they were cut."""
        if self._is_cut:
            raise httpx2.ConnectError("stopped", request=request)
        request.extensions = {**request.extensions, "trace": self._trace_connection}

    def cut(self) -> None:
        """Shut every connection down: the server sees it at once, and so does whoever waits for it."""
        with self._lock:
            self._is_cut = True
            streams, self._streams = self._streams, []
        for stream in streams:
            _shut_down(stream)

    def _trace_connection(self, event: str, info: dict[str, Any]) -> None:
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        with self._lock:
            if not self._is_cut:
                self._streams.append(info["return_value"])
                return
        _shut_down(info["return_value"])


def _shut_down(stream: Any) -> None:
    found = stream.get_extra_info("socket")
    if isinstance(found, socket.socket):
        # That of TLS would first forget its state under the reading thread's feet.
        with suppress(OSError):
            socket.socket.shutdown(found, socket.SHUT_RDWR)


def run_unless_stopped(stopping: Callable[[], bool], work: Callable[[], Result], *, cut: Callable[[], None]) -> Result:
    """The result of `work`, or GivenUp as soon as `stopping` says so, with `cut` called.

    The work goes on in a thread of its own, which nobody waits for any more.
    """
    if stopping():
        raise GivenUp
    future = start_in_thread(work, name="model-call")
    while not wait([future], timeout=GLANCE_SECONDS).done:
        if stopping():
            cut()
            raise GivenUp
    if future.exception() is not None and stopping():
        # Another wait of the same client has cut this one's connection already.
        raise GivenUp
    return future.result()


class PublicTransport(httpx2.HTTPTransport):
    """Resolves the host once, checks every address, and connects to one that was checked.

    Resolving again for the connection would let a name answer differently the second time
    (DNS rebinding). The certificate is still checked against the name. `allowed` are private
    hosts and networks to which it connects as well.
    """

    def __init__(self, allowed: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._allowed = allowed

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer; httpx2.ConnectError for a private address and for a name without any."""
        name = request.url.host
        try:
            addresses = public_addresses(name, request.url.port, self._allowed)
        except PrivateAddress as error:
            raise httpx2.ConnectError("private address", request=request) from error
        except OSError as error:
            raise httpx2.ConnectError("name not resolved", request=request) from error
        request.extensions = {**request.extensions, "sni_hostname": name}
        # "localhost" has two addresses, and most servers listen on one of them.
        for address in addresses[:-1]:
            request.url = request.url.copy_with(host=address)
            try:
                return super().handle_request(request)
            except httpx2.ConnectError:
                continue
        request.url = request.url.copy_with(host=addresses[-1])
        return super().handle_request(request)
