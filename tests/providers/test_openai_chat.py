"""The model client over real HTTP, against a scripted server on this machine."""

import json
import time
from decimal import Decimal

import pytest
from werkzeug import Response

from tests.support.model_server import refused, whole
from tests.support.silent_server import event
from vectorless_web.engine.agent.model import verifier
from vectorless_web.engine.agent.model.tools import TURN_SCHEMA
from vectorless_web.engine.errors import (
    ModelAuth,
    ModelError,
    ModelInvalidReply,
    ModelRefusedPictures,
    ModelUnknown,
    ModelUnreachable,
)
from vectorless_web.engine.llm.model import Message
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.providers import connections
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import Dialect, OpenAIChat, shape_of

KEY = "sk-secret-0123456789"
HELLO = (Message("system", "Be brief."), Message("user", "Say hello."))
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
LOOSE = {"type": "object", "properties": {"word": {"type": "string"}}}


@pytest.fixture
def chat(httpserver):
    def make(**values) -> OpenAIChat:
        settings = {"seconds": 2.0, "retries": 0, **values}
        return OpenAIChat(Endpoint(httpserver.url_for("/v1"), "tiny", KEY, **settings))

    return make


def bodies(httpserver) -> list[dict]:
    return [json.loads(request.data) for request, _ in httpserver.log]


def on_chat(httpserver):
    return httpserver.expect_request("/v1/chat/completions", method="POST")


def test_the_request_carries_key_model_messages_and_limits_and_the_reply_its_cost(chat, httpserver):
    on_chat(httpserver).respond_with_response(whole("Hello.", {"prompt_tokens": 2000, "completion_tokens": 500}))

    reply = chat(price_in=Decimal("1.50"), price_out=Decimal(6)).complete(HELLO, max_tokens=777, temperature=0.3)

    assert (reply.text, reply.parsed, reply.model) == ("Hello.", None, "tiny-2026")
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (2000, 500)
    assert reply.usage.cost_usd == pytest.approx(0.006)

    request, body = httpserver.log[0][0], bodies(httpserver)[0]
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("tiny", 777, 0.3)


def test_an_object_is_asked_for_by_its_schema_which_is_strict_unless_it_leaves_things_open(chat, httpserver):
    on_chat(httpserver).respond_with_response(whole('{"word": "hello"}'))

    reply = chat().complete(HELLO, schema=SCHEMA)

    assert reply.parsed == {"word": "hello"}
    wanted = bodies(httpserver)[0]["response_format"]
    assert wanted["type"] == "json_schema"
    assert (wanted["json_schema"]["schema"], wanted["json_schema"]["strict"]) == (SCHEMA, True)

    on_chat(httpserver).respond_with_response(whole("{}"))

    chat().complete(HELLO, schema=LOOSE)

    assert bodies(httpserver)[-1]["response_format"]["json_schema"]["strict"] is False


def words_of(part):
    if isinstance(part, dict):
        return {*part, *(word for item in part.values() for word in words_of(item))}
    return {word for item in part for word in words_of(item)} if isinstance(part, list) else set()


def test_bounds_are_left_out_and_everything_else_stays():
    assert shape_of({"type": "string", "maxLength": 9, "enum": ["a", None]}) == {"type": "string", "enum": ["a", None]}
    named = {"type": "object", "properties": {"minimum": {"type": "integer", "minimum": 0}}, "required": ["minimum"]}
    assert shape_of(named) == {**named, "properties": {"minimum": {"type": "integer"}}}


def test_a_verdict_keeps_to_strict_mode_and_a_turn_with_free_arguments_does_not_ask_for_it():
    for schema, strict in ((verifier._SCHEMA, True), (TURN_SCHEMA, False)):
        sent = Dialect().options(schema, max_tokens=10, temperature=0.0)["response_format"]["json_schema"]
        assert sent["strict"] is strict
        assert not words_of(sent) & {"minLength", "maxLength", "minItems", "maxItems", "minimum"}
        assert set(sent["schema"]["properties"]) == set(schema["properties"])


def test_a_server_without_schemas_is_asked_for_any_object_and_remembered(chat, httpserver):
    def without_schemas(request):
        if json.loads(request.data).get("response_format", {}).get("type") == "json_schema":
            return refused(400, "response_format type 'json_schema' is not supported")
        return whole('{"word": "hello"}')

    on_chat(httpserver).respond_with_handler(without_schemas)
    model = chat()

    assert model.complete(HELLO, schema=SCHEMA).parsed == {"word": "hello"}
    assert model.complete(HELLO, schema=SCHEMA).parsed == {"word": "hello"}
    kinds = [body["response_format"]["type"] for body in bodies(httpserver)]
    assert kinds == ["json_schema", "json_object", "json_object"]


