"""The web server: uvicorn, with bounds on what a connection may cost.

A large body is let in by its size and by who sends it, and read at the pace at which the application takes it; a
connection that sends or reads too slowly is closed; the quietest goes when there are too many. On SIGTERM uvicorn takes
no new connection, answers the requests it has and tells websockets to come again (1012); a second signal ends at once.
"""

import asyncio
import logging
import os
import resource
import socket
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import uvicorn
from django.conf import settings
from django.utils.module_loading import import_string
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from vectorless_web.infra.queues.jobs import freeze_memory, give_back_memory
from vectorless_web.infra.web import health, request_limits
from vectorless_web.infra.web.handler import keep_connections
from vectorless_web.infra.web.problems import Problem

logger = logging.getLogger(__name__)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

SLOWEST_BYTES = 500
"""A body has REQUEST_SECONDS and one more for each 500 bytes that came, as Apache's default has it (20 s, 500 bytes):
slower senders only hold a place."""
IDLE_TIMES = 3
"""A connection may be open without a request on it for three times REQUEST_SECONDS: browsers open some in advance."""
UNREAD_SECONDS = 60.0
"""How long a client may take to read what was written for it."""
LINGER_SECONDS = 30.0
"""What is still sent after a refusal is thrown away for this long, as nginx does: closing earlier would reset the
connection, and the browser would show that instead of the sentence."""
CHECK_TICKS = 10
"""Of uvicorn's ticks, ten a second, between two looks at the limits of all connections."""
TIDY_TICKS = 600
"""Ticks between two collections of the whole process, which hold it for 23 ms. Python alone makes the next one
after thousands of requests, and until then what sockets and pages left behind stays. Half of it holds the process twice
as often, twice of it lets it grow by twice as much."""
CANCEL_SECONDS = 0.3
"""For applications that are cancelled at the limit to clean up; those in threads cannot be cancelled."""
MOST_DESCRIPTORS = 65_536
"""Open files and sockets that the process asks the system for; each viewer takes one. What the system allows at most
is above it."""
BACKLOG = 2048
"""Connections that may wait to be taken."""
MESSAGE_BYTES = 2**20
"""The longest message that a websocket may send; pages send numbers and names."""


class Connection(H11Protocol):
    """One connection; it becomes uvicorn's own class for websockets when it is one."""

    heard_at = begun_at = 0.0
    """When bytes last came, and when what it does now began (monotonic seconds)."""
    has_spoken = False
    unread_since: float | None = None

    def connection_made(self, transport: Any) -> None:
        """Count the connection."""
        super().connection_made(transport)
        self.heard_at = self.begun_at = time.monotonic()
        drop_surplus([each for each in self.connections if isinstance(each, Connection)], newest=self)

    @property
    def is_working(self) -> bool:
        """Whether a request is read or answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Note when bytes come."""
        self.heard_at = time.monotonic()
        if not self.has_spoken:
            self.has_spoken, self.begun_at = True, self.heard_at
        super().data_received(data)

    def on_response_complete(self) -> None:
        """The next request has its own clock."""
        self.has_spoken, self.begun_at = False, time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not read as fast as it is written to."""
        self.unread_since = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client has read what was written."""
        self.unread_since = None
        super().resume_writing()

    def is_overdue(self, now: float) -> bool:
        """Whether it took too long for what it is doing; bodies have a clock of their own (`limit_body`)."""
        if self.unread_since is not None:
            return now - self.unread_since > UNREAD_SECONDS
        patience = settings.REQUEST_SECONDS * (1 if self.has_spoken else IDLE_TIMES)
        return not self.is_working and now - self.begun_at > patience


def drop_surplus(connections: list[Connection], *, newest: Connection) -> None:
    """Close one connection when there are too many, or too many of one address: the one that has been quiet longest
    while it waited for its client, else the newest."""
    # Behind proxies every connection comes from one of them.
    most_each = 0 if settings.PROXIES else settings.CONNECTIONS_PER_ADDRESS
    host = newest.client[0] if newest.client else ""
    of_host = [each for each in connections if (each.client[0] if each.client else "") == host] if most_each else []
    if len(of_host) > most_each > 0:
        _drop_one(of_host, newest)
    elif len(connections) > most_connections():
        _drop_one(connections, newest)


_dropped: Counter[str] = Counter()


def _drop_one(connections: list[Connection], newest: Connection) -> None:
    waiting = [each for each in connections if not each.is_working]
    dropped = min(waiting, key=lambda each: each.heard_at) if waiting else newest
    dropped.connections.discard(dropped)
    dropped.transport.abort()
    _dropped["connections"] += 1


