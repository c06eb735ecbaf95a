"""The threads that answer requests: one is used again, two are never mixed up, and nothing waits on the line."""

import asyncio
import socket
import threading

import pytest
from django.http import HttpRequest, HttpResponse

from vectorless_web.api.mcp.door import Door
from vectorless_web.infra.web import handler
from vectorless_web.infra.web.server import listen


class NotingHandler(handler.Handler):
    """Answers each request once as many are here as are awaited, and notes its thread."""

    def __init__(self, together: int) -> None:
        super().__init__()
        self.threads: list[int] = []
        self.meeting = threading.Barrier(together)

    def get_response(self, request: HttpRequest) -> HttpResponse:
        self.threads.append(threading.get_ident())
        self.meeting.wait(5)
        return HttpResponse(request.path)


async def ask(site: handler.Handler, paths: list[str]) -> list[str]:
    door = Door(site, "http", {"host": "localhost"})
    return [reply.text for reply in await asyncio.gather(*(door.call("get", path) for path in paths))]


@pytest.mark.django_db
def test_requests_in_a_row_share_a_thread_and_its_connection():
    site = NotingHandler(together=1)
    for number in range(3):
        assert asyncio.run(ask(site, [f"/{number}"])) == [f"/api/v1/{number}"]
    assert len(set(site.threads)) == 1


@pytest.mark.django_db
def test_requests_at_once_have_a_thread_each_and_few_are_kept():
    many = handler.IDLE_MOST + 2
    site = NotingHandler(together=many)
    for _ in range(2):
        asked = [f"/{number}" for number in range(many)]
        assert asyncio.run(ask(site, asked)) == [f"/api/v1{path}" for path in asked]
        assert len(set(site.threads[-many:])) == many
    assert len(site._idle) == handler.IDLE_MOST


def test_a_reply_is_sent_at_once_and_not_held_back_for_an_acknowledgement():
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        taken, _sender = listening.accept()
        with taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