def test_a_model_that_calls_the_token_limit_otherwise_gets_it_so(chat, httpserver):
    def newer(request):
        body = json.loads(request.data)
        for name in ("max_tokens", "temperature"):
            if name in body:
                return refused(400, f"Unsupported parameter: '{name}'")
        return whole("Hello.")

    on_chat(httpserver).respond_with_handler(newer)

    assert chat().complete(HELLO, max_tokens=50).text == "Hello."
    assert bodies(httpserver)[-1]["max_completion_tokens"] == 50


@pytest.mark.parametrize("text", ["no object", '["a list"]', '{"broken": ', "", "[" * 100_000])
def test_a_reply_that_is_no_object_is_left_to_its_reader(chat, httpserver, text):
    on_chat(httpserver).respond_with_response(whole(text))

    reply = chat().complete(HELLO, schema=SCHEMA)

    assert (reply.text, reply.parsed) == (text, None)


@pytest.mark.parametrize(
    ("status", "words", "error"),
    [
        (400, "this model does not support image input", ModelRefusedPictures),
        (404, "No endpoints found that support image input", ModelRefusedPictures),
        (500, "image input is not supported - hint: provide the mmproj", ModelRefusedPictures),
        (422, "unknown variant `image_url`, expected `text`", ModelRefusedPictures),
        (400, "bad request", ModelRefusedPictures),
        (413, "payload too large", ModelRefusedPictures),
        (400, "maximum context length is 4096 tokens", ModelInvalidReply),
        (404, "model `tiny` not found", ModelUnknown),
        (401, "no image for you", ModelAuth),
        (500, "out of memory", ModelUnreachable),
    ],
)
def test_a_refusal_of_pictures_is_told_from_others(chat, httpserver, status, words, error):
    on_chat(httpserver).respond_with_json({"error": {"message": words}}, status=status)
    picture = Picture("1", 0, "0" * 64, 10, 10, 3, b"jpg")

    with pytest.raises(ModelError) as caught:
        chat().complete([Message("user", "What stands here?", (picture,))])

    assert type(caught.value) is error


def test_a_busy_server_is_asked_again_and_its_advice_heeded(chat, httpserver):
    httpserver.expect_ordered_request("/v1/chat/completions").respond_with_json(
        {"error": {}}, status=429, headers={"retry-after-ms": "20"}
    )
    httpserver.expect_ordered_request("/v1/chat/completions").respond_with_response(whole("Hello."))
    began = time.monotonic()

    assert chat(retries=2).complete(HELLO).text == "Hello."
    assert time.monotonic() - began < 2


def test_a_redirect_is_not_followed(chat, httpserver):
    on_chat(httpserver).respond_with_data("", status=307, headers={"Location": httpserver.url_for("/elsewhere")})
    httpserver.expect_request("/elsewhere").respond_with_response(whole("Hello."))

    with pytest.raises(ModelError):
        chat().complete(HELLO)
    assert [request.path for request, _ in httpserver.log] == ["/v1/chat/completions"]


def test_a_stream_comes_piece_by_piece(chat, httpserver):
    def stream(_request):
        return Response(iter([event("Hel"), event("lo."), b"data: [DONE]\n\n"]), content_type="text/event-stream")

    on_chat(httpserver).respond_with_handler(stream)

    assert list(chat().stream(HELLO)) == ["Hel", "lo."]


def test_a_stream_that_dies_says_so_after_the_pieces_that_came(chat, httpserver):
    def stream(_request):
        pieces = iter([event("Hel")])
        return Response(pieces, headers={"Content-Length": "9999"}, content_type="text/event-stream")

    on_chat(httpserver).respond_with_handler(stream)
    pieces = chat().stream(HELLO)

    assert next(pieces) == "Hel"
    with pytest.raises(ModelUnreachable):
        next(pieces)


def test_the_key_is_in_no_description_of_the_endpoint():
    assert KEY not in repr(Endpoint("http://x", "tiny", KEY))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "localhost"])
def test_nothing_reaches_this_machine_when_only_public_addresses_are_allowed(httpserver, host):
    on_chat(httpserver).respond_with_response(whole("Hello."))
    address = f"http://{host}:{httpserver.port}/v1"

    with pytest.raises(ModelUnreachable):
        OpenAIChat(Endpoint(address, "tiny", KEY, seconds=2, retries=0, public_only=True)).complete(HELLO)
    assert not httpserver.log


def test_the_address_that_was_checked_is_the_one_connected_to(httpserver, monkeypatch):
    on_chat(httpserver).respond_with_response(whole("Hello."))
    monkeypatch.setattr(connections, "public_addresses", lambda *_given: ["127.0.0.1"])
    address = f"http://models.example:{httpserver.port}/v1"
    model = OpenAIChat(Endpoint(address, "tiny", KEY, seconds=2, retries=0, public_only=True))

    assert model.complete(HELLO).text == "Hello."
    assert bodies(httpserver)
    assert httpserver.log[0][0].headers["Host"] == f"models.example:{httpserver.port}"
