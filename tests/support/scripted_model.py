"""A chat model for tests: says what it was told to say, in order, and remembers what it was asked."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vectorless_web.engine.errors import ModelError
from vectorless_web.engine.llm.budget import expected_tokens
from vectorless_web.engine.llm.model import Message, Reply, Usage
from vectorless_web.engine.llm.replies import parse_object

Scripted = str | Mapping[str, Any] | ModelError | Reply
"""A reply: text, an object (sent as JSON), a whole Reply, or an error that is raised."""


class ScriptedModel:
    """Answers with `replies` one after the other; running out of them is an AssertionError.

    `calls` holds the messages of every call, `schemas` the schema each was asked with.
    Usage is estimated from the texts, so that budgets count.
    """

    def __init__(self, replies: Iterable[Scripted], *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[tuple[Message, ...]] = []
        self.schemas: list[Mapping[str, Any] | None] = []
        self._replies = iter(replies)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """The next reply; `parsed` is its object when it is JSON and a schema was asked for."""
        self.calls.append(tuple(messages))
        self.schemas.append(schema)
        said = self._next()
        if isinstance(said, Reply):
            return said
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        return Reply(text, parse_object(text) if schema is not None else None, self._usage(messages, text), self.name)

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The next reply, word by word."""
        reply = self.complete(messages, max_tokens=max_tokens, temperature=temperature)
        yield from reply.text.split(" ")

    def _next(self) -> str | Mapping[str, Any] | Reply:
        said = next(self._replies, None)
        if said is None:
            raise AssertionError("The scripted model has no more replies.")
        if isinstance(said, ModelError):
            raise said
        return said

    @staticmethod
    def _usage(messages: Sequence[Message], text: str) -> Usage:
        return Usage(sum(expected_tokens(message.content) for message in messages), expected_tokens(text))
