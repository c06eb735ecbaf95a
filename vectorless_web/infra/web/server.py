"""The web server: daphne, with bounds on what a connection may cost, and an end that drops nothing.

Only import this in the process that serves: daphne makes an event loop when it is imported.

Daphne alone reads a body of any size before it asks the application, parses forms that the application
parses again, and queues the whole body in memory. Here a large body is let in by its size and by who sends
it, waits on disk, and is handed on piece by piece. Only import this in the process that serves: daphne
makes an event loop when it is imported.
"""

import asyncio
import logging
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from io import BytesIO
from typing import Any

import daphne.server  # noqa: F401 - it installs asyncio's reactor, before anything else imports another
from daphne import http_protocol, server
from daphne.cli import CommandLineInterface
from daphne.http_protocol import WebRequest
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as twisted_reactor
from twisted.internet import task
from twisted.web import http

from vectorless_web.infra.site.forking import STOPPING
from vectorless_web.infra.web import health, request_limits
from vectorless_web.infra.web.problems import Problem

logger = logging.getLogger(__name__)

OPENING_SECONDS = 30
"""Seconds in which a websocket must be open: Daphne's five pass while a crowd opens pages on a busy machine, and then
some sockets are refused without a word."""
reactor: Any = twisted_reactor
"""Twisted declares it as a module of interfaces, without the methods of the one that runs."""

SERVICE_RESTART = 1012
"""The close code of a websocket after which pages connect again by themselves (1001 they take for an end)."""
POLL_SECONDS = 0.05
"""Seconds between two looks whether all requests have ended."""
CANCEL_SECONDS = 0.3
"""For applications that are cancelled at the limit to clean up; those in threads cannot be cancelled."""


class Draining:
    """Mixed into daphne's Server before it: SIGTERM or SIGINT drains, a second one ends at once."""

    connections: dict[Any, dict[str, Any]]
    signal_handlers: bool

    def run(self) -> None:
        """Serve until told to end."""
        self._ports: list[Any] = []
        self._drain_until: float | None = None
        for number in STOPPING:
            reactor._asyncioEventloop.add_signal_handler(number, self.drain)
        self.signal_handlers = False  # Twisted's own would drop what is under way.
        super().run()  # type: ignore[misc]

    def listen_success(self, port: Any) -> None:
        """Keep the open port, to be closed when the end begins."""
        self._ports.append(port)
        super().listen_success(port)  # type: ignore[misc]

    def drain(self) -> None:
        """Begin the end; called again, end now."""
        if self._drain_until is not None:
            _stop_reactor()
            return
        self._drain_until = time.monotonic() + settings.STOP_SECONDS
        for port in self._ports:
            port.stopListening()
        for protocol in list(self.connections):
            if isinstance(protocol, WebSocketProtocol) and protocol.state == protocol.STATE_OPEN:
                protocol.sendCloseFrame(code=SERVICE_RESTART)
        self._stop_when_quiet()

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Once the end has begun, close each connection after its response."""
        beginning = message.get("type") == "http.response.start"
        if self._drain_until is not None and beginning and isinstance(protocol, WebRequest) and protocol.channel:
            protocol.channel.persistent = False
            message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
        await super().handle_reply(protocol, message)  # type: ignore[misc]

    def kill_all_applications(self) -> Any:
        """Cancel what is still under way, without waiting for threads, which do not hear of it."""
        running = [each for each in map(_application, self.connections.values()) if each and not each.done()]
        for application in running:
            application.cancel()
        if not running:
            return None
        logger.warning("%d requests and websockets did not end in time and are dropped", len(running))
        return task.deferLater(reactor, CANCEL_SECONDS, lambda: None)

    def _stop_when_quiet(self) -> None:
        assert self._drain_until is not None
        if time.monotonic() > self._drain_until or not self._is_working():
            _stop_reactor()
        else:
            reactor.callLater(POLL_SECONDS, self._stop_when_quiet)

    def _is_working(self) -> bool:
        """Whether a request is coming in or worked on, a websocket says goodbye, or bytes wait to be sent."""
        return bool(reactor.getWriters()) or any(
            _is_under_way(protocol, details) for protocol, details in self.connections.items()
        )


def end_process() -> None:
    """End this process without waiting for threads that the limit has overtaken."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _is_under_way(protocol: Any, details: dict[str, Any]) -> bool:
    application = _application(details)
    if application is None:
        return isinstance(protocol, WebRequest) and "disconnected" not in details
    return not application.done()


