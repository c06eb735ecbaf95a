"""What the engine asks of a chat model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One message: role is `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the provider counted them; `cost_usd` from the provider's prices, 0 when unknown."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: the text, the parsed object when a schema was asked for, usage and the model's name."""

    text: str
    parsed: Mapping[str, Any] | None
    usage: Usage
    model: str


class ChatModel(Protocol):
    """A chat model. Every method raises only errors of the ModelError branch."""

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
