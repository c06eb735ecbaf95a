"""The socket of a workspace's documents: each change of a row arrives as the row itself."""

import asyncio
import logging
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer
from redis.exceptions import RedisError

from vectorless_web.documents.announcements import documents_group
from vectorless_web.documents.live.rows import ListViewer, changed_fragments, first_fragments
from vectorless_web.infra.web.whole import parse_whole_number

logger = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 3.0
"""A notification may be lost: what was busy is looked at again this often."""
REFUSED = 4403


class DocumentsConsumer(AsyncWebsocketConsumer):
    """Sends rows as they change; `?document=` narrows it to the progress of one document."""

    group = ""
    looking: "asyncio.Task[None] | None" = None

    async def connect(self) -> None:
        """Refuse strangers before the handshake; else join, accept and send what is under way."""
        self.viewer = ListViewer(self.scope["user"], self.scope["url_route"]["kwargs"]["slug"], self._only())
        workspace = await database_sync_to_async(self.viewer.workspace)()
        if workspace is None:
            raise DenyConnection
        self.turn = asyncio.Lock()
        await self._join(documents_group(workspace.pk))
        await self.accept()
        await self._send_first()
        self.looking = asyncio.create_task(self._look_again())

    async def disconnect(self, code: int) -> None:
        """Leave the group and stop looking."""
        if self.looking is not None:
            self.looking.cancel()
        if self.group:
            with suppress(RedisError, OSError):
                await self.channel_layer.group_discard(self.group, self.channel_name)

    async def document_changed(self, event: dict[str, Any]) -> None:
        """A notification: look at that document's row."""
        await self._send_changed({int(event["document"])})

    def _only(self) -> int | None:
        value = parse_qs(self.scope.get("query_string", b"").decode("ascii", "ignore")).get("document", [""])[0]
        return parse_whole_number(value)

    async def _join(self, group: str) -> None:
        """Hear notifications; with Redis away the socket still lives by looking at the rows."""
        try:
            await self.channel_layer.group_add(group, self.channel_name)
            self.group = group
        except (RedisError, OSError) as error:
            logger.warning("no hints for %s: %s", group, error)

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            if self.viewer.busy:
                await self._send_changed(set(self.viewer.busy))

    async def _send_first(self) -> None:
        async with self.turn:
            await self._send_html(await self._first())

    async def _send_changed(self, ids: set[int]) -> None:
        async with self.turn:
            await self._send_html(await self._render_changed(ids))

    async def _send_html(self, html: str | None) -> None:
        if html is None:
            await self.close(REFUSED)
        elif html:
            await self.send(text_data=html)

    @database_sync_to_async
    def _first(self) -> str | None:
        workspace = self.viewer.workspace()
        return None if workspace is None else first_fragments(self.viewer, workspace)

    @database_sync_to_async
    def _render_changed(self, ids: set[int]) -> str | None:
        """The fragments to send; None for somebody who is no longer a member."""
        workspace = self.viewer.workspace()
        return None if workspace is None else changed_fragments(self.viewer, workspace, ids)
