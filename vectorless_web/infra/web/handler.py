"""Django's handler of requests, on threads that stay and hold their connection to SQLite open."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connection, connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

IDLE_MOST = 8
"""Threads that wait for a request. Half of it opens connections anew in a burst; twice of it may hold 16 open."""
KEPT_SECONDS = 10
"""How long a connection to SQLite is used. Opening one and reading the schema takes 3 ms of a processor; a database
that was put in the place of another is seen after so long."""


def keep_connections() -> None:
    """Have this process use a connection to SQLite for several requests.

    That a server hangs is noticed when a connection to it is opened (`connect_timeout`), not on one that is open.
    """
    if connection.vendor == "sqlite":
        connection.settings_dict["CONN_MAX_AGE"] = KEPT_SECONDS


class Handler(ASGIHandler):
    """Each request has a thread to itself, in which all middlewares and the view run one after the other.

    Django's own takes a new thread for each request, and goes back to the event loop between middlewares and view.
    """

    def __init__(self) -> None:
        super().__init__()
        self._idle: list[ThreadPoolExecutor] = []

    def load_middleware(self, is_async: bool = False) -> None:
        """One chain of calls: our middlewares are plain functions, and so are nearly all views."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response, from the thread of this request."""
        return await sync_to_async(self.get_response)(request)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request in the thread that was used last, so that few connections are open."""
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, "request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
        finally:
            if len(self._idle) < IDLE_MOST:
                self._idle.append(thread)
            else:
                thread.submit(connections.close_all)
                thread.shutdown(wait=False)