def _application(details: dict[str, Any]) -> Any:
    return details.get("application_instance")


def _stop_reactor() -> None:
    if reactor.running:
        reactor.stop()


Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

SPOOL_BYTES = 64 * 2**10
"""A body up to this size waits in memory, a larger one in a file without a name in the temporary folder."""
CHUNK_BYTES = 256 * 2**10
"""A body is handed to the application in pieces of this size."""
SLOWEST_BYTES = 500
"""A body has REQUEST_SECONDS and one more for each 500 bytes that came, as Apache's default has it (20 s, 500 bytes):
slower senders only hold a place."""
IDLE_TIMES = 3
"""A connection may be open without a request on it for three times REQUEST_SECONDS: browsers open some in advance."""
UNREAD_SECONDS = 60.0
"""How long a client may take to read the quarter of a megabyte that was written for it."""
LINGER_SECONDS = 30.0
"""What is still sent after a refusal is thrown away for this long, as nginx does: closing earlier would reset the
connection, and the browser would show that instead of the sentence."""
CHECK_SECONDS = 1.0
"""Seconds between two looks at the limits of a connection; a limit holds to within this time."""
MOST_DESCRIPTORS = 65_536
"""Open files and sockets that the process asks the system for; each viewer takes one. What the system allows at most
is above it."""


class Request(http_protocol.WebRequest):
    """A request whose body waits outside memory until the application reads it."""

    content: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._parsePOSTFormSubmission = False  # Twisted would read the whole form into memory; Django parses it.
        self.body: Any = BytesIO()

    def gotLength(self, _length: int | None) -> None:
        """Make room for the body."""
        self.content = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - closed with the request

    def process(self) -> Any:
        """Start the application; daphne queues an empty body, before which the real one is read."""
        self.body, self.content = self.content, BytesIO()
        self.body.seek(0)
        started = super().process()
        if self.transport is None:
            self.channel.leave()  # It is a websocket now, with pings of its own.
        return started

    def next_chunk(self) -> bytes:
        """The next piece of the body, b"" when there is none."""
        chunk = b"" if self.body.closed else self.body.read(CHUNK_BYTES)
        if not chunk:
            self.body.close()
        return bytes(chunk)

    def finish(self) -> None:
        """End the response."""
        self.body.close()
        super().finish()

    def connectionLost(self, reason: Any) -> None:
        """The client is gone."""
        self.body.close()
        super().connectionLost(reason)


