"""Acts of several people or workers at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection

from vectorless_web.infra.web.problems import Problem


def at_once(*acts: Callable[[], Any]) -> list:
    """What each act gives, or the code of its Problem: in threads that begin together, each with its own connection."""
    ready = Barrier(len(acts))

    def begun(act: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            ready.wait(10)
            return act()
        except Problem as problem:
            return problem.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(begun, acts))
