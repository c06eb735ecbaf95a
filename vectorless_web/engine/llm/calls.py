"""Asks a chat model for objects: budgeted, checked against a schema, repaired once, every call recorded."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vectorless_web.engine.errors import ModelError, ModelInvalidReply, ModelStopped
from vectorless_web.engine.llm.budget import ModelBudget, expected_tokens
from vectorless_web.engine.llm.model import ChatModel, Message, Reply, Usage, usage_of
from vectorless_web.engine.llm.schema import checked_object

ECHOED = 1500
"""Characters of a bad reply that are shown to the model again."""


@dataclass(frozen=True, slots=True)
class ModelCallRecord:
    """One call as it is stored: what for, the request (and its hash), the reply or the error's code, cost and time."""

    purpose: str
    request_hash: str
    messages: tuple[Message, ...]
    reply: str
    model: str
    tokens_in: int
    tokens_out: int
    cost_usd: float
    latency_ms: float
    error_code: str = ""


OnCall = Callable[[ModelCallRecord], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A checked object, with what all calls for it cost together."""

    content: Mapping[str, Any]
    tokens: int
    cost_usd: float


def unrecorded(record: ModelCallRecord) -> None:
    """Nobody keeps the calls."""


class Caller:
    """Asks one model on behalf of one run. Thread-safe if the model and `on_call` are."""

    def __init__(
        self,
        model: ChatModel,
        *,
        budget: ModelBudget,
        on_call: OnCall = unrecorded,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = model
        self._budget = budget
        self._on_call = on_call
        self._clock = clock

    def ask(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any], purpose: str, max_tokens: int = 1024
    ) -> Asked:
        """An object that fits `schema`.

        A bad reply is shown to the model once with what is wrong; a second bad one is ModelInvalidReply.
        """
        reply = self.call(messages, schema=schema, purpose=purpose, max_tokens=max_tokens)
        usages = [reply.usage]
        try:
            content = checked_object(reply.text, reply.parsed, schema)
        except ModelInvalidReply as error:
            repair = [*messages, Message("assistant", reply.text[:ECHOED]), Message("user", repair_text(error.message))]
            reply = self.call(repair, schema=schema, purpose=f"{purpose} (repair)", max_tokens=max_tokens)
            usages.append(reply.usage)
            content = checked_object(reply.text, reply.parsed, schema)
        return Asked(content, sum(u.tokens_in + u.tokens_out for u in usages), sum(u.cost_usd for u in usages))

    def spent(self) -> Usage:
        """What all calls have cost so far, failed and repaired ones included; tokens both ways together."""
        return self._budget.spent()

    def as_model(self, purpose: str) -> ChatModel:
        """The same model under the same budget, its calls recorded for `purpose`."""
        return _PurposefulModel(self, purpose)

    def call(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None, purpose: str, max_tokens: int
    ) -> Reply:
        """One call, budgeted and recorded; the reply is not checked."""
        expected = sum(expected_tokens(message.content) for message in messages) + max_tokens
        reserved = self._budget.reserve(expected)
        digest = request_hash(self.model.name, messages, schema, max_tokens)
        started = self._clock()
        try:
            reply = self.model.complete(messages, schema=schema, max_tokens=max_tokens)
        except (ModelError, ModelStopped) as error:
            usage = usage_of(error.partial)
            self._budget.settle(reserved, usage)
            came = Reply(error.partial.text, None, usage, self.model.name)
            record = _recorded(purpose, digest, messages, came, self._since(started))
            self._on_call(replace(record, error_code=error.code))
            raise
        self._budget.settle(reserved, reply.usage)
        self._on_call(_recorded(purpose, digest, messages, reply, self._since(started)))
        return reply

    def _since(self, started: float) -> float:
        return (self._clock() - started) * 1000


class _PurposefulModel:
    """A Caller as a ChatModel, for collaborators that check replies themselves."""

    def __init__(self, caller: Caller, purpose: str) -> None:
        self.name = caller.model.name
        self.caller, self.purpose = caller, purpose

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        return self.caller.call(messages, schema=schema, purpose=self.purpose, max_tokens=max_tokens)

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        yield self.complete(messages, max_tokens=max_tokens).text


def _recorded(
    purpose: str, digest: str, messages: Sequence[Message], reply: Reply, latency_ms: float
) -> ModelCallRecord:
    usage = reply.usage
    return ModelCallRecord(
        purpose=purpose,
        request_hash=digest,
        messages=tuple(messages),
        reply=reply.text,
        model=reply.model,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost_usd=usage.cost_usd,
        latency_ms=latency_ms,
    )


def repair_text(problem: str) -> str:
    """What a model is told about its bad reply."""
    return f"{problem} Answer again with one JSON object that fits the schema, and nothing else."


def request_hash(model: str, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> str:
    """SHA-256 of the whole request: equal requests, and only they, have equal hashes."""
    state = [model, [(message.role, message.content) for message in messages], schema, max_tokens]
    return hashlib.sha256(json.dumps(state, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
