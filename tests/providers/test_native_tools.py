"""A walk over real HTTP with a server that calls tools natively, and with one that has none: the same answer."""

import json
import re

import pytest

from tests.support.conversing import answer, call, claim, turn
from tests.support.engine_documents import Shelf, compiled, paragraph, section
from tests.support.model_server import called, refused, whole
from vectorless_web.engine.agent.events import CONCLUDED, Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner, Settings
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.providers.connections import FORMS, Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat

QUESTION = "Where hangs the key of workshop 17?"
QUOTE = "The key of workshop 17 hangs in cabinet 117."


def handbook():
    parts = [
        section(
            f"Chapter {n}",
            paragraph(f"Chapter {n} is about workshop {n} and its many rules. " * 9),
            paragraph(f"The key of workshop {n} hangs in cabinet {n + 100}."),
        )
        for n in range(1, 60)
    ]
    return compiled("Workshop handbook", *parts)


class Server:
    """Searches twice in its first turn, then answers; by native calls when it is offered tools, else as JSON."""

    def __init__(self, *, status: int = 0) -> None:
        self.status = status
        self.bodies: list[dict] = []

    def __call__(self, request):
        body = json.loads(request.data)
        self.bodies.append(body)
        if self.status and "tools" in body:
            return refused(self.status, "this server knows no tools")
        heard = "\n".join(str(message["content"]) for message in body["messages"])
        node = re.search(r"(D1[.][0-9]+(?:[.][0-9]+)?)[^\n]{0,12}" + re.escape(QUOTE), heard)
        if len(body["messages"]) > 2 and node:
            said = [call("answer", outcome="answered", claims=[claim("In cabinet 117.", node[1])], value="117")]
        else:
            said = [call("search", queries=["key of workshop 17"]), call("search", queries=["cabinet"])]
        if "tools" in body:
            rows = [{"name": row["tool"], "arguments": json.dumps(row["arguments"])} for row in said]
            return called(rows, body, "Let me see.")
        return whole(json.dumps(turn(*said)))


def run(httpserver, handler, forms, *, streams=True):
    """The events of a run led by that server."""
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(handler)
    endpoint = Endpoint(httpserver.url_for("/v1"), "tiny", "key", retries=0, forms=forms, streams=streams)
    caller = Caller(OpenAIChat(endpoint), budget=ModelBudget(calls=20, tokens=200_000))
    settings = Settings(verify=False, native_tools=forms[0] == "tools")
    return list(
        Reasoner(caller=caller, settings=settings).run(QUESTION, Shelf({"a": handbook()}), Limits(model_tokens=60_000))
    )


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("forms", [("tools", *FORMS), FORMS], ids=["native", "JSON"])
def test_native_calls_and_json_lead_to_the_same_steps_and_answer(httpserver, forms, streams):
    server = Server()
    *events, end = run(httpserver, server, forms, streams=streams)

    actions = [event.action for event in events if isinstance(event, StepEvent) and event.walk]
    assert actions.count("search") == 2
    assert (end.outcome, end.value) == (Outcome.ANSWERED, "117")
    assert ["tools" in body for body in server.bodies] == [forms[0] == "tools"] * 2
    assert ["response_format" in body for body in server.bodies] == [forms[0] != "tools"] * 2
    first, second = (body["messages"] for body in server.bodies)
    assert second[: len(first)] == first, "earlier messages are sent again as they were"


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_tools_is_asked_for_json(httpserver, status):
    server = Server(status=status)
    *_, end = run(httpserver, server, ("tools", *FORMS))

    assert end.outcome is Outcome.ANSWERED
    assert ["tools" in body for body in server.bodies] == [True, False, False]


@pytest.mark.parametrize(
    "calls",
    [
        [{"name": "rm", "arguments": "{}"}],
        [{"name": "search", "arguments": '{"text": '}],
        [{"name": "answer", "arguments": "null"}],
    ],
    ids=["unknown tool", "broken arguments", "empty answer"],
)
def test_calls_that_cannot_be_read_are_repaired_or_replaced_and_the_run_ends(httpserver, calls):
    def bad(request):
        body = json.loads(request.data)
        return called(calls, body) if "tools" in body else whole(json.dumps(answer(outcome="not_found")))

    *_, end = run(httpserver, bad, ("tools", *FORMS))
    assert end.outcome in CONCLUDED
