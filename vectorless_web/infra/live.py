"""Notifications over the channel layer: small messages that say "read the rows again"."""

import asyncio
import logging
import os
import threading
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from vectorless_web.infra.patient_redis import redis_breaker

logger = logging.getLogger(__name__)

REFUSED = 4403
"""The close code of a websocket whose reader may not see the page any more; static/js/live.js does not reconnect."""
SEND_SECONDS = 1.0
"""Seconds to wait for Redis when a notification is sent. It may be lost, and its sender has other work to do."""


class Announcer:
    """An event loop in a daemon thread that sends hints for a process.

    One loop for the whole process keeps one Redis connection; `async_to_sync` would make
    a new loop and connection for every message.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="announcer", daemon=True).start()

    def send(self, group: str, message: dict[str, Any]) -> None:
        """Send one message and wait until Redis has it; RedisError or TimeoutError when it does not."""
        sending = asyncio.run_coroutine_threadsafe(get_channel_layer().group_send(group, message), self._loop)
        try:
            sending.result(SEND_SECONDS)
        except FutureTimeoutError:
            sending.cancel()  # It holds the connection's lock, behind which all later ones would wait.
            raise


_lock = threading.Lock()
_announcer: Announcer | None = None


def _current() -> Announcer:
    """The announcer of this process: a forked work-horse must not use its parent's thread."""
    global _announcer  # noqa: PLW0603 - one per process, made after the fork
    with _lock:
        if _announcer is None or _announcer.pid != os.getpid():
            _announcer = Announcer()
        return _announcer


def publish(group: str, message: dict[str, Any]) -> bool:
    """Send a hint to a group of sockets; false, never an error, when it could not be sent.

    Tried twice: the first send after Redis restarted meets a stale connection.
    """
    for _attempt in range(2):
        try:
            with redis_breaker.guard():
                _current().send(group, message)
        except (RedisError, OSError, FutureTimeoutError) as error:
            logger.info("hint to %s not sent: %s", group, error)
        else:
            return True
    return False
