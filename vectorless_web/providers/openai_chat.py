"""Speaks to any server with OpenAI's chat completions; the only module that imports openai.

Retries belong to the openai client. A server's errors are translated here, at the border:
no sentence of a provider, and never a key, goes further.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2
import openai

from vectorless_web.engine.errors import (
    ModelAuth,
    ModelError,
    ModelInvalidReply,
    ModelRateLimited,
    ModelTimeout,
    ModelUnreachable,
)
from vectorless_web.engine.llm.model import Message, Reply, Usage
from vectorless_web.providers.endpoint import Endpoint
from vectorless_web.providers.public_transport import PublicTransport

MILLION = 1_000_000


class OpenAIChat:
    """A chat model behind an OpenAI-compatible address. Safe under threads.

    JSON is asked for by `json_schema`, else `json_object`, else by the prompt alone: what
    the server takes is found out at the first call and remembered.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.model
        self._endpoint = endpoint
        self._formats = ["json_schema", "json_object", ""]
        self._given_up: set[str] = set()
        self._lock = threading.Lock()
        self._client = openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or "none",
            timeout=endpoint.seconds,
            max_retries=endpoint.retries,
            # A redirect could lead to an address that the operator never allowed.
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False, transport=PublicTransport() if endpoint.public_only else None
            ),
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """One reply with its usage and cost; `parsed` is the object when the reply is one. ModelError otherwise."""
        with _translated():
            answer = self._create(messages, schema, max_tokens=max_tokens, temperature=temperature)
        if not getattr(answer, "choices", None):
            raise ModelInvalidReply("The model's server sent a reply without an answer in it.")
        text = answer.choices[0].message.content or ""
        parsed = _object(text) if schema is not None else None
        return Reply(text, parsed, self._usage(answer.usage), answer.model or self.name)

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The reply piece by piece; ModelUnreachable when the connection breaks in the middle."""
        with _translated():
            pieces = self._create(messages, None, max_tokens=max_tokens, temperature=temperature, stream=True)
            for piece in pieces:
                if piece.choices and piece.choices[0].delta.content:
                    yield piece.choices[0].delta.content

    def _create(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, **wanted: Any) -> Any:
        """The client's answer. A parameter that the server refuses by name is put another way, then left out."""
        turns: list[Any] = [{"role": message.role, "content": message.content} for message in messages]
        while True:
            options = self._options(schema, **wanted)
            try:
                return self._client.chat.completions.create(model=self.name, messages=turns, **options)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if not self._give_way(error, options):
                    raise

    def _options(self, schema: Mapping[str, Any] | None, **wanted: Any) -> dict[str, Any]:
        options = {name: value for name, value in wanted.items() if name not in self._given_up}
        if "max_tokens" in self._given_up and "max_completion_tokens" not in self._given_up:
            # What newer models of OpenAI call it.
            options["max_completion_tokens"] = wanted["max_tokens"]
        kind = self._formats[0] if schema is not None else ""
        if kind == "json_schema":
            described = {"name": "reply", "schema": schema, "strict": _is_strict(schema)}
            options["response_format"] = {"type": kind, "json_schema": described}
        elif kind:
            options["response_format"] = {"type": kind}
        return options

    def _give_way(self, error: openai.APIStatusError, options: Mapping[str, Any]) -> bool:
        """Whether another try without the refused parameter makes sense."""
        said = json.dumps(error.body, default=str).lower() if error.body else str(error).lower()
        with self._lock:
            if "response_format" in options and ("response_format" in said or "json" in said or "schema" in said):
                if options["response_format"]["type"] == self._formats[0]:
                    self._formats.pop(0)
                return True
            for name in ("max_completion_tokens", "max_tokens", "temperature"):
                if name in options and name in said:
                    self._given_up.add(name)
                    return True
        return False

    def _usage(self, usage: Any) -> Usage:
        """Tokens as the server counted them; a server that does not count costs nothing that is known."""
        tokens_in = getattr(usage, "prompt_tokens", None) or 0
        tokens_out = getattr(usage, "completion_tokens", None) or 0
        cost = (tokens_in * self._endpoint.price_in + tokens_out * self._endpoint.price_out) / MILLION
        return Usage(tokens_in, tokens_out, float(cost))


@contextmanager
def _translated() -> Iterator[None]:
    """Turn the client's errors into the engine's, each with a sentence of our own."""
    try:
        yield
    except (openai.APIError, httpx2.HTTPError, ValueError) as error:
        raise _translation(error) from None


def _translation(error: Exception) -> ModelError:
    match error:
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return ModelAuth("The model's server refuses the key. Check it in the settings.")
        case openai.RateLimitError():
            return ModelRateLimited("The model's server asks to slow down. Try again in a minute.")
        case openai.APITimeoutError() | httpx2.TimeoutException():
            return ModelTimeout("The model did not answer in time.")
        case openai.NotFoundError():
            return ModelInvalidReply("The model's server does not know this model or address. Check the settings.")
        case openai.APIStatusError() if error.status_code >= 500:
            return ModelUnreachable(f"The model's server has a problem of its own (HTTP {error.status_code}).")
        case openai.APIStatusError():
            return ModelInvalidReply(f"The model's server does not take the request (HTTP {error.status_code}).")
        case openai.APIConnectionError() | httpx2.TransportError():
            return ModelUnreachable("The model's server cannot be reached, or the connection broke.")
        case _:
            return ModelInvalidReply("The model's server sent something that is no chat completion.")


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_strict(schema: Any) -> bool:
    """Whether a schema keeps the rules of strict mode: every object closed, every property required."""
    if isinstance(schema, Mapping):
        kinds = schema.get("type")
        if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
            closed = schema.get("additionalProperties") is False
            required = set(schema.get("required", ())) == set(schema.get("properties", {}))
            if not (closed and required):
                return False
        return all(_is_strict(part) for part in schema.values())
    if isinstance(schema, list):
        return all(_is_strict(part) for part in schema)
    return True
