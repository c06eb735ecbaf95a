"""What a server may send instead of a reply: impossible counts, bottomless nesting, names no row can hold."""

import json
from decimal import Decimal

import pytest
from werkzeug import Response

from tests.providers.test_openai_chat import HELLO, on_chat
from tests.support.model_server import whole
from vectorless_web.engine.errors import ModelInvalidReply, ModelUnreachable
from vectorless_web.providers.connections import FACTOR, WRAPPING, Endpoint, check_count
from vectorless_web.providers.openai_chat import OpenAIChat, OpenAIEmbeddings

DEEP = "[" * 100_000


@pytest.fixture
def chat(httpserver):
    """A client with a price, of a server that the test makes hostile."""
    prices = {"price_in": Decimal(2), "price_out": Decimal(2)}
    return OpenAIChat(Endpoint(httpserver.url_for("/v1"), "tiny", "", seconds=2.0, retries=0, **prices))


@pytest.mark.parametrize(
    ("read", "written"),
    [(10**12, 1), (10**30, 1), (3_000_000_000, 1), (12, 10**9), (True, True), (-5, 1), (12, -1), ("12", 1), (1.5, 1)],
)
def test_an_impossible_count_is_estimated_instead(chat, httpserver, read, written):
    on_chat(httpserver).respond_with_response(whole("Hello.", {"prompt_tokens": read, "completion_tokens": written}))

    usage = chat.complete(HELLO, max_tokens=100).usage

    assert usage.estimated
    assert 0 < usage.tokens_in < 20 and 0 < usage.tokens_out < 20
    assert usage.cost_usd < 0.001


def test_a_count_is_believed_up_to_what_may_be_true():
    most = FACTOR * 100 + WRAPPING
    assert check_count(most, estimate=100, room=WRAPPING) == most
    assert check_count(most + 1, estimate=100, room=WRAPPING) is None
    assert check_count(0, estimate=100, room=WRAPPING) == 0
    assert check_count(0, estimate=100, room=WRAPPING, least=1) is None


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (DEEP, "application/json", 200),
        (f"data: {DEEP}\n\n", "text/event-stream", 200),
        ('{"choices": [' + "9" * 6000 + "]}", "application/json", 200),
        ('{"error": ' + "[" * 900 + "]" * 900 + "}", "application/json", 200),
        (DEEP, "application/json", 400),
    ],
)
def test_what_cannot_be_parsed_is_an_error_of_the_model(chat, httpserver, body, kind, status):
    on_chat(httpserver).respond_with_handler(lambda _: Response(body, status, content_type=kind))

    with pytest.raises((ModelInvalidReply, ModelUnreachable)):
        chat.complete(HELLO)


@pytest.mark.parametrize(
    ("name", "kept"), [("na\0me", "name"), ("m" * 100_000, "m" * 120), (["x"], "tiny"), ("\0\n", "tiny")]
)
def test_a_model_s_name_is_one_that_a_row_can_hold(chat, httpserver, name, kept):
    on_chat(httpserver).respond_with_response(whole("Hello.", model=name))
    assert chat.complete(HELLO).model == kept


def test_an_embedding_server_is_believed_no_further(httpserver):
    shown = {"data": [{"embedding": [1.0, 0.0]}], "model": "na\0me", "usage": {"prompt_tokens": 10**12}}
    httpserver.expect_request("/v1/embeddings").respond_with_data(json.dumps(shown), content_type="application/json")

    endpoint = Endpoint(httpserver.url_for("/v1"), "tiny", "", price_in=Decimal(2), seconds=2.0, retries=0)
    embedded = OpenAIEmbeddings(endpoint).embed(["abcdefgh"])

    assert (embedded.model, embedded.usage.tokens_in, embedded.usage.estimated) == ("name", 2, True)