class Channel(http.HTTPChannel):
    """One connection, which is measured while a request comes in and closed when it costs too much."""

    requestFactory = Request
    timeOut = None  # Twisted knows one time-out for everything; check_times has one for each state.

    def __init__(self) -> None:
        super().__init__()
        self.drained = asyncio.Event()
        self.drained.set()
        self.host = ""
        self._begun_at = self._heard_at = time.monotonic()
        self._spoken = self._refused = False
        self._received = 0
        self._most = request_limits.SMALL_BYTES
        self._held: list[bytes] | None = None
        self._unread_since: float | None = None

    @property
    def is_working(self) -> bool:
        """Whether the application has the request."""
        return self._handlingRequest

    @property
    def heard_at(self) -> float:
        """When bytes last came (monotonic seconds)."""
        return self._heard_at

    def connectionMade(self) -> None:
        """Count the connection."""
        super().connectionMade()
        self.host = getattr(self.transport.getPeer(), "host", "")
        self.factory.join(self)

    def connectionLost(self, reason: Any) -> None:
        """The client is gone."""
        self.leave()
        self.drained.set()
        super().connectionLost(reason)

    def leave(self) -> None:
        """Be counted no more."""
        self.factory.channels.pop(self, None)

    def dataReceived(self, data: bytes) -> None:
        """Note when bytes come; those after a refusal are thrown away."""
        self._heard_at = time.monotonic()
        if self._refused:
            return
        if not self._spoken:
            self._spoken, self._begun_at = True, self._heard_at
        super().dataReceived(data)

    def allHeadersReceived(self) -> None:
        """The body begins: its clock and its limit are new."""
        self._begun_at, self._received, self._most = time.monotonic(), 0, request_limits.SMALL_BYTES
        super().allHeadersReceived()

    def rawDataReceived(self, data: bytes) -> None:
        """Take a piece of a body in; the first one beyond the limit waits until somebody has looked at who sends it."""
        if self._handlingRequest:
            super().rawDataReceived(data)
            return
        if self._refused:
            return
        if self._held is not None:
            self._held.append(data)
            return
        expected = self.length if self.length is not None else self._received + len(data)
        if expected > self._most:
            self._ask_for_more(data)
            return
        self._received += len(data)
        try:
            super().rawDataReceived(data)
        except OSError as error:
            logger.error("a body could not be kept: %s", error)
            self.refuse(Problem("The server's disk is full, so nothing was stored.", code="disk_full", status=507))

    def _ask_for_more(self, data: bytes) -> None:
        if self._most > request_limits.SMALL_BYTES:
            self.refuse(request_limits.too_large(self.length))
            return
        self._held = [data]
        self._networkProducer.pauseProducing()
        asyncio.ensure_future(self._admit()).add_done_callback(_log_failure)

    async def _admit(self) -> None:
        """Read on, or refuse, when it is known whether the sender may send that much."""
        problem = None
        try:
            await request_limits.admit(self._headers(), self.length)
        except Problem as found:
            problem = found
        if self not in self.factory.channels:
            return
        self._most = settings.REQUEST_MAX_BYTES
        held, self._held = self._held or [], None
        self._heard_at = time.monotonic()
        self._networkProducer.resumeProducing()
        if problem is not None:
            self.refuse(problem)
        else:
            super().dataReceived(b"".join(held))

    def refuse(self, problem: Problem) -> None:
        """Answer with a problem, throw away what else comes, and close soon."""
        if self._refused or self not in self.factory.channels:
            return
        self._refused, self._held, self._begun_at = True, None, time.monotonic()
        request = self.requests[-1]
        request.content.close()
        answer = request_limits.answer_problem(problem, self._headers())
        status = f"{answer.status} {HTTPStatus(answer.status).phrase}"
        head = {
            "Content-Type": answer.content_type,
            "Content-Length": str(len(answer.body)),
            "Connection": "close",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.transport.write(f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + answer.body)
        self.transport.loseWriteConnection()

    def _headers(self) -> dict[str, str]:
        rows = self.requests[-1].requestHeaders.getAllRawHeaders()
        return {name.decode("latin-1").lower(): values[0].decode("latin-1") for name, values in rows}

    def requestDone(self, request: Any) -> None:
        """A response is complete: the next request has its own clock."""
        self._begun_at = self._heard_at = time.monotonic()
        self._spoken = False
        super().requestDone(request)

    def pauseProducing(self) -> None:
        """The client does not read as fast as it is written to."""
        self.drained.clear()
        self._unread_since = time.monotonic()
        super().pauseProducing()

    def resumeProducing(self) -> None:
        """The client has read what was written."""
        self.drained.set()
        self._unread_since = None
        super().resumeProducing()

    def check_times(self, now: float) -> None:
        """Close the connection when it took too long for what it is doing; `now` in monotonic seconds."""
        if self._unread_since is not None and now - self._unread_since > UNREAD_SECONDS:
            self.transport.abortConnection()
        elif self._handlingRequest or self._held is not None:
            return
        elif self._refused:
            if now - self._begun_at > LINGER_SECONDS:
                self.transport.abortConnection()
        elif self.line_mode:
            if now - self._begun_at > settings.REQUEST_SECONDS * (1 if self._spoken else IDLE_TIMES):
                self.transport.abortConnection()
        elif now - self._heard_at > settings.REQUEST_SECONDS or now - self._begun_at > self._body_seconds():
            self.refuse(Problem("The request took too long to arrive. Try again.", code="too_slow", status=408))

    def _body_seconds(self) -> float:
        return float(settings.REQUEST_SECONDS + self._received / SLOWEST_BYTES)


class Factory(http_protocol.HTTPFactory):
    """Makes a channel for each connection, and keeps them within their number."""

    def __init__(self, daphne_server: server.Server) -> None:
        super().__init__(daphne_server)
        self.channels: dict[Channel, bool] = {}
        self._dropped = 0
        self._most = most_connections()
        # Behind proxies every connection comes from one of them.
        self._most_each = 0 if settings.PROXIES else settings.CONNECTIONS_PER_ADDRESS
        reactor.callLater(CHECK_SECONDS, self._check)

    def buildProtocol(self, _address: Any) -> Channel:
        """A channel for a new connection."""
        channel = Channel()
        channel.factory = channel.site = self
        channel.callLater = self.reactor.callLater
        return channel

    def join(self, channel: Channel) -> None:
        """Count a connection; the one that has been quiet longest goes when there are too many."""
        self.channels[channel] = True
        if len(self.channels) > self._most:
            self._drop_one(list(self.channels))
        hosts = Counter(each.host for each in self.channels) if self._most_each else Counter()
        if hosts[channel.host] > self._most_each > 0:
            self._drop_one([each for each in self.channels if each.host == channel.host])

    def _drop_one(self, channels: list[Channel]) -> None:
        """Close the quietest that waits for its client; the newest when the application works for all of them."""
        waiting = [channel for channel in channels if not channel.is_working]
        dropped = min(waiting, key=lambda channel: channel.heard_at) if waiting else channels[-1]
        dropped.leave()
        dropped.transport.abortConnection()
        self._dropped += 1

    def _check(self) -> None:
        if self._dropped:  # One line a second, however many: a flood of connections must not fill the disk.
            logger.warning(
                "%d connections closed unanswered: too many are open (%d)", self._dropped, len(self.channels)
            )
            self._dropped = 0
        now = time.monotonic()
        for channel in list(self.channels):
            channel.check_times(now)
        reactor.callLater(CHECK_SECONDS, self._check)


class WebServer(Draining, server.Server):
    """Daphne's server with our channels, and with applications that read bodies and write at the client's pace."""

    def __init__(self, application: Any, **options: Any) -> None:
        patient = {"websocket_handshake_timeout": OPENING_SECONDS, "websocket_connect_timeout": OPENING_SECONDS}
        super().__init__(self._run_with_body, **options | patient)
        self._application = application

    @property
    def http_factory(self) -> Factory:
        """What makes the channels; `run` sets daphne's own, whose place ours takes."""
        return self._http_factory

    @http_factory.setter
    def http_factory(self, _daphnes: http_protocol.HTTPFactory) -> None:
        self._http_factory = Factory(self)

    def protocol_disconnected(self, protocol: Any) -> None:
        """Note a websocket that was given up before it was open: its page goes without news until it tries again."""
        if getattr(protocol, "wasOpenHandshakeTimeout", False):
            logger.warning("a websocket was not open within %d s and was closed: the server is busy", OPENING_SECONDS)
        super().protocol_disconnected(protocol)

    def create_application(self, protocol: Any, scope: Message) -> Any:
        """Start the application for a request or a websocket."""
        if isinstance(protocol, Request):
            scope["vectorless.request"] = protocol
        return super().create_application(protocol, scope)

    async def _run_with_body(self, scope: Message, receive: Receive, send: Any) -> None:
        request = scope.pop("vectorless.request", None)
        await self._application(scope, receive if request is None else _body_first(request, receive), send)

    async def handle_reply(self, protocol: Any, message: Message) -> None:
        """Write a part of a response, then wait until the client has room for the next."""
        await super().handle_reply(protocol, message)
        channel = getattr(protocol, "channel", None)
        if isinstance(channel, Channel):
            await channel.drained.wait()


def _body_first(request: Request, receive: Receive) -> Receive:
    """Hand out the body in pieces, letting others run between them, then what daphne has queued."""

    async def next_message() -> Message:
        chunk = request.next_chunk()
        if not chunk:
            return await receive()
        await asyncio.sleep(0)
        return {"type": "http.request", "body": chunk, "more_body": True}

    return next_message


def most_connections() -> int:
    """How many HTTP connections may be open: half of the descriptors at most, for files and databases need some."""
    return min(settings.CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


def raise_descriptor_limit() -> None:
    """Let this process have as many descriptors as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class CommandLine(CommandLineInterface):
    """Daphne's command line, starting our server."""

    server_class = WebServer


def serve(host: str, port: int) -> None:
    """Become the web server."""
    raise_descriptor_limit()
    health.integrity.start()
    CommandLine().run(["-v", "0", "-b", host, "-p", str(port), "vectorless_web.asgi:application"])
    end_process()


def _log_failure(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and task.exception():
        logger.error("a body could not be let in", exc_info=task.exception())
