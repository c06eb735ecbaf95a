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

    def complete(self, messages, **options):
        self.calls.append((messages, None, 0))
        raise self.error


class HangingModel(FakeModel):
    """Never answers while the test runs."""

    def __init__(self):
        super().__init__()
        self.release = threading.Event()

    def complete(self, messages, **options):
        self.calls.append((messages, None, 0))
        self.release.wait(60)
        return Reply("", None, Usage(), self.name)


class LyingModel(FakeModel):
    """Fits the schema and invents every name and number."""

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        self.calls.append((messages, schema, max_tokens))
        ranked = [{"id": "ffffff", "score": 7.5, "reason": 3}, {"id": 1, "score": "high"}, "Note 7"]
        content = {
            "ranking": ranked,
            "alternatives": ranked,
            "keep": ["ffffff", 0, None],
            "relevance": float("nan"),
            "is_answer": "yes",
            "direction": "up",
            "target": "ffffff",
            "confidence": 99,
        }
        return Reply("", content, Usage(5, 10**9, 0.0), self.name)


class VerboseModel(FakeModel):
    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        self.calls.append((messages, schema, max_tokens))
        return Reply("Well, let me think. " * 20_000, None, Usage(400, 100_000, 0.5), self.name)


class EmptyModel(FakeModel):
    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        self.calls.append((messages, schema, max_tokens))
        return Reply("", {}, Usage(), "")


BAD_MODELS = {
    "exploding": ExplodingModel,
    "hanging": HangingModel,
    "lying": LyingModel,
    "verbose": VerboseModel,
    "empty": EmptyModel,
}
ERRORS = (
    ModelAuth("sk-12345"),
    ModelRateLimited("sk-12345"),
    ModelTimeout("sk-12345"),
    ModelUnreachable("sk-12345"),
    ModelInvalidReply("sk-12345"),
    ValueError("sk-12345"),
)
