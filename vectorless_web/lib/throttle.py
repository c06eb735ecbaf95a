"""Limits on how often something may be done, counted in the cache."""

import time

from django.core.cache import cache


def seconds_to_wait(name: str, *, amount: int, limit: int, seconds: int) -> int:
    """Count `amount` more of what `name` stands for: 0 when that stays within the limit, else when to come again.

    The count begins anew with every full `seconds` of the clock. What is refused is not
    counted, so that waiting as long as was said is enough.
    """
    window, passed = divmod(int(time.time()), seconds)
    key = f"throttle-{name}-{window}"
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
