"""Signs of life of processes that nobody else sees: written to Redis, looked at by the health page."""

import time
from contextlib import suppress

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

KEPT_SECONDS = 24 * 3600
WAIT_SECONDS = 1.0
"""Longest wait for Redis: a sign of life must not hold up what it is a sign of."""


def connect() -> "Redis":
    """A connection whose commands end in time, for code that must not wait for a Redis that hangs."""
    return Redis.from_url(settings.REDIS_URL, socket_timeout=WAIT_SECONDS, socket_connect_timeout=WAIT_SECONDS)


def beat(name: str) -> None:
    """Say that the process called `name` is alive; quiet when Redis is away."""
    with suppress(RedisError), connect() as redis:
        redis.set(_key(name), time.time(), ex=KEPT_SECONDS)


def seconds_since_beat(name: str, redis: "Redis") -> float | None:
    """Seconds since the process was last alive; None when it was not in the last day."""
    beaten = redis.get(_key(name))
    return None if beaten is None else max(time.time() - float(beaten), 0.0)


def _key(name: str) -> str:
    return f"vectorless:beat:{name}"
