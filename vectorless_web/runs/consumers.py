"""The run page's socket: sends the page's own fragments as the run's rows appear."""

import asyncio
import logging
import time
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.translation import get_language_from_request
from redis.exceptions import RedisError

from vectorless_web.lib.whole import whole
from vectorless_web.runs.feed import Audience, Feed, State, feeds, in_shared_thread
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import watched_run
from vectorless_web.runs.services.queueing import group_of
from vectorless_web.workspaces.selectors import may_in

logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""How often an open run is looked at without a hint, so that a lost one costs two seconds at most."""
MEMBER_SECONDS = 6.0
"""How often it is asked whether the reader still belongs to the workspace."""
ENDED, BROKEN, REFUSED = 1000, 1011, 4403


class RunConsumer(AsyncWebsocketConsumer):
    """One open page of one run. Hints say "look"; what is sent comes from the rows."""

    feed: Feed | None = None

    async def connect(self) -> None:
        """Refuse before accepting whoever may not see the run; else send what the page does not hold yet."""
        run = await self._watched_run()
        if run is None:
            raise DenyConnection
        self.run_id = run.pk
        self.audience = Audience(may_in(run.workspace), _language(self.scope))
        self.sent = _after(self.scope)
        self.shown: State | None = None
        self._around: frozenset[str] = frozenset()
        self._sending, self._changed = asyncio.Lock(), asyncio.Event()
        self.feed = feeds.join(run, self.sent)
        await self._join()
        await self.accept()
        self._tasks = [asyncio.create_task(self._look()), asyncio.create_task(self._surround())]

    async def disconnect(self, _code: int) -> None:
        """Let go of the feed and the group."""
        if self.feed is None:
            return
        for task in self._tasks:
            task.cancel()
        feeds.leave(self.run_id)
        with suppress(RedisError, OSError):
            await self.channel_layer.group_discard(group_of(self.run_id), self.channel_name)

    async def run_changed(self, message: dict[str, Any]) -> None:
        """A hint: the run has rows that this page may not have."""
        assert self.feed is not None
        await self._send_news(read=not self.feed.knows(message.get("sequence", 0)))

    async def _look(self) -> None:
        """Send what is there at once, then look again now and then: hints can get lost."""
        assert self.feed is not None
        allowed_at = time.monotonic()
        while True:
            if time.monotonic() - allowed_at >= MEMBER_SECONDS:
                if not await self._is_still_allowed():
                    await self.close(code=REFUSED)
                    return
                allowed_at = time.monotonic()
            # All sockets of a run look through one feed: whichever comes first reads for the others.
            await self._send_news(read=not self.feed.is_fresh(LOOK_SECONDS / 2))
            await asyncio.sleep(LOOK_SECONDS)

    async def _send_news(self, *, read: bool) -> None:
        """Bring the page up to the rows; an outage of the database is left to the next look."""
        assert self.feed is not None
        try:
            if read:
                await self.feed.refresh(self.sent, self.audience)
            async with self._sending:
                state = self.feed.state
                if state is None or state == self.shown:
                    return
                await self.send(text_data=await self.feed.news(self.sent, self.audience))
                self.sent, self.shown = state.sequence, state
                self._changed.set()
        except DatabaseError as error:
            logger.warning("run %d: a page waits for the next look: %s", self.run_id, error)

    async def _surround(self) -> None:
        """After the steps, and never in their way: the parts that are redrawn as a whole."""
        try:
            while not await self._send_surroundings():
                pass
            await self.close(code=ENDED)
        except Exception:
            # The socket's edge: the page keeps its steps and is told that the rest did not come.
            logger.exception("run %d: the answer could not be drawn", self.run_id)
            await self.close(code=BROKEN)

    async def _send_surroundings(self) -> bool:
        """Send what differs from what this page was sent before; true when that was the run's end."""
        assert self.feed is not None
        await self._changed.wait()
        self._changed.clear()
        shown = self.shown
        parts = await self.feed.surroundings(self.audience)
        if changed := [part for part in parts if part not in self._around]:
            await self.send(text_data="".join(changed))
        self._around = frozenset(parts)
        return shown is not None and shown.ended

    async def _join(self) -> None:
        """With Redis down the page still gets everything, only later."""
        with suppress(RedisError, OSError):
            await self.channel_layer.group_add(group_of(self.run_id), self.channel_name)

    async def _is_still_allowed(self) -> bool:
        """Whether the reader may still see the run, and what they may do by now. An outage changes nothing."""
        try:
            run = await in_shared_thread(self._find_run)
        except DatabaseError:
            return True
        if run is not None:
            self.audience = Audience(may_in(run.workspace), self.audience.language)
        return run is not None

    @database_sync_to_async
    def _watched_run(self) -> Run | None:
        return self._find_run()

    def _find_run(self) -> Run | None:
        values = self.scope["url_route"]["kwargs"]
        return watched_run(self.scope["user"], values["slug"], values["pk"])


def _after(scope: dict[str, Any]) -> int:
    """The greatest sequence number that the page holds; 0 for anything that is no number."""
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return whole(query.get("after", [""])[0]) or 0


def _language(scope: dict[str, Any]) -> str:
    """The reader's language, as the page itself was served."""
    request = HttpRequest()
    request.COOKIES = scope.get("cookies", {})
    headers = dict(scope.get("headers", []))
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    return get_language_from_request(request) or settings.LANGUAGE_CODE
