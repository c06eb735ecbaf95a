"""Ends websockets whose people signed out, changed their password, were closed out or left the workspace.

A handshake is checked once and a connection lives for hours: what it rested on is asked again, in four
queries for all connections of the process.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async
from django.contrib.auth import HASH_SESSION_KEY, get_user_model
from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from vectorless_web.infra.live import REFUSED
from vectorless_web.workspaces.selectors import belonging_pairs

logger = logging.getLogger(__name__)

LOOK_SECONDS = 3.0
"""How long a connection may outlive the right to it."""
PLACE = re.compile(r"^/ws/w/(?P<slug>[-\w]+)/")


@dataclass(frozen=True, eq=False)
class Connection:
    """What an accepted websocket rests on, and the way to end it."""

    session_key: str
    password_mark: str
    """The session's digest of the password hash: another password makes another one."""
    user_id: int
    slug: str
    close: Callable[[], Awaitable[None]]


class ConnectionWatch:
    """Checks all websockets of this process every LOOK_SECONDS and closes those whose right has ended."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._connections: set[Connection] = set()
        self._looking: asyncio.Task[None] | None = None

    def add(self, connection: Connection) -> None:
        """Watch a connection; the first one starts the looking."""
        self._connections.add(connection)
        if len(self._connections) == 1:
            self._looking = asyncio.create_task(self._look())

    def remove(self, connection: Connection) -> None:
        """Watch it no more; the last one ends the looking."""
        self._connections.discard(connection)
        if not self._connections and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self.seconds)
            try:
                lapsed = await database_sync_to_async(find_lapsed)(list(self._connections))
            except DatabaseError as error:
                logger.warning("the rights of open pages wait for the next look: %s", error)
                continue
            for connection in lapsed:
                try:
                    await connection.close()
                except Exception:
                    # The socket's edge: one that cannot be closed must not keep the others open.
                    logger.exception("an open page could not be closed")


def find_lapsed(connections: Collection[Connection]) -> list[Connection]:
    """Those whose session has ended, whose account or password is another, or who left the workspace.

    A socket of no workspace rests on the account alone.
    """
    sessions = set(
        Session.objects.filter(
            session_key__in={each.session_key for each in connections}, expire_date__gt=timezone.now()
        ).values_list("session_key", flat=True)
    )
    users = get_user_model().objects.filter(pk__in={each.user_id for each in connections}, is_active=True)
    marks = {user.pk: user.get_session_auth_hash() for user in users}
    members = belonging_pairs(marks, {each.slug for each in connections})

    def holds(each: Connection) -> bool:
        same = constant_time_compare(each.password_mark, marks.get(each.user_id, ""))
        belongs = not each.slug or (each.user_id, each.slug) in members
        return each.session_key in sessions and same and belongs

    return [each for each in connections if not holds(each)]


watch = ConnectionWatch(LOOK_SECONDS)


class LiveRights:
    """ASGI middleware, inside the one that knows the user: has every accepted websocket watched."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        connection: Connection | None = None
        is_closed = False

        async def close() -> None:
            nonlocal is_closed
            is_closed = True
            await send({"type": "websocket.close", "code": REFUSED})

        async def send_while_open(message: dict[str, Any]) -> None:
            nonlocal connection
            if is_closed:
                return
            await send(message)
            if message["type"] == "websocket.accept":
                connection = _connection(scope, close)
                watch.add(connection)

        try:
            await self.application(scope, receive, send_while_open)
        finally:
            if connection is not None:
                watch.remove(connection)


def _connection(scope: dict[str, Any], close: Callable[[], Awaitable[None]]) -> Connection:
    place = PLACE.match(scope["path"])
    return Connection(
        session_key=scope["session"].session_key or "",
        password_mark=scope["session"].get(HASH_SESSION_KEY, ""),
        user_id=scope["user"].pk or 0,
        slug=place["slug"] if place else "",
        close=close,
    )
