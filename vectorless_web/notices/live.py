"""The socket of the bell: on every page, it counts what its reader has not read."""

import asyncio
import logging
from contextlib import suppress
from typing import Any

from channels.db import database_sync_to_async
from channels.exceptions import DenyConnection
from django.db import Error as DatabaseTrouble
from django.template.loader import render_to_string

from vectorless_web.infra.live import LiveConsumer
from vectorless_web.notices.services import group_of
from vectorless_web.notices.views import panel_context

logger = logging.getLogger(__name__)

SETTLE_SECONDS = 1.0
"""How long the bell waits after a notification. Notices that come together are drawn once, and an open page takes back
within it that its run has ended."""
LOOK_AGAIN_SECONDS = 60.0
"""A notification may be lost: the rows are read this often without one."""


class BellConsumer(LiveConsumer):
    """Sends the bell's count and panel as they change. What they may tell is asked anew each time."""

    settle_seconds = SETTLE_SECONDS
    sent = ""

    async def connect(self) -> None:
        """Refuse visitors before the handshake; else join, accept and send what has come since the page was made."""
        user = self.scope["user"]
        if not user.is_authenticated:
            raise DenyConnection
        self.changed = asyncio.Event()
        await self.join(group_of(user.pk))
        await self.accept()
        self.changed.set()
        self.looking = asyncio.create_task(self._look())

    async def notices_changed(self, _event: dict[str, Any]) -> None:
        """Handle a notification: read the rows soon."""
        self.changed.set()

    async def _look(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), LOOK_AGAIN_SECONDS)
                await asyncio.sleep(self.settle_seconds)
            self.changed.clear()
            try:
                html = await self._render()
            except DatabaseTrouble as error:
                logger.warning("a bell waits for the next look: %s", error)
                continue
            if html != self.sent:
                self.sent = html
                await self.send(text_data=html)

    @database_sync_to_async
    def _render(self) -> str:
        context = panel_context(self.scope["user"])
        return "".join(render_to_string(f"notices/_{part}.html", context) for part in ("count", "panel"))
