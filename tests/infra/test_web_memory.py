"""The web process gives back what its pages and sockets left behind."""

import asyncio
import gc
import weakref

import uvicorn

from vectorless_web.infra.web.server import TIDY_TICKS, Server


class Left:
    """Something that holds itself, as a closed socket and its tasks hold each other."""

    def __init__(self) -> None:
        self.itself = self


def test_what_holds_itself_is_gone_a_minute_later_however_few_requests_come():
    server, gone = Server(uvicorn.Config(app="unused")), weakref.ref(Left())
    gc.disable()
    try:
        asyncio.run(server.on_tick(TIDY_TICKS - 1))
        assert gone() is not None
        asyncio.run(server.on_tick(TIDY_TICKS))
        assert gone() is None
    finally:
        gc.enable()
