"""The run page's socket: lets in who may see the run, and joins its hub, which does the rest."""

from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language_from_request

from vectorless_web.infra.web.whole import parse_whole_number
from vectorless_web.runs.live.feed import Audience
from vectorless_web.runs.live.hub import RunViewer, hubs
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import find_watched_run
from vectorless_web.workspaces.selectors import may_in


class RunConsumer(AsyncWebsocketConsumer):
    """One open page of one run. Notifications are heard by the hub, once for all pages, so a socket has no channel."""

    channel_layer_alias = "none"
    viewer: RunViewer | None = None

    async def connect(self) -> None:
        """Refuse before accepting whoever may not see the run; else send what the page does not hold yet."""
        run = await self._find_watched_run()
        if run is None:
            raise DenyConnection
        self.run_id = run.pk
        await self.accept()
        mine = run.asked_by_id == self.scope["user"].pk
        audience = Audience(may_in(run.workspace), _language(self.scope), mine)
        self.viewer = RunViewer(self, user_id=self.scope["user"].pk, audience=audience, after=_read_after(self.scope))
        hubs.join(run, self.viewer)

    async def disconnect(self, _code: int) -> None:
        """Leave the hub."""
        if self.viewer is not None:
            hubs.leave(self.run_id, self.viewer)

    @database_sync_to_async
    def _find_watched_run(self) -> Run | None:
        values = self.scope["url_route"]["kwargs"]
        return find_watched_run(self.scope["user"], values["slug"], values["pk"])


def _read_after(scope: dict[str, Any]) -> int:
    """The greatest sequence number that the page holds; 0 for anything that is no number."""
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return parse_whole_number(query.get("after", [""])[0]) or 0


def _language(scope: dict[str, Any]) -> str:
    """The reader's language, as the page itself was served."""
    request = HttpRequest()
    request.COOKIES = scope.get("cookies", {})
    headers = dict(scope.get("headers", []))
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    return get_language_from_request(request) or settings.LANGUAGE_CODE
