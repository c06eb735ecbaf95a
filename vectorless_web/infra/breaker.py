"""Keeps a Redis that hangs from being waited for again and again: after one time-out it is left alone for a while."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

REST_SECONDS = 4.0
"""How long Redis is left alone after a time-out. A page waits for it at most once in this time: at half of it twice as
many pages are slow during an outage, at twice of it hints and limits come back twice as late afterwards."""


class RedisLeftAlone(RedisConnectionError):
    """Raised instead of asking a Redis that did not answer a moment ago."""


class Breaker:
    """Guards every question to Redis in one process. Threads share it; a fork takes its state along.

    A refused connection costs no time and changes nothing. A time-out opens the breaker:
    until `rest_seconds` have passed, whoever asks gets RedisLeftAlone at once. Then one
    caller asks again, and the others go on being spared until it has an answer.
    """

    def __init__(self, *, rest_seconds: float = REST_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._rest_seconds, self._clock = rest_seconds, clock
        self._lock = threading.Lock()
        self._open_until: float | None = None

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Ask Redis inside; RedisLeftAlone without asking while the breaker is open."""
        self._enter()
        try:
            yield
        except (RedisTimeoutError, TimeoutError, FutureTimeoutError):
            self._open_until = self._clock() + self._rest_seconds
            raise
        # Any answer closes it; RedisLeftAlone and refused connections are none.
        self._open_until = None

    def _enter(self) -> None:
        with self._lock:
            if self._open_until is None:
                return
            now = self._clock()
            if now < self._open_until:
                raise RedisLeftAlone("Redis did not answer a moment ago and is left alone for some seconds.")
            self._open_until = now + self._rest_seconds


redis_breaker = Breaker()
"""The breaker of this process."""
