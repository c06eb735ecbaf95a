"""How the web server ends: it takes no new connection, finishes what is under way within a limit, and goes.

Only import this in the process that serves: daphne makes an event loop when it is imported.
"""

import logging
import os
import sys
import time
from typing import Any

import daphne.server  # noqa: F401 - it installs asyncio's reactor, before anything else imports another
from daphne.http_protocol import WebRequest
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as twisted_reactor
from twisted.internet import task

from vectorless_web.infra.site.forking import STOPPING

logger = logging.getLogger(__name__)
reactor: Any = twisted_reactor
"""Twisted declares it as a module of interfaces, without the methods of the one that runs."""

SERVICE_RESTART = 1012
"""The close code of a websocket after which pages connect again by themselves (1001 they take for an end)."""
POLL_SECONDS = 0.05
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
