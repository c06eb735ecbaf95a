"""What the engine asks of a chat model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from vectorless_web.engine.errors import PartialCall


@dataclass(frozen=True, slots=True)
class Message:
    """One message: role is `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the provider counted them, or as `estimated` from the texts when it does not count.

    `cost_usd` comes from the provider's prices; 0 when they are unknown.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    estimated: bool = False


def usage_of(partial: PartialCall) -> Usage:
    """What a call that broke or was stopped had cost by then."""
    return Usage(partial.tokens_in, partial.tokens_out, partial.cost_usd, estimated=True)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: the text, the parsed object when a schema was asked for, usage and the model's name.

    `form` says how an object was asked for: `json_schema`, `json_object`, or "" for the
    prompt alone. `cut` tells that the reply ended at its limit of tokens, not by itself.
    """

    text: str
    parsed: Mapping[str, Any] | None
    usage: Usage
    model: str
    form: str = ""
    cut: bool = False


class ChatModel(Protocol):
    """A chat model. Every method raises only errors of the ModelError branch, and ModelStopped."""

    name: str

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """Answer once; with a JSON schema, `Reply.parsed` holds an object that fits it."""
        ...

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """Answer piece by piece."""
        ...
