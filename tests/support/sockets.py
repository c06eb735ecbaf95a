"""Websockets of pages, without a web server."""

import pytest
from channels.db import database_sync_to_async
from channels.layers import channel_layers
from channels.testing import WebsocketCommunicator
from django.db import connections

from vectorless_web.asgi import application


def socket_to(address: str, browser) -> WebsocketCommunicator:
    """A page's socket, opened by a browser that has a session."""
    cookie = f"sessionid={browser.cookies['sessionid'].value}".encode()
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost"), (b"cookie", cookie)]
    return WebsocketCommunicator(application, address, headers=headers)


@database_sync_to_async
def change(function, *args, **kwargs):
    """Read or write rows while a socket is open: `await change(add)`."""
    try:
        return function(*args, **kwargs)
    finally:
        connections.close_all()


@pytest.fixture
def listen(client, workspace):
    """The open socket of a page below the workspace, as somebody hears it: `await listen(bob, "documents/")`."""
    channel_layers.backends.clear()  # The channel layer belongs to the event loop of one test.

    async def opened(user, path: str) -> WebsocketCommunicator:
        await change(client.force_login, user)
        socket = socket_to(f"/ws/w/{workspace.slug}/{path}", client)
        assert (await socket.connect(timeout=5))[0]
        return socket

    return opened
