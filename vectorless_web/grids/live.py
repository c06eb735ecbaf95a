"""The socket of a grid: cells that have changed arrive as the table's own fragments, many at once."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from channels.db import database_sync_to_async
from channels.exceptions import DenyConnection
from django.template.loader import render_to_string
from django.utils import timezone

from vectorless_web.grids import selectors
from vectorless_web.grids.line import group_of
from vectorless_web.grids.models import Grid
from vectorless_web.grids.rendering import progress_context, show_cell
from vectorless_web.infra.live import LiveConsumer
from vectorless_web.workspaces.selectors import User

TOGETHER_SECONDS = 0.4
"""Changes within this time are sent in one message."""
LOOK_AGAIN_SECONDS = 3.0
"""A notification may be lost: while cells are open, the grid is looked at this often."""
OVERLAP = timedelta(seconds=10)
"""A cell's row may be committed this long after the moment that it names."""


@dataclass
class GridViewer:
    """One open page: who looks at which grid, and when each cell changed that was sent last."""

    user: User
    slug: str
    pk: int
    since: datetime = field(default_factory=timezone.now)
    sent: dict[int, datetime] = field(default_factory=dict)
    is_busy: bool = True

    def grid(self) -> Grid | None:
        """The grid, asked anew each time: membership and access to folders may have changed."""
        return selectors.find_watched_grid(self.user, self.slug, self.pk)

    def render_changes(self) -> str | None:
        """The cells that changed since the last look, and the progress; None for somebody who may look no more."""
        grid = self.grid()
        if grid is None:
            return None
        looked = timezone.now()
        cells = selectors.cells_of(grid, self.user, after=self.since - OVERLAP).select_related("column")
        fresh = [cell for cell in cells if self.sent.get(cell.pk) != cell.changed_at]
        self.sent = {pk: at for pk, at in self.sent.items() if at >= self.since - OVERLAP}
        self.sent |= {cell.pk: cell.changed_at for cell in fresh}
        self.since = looked
        if not fresh:
            return ""
        context = progress_context(grid, self.user)
        self.is_busy = context["progress"].left > 0
        return "".join([*map(show_cell, fresh), render_to_string("grids/_progress.html", {**context, "oob": True})])


class GridConsumer(LiveConsumer):
    """Sends the cells of one grid as they change."""

    sending: "asyncio.Task[None] | None" = None

    async def connect(self) -> None:
        """Refuse strangers before the handshake; else join, accept and send what changed since the page was made."""
        place = self.scope["url_route"]["kwargs"]
        self.viewer = GridViewer(self.scope["user"], place["slug"], int(place["pk"]))
        if await database_sync_to_async(self.viewer.grid)() is None:
            raise DenyConnection
        self.turn = asyncio.Lock()
        await self.join(group_of(self.viewer.pk))
        await self.accept()
        await self._send_changes()
        self.looking = asyncio.create_task(self._look_again())

    async def disconnect(self, code: int) -> None:
        """Leave the group; stop looking and sending."""
        if self.sending is not None:
            self.sending.cancel()
        await super().disconnect(code)

    async def grid_changed(self, _event: dict[str, Any]) -> None:
        """Handle a notification: what changes within TOGETHER_SECONDS is sent together."""
        if self.sending is None or self.sending.done():
            self.sending = asyncio.create_task(self._send_soon())

    async def _send_soon(self) -> None:
        await asyncio.sleep(TOGETHER_SECONDS)
        await self._send_changes()

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            if self.viewer.is_busy:
                await self._send_changes()

    async def _send_changes(self) -> None:
        async with self.turn:
            await self.send_html(await database_sync_to_async(self.viewer.render_changes)())
