"""What the engine asks of a chat model, its name as it is shown, which step of which walk a call serves, its tokens."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from vectorless_web.engine.errors import PartialCall
from vectorless_web.engine.llm.picture import Picture, picture_from


@dataclass(frozen=True, slots=True)
class Message:
    """One message: role is `system`, `user` or `assistant`. `pictures` stand behind the words, in their order."""

    role: str
    content: str
    pictures: tuple[Picture, ...] = ()

    def as_stored(self) -> list[Any]:
        """The message as JSON values: role and words, then what is stored of its pictures, if it has any."""
        return [
            self.role,
            self.content,
            *([[picture.reference() for picture in self.pictures]] if self.pictures else []),
        ]


def message_from(stored: Sequence[Any]) -> Message:
    """A stored message; its pictures come without their data."""
    role, content, *pictures = stored
    return Message(role, content, tuple(map(picture_from, pictures[0])) if pictures else ())


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


LONGEST_NAME = 120
"""Characters of a model's name that are kept."""


def clean_name(said: object, *, otherwise: str = "") -> str:
    """The printable characters of a name, at most LONGEST_NAME; `otherwise` when nothing of it is left.

    A server may send anything: null characters and lone surrogates, which no database takes, or megabytes.
    """
    if not isinstance(said, str):
        return otherwise
    printable = "".join(mark for mark in said[: 2 * LONGEST_NAME] if mark.isprintable())
    return printable.strip()[:LONGEST_NAME] or otherwise


Place = tuple[int, int]
"""Walk and index of a step, as its event carries them."""

OUTSIDE: Place = (0, -1)
"""Outside the walks: the call serves whichever step of the run itself comes next."""

_SERVED: ContextVar[Place] = ContextVar("served", default=OUTSIDE)


def current_place() -> Place:
    """The step that calls made here and now serve."""
    return _SERVED.get()


@contextmanager
def serve_place(walk: int, index: int) -> Iterator[None]:
    """Context in which all model calls of this thread, or of one that copies its context, belong to that step."""
    token = _SERVED.set((walk, index))
    try:
        yield
    finally:
        _SERVED.reset(token)


class TokenEstimator(Protocol):
    """Estimates how many tokens a model will count for a text."""

    def estimate(self, text: str) -> int:
        """Tokens in `text`; 0 for the empty string."""
        ...


class HeuristicEstimator:
    """ceil(ASCII characters / 4) + ceil(other characters / 1.5), counting code points.

    Source: the rule of thumb for BPE vocabularies, about four English characters a token
    and one or two of other scripts; no tokenizer is asked.
    """

    def estimate(self, text: str) -> int:
        """Tokens in `text`; pure, so equal texts give equal estimates."""
        if text.isascii():
            return math.ceil(len(text) / 4)
        ascii_characters = len(text.encode("ascii", "ignore"))
        return math.ceil(ascii_characters / 4) + math.ceil((len(text) - ascii_characters) / 1.5)
