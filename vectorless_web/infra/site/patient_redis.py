"""A Redis that hangs or is away: it is left alone for a while, and the cache lives in memory meanwhile."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from typing import Any, ClassVar

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

REST_SECONDS = 4.0
"""How long Redis is left alone after a time-out. A page waits for it at most once in this time: at half of it twice as
many pages are slow during an outage, at twice of it hints and limits come back twice as late afterwards."""


class RedisLeftAlone(RedisConnectionError):
    """Raised instead of asking a Redis that did not answer a moment ago."""


class Breaker:
    """Guards every question to Redis in one process. Threads share it; a fork takes its state along.

    A refused connection costs no time and changes nothing. A time-out opens the breaker:
    until `rest_seconds` have passed, anybody who asks gets RedisLeftAlone at once. Then one
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


logger = logging.getLogger(__name__)

KEPT_ENTRIES = 20_000
"""Entries kept in memory: more than an outage's guesses of passwords, so that none is pushed out early."""


class SharedClient(RedisCacheClient):
    """Uses one client of Redis for all requests: Django makes one for each command, and a cache for each thread."""

    _servers: list[str]
    _shared: ClassVar[dict[str, Redis]] = {}
    _INCREASE = "return redis.call('exists', KEYS[1]) == 1 and redis.call('incrby', KEYS[1], ARGV[1])"

    def get_client(self, key: Any = None, *, write: bool = False) -> Redis:
        """The client, which threads share."""
        server = self._servers[0]
        if server not in self._shared:
            self._shared[server] = Redis.from_url(server)
        return self._shared[server]

    def incr(self, key: Any, delta: int) -> int:
        """Add to a number by one question to Redis; the sum. ValueError when the key is absent."""
        total: int | None = self.get_client(key, write=True).eval(self._INCREASE, 1, key, delta)
        if total is None:
            raise ValueError(f"Key '{key}' not found.")
        return total


class PatientRedisCache(RedisCache):
    """A Redis cache whose outage costs no request and lifts no limit: each process then counts by itself.

    One that hangs costs a single time-out every few seconds.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = SharedClient
        self._memory = LocMemCache("while-redis-is-away", {"OPTIONS": {"MAX_ENTRIES": KEPT_ENTRIES}})

    # Those that RedisCache asks its client for directly are put back on the guarded ones.
    has_key, get_many, set_many = BaseCache.has_key, BaseCache.get_many, BaseCache.set_many
    delete_many = BaseCache.delete_many

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The value, or `default` when it is absent."""
        return self._ask("get", key, default, version)

    def set(self, key: str, value: Any, timeout: Any = 300, version: int | None = None) -> None:
        """Store the value."""
        self._ask("set", key, value, timeout, version)

    def add(self, key: str, value: Any, timeout: Any = 300, version: int | None = None) -> bool:
        """Store the value if the key is free; whether it was."""
        return bool(self._ask("add", key, value, timeout, version))

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add to a number in one step; the sum. ValueError when the key is absent."""
        return int(self._ask("incr", key, delta, version))

    def delete(self, key: str, version: int | None = None) -> bool:
        """Forget the key; false when it was absent."""
        kept = bool(self._memory.delete(key, version))
        return bool(self._ask("delete", key, version)) or kept

    def clear(self) -> None:
        """Forget everything."""
        self._memory.clear()
        self._ask("clear")

    def _ask(self, act: str, *values: Any) -> Any:
        """What Redis answers, or the memory while it is away."""
        try:
            with redis_breaker.guard():
                return getattr(super(), act)(*values)
        except RedisError as error:
            logger.warning("the cache lives in memory: %s", error)
            return getattr(self._memory, act)(*values)
