"""Speaks to any server with OpenAI's chat completions or embeddings; the only module that imports openai.

Retries belong to the openai client. A server's errors are translated here, at the border:
no sentence of a provider, and never a key, goes further.
"""

import json
import time
from base64 import b64encode
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import httpx2
import numpy as np
import openai

from vectorless_web.engine.errors import (
    ModelError,
    ModelInvalidReply,
    ModelStopped,
    ModelTimeout,
    ModelUnknown,
    PartialCall,
)
from vectorless_web.engine.llm.embedding import Embedded, batches, check_vectors
from vectorless_web.engine.llm.model import HeuristicEstimator, Message, Reply, Usage, clean_name
from vectorless_web.engine.llm.replies import parse_object
from vectorless_web.infra.money import MILLION
from vectorless_web.providers.connections import (
    FORMS,
    NO_ADDRESS,
    NO_COMPLETION,
    UNLIMITED,
    WRAPPING,
    Connections,
    Endpoint,
    GivenUp,
    PublicTransport,
    Received,
    check_count,
    is_about_pictures,
    is_about_the_model,
    is_too_long,
    make_connection_error,
    make_refusal,
    run_unless_stopped,
    trusted_authorities,
)

_BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
_UNSENT = _BOUNDS | {"tools"}
"""Keys of our schemas that are not sent: bounds, and tools, which have a parameter of their own."""

_FORM_WORDS = ("response_format", "json", "schema", "structured output", "grammar")
"""What a server's refusal of a response format is about."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes. `forms` are the ways left to ask for an object, the one to use first."""

    forms: tuple[str, ...] = FORMS
    streams: bool = True
    counts_in_stream: bool = True
    limit: str = "max_tokens"
    """What the limit of tokens is called; newer models of OpenAI take `max_completion_tokens`; "" for neither."""
    temperature: bool = True

    def options(self, schema: Mapping[str, Any] | None, *, max_tokens: int, temperature: float) -> dict[str, Any]:
        """The parameters of a request beside model and messages."""
        options: dict[str, Any] = {"stream": self.streams}
        if self.streams and self.counts_in_stream:
            options["stream_options"] = {"include_usage": True}
        if self.limit:
            options[self.limit] = max_tokens
        if self.temperature:
            options["temperature"] = temperature
        form = self.form(schema)
        if form == "tools" and schema is not None:
            options["tools"] = [{"type": "function", "function": shape_of(tool)} for tool in schema["tools"]]
            options["tool_choice"] = "auto"
        elif form == "json_schema":
            shape = shape_of(schema)
            described = {"name": "reply", "schema": shape, "strict": _is_strict(shape)}
            options["response_format"] = {"type": form, "json_schema": described}
        elif form:
            options["response_format"] = {"type": form}
        return options

    def form(self, schema: Mapping[str, Any] | None) -> str:
        """How an object of this schema is asked for; "" for no object and for the prompt alone."""
        if schema is None:
            return ""
        return next((form for form in self.forms if form != "tools" or "tools" in schema), "")

    def without_named(self, said: str, *, asks_for_object: bool) -> "Dialect | None":
        """The dialect without the parameter that a refusal names; None when it names none."""
        if asks_for_object and self.forms[:1] == ("tools",) and ("tool" in said or "function" in said):
            return replace(self, forms=self.forms[1:])
        if asks_for_object and len(self.forms) > 1 and any(word in said for word in _FORM_WORDS):
            return replace(self, forms=self.forms[1:])
        if self.limit and self.limit in said:
            return replace(self, limit="max_completion_tokens" if self.limit == "max_tokens" else "")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if self.streams and "stream" in said:
            options_named = self.counts_in_stream and ("stream_options" in said or "include_usage" in said)
            return replace(self, counts_in_stream=False) if options_named else replace(self, streams=False)
        return None

    def simpler(self, *, asks_for_object: bool) -> Iterator["Dialect"]:
        """Ever simpler dialects, to try in turn after a refusal that names nothing."""
        plain = self
        while asks_for_object and len(plain.forms) > 1:
            plain = replace(plain, forms=plain.forms[1:])
            yield plain
        if plain.streams and plain.counts_in_stream:
            plain = replace(plain, counts_in_stream=False)
            yield plain
        if plain.streams:
            yield replace(self, streams=False)
            plain = replace(plain, streams=False)
            yield plain
        if plain.temperature or plain.limit:
            yield replace(plain, temperature=False, limit="")


