"""Limits on how often something may be done, counted in the cache."""

import time

from django.core.cache import cache


def seconds_to_wait(name: str, *, amount: int, limit: int, seconds: int) -> int:
    """Count `amount` more of what `name` stands for: 0 when that stays within the limit, else when to come again.

    The count begins anew with every full `seconds` of the clock. What is refused is not
    counted, so that waiting as long as was said is enough.
    """
    key, passed = _window(name, seconds)
    cache.add(key, 0, seconds)
    try:
        counted = cache.incr(key, amount)
    except ValueError:
        # Forgotten between the two commands: its time was up.
        return 0
    if counted <= limit:
        return 0
    cache.incr(key, -amount)
    return seconds - passed


def give_back(name: str, *, amount: int, seconds: int) -> None:
    """Take `amount` off the present count again: what was counted turned out not to matter."""
    key, _passed = _window(name, seconds)
    if cache.get(key, 0) >= amount:
        cache.incr(key, -amount)


def _window(name: str, seconds: int) -> tuple[str, int]:
    """The key of the present count, and how many of its seconds have passed."""
    window, passed = divmod(int(time.time()), seconds)
    return f"throttle-{name}-{window}", passed
