"""Waits for a piece of work for so long and no longer."""

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Overdue
from typing import Any

__all__ = ["Overdue", "within"]


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """The result of `work`, or the exception it raised or that ended the wait (Overdue), as a value.

    Python can't stop a thread: one that hangs is left behind as a daemon, so that
    neither the walk nor the end of the process waits for it. The work knows the same
    context variables as its caller.
    """
    future: Future[Any] = Future()
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(_fulfil, future, work), name="pilot-call", daemon=True).start()
    try:
        problem = future.exception(timeout=seconds)
    except Overdue as overdue:
        return overdue
    return problem if problem is not None else future.result()


def _fulfil(future: Future[Any], work: Callable[[], Any]) -> None:
    try:
        result = work()
    except BaseException as problem:  # noqa: BLE001 - carried to the waiting thread, whatever it is.
        future.set_exception(problem)
    else:
        future.set_result(result)
