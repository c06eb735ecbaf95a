"""The ASGI application: pages over HTTP, fragments over websockets."""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")

import django

django.setup(set_prefix=False)

from channels.auth import AuthMiddlewareStack
from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.urls import re_path

from vectorless_web.api.mcp.server import ProtocolOverHTTP
from vectorless_web.documents.urls import websocket_urlpatterns as document_sockets
from vectorless_web.grids.urls import websocket_urlpatterns as grid_sockets
from vectorless_web.infra.live import SameOriginSockets
from vectorless_web.infra.web.handler import Handler
from vectorless_web.notices.urls import websocket_urlpatterns as notice_sockets
from vectorless_web.runs.urls import websocket_urlpatterns as run_sockets
from vectorless_web.workspaces.accounts.live_rights import LiveRights


class RefusedConsumer(AsyncWebsocketConsumer):
    """Answers unknown socket paths exactly as forbidden ones: refused before accept."""

    async def connect(self) -> None:
        """Refuse."""
        raise DenyConnection


websocket_urlpatterns: list[Any] = [
    *document_sockets,
    *run_sockets,
    *grid_sockets,
    *notice_sockets,
    re_path(r"^.*$", RefusedConsumer.as_asgi()),
]

application = ProtocolTypeRouter(
    {
        "http": ProtocolOverHTTP(Handler()),
        "websocket": SameOriginSockets(AuthMiddlewareStack(LiveRights(URLRouter(websocket_urlpatterns)))),
    }
)
