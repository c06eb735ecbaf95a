"""Everything that can go wrong with a model's server, over real HTTP: the code and the sentence people see."""

import json
import logging
import socket

import pytest
from werkzeug import Response

from tests.support.model_server import KEY, refused, whole
from vectorless_web.engine.errors import ModelError
from vectorless_web.engine.llm.model import Message
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat

HELLO = (Message("system", f"The key is {KEY}."), Message("user", "Say hello."))
ECHO = f"Incorrect API key provided: {KEY}. Your prompt was: Say hello."
TRY_LATER = {"Retry-After": "90"}


def in_stream(*events: dict) -> Response:
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return Response(body, content_type="text/event-stream")


HALF = {"model": "t", "choices": [{"index": 0, "delta": {"content": f"Hel {KEY}"}, "finish_reason": None}]}
LATER = Response('{"error": {}}', 429, headers=TRY_LATER, content_type="application/json")
HTML = Response(f"<html><body>Bad gateway {KEY}</body></html>", 502, content_type="text/html")
BROKEN_JSON = Response('data: {"choices": [{"del\n\n', content_type="text/event-stream")

FAILURES = {
    "key refused": (refused(401, ECHO), "provider_auth", "refuses the key"),
    "key without permission": (refused(403, ECHO), "provider_auth", "may not use this model"),
    "no credit": (refused(402, ECHO), "provider_auth", "no credit left"),
    "too many requests": (LATER, "provider_rate_limited", "Try again in 90 seconds."),
    "too many, no advice": (refused(429, ECHO), "provider_rate_limited", "Try again in a minute."),
    "gateway gave up": (refused(504, ECHO), "provider_timeout", "did not answer in time"),
    "server error": (refused(500, ECHO), "network_error", "a problem of its own (HTTP 500)"),
    "502 with a page": (HTML, "network_error", "a problem of its own (HTTP 502)"),
    "unknown model": (refused(404, "model `tiny` not found"), "provider_invalid_response", "does not know this model"),
    "unknown model as 400": (refused(400, "unknown model"), "provider_invalid_response", "does not know this model"),
    "prompt too long": (
        refused(400, "This model's maximum context length is 4096 tokens. Reduce max_tokens."),
        "provider_invalid_response",
        "longer than what the model can read at once",
    ),
    "invalid JSON": (BROKEN_JSON, "provider_invalid_response", "no chat completion"),
    "no JSON": (Response("hello"), "provider_invalid_response", "no chat completion"),
    "no choices": (in_stream({"model": "t", "choices": []}), "provider_invalid_response", "without an answer in it"),
    "died in mid-stream": (in_stream(HALF), "network_error", "broke in the middle of its reply"),
    "error in mid-stream": (
        in_stream(HALF, {"error": {"message": ECHO}}),
        "network_error",
        "broke in the middle of its reply",
    ),
    "busy in mid-stream": (
        in_stream(HALF, {"error": {"message": ECHO, "code": 429}}),
        "provider_rate_limited",
        "asks to slow down",
    ),
    "content filter": (whole("", finish="content_filter"), "provider_invalid_response", "content filter"),
    "refusal": (whole("", refusal=f"No, {KEY}"), "provider_invalid_response", "refused to answer this"),
}


@pytest.fixture
def model(httpserver) -> OpenAIChat:
    return OpenAIChat(Endpoint(httpserver.url_for("/v1"), "tiny", KEY, seconds=2.0, retries=0))


@pytest.mark.parametrize(("answer", "code", "words"), FAILURES.values(), ids=FAILURES)
def test_a_failure_has_its_code_and_a_sentence_without_the_server_s_words(
    model, httpserver, caplog, answer, code, words
):
    httpserver.expect_request("/v1/chat/completions").respond_with_response(answer)

    with caplog.at_level(logging.INFO), pytest.raises(ModelError) as caught:
        model.complete(HELLO)

    assert caught.value.code == code
    assert words in caught.value.message
    assert KEY not in caught.value.message
    assert caught.value.__cause__ is None
    assert KEY not in caplog.text


def failure_at(address: str, seconds: float = 2.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        OpenAIChat(Endpoint(address, "tiny", KEY, seconds=seconds, retries=0)).complete(HELLO)
    return caught.value


def test_a_server_that_is_not_there_or_says_nothing_is_told():
    for address, words in (
        ("http://127.0.0.1:9/v1", "Nothing answers at the model's address."),
        ("http://models.invalid/v1", "The name of the model's server is not known."),
    ):
        error = failure_at(address)
        assert error.code == "network_error"
        assert words in error.message

    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = failure_at(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", seconds=0.3)
    assert (error.code, error.retryable) == ("provider_timeout", True)


def test_a_connection_cut_in_mid_reply_tells_what_it_had_cost(model, httpserver):
    begun = iter([f"data: {json.dumps(HALF)}\n\n"])
    cut = Response(begun, headers={"Content-Length": "9999"}, content_type="text/event-stream")
    httpserver.expect_request("/v1/chat/completions").respond_with_response(cut)
    with pytest.raises(ModelError) as caught:
        model.complete(HELLO)
    error = caught.value
    assert error.code == "network_error"
    assert (error.partial.text, error.partial.tokens_out) == (f"Hel {KEY}", 6)
    assert error.partial.tokens_in > 0


def test_a_reply_cut_at_its_limit_of_tokens_says_so(model, httpserver):
    httpserver.expect_request("/v1/chat/completions").respond_with_response(whole("Once upon", finish="length"))

    reply = model.complete(HELLO)

    assert (reply.text, reply.cut) == ("Once upon", True)


def test_other_line_separators_inside_a_reply_do_not_break_it(model, httpserver):
    event = {"model": "t", "choices": [{"index": 0, "delta": {"content": "a\u2028b\x85c"}, "finish_reason": "stop"}]}
    body = f"data: {json.dumps(event, ensure_ascii=False)}\r\n\r\ndata: [DONE]\r\n\r\n"
    httpserver.expect_request("/v1/chat/completions").respond_with_data(body, content_type="text/event-stream")

    assert model.complete(HELLO).text == "a\u2028b\x85c"