def shape_of(schema: Any) -> Any:
    """A schema without its bounds on lengths, counts and sizes.

    Strict mode refuses them, and servers that turn a schema into a grammar choke on long
    ones. The reply is checked against the whole schema when it is there.
    """
    if isinstance(schema, list):
        return [shape_of(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        name: {key: shape_of(item) for key, item in part.items()} if name == "properties" else shape_of(part)
        for name, part in schema.items()
        if name not in _UNSENT
    }


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


CONNECT_SECONDS = 10.0
"""Seconds to connect at most: a server that does not accept within them is down, however slowly it answers."""
SILENCES = 5
"""A whole reply may take as many times the silence that is allowed within it."""
_REFUSING = frozenset({400, 404, 405, 415, 422, 501})
"""Statuses with which servers refuse a parameter they do not know."""


def never_stop() -> bool:
    """Say that nobody has asked to stop the call."""
    return False


class OpenAIChat:
    """A chat model behind an OpenAI-compatible address. Safe under threads.

    Replies are streamed where the server can, so that a call ends at once, with its
    connection, when `stopping` says so. JSON is asked for by `json_schema`, else
    `json_object`, else by the prompt alone: what the server takes is found out at the
    first call and remembered.
    """

    def __init__(self, endpoint: Endpoint, *, stopping: Callable[[], bool] = never_stop) -> None:
        self.name = endpoint.model
        self._endpoint = endpoint
        self._stopping = stopping
        self._dialect = Dialect(forms=endpoint.forms or FORMS, streams=endpoint.streams)
        self._may_climb = True
        self._connections = Connections()

    @cached_property
    def _client(self) -> openai.OpenAI:
        return client_for(self._endpoint, self._connections)

    def only(self, form: str) -> "OpenAIChat":
        """The same model, asked for objects in this one form ("" is by the prompt alone); what it refuses is an error.

        For finding out what a server can.
        """
        model = OpenAIChat(self._endpoint, stopping=self._stopping)
        model._dialect, model._may_climb = replace(self._dialect, forms=(form,)), False
        return model

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """One reply with its usage and cost; `parsed` is the object when the reply is one.

        ModelError otherwise; ModelStopped when the run is stopped meanwhile. Both carry what had come by then.
        """
        received = Received()

        def ask() -> Reply:
            list(self._pieces(messages, received, schema, max_tokens=max_tokens, temperature=temperature))
            return self._reply(messages, received, max_tokens, wants_object=schema is not None)

        if self._stopping is never_stop:
            return ask()
        try:
            return run_unless_stopped(self._stopping, ask, cut=self._connections.cut)
        except GivenUp:
            raise ModelStopped(partial=self._partial(messages, received)) from None

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The reply piece by piece, or in one piece from a server that does not stream.

        ModelUnreachable when the connection breaks in the middle.
        """
        yield from self._pieces(messages, Received(), None, max_tokens=max_tokens, temperature=temperature)

    def _pieces(
        self, messages: Sequence[Message], received: Received, schema: Mapping[str, Any] | None, **wanted: Any
    ) -> Iterator[str]:
        until = time.monotonic() + SILENCES * self._endpoint.seconds
        try:
            has_pictures = any(message.pictures for message in messages)
            with (
                translate_errors(pictures=has_pictures),
                closing(self._open_stream(messages, received, schema, **wanted)) as response,
            ):
                for piece in received.read(response.iter_bytes()):
                    yield piece
                    if time.monotonic() > until:
                        raise ModelTimeout("The model did not come to an end in time.")
        except ModelError as error:
            if received.has_begun:
                error.partial = self._partial(messages, received)
            raise

    def _open_stream(
        self, messages: Sequence[Message], received: Received, schema: Mapping[str, Any] | None, **wanted: Any
    ) -> openai.APIResponse[Any]:
        """The response, its body still to come, in the richest dialect that the server takes."""
        turns: list[Any] = [{"role": message.role, "content": _render_content(message)} for message in messages]
        create = self._client.chat.completions.with_streaming_response.create
        has_pictures = any(message.pictures for message in messages)
        attempts = self._attempts(asks_for_object=schema is not None, has_pictures=has_pictures)
        dialect = next(attempts)
        while True:
            try:
                manager = create(model=self.name, messages=turns, **dialect.options(schema, **wanted))
                response = manager.__enter__()
            except openai.APIStatusError as error:
                dialect = attempts.send(error)
            else:
                self._dialect, received.form = dialect, dialect.form(schema)
                return response

    def _attempts(
        self, *, asks_for_object: bool, has_pictures: bool
    ) -> Generator[Dialect, openai.APIStatusError, None]:
        """Dialects to try, given each refusal: first without what it names, then ever simpler ones.

        A refusal that none of them can answer is raised; then later calls try no more than what is named.
        """
        dialect = self._dialect
        while True:
            error = yield dialect
            if not _may_be_a_parameter(error) or (has_pictures and is_about_pictures(_read_error_body(error))):
                raise error
            named = dialect.without_named(_read_error_body(error), asks_for_object=asks_for_object)
            if named is None:
                break
            dialect = named
        if self._may_climb and error.status_code in _REFUSING:
            for simpler in dialect.simpler(asks_for_object=asks_for_object):
                if not _may_be_a_parameter((yield simpler)):
                    break
            # What was refused may have been the pictures: a request of words is still tried in all dialects.
            self._may_climb = has_pictures
        raise error

    def _reply(self, messages: Sequence[Message], received: Received, max_tokens: int, *, wants_object: bool) -> Reply:
        return Reply(
            received.text,
            parse_object(received.text) if wants_object else None,
            self._usage(messages, received, max_tokens),
            received.model or self.name,
            form=received.form,
            cut=received.finish == "length",
        )

    def _usage(self, messages: Sequence[Message], received: Received, max_tokens: int) -> Usage:
        """Tokens as the server counted them, or estimated when it does not count or cannot be believed."""
        partial, said = self._partial(messages, received), received.usage or {}
        read = check_count(said.get("prompt_tokens"), estimate=partial.tokens_in, room=WRAPPING, least=1)
        room = max_tokens if self._dialect.limit else max(max_tokens, UNLIMITED)
        written = check_count(said.get("completion_tokens"), estimate=partial.tokens_out, room=room)
        if read is None or written is None:
            return Usage(partial.tokens_in, partial.tokens_out, partial.cost_usd, estimated=True)
        return Usage(read, written, self._cost(read, written))

    def _partial(self, messages: Sequence[Message], received: Received) -> PartialCall:
        pictures = sum(picture.tokens for message in messages for picture in message.pictures)
        tokens_in = sum(HeuristicEstimator().estimate(message.content) for message in messages) + pictures
        tokens_out = received.tokens()
        return PartialCall(received.text, tokens_in, tokens_out, self._cost(tokens_in, tokens_out))

    def _cost(self, tokens_in: int, tokens_out: int) -> float:
        return float((tokens_in * self._endpoint.price_in + tokens_out * self._endpoint.price_out) / MILLION)


def _render_content(message: Message) -> str | list[dict[str, Any]]:
    """A message as the server takes it: its text, or with pictures a list of parts, each picture as a data address."""
    if not message.pictures:
        return message.content
    addresses = (f"data:image/jpeg;base64,{b64encode(picture.data).decode()}" for picture in message.pictures)
    pictures = [{"type": "image_url", "image_url": {"url": address}} for address in addresses]
    return [{"type": "text", "text": message.content}, *pictures]


def client_for(endpoint: Endpoint, connections: Connections) -> openai.OpenAI:
    """A client of an endpoint, whose connections can be cut. It retries by itself; it follows no redirect.

    httpx2.InvalidURL for an address that is none.
    """
    seconds = endpoint.seconds
    return openai.OpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or "none",
        timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        max_retries=endpoint.retries,
        # A redirect could lead to an address that the operator never allowed.
        http_client=openai.DefaultHttpxClient(
            follow_redirects=False,
            verify=trusted_authorities(),
            transport=PublicTransport(endpoint.private_allowed) if endpoint.public_only else None,
            event_hooks={"request": [connections.attend]},
        ),
    )


@contextmanager
def translate_errors(otherwise: str = NO_COMPLETION, *, pictures: bool = False) -> Iterator[None]:
    """Turn the client's errors into the engine's, each with a sentence of our own; `otherwise` is that of nonsense.

    `pictures` tells that the request had some.
    """
    try:
        yield
    except openai.APIStatusError as error:
        wait = error.response.headers.get("retry-after", "")
        raise make_refusal(error.status_code, _read_error_body(error), retry_after=wait, pictures=pictures) from None
    except (openai.APIError, httpx2.HTTPError) as error:
        raise make_connection_error(error) from None
    except (httpx2.InvalidURL, UnicodeError):
        raise ModelUnknown(NO_ADDRESS) from None
    except (ValueError, RecursionError):
        # What a server nests too deep cannot even be parsed.
        raise ModelInvalidReply(otherwise) from None


def _read_error_body(error: openai.APIStatusError) -> str:
    try:
        return json.dumps(error.body, default=str).lower() if error.body else str(error).lower()
    except RecursionError:
        return ""


def _may_be_a_parameter(error: openai.APIStatusError) -> bool:
    """Whether the request may do without something: not when its length, the key or the model is what is wrong."""
    said = _read_error_body(error)
    refuses = error.status_code in _REFUSING or error.status_code == 500
    return refuses and not is_too_long(said) and not is_about_the_model(said)


NO_EMBEDDING = "The model's server sent something that is no list of embeddings."
MOST_BYTES = 64 * 2**20
"""Size of one reply; 32 vectors of 4,096 numbers take 3 MB."""


class OpenAIEmbeddings:
    """An embedding model behind an OpenAI-compatible address. Safe under threads.

    The endpoint's `price_in` is what tokens cost. Texts go out in batches that servers
    with small limits take. `dimensions` None takes whatever length the first reply has,
    and that length from then on.
    """

    def __init__(
        self, endpoint: Endpoint, *, dimensions: int | None = None, stopping: Callable[[], bool] = never_stop
    ) -> None:
        self.name, self.dimensions = endpoint.model, dimensions
        self._endpoint, self._stopping = endpoint, stopping
        self._connections = Connections()

    @cached_property
    def _client(self) -> Any:
        return client_for(self._endpoint, self._connections)

    def embed(self, texts: Sequence[str]) -> Embedded:
        """One vector for each text, with usage and cost; ModelError otherwise, ModelStopped when `stopping` says so."""
        replies = [self._unless_stopped(batch) for batch in batches(list(texts))]
        if not replies:
            raise ModelInvalidReply("There is nothing to embed.")
        vectors = np.concatenate([reply.vectors for reply in replies])
        usages = [reply.usage for reply in replies]
        usage = Usage(
            sum(row.tokens_in for row in usages),
            0,
            sum(row.cost_usd for row in usages),
            estimated=any(row.estimated for row in usages),
        )
        return Embedded(vectors, usage, replies[-1].model)

    def _unless_stopped(self, texts: Sequence[str]) -> Embedded:
        if self._stopping is never_stop:
            return self._request(texts)
        try:
            return run_unless_stopped(self._stopping, lambda: self._request(texts), cut=self._connections.cut)
        except GivenUp:
            raise ModelStopped from None

    def _request(self, texts: Sequence[str]) -> Embedded:
        with translate_errors(NO_EMBEDDING):
            create = self._client.embeddings.with_streaming_response.create
            # As plain numbers: every server knows this form, the packed one only some.
            with create(model=self.name, input=list(texts), encoding_format="float") as response:
                raw = b"".join(self._within_limits(response.iter_bytes()))
            found = _parse_json(raw)
        rows = _read_rows(found, len(texts))
        vectors = check_vectors(rows, count=len(texts), dimensions=self.dimensions)
        self.dimensions = int(vectors.shape[1])
        return Embedded(vectors, self._usage(found, texts), clean_name(found.get("model"), otherwise=self.name))

    def _within_limits(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces of a reply, as long as it neither drips nor swells."""
        until, size = time.monotonic() + SILENCES * self._endpoint.seconds, 0
        for piece in pieces:
            size += len(piece)
            if size > MOST_BYTES:
                raise ModelInvalidReply(NO_EMBEDDING)
            if time.monotonic() > until:
                raise ModelTimeout("The model did not come to an end in time.")
            yield piece

    def _usage(self, found: dict[str, Any], texts: Sequence[str]) -> Usage:
        """Tokens as the server counted them, or estimated when it does not count or cannot be believed."""
        usage = found.get("usage")
        estimate = sum(map(HeuristicEstimator().estimate, texts))
        said = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        known = check_count(said, estimate=estimate, room=WRAPPING, least=1)
        tokens = estimate if known is None else known
        return Usage(tokens, 0, float(tokens * self._endpoint.price_in / MILLION), estimated=known is None)


def _parse_json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except RecursionError:
        raise ModelInvalidReply(NO_EMBEDDING) from None


def _read_rows(found: Any, count: int) -> list[Any]:
    """The vectors of a reply in the order of the texts; ModelInvalidReply for what is no list of embeddings."""
    data = found.get("data") if isinstance(found, dict) else None
    if not isinstance(data, list) or not all(isinstance(row, dict) and "embedding" in row for row in data):
        raise ModelInvalidReply(NO_EMBEDDING)
    places = [row.get("index", place) for place, row in enumerate(data)]
    if len(data) != count or places == list(range(count)):
        return [row["embedding"] for row in data]
    if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(count)):
        raise ModelInvalidReply(NO_EMBEDDING)
    return [data[places.index(place)]["embedding"] for place in range(count)]
