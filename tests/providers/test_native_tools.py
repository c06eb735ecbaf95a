"""A walk over real HTTP with a server that calls tools natively, and with one that has none: the same answer."""

import json

import pytest

from tests.support.driven_runs import Driven, answer, claim
from tests.support.engine_documents import Shelf, compiled, paragraph, section
from tests.support.model_server import called, refused, whole
from vectorless_web.engine.agent.events import Outcome
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

    def __init__(self, node: int, *, status: int = 0) -> None:
        self.node, self.status = node, status
        self.bodies: list[dict] = []

    def __call__(self, request):
        body = json.loads(request.data)
        self.bodies.append(body)
        if self.status and "tools" in body:
            return refused(self.status, "this server knows no tools")
        said = {**answer(claim("In cabinet 117.", self.node, QUOTE), value="117"), "not_found": False}
        if len(body["messages"]) > 2:
            steps, given = [], said
        else:
            steps, given = [{"text": "key of workshop 17"}, {"text": "cabinet"}], None
        if "tools" in body:
            calls = [{"name": "search", "arguments": json.dumps(step)} for step in steps]
            return called(calls or [{"name": "answer", "arguments": json.dumps(given)}], body, "Let me see.")
        rows = [{"action": "search", "node": None, **step} for step in steps]
        return whole(json.dumps({"thought": "Let me see.", "steps": rows, "answer": given}))


@pytest.fixture
def walked(httpserver):
    """A run led by that server: `walked(server, forms, streams)`."""

    def walk(server: Server, forms: tuple[str, ...], streams: bool = True) -> Driven:
        httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(server)
        endpoint = Endpoint(httpserver.url_for("/v1"), "tiny", "key", retries=0, forms=forms, streams=streams)
        return Driven(OpenAIChat(endpoint), Shelf({"a": handbook()}), question=QUESTION)

    return walk


@pytest.fixture(scope="module")
def node():
    tree = handbook().tree
    return next(key for key in tree.leaves() if QUOTE in tree.node(key).text)


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("forms", [("tools", *FORMS), FORMS], ids=["native", "JSON"])
def test_native_calls_and_json_lead_to_the_same_walk_and_answer(walked, node, forms, streams):
    server = Server(node)
    run = walked(server, forms, streams)

    assert [step.action for step in run.walked] == ["search", "search", "answer"]
    assert (run.end.outcome, run.end.value) == (Outcome.ANSWERED, "117")
    assert ["tools" in body for body in server.bodies] == [forms[0] == "tools"] * 2
    assert ["response_format" in body for body in server.bodies] == [forms[0] != "tools"] * 2
    first, second = (body["messages"] for body in server.bodies)
    assert second[: len(first)] == first, "earlier messages are sent again as they were"


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_tools_is_asked_for_json(walked, node, status):
    server = Server(node, status=status)
    run = walked(server, ("tools", *FORMS))

    assert run.end.outcome is Outcome.ANSWERED
    assert ["tools" in body for body in server.bodies] == [True, False, False]


def test_the_tools_offered_are_those_that_the_prompt_tells_of(walked, node):
    server = Server(node)
    walked(server, ("tools", *FORMS))

    names = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]
    assert names == ["search", "read", "list", "calculate", "note", "answer"]
    prompt = server.bodies[0]["messages"][1]["content"]
    assert all(f"- {name}: " in prompt for name in names[:-1])


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
        return called(calls, body) if "tools" in body else whole(json.dumps(answer()))

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(bad)
    endpoint = Endpoint(httpserver.url_for("/v1"), "tiny", "key", retries=0, forms=("tools", *FORMS))
    run = Driven(OpenAIChat(endpoint), Shelf({"a": handbook()}), question=QUESTION)
    assert run.end.outcome in (Outcome.ANSWERED, Outcome.PASSAGES, Outcome.NOT_FOUND, Outcome.PARTIAL)
