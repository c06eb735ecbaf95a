"""Chat models that answer a pilot well, or badly in every way it must survive."""

import json
import threading

from vectorless_web.engine.errors import ModelAuth, ModelInvalidReply, ModelRateLimited, ModelTimeout, ModelUnreachable
from vectorless_web.engine.llm.model import Reply, Usage


class FakeModel:
    """Answers by `answer(data, schema)`; keeps every call it was given."""

    name = "fake"

    def __init__(self, answer=None, usage=None):
        self.answer, self.usage = answer or prefer(""), usage or Usage(300, 40, 0.001)
        self.calls = []

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        self.calls.append((messages, schema, max_tokens))
        return self.reply(messages, schema)

    def reply(self, messages, schema):
        content = self.answer(json.loads(messages[-1].content), schema)
        return Reply(json.dumps(content), content, self.usage, self.name)

    def stream(self, messages, *, max_tokens=1024, temperature=0.0):
        yield from ()

    @property
    def last_data(self):
        return json.loads(self.calls[-1][0][-1].content)


def prefer(title, **fields):
    """Puts the candidate of that title first; a fitting reply at every point."""

    def answer(data, schema):
        named = {candidate["title"]: candidate["id"] for candidate in data.get("candidates", [])}
        ranking = [{"id": named[title], "score": 0.9, "reason": "the model likes it"}] if title in named else []
        replies = {
            "ranking": {
                "ranking": ranking,
                "direction": "go_deeper",
                "target": "",
                "confidence": 0.9,
                "reasoning": "because",
            },
            "alternatives": {"why_failed": "wrong year", "alternatives": ranking, "confidence": 0.9},
            "relevance": {"relevance": 0.8, "is_answer": False, "reason": "it is close"},
            "keep": {"keep": [named[title]] if title in named else []},
        }
        fitting = next(reply for name, reply in replies.items() if name in schema["properties"])
        return {**fitting, **{name: value for name, value in fields.items() if name in fitting}}

    return answer


class ExplodingModel(FakeModel):
    def __init__(self, error=None):
        super().__init__()
        self.error = error or RuntimeError("boom")

    def reply(self, messages, schema):
        raise self.error


class HangingModel(FakeModel):
    """Never answers while the test runs."""

    def __init__(self):
        super().__init__()
        self.release = threading.Event()

    def reply(self, messages, schema):
        self.release.wait(60)
        return Reply("", None, Usage(), self.name)


class GivenModel(FakeModel):
    """Gives the same reply whatever it is asked."""

    def __init__(self, reply):
        super().__init__()
        self.reply = lambda _messages, _schema: reply


RANKED = [{"id": "ffffff", "score": 7.5, "reason": 3}, {"id": 1, "score": "high"}, "Note 7"]
LIES = {"ranking": RANKED, "alternatives": RANKED, "keep": ["ffffff", 0, None], "relevance": float("nan")}
LIES |= {"is_answer": "yes", "direction": "up", "target": "ffffff", "confidence": 99}
"""What fits the schema and invents every name and number."""

BAD_MODELS = {
    "exploding": ExplodingModel,
    "hanging": HangingModel,
    "lying": lambda: GivenModel(Reply("", LIES, Usage(5, 10**9, 0.0), "fake")),
    "verbose": lambda: GivenModel(Reply("Well, let me think. " * 20_000, None, Usage(400, 100_000, 0.5), "fake")),
    "empty": lambda: GivenModel(Reply("", {}, Usage(), "")),
}
FAILURES = (ModelAuth, ModelRateLimited, ModelTimeout, ModelUnreachable, ModelInvalidReply, ValueError)
ERRORS = [failure("sk-12345") for failure in FAILURES]