class Server(uvicorn.Server):
    """Uvicorn's server, which closes what takes too long and ends without waiting for threads."""

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second."""
        if counter % CHECK_TICKS == 0:
            now = time.monotonic()
            for each in list(self.server_state.connections):
                if isinstance(each, Connection) and each.is_overdue(now):
                    each.transport.abort()
            if _dropped:  # One line a second, however many: a flood of connections must not fill the disk.
                logger.warning("%d connections closed unanswered: too many are open", _dropped.total())
                _dropped.clear()
        if counter % TIDY_TICKS == 0:
            give_back_memory()
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin the end; called again, end now."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: Any = None) -> None:
        """Answer what is under way, then end this process: threads that the limit has overtaken are not waited for."""
        await super().shutdown(sockets)
        if self.server_state.tasks:
            logger.warning("%d requests did not end in time and are dropped", len(self.server_state.tasks))
            await asyncio.sleep(CANCEL_SECONDS)
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


class _Refused(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def limit_bodies(application: Application) -> Application:
    """The application, which reads bodies only as large and as slow as they may be; others are refused with a page."""

    async def serve_within_limits(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        headers = _read_headers(scope["headers"])
        has_begun = False

        async def note_begin(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        body = _Body(headers, receive)
        try:
            await application(scope, body.receive, note_begin)
        except _Refused as refused:
            if not has_begun:
                await _refuse(refused.problem, headers, body, send)
        except asyncio.CancelledError:  # the end has come; uvicorn answers 500, where a traceback would tell nothing
            return

    return serve_within_limits


class _Body:
    """A body on its way in: counted, timed, and let in beyond what anybody may send when its sender is known."""

    def __init__(self, headers: Mapping[str, str], receive: Receive) -> None:
        length = headers.get("content-length", "")
        self.length = int(length) if length.isdecimal() else None
        self._headers, self._receive = headers, receive
        self._most = request_limits.SMALL_BYTES
        self._received, self._begun_at = 0, time.monotonic()
        self.is_whole = False

    async def receive(self) -> Message:
        """The next message; _Refused when the body is too large or too slow."""
        if self.is_whole:
            return await self._receive()
        if self.length is not None and self.length > self._most:
            await self._admit()
        message = await self._await_piece()
        self._received += len(message.get("body", b""))
        self.is_whole = not message.get("more_body", False)
        if self._received > self._most:
            await self._admit()
        return message

    async def discard(self) -> None:
        """Throw away what is still sent, for a while."""
        until = time.monotonic() + LINGER_SECONDS
        while not self.is_whole and (left := until - time.monotonic()) > 0:
            try:
                message = await asyncio.wait_for(self._receive(), left)
            except TimeoutError:
                return
            self.is_whole = not message.get("more_body", False)

    async def _await_piece(self) -> Message:
        patience: float = settings.REQUEST_SECONDS
        left = self._begun_at + patience + self._received / SLOWEST_BYTES - time.monotonic()
        try:
            return await asyncio.wait_for(self._receive(), min(patience, left))
        except TimeoutError as error:
            problem = Problem("The request took too long to arrive.", remedy="Try again.", code="too_slow", status=408)
            raise _Refused(problem) from error

    async def _admit(self) -> None:
        if self._most > request_limits.SMALL_BYTES:
            raise _Refused(request_limits.too_large(self.length))
        try:
            await request_limits.admit(self._headers, self.length)
        except Problem as problem:
            raise _Refused(problem) from problem
        self._most = settings.REQUEST_MAX_BYTES


async def _refuse(problem: Problem, headers: Mapping[str, str], body: _Body, send: Send) -> None:
    """Answer with a problem, throw away what else comes, and close."""
    answer = request_limits.answer_problem(problem, headers)
    head = {
        "Content-Type": answer["Content-Type"],
        "Content-Length": str(len(answer.content)),
        "Connection": "close",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
    }
    lines = [(name.lower().encode(), value.encode()) for name, value in head.items()]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": lines})
    await send({"type": "http.response.body", "body": answer.content, "more_body": True})
    await body.discard()
    await send({"type": "http.response.body", "body": b""})


def _read_headers(rows: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers by their lower-case names, the first of each."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(list(rows))}


def most_connections() -> int:
    """How many HTTP connections may be open: half of the descriptors at most, for files and databases need some."""
    return min(settings.CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


def raise_descriptor_limit() -> None:
    """Let this process have as many descriptors as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def serve(host: str, port: int) -> None:
    """Become the web server."""
    raise_descriptor_limit()
    health.integrity.start()
    keep_connections()
    application = import_string(settings.ASGI_APPLICATION)
    freeze_memory()
    config = uvicorn.Config(
        limit_bodies(application),
        host=host,
        port=port,
        http=Connection,
        ws=WebSocketsSansIOProtocol,
        ws_max_size=MESSAGE_BYTES,
        ws_per_message_deflate=False,
        lifespan="off",
        proxy_headers=False,  # Whom to believe is said by VECTORLESS_PROXIES.
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=int(IDLE_TIMES * settings.REQUEST_SECONDS),
        timeout_graceful_shutdown=int(settings.STOP_SECONDS) or 1,
        backlog=BACKLOG,
    )
    Server(config).run([listen(host, port)])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; at "::" it hears IPv4 as well, where asyncio's own would not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG, dualstack_ipv6=is_dual)
    # A connection takes it over. A reply's head and body are two writes: the second would wait for the client's
    # acknowledgement of the first, for 40 ms. asyncio only sees to sockets that name their protocol.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
