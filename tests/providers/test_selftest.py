"""Finding out what a model can do, over real HTTP, with servers that can do much, little or nothing."""

import pytest

from tests.support.model_server import KEY, ModelServer, parts_of
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.llm.capability import SelfTest, self_test
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat


@pytest.fixture
def tested(httpserver):
    """What the self-test finds of a server."""

    def test(server: ModelServer, *, context_size: int | None = 16_000, **endpoint) -> SelfTest:
        httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(server)
        values = {"seconds": 3.0, "retries": 0, "api_key": KEY, "model": "tiny", **endpoint}
        model = OpenAIChat(Endpoint(httpserver.url_for("/v1"), **values))
        return self_test(model, only=model.only, context_size=context_size)

    return test


def found(result: SelfTest) -> dict[str, str]:
    return {row.name: row.found for row in result.capabilities}


def suited(result: SelfTest) -> dict[str, bool]:
    return {job.name: job.suits for job in result.jobs}


def test_a_server_that_can_everything_suits_every_job(tested):
    result = tested(ModelServer())

    assert set(found(result).values()) == {"yes"}
    assert suited(result) == {"plan": True, "guide": True, "write": True}
    assert (result.usable, result.model, result.streams) == (True, "tiny-2026", True)
    assert result.forms == ("tools", "json_schema", "json_object", "")
    assert result.first_token_seconds is not None
    assert not any(row.without for row in result.capabilities)


@pytest.mark.parametrize(("status", "says_why"), [(400, True), (404, False), (422, False)])
def test_a_server_with_neither_schema_nor_streaming_is_usable(tested, status, says_why):
    result = tested(ModelServer(schema=status, json_object=status, tools=status, stream=status, says_why=says_why))

    assert found(result) | {"speed": "yes"} == {
        "reply": "yes", "tools": "no", "json_schema": "no", "json_object": "no", "streaming": "no",
        "quotes": "yes", "pictures": "yes", "context": "yes", "speed": "yes", "usage": "yes",
    }  # fmt: skip
    assert result.usable
    assert (result.forms, result.streams) == (("",), False)
    without = {row.name: row.without for row in result.capabilities}
    assert without["json_schema"] == "Replies are asked for as a JSON object and checked here."
    assert "The prompt alone asks for JSON" in without["json_object"]
    assert "Stop still ends a call at once" in without["streaming"]


def test_a_server_that_ignores_what_it_does_not_know_is_seen_through(tested):
    result = tested(ModelServer(schema="ignored", json_object="ignored", tools="ignored", stream="json"))

    assert (found(result)["json_schema"], found(result)["json_object"]) == ("no", "yes")
    assert (found(result)["streaming"], result.streams) == ("no", False)
    assert result.forms == ("json_object", "")
    assert result.usable


def test_a_server_that_counts_no_tokens_has_them_estimated(tested):
    result = tested(ModelServer(counts=False))

    row = next(row for row in result.capabilities if row.name == "usage")
    assert (row.found, row.without) == ("no", "Tokens and costs are estimated from the texts.")
    assert result.tokens > 14_000, "the questions about the context count too"


@pytest.mark.parametrize(
    ("reads", "stated", "sentence", "found_out"),
    [
        (4_096, 128_000, "It reads 4,000 tokens, but not 8,000.", 4_000),
        (None, 1_000_000, "It reads at least 16,000 tokens; more was not tried, to keep the test cheap.", None),
        (None, 6_000, "It reads the 6,000 tokens stated.", None),
    ],
    ids=["less than stated", "more than is tried", "as stated"],
)
def test_a_context_is_tried_out_and_not_read_to_its_end(tested, reads, stated, sentence, found_out):
    server = ModelServer(reads=reads)

    result = tested(server, context_size=stated)

    row = next(row for row in result.capabilities if row.name == "context")
    assert (row.sentence, row.found, result.reads_tokens) == (sentence, "no" if reads else "yes", found_out)
    assert suited(result) == {"plan": not reads, "guide": True, "write": not reads}
    assert sum(len(body["messages"][0]["content"]) for body in server.requests) < 40_000 * 6


@pytest.mark.parametrize(
    ("server", "suits", "verdict"),
    [
        (ModelServer(prose=True), (), "Not usable: It does not keep to JSON. The offline reasoner answers."),
        (ModelServer(copies=False), ("plan", "guide"), "It can plan and guide; write falls to the offline reasoner."),
    ],
    ids=["only chats", "does not quote exactly"],
)
def test_a_model_is_let_do_what_it_can(tested, server, suits, verdict):
    result = tested(server)

    assert result.usable == bool(suits)
    assert suited(result) == {job: job in suits for job in ("plan", "guide", "write")}
    assert result.verdict == verdict


@pytest.mark.parametrize(
    ("server", "code"),
    [
        (ModelServer(key="another"), "provider_auth"),
        (ModelServer(model="another"), "provider_invalid_response"),
        (ModelServer(seconds=1.0), "provider_timeout"),
    ],
    ids=["wrong key", "unknown model", "too slow"],
)
def test_what_does_not_answer_is_said_with_a_code_and_nothing_more_is_tried(tested, server, code):
    result = tested(server, seconds=0.3)

    assert (result.usable, result.error_code) == (False, code)
    assert result.settings_are_wrong is (code != "provider_timeout")
    assert set(found(result).values()) == {"no", "unknown"}
    assert KEY not in str(result)
    assert len(server.requests) == 1


def test_any_chat_model_can_be_tested_without_a_server():
    model = ScriptedModel(
        [
            "ready",
            {"section_number": 3, "why": "cash"},
            "one two three",
            {"quote": "Rent of 4,310 thousand was paid in advance for the depot at Harbour Lane."},
            "5839",
            "7493",
        ],
        name="ti\0ny",
    )

    result = self_test(model, context_size=2_000)

    assert (result.usable, result.model) == (True, "tiny")
    assert found(result)["streaming"] == "yes"


@pytest.mark.parametrize(
    ("pictures", "sees", "reads"),
    [("read", "yes", True), ("ignored", "no", False), (400, "no", False), (415, "no", False), (503, "unknown", None)],
)
def test_whether_a_model_reads_pictures_is_found_out(tested, pictures, sees, reads):
    server = ModelServer(pictures=pictures)
    result = tested(server)

    assert (found(result)["pictures"], result.reads_pictures) == (sees, reads)
    assert suited(result) == {"plan": True, "guide": True, "write": True}, "it is asked for text all the same"
    (sent,) = {url for body in server.requests for url in parts_of(body["messages"][-1])[1]}
    assert sent.startswith("data:image/jpeg;base64,/9j/") and len(sent) < 20_000
    assert result.forms == ("tools", "json_schema", "json_object", "") and result.streams, (
        "a refusal teaches no dialect"
    )
