"""The cache: Redis, and nothing worse than a miss when Redis is away."""

import logging
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class PatientRedisCache(RedisCache):
    """A Redis cache whose outage costs limits and memoised pages, never a request."""

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The value, or `default` when it is absent or Redis is away."""
        try:
            return super().get(key, default, version)
        except RedisError as error:
            logger.warning("cache not read: %s", error)
            return default

    def set(self, key: str, value: Any, timeout: Any = 300, version: int | None = None) -> None:
        """Store the value; forgotten when Redis is away."""
        try:
            super().set(key, value, timeout, version)
        except RedisError as error:
            logger.warning("cache not written: %s", error)

    def add(self, key: str, value: Any, timeout: Any = 300, version: int | None = None) -> bool:
        """Store the value if the key is free; claims success when Redis is away."""
        try:
            return bool(super().add(key, value, timeout, version))
        except RedisError as error:
            logger.warning("cache not written: %s", error)
            return True

    def delete(self, key: str, version: int | None = None) -> bool:
        """Forget the key; false when it was absent or Redis is away."""
        try:
            return bool(super().delete(key, version))
        except RedisError as error:
            logger.warning("cache not written: %s", error)
            return False
