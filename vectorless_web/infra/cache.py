"""The cache: Redis, and this process's own memory while Redis is away."""

import logging
from typing import Any

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from vectorless_web.infra.breaker import redis_breaker

logger = logging.getLogger(__name__)

KEPT_ENTRIES = 20_000
"""Entries kept in memory: more than an outage's guesses of passwords, so that none is pushed out early."""


class PatientRedisCache(RedisCache):
    """A Redis cache whose outage costs no request and lifts no limit: each process then counts by itself.

    One that hangs costs a single time-out every few seconds.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._memory = LocMemCache("while-redis-is-away", {"OPTIONS": {"MAX_ENTRIES": KEPT_ENTRIES}})

    # Those that RedisCache asks its client for directly are put back on the guarded ones.
    has_key, get_many, set_many = BaseCache.has_key, BaseCache.get_many, BaseCache.set_many
    delete_many = BaseCache.delete_many

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The value, or `default` when it is absent."""
        try:
            with redis_breaker.guard():
                return super().get(key, default, version)
        except RedisError as error:
            logger.warning("cache not read: %s", error)
            return self._memory.get(key, default, version)

    def set(self, key: str, value: Any, timeout: Any = 300, version: int | None = None) -> None:
        """Store the value."""
        try:
            with redis_breaker.guard():
                super().set(key, value, timeout, version)
        except RedisError as error:
            logger.warning("cache not written: %s", error)
            self._memory.set(key, value, timeout, version)

    def add(self, key: str, value: Any, timeout: Any = 300, version: int | None = None) -> bool:
        """Store the value if the key is free; whether it was."""
        try:
            with redis_breaker.guard():
                return bool(super().add(key, value, timeout, version))
        except RedisError as error:
            logger.warning("cache not written: %s", error)
            return bool(self._memory.add(key, value, timeout, version))

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add to a number in one step; the sum. ValueError when the key is absent."""
        try:
            with redis_breaker.guard():
                return int(super().incr(key, delta, version))
        except RedisError as error:
            logger.warning("cache not written: %s", error)
            return int(self._memory.incr(key, delta, version))

    def delete(self, key: str, version: int | None = None) -> bool:
        """Forget the key; false when it was absent."""
        kept = bool(self._memory.delete(key, version))
        try:
            with redis_breaker.guard():
                return bool(super().delete(key, version))
        except RedisError as error:
            logger.warning("cache not written: %s", error)
            return kept

    def clear(self) -> None:
        """Forget everything."""
        self._memory.clear()
        try:
            with redis_breaker.guard():
                super().clear()
        except RedisError as error:
            logger.warning("cache not cleared: %s", error)
