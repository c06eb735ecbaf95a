"""A chat completions server on this machine that can do as much or as little as a test wants."""

import json
import re
import time
from dataclasses import dataclass, field

from werkzeug import Request, Response

KEY = "sk-secret-0123456789"
SECTION = {"section_number": 3, "why": "It is about cash."}


@dataclass
class ModelServer:
    """Answers the self-test's questions. `pictures`: read, ignored, or the status of a refusal.

    `schema`, `json_object`, `tools`: taken, ignored, or the status of a refusal.

    `stream`: sse, json (ignored) or a status. `reads`: tokens kept of a prompt, its end.
    """

    schema: str | int = "taken"
    json_object: str | int = "taken"
    tools: str | int = "taken"
    pictures: str | int = "read"
    stream: str | int = "sse"
    counts: bool = True
    reads: int | None = None
    says_why: bool = True
    copies: bool = True
    prose: bool = False
    seconds: float = 0.0
    key: str = ""
    model: str = ""
    requests: list[dict] = field(default_factory=list)

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.data)
        self.requests.append(body)
        time.sleep(self.seconds)
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            return refused(401, f"Incorrect API key provided: {request.headers.get('Authorization')}")
        if self.model and body["model"] != self.model:
            return refused(404, f"The model `{body['model']}` does not exist or you do not have access to it.")
        return self._refusal(body) or self._answer(body)

    def forms(self) -> list[str]:
        """How each request asked for an object; "" where it did not."""
        return [body.get("response_format", {}).get("type", "") for body in self.requests]

    def _refusal(self, body: dict) -> Response | None:
        form = body.get("response_format", {}).get("type", "")
        if body.get("tools") and isinstance(self.tools, int):
            return refused(self.tools, "tools are not supported" if self.says_why else "bad request")
        status = {"json_schema": self.schema, "json_object": self.json_object}.get(form)
        if isinstance(status, int):
            return refused(status, f"response_format {form} is not supported" if self.says_why else "bad request")
        if isinstance(self.pictures, int) and parts_of(body["messages"][-1])[1]:
            return refused(self.pictures, "this model does not support image input" if self.says_why else "bad request")
        if body.get("stream") and isinstance(self.stream, int):
            return refused(self.stream, "stream is not supported" if self.says_why else "bad request")
        return None

    def _answer(self, body: dict) -> Response:
        if body.get("tools") and self.tools == "taken" and not self.prose:
            name = body["tools"][0]["function"]["name"]
            return called([{"name": name, "arguments": json.dumps({"section_number": 3})}], body)
        text = self._said(body)
        usage = {"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59} if self.counts else None
        if body.get("stream") and self.stream == "sse":
            return streamed(text, usage if body.get("stream_options") else None)
        return whole(text, usage)

    def _said(self, body: dict) -> str:
        prompt, pictures = parts_of(body["messages"][-1])
        if self.reads is not None:
            prompt = prompt[-4 * self.reads :]
        if self.prose:
            return "Why, certainly, here is what I think about that."
        if "one word: ready" in prompt:
            return "ready"
        if "stands in this picture" in prompt:
            return "5839" if pictures and self.pictures == "read" else "none"
        if "Count from one" in prompt:
            return "one, two, three, four, five"
        if "Copy the sentence" in prompt:
            sentence = re.search(r"vessels\. (.*?) No dividend", prompt)[1]
            return json.dumps({"quote": sentence if self.copies else "Rent was about 4 million."})
        if "Which number was the depot's" in prompt:
            found = re.search(r"number of the depot is (\d+)", prompt)
            return found[1] if found else "I do not know of any depot."
        return self._chosen(body, prompt)

    def _chosen(self, body: dict, prompt: str) -> str:
        form = body.get("response_format", {}).get("type", "")
        heeds = (form == "json_schema" and self.schema == "taken") or '"section_number"' in prompt
        return json.dumps(SECTION if heeds else {"answer": 3})


def parts_of(message: dict) -> tuple[str, list[str]]:
    """The words of a message, and the addresses of its pictures."""
    content = message["content"]
    if isinstance(content, str):
        return content, []
    words = " ".join(part["text"] for part in content if part["type"] == "text")
    return words, [part["image_url"]["url"] for part in content if part["type"] == "image_url"]


def whole(text: str | None, usage: dict | None = None, finish: str = "stop", model="tiny-2026", **message) -> Response:
    """A reply in one JSON body."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    return Response(json.dumps({**body, "usage": usage}), content_type="application/json")


def streamed(text: str, usage: dict | None = None) -> Response:
    """A reply as server-sent events, word by word."""
    return _in_pieces([{"content": word} for word in re.findall(r"\S+\s*|\s+", text)], "stop", usage)


def called(calls: list[dict], body: dict, words: str = "") -> Response:
    """Calls of tools, streamed in pieces when the request streams."""
    rows = [{"index": n, "id": f"call-{n}", "type": "function", "function": call} for n, call in enumerate(calls)]
    if not body.get("stream"):
        return whole(words or None, finish="tool_calls", tool_calls=rows)
    deltas: list[dict] = [{"content": words}] if words else []
    for row in rows:
        said = row["function"]["arguments"]
        deltas.append({"tool_calls": [{**row, "function": {**row["function"], "arguments": said[:9]}}]})
        deltas.append({"tool_calls": [{"index": row["index"], "function": {"arguments": said[9:]}}]})
    return _in_pieces(deltas, "tool_calls", None)


def _in_pieces(deltas: list[dict], finish: str, usage: dict | None) -> Response:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "tiny-2026"}
    ends = [(delta, None) for delta in deltas] + [({}, finish)]
    pieces = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in ends]
    pieces += [{**head, "choices": [], "usage": usage}] if usage else []
    body = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    return Response(f"{body}data: [DONE]\n\n", content_type="text/event-stream")


def refused(status: int, message: str) -> Response:
    """A refusal in OpenAI's form."""
    return Response(json.dumps({"error": {"message": message}}), status, content_type="application/json")
