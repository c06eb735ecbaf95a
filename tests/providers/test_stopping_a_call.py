"""Stopping in the middle of a call, over real HTTP: the server is hung up on at once, and what came is kept."""

import threading
import time
from decimal import Decimal

import pytest

from tests.conftest import wait_until
from tests.support.silent_server import SilentServer
from vectorless_web.engine.errors import ModelStopped
from vectorless_web.engine.llm.model import Message
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat

HELLO = (Message("user", "Say hello. " * 40),)


@pytest.fixture(params=[None, ["Hel", "lo, this is a long reply"]], ids=["silent from the start", "silent midway"])
def server(request):
    server = SilentServer(request.param)
    yield server
    server.close()


def stopped_after(model: OpenAIChat, server: SilentServer, stop: threading.Event, calls: int = 1) -> list[ModelStopped]:
    """Make calls side by side, stop them once the server has them all; what each raised."""
    raised: list[ModelStopped] = []

    def call() -> None:
        with pytest.raises(ModelStopped) as caught:
            model.complete(HELLO)
        raised.append(caught.value)

    threads = [threading.Thread(target=call) for _ in range(calls)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert server.asked.acquire(timeout=5)
    time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join(2)
    assert not any(thread.is_alive() for thread in threads)
    return raised


def test_every_call_under_way_ends_and_the_server_sees_it(server):
    stop = threading.Event()
    endpoint = Endpoint(server.url, "tiny", "k", price_in=Decimal(1), price_out=Decimal(10), seconds=30)
    began = time.monotonic()

    raised = stopped_after(OpenAIChat(endpoint, stopping=stop.is_set), server, stop, calls=3)

    wait_until(lambda: len(server.hung_up_at) == len(raised) == 3, seconds=2)
    assert max(server.hung_up_at) - began < 2


def test_what_the_call_had_cost_by_then_is_told():
    server, stop = SilentServer(["Hel", "lo, this is a long reply"]), threading.Event()
    endpoint = Endpoint(server.url, "tiny", "k", price_in=Decimal(1), price_out=Decimal(10), seconds=30)

    partial = stopped_after(OpenAIChat(endpoint, stopping=stop.is_set), server, stop)[0].partial

    assert (partial.text, partial.tokens_in, partial.tokens_out) == ("Hello, this is a long reply", 110, 7)
    assert partial.cost_usd == pytest.approx(180 / 1_000_000)


def test_the_wait_before_another_try_ends_too(httpserver):
    stop = threading.Event()
    headers = {"Retry-After": "30"}
    httpserver.expect_request("/v1/chat/completions").respond_with_json({"error": {}}, status=429, headers=headers)
    endpoint = Endpoint(httpserver.url_for("/v1"), "tiny", "k", seconds=30, retries=2)
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()

    with pytest.raises(ModelStopped):
        OpenAIChat(endpoint, stopping=stop.is_set).complete(HELLO)
    assert time.monotonic() - began < 1
    # A request that another test gave up may end only now.
    assert [answer.status_code for _, answer in httpserver.log].count(429) == 1


def test_a_stopped_model_makes_no_more_calls(server):
    stop = threading.Event()
    model = OpenAIChat(Endpoint(server.url, "tiny", "k", seconds=30), stopping=stop.is_set)
    stopped_after(model, server, stop)

    with pytest.raises(ModelStopped):
        model.complete(HELLO)
    assert len(server.headers) == 1, "the client does not try again by itself either"
