"""Which step of which walk a model call serves: known to whoever records it without being handed through."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Place = tuple[int, int]
"""Walk and index of a step, as its event carries them."""

OUTSIDE: Place = (0, -1)
"""Outside the walks: the call serves whichever step of the run itself comes next."""

_SERVED: ContextVar[Place] = ContextVar("served", default=OUTSIDE)


def served() -> Place:
    """The step that calls made here and now serve."""
    return _SERVED.get()


@contextmanager
def serving(walk: int, index: int) -> Iterator[None]:
    """Calls made in this block, in this thread or in one that copies its context, serve that step."""
    token = _SERVED.set((walk, index))
    try:
        yield
    finally:
        _SERVED.reset(token)
