"""HTTP connections to a model's server, to allowed addresses alone, and reading of what it sends, failures too.

No sentence of a server goes further than this: it may quote the key or the prompt.
"""

import json
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

import httpx2

from vectorless_web.engine.errors import (
    ModelAuth,
    ModelError,
    ModelInvalidReply,
    ModelRateLimited,
    ModelRefusedPictures,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
)
from vectorless_web.engine.llm.calls import start_in_thread
from vectorless_web.engine.llm.model import HeuristicEstimator, clean_name
from vectorless_web.infra.addresses import PrivateAddress, public_addresses

FORMS = ("json_schema", "json_object", "")
"""How an object can be asked for, the strictest first; "" is by the words of the prompt alone.

Before them "tools" may stand, where a server was found to have native tool calling: it is used for
schemas that describe tools, and for no others.
"""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server and model that answer calls. Prices are US dollars per million tokens.

    `seconds` of silence end one try, and a failed try is repeated `retries` times. With
    `public_only` nothing is sent to a private network or to this machine, except to the hosts
    and networks in `private_allowed`. `forms` and `streams` say what the server is known to
    support; anything else it refuses is found out by the first call.
    """

    base_url: str
    model: str
    api_key: str = field(repr=False)
    price_in: Decimal = Decimal(0)
    price_out: Decimal = Decimal(0)
    seconds: float = 60.0
    retries: int = 2
    public_only: bool = False
    private_allowed: tuple[str, ...] = ()
    forms: tuple[str, ...] = FORMS
    streams: bool = True


Result = TypeVar("Result")
GLANCE_SECONDS = 0.05
"""How often a wait looks whether it should be given up."""


class GivenUp(Exception):
    """Raised in a waiting thread when the wait was given up."""


class Connections:
    """Every connection that a client has opened. Closing a socket wakes no thread that reads it; shutting it down does.

    `attend` is a request hook of the client, `cut` ends all of them for good.
    """

    def __init__(self) -> None:
        self._streams: list[Any] = []
        self._lock = threading.Lock()
        self._is_cut = False

    def attend(self, request: httpx2.Request) -> None:
        """Have the request tell of the connection it opens; none is opened once they were cut."""
        if self._is_cut:
            raise httpx2.ConnectError("stopped", request=request)
        request.extensions = {**request.extensions, "trace": self._trace_connection}

    def cut(self) -> None:
        """Shut every connection down: the server sees it at once, and so does anybody who waits for it."""
        with self._lock:
            self._is_cut = True
            streams, self._streams = self._streams, []
        for stream in streams:
            _shut_down(stream)

    def _trace_connection(self, event: str, info: dict[str, Any]) -> None:
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        with self._lock:
            if not self._is_cut:
                self._streams.append(info["return_value"])
                return
        _shut_down(info["return_value"])


def _shut_down(stream: Any) -> None:
    found = stream.get_extra_info("socket")
    if isinstance(found, socket.socket):
        # That of TLS would first forget its state under the reading thread's feet.
        with suppress(OSError):
            socket.socket.shutdown(found, socket.SHUT_RDWR)


def run_unless_stopped(stopping: Callable[[], bool], work: Callable[[], Result], *, cut: Callable[[], None]) -> Result:
    """The result of `work`, or GivenUp as soon as `stopping` says so, with `cut` called.

    The work goes on in a thread of its own, which nobody waits for any more.
    """
    if stopping():
        raise GivenUp
    future = start_in_thread(work, name="model-call")
    while not wait([future], timeout=GLANCE_SECONDS).done:
        if stopping():
            cut()
            raise GivenUp
    if future.exception() is not None and stopping():
        # Another wait of the same client has cut this one's connection already.
        raise GivenUp
    return future.result()


@cache
def trusted_authorities() -> ssl.SSLContext:
    """By what servers' certificates are checked. Read once a process: it takes 25 ms, for each connection otherwise."""
    return httpx2.create_ssl_context()


class PublicTransport(httpx2.HTTPTransport):
    """Resolves the host once, checks every address, and connects to one that was checked.

    Resolving again for the connection would let a name answer differently the second time
    (DNS rebinding). The certificate is still checked against the name. `allowed` are private
    hosts and networks to which it connects as well.
    """

    def __init__(self, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(verify=trusted_authorities())
        self._allowed = allowed

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer; httpx2.ConnectError for a private address and for a name without any."""
        name = request.url.host
        try:
            addresses = public_addresses(name, request.url.port, self._allowed)
        except PrivateAddress as error:
            raise httpx2.ConnectError("private address", request=request) from error
        except OSError as error:
            raise httpx2.ConnectError("name not resolved", request=request) from error
        request.extensions = {**request.extensions, "sni_hostname": name}
        # "localhost" has two addresses, and most servers listen on one of them.
        for address in addresses[:-1]:
            request.url = request.url.copy_with(host=address)
            try:
                return super().handle_request(request)
            except httpx2.ConnectError:
                continue
        request.url = request.url.copy_with(host=addresses[-1])
        return super().handle_request(request)


def make_transport(private_allowed: tuple[str, ...] | None) -> httpx2.HTTPTransport:
    """One that reaches public addresses and these private hosts; every address for None."""
    if private_allowed is None:
        return httpx2.HTTPTransport(verify=trusted_authorities())
    return PublicTransport(private_allowed)


BROKE_OFF = "The connection to the model's server broke in the middle of its reply."
NO_ADDRESS = "The model's address is not one that can be called. Correct it in the settings."
NO_COMPLETION = "The model's server sent something that is no chat completion."
REFUSED = "The model refused to answer this, or its provider's content filter did."
NO_PICTURES = "The model's server does not take the pictures of pages."
TOO_LONG = "The request is longer than what the model can read at once."

UNKNOWN = "The model's server does not know this model or address. Check the settings."

_BY_STATUS: dict[int, tuple[type[ModelError], str]] = {
    401: (ModelAuth, "The model's server refuses the key. Check it in the settings."),
    402: (ModelAuth, "The account behind the key has no credit left. Top it up with the provider."),
    403: (ModelAuth, "The model's server knows the key, but the key may not use this model. Check the settings."),
    408: (ModelTimeout, "The model did not answer in time."),
    413: (ModelInvalidReply, TOO_LONG),
    504: (ModelTimeout, "The model did not answer in time."),
}
_TOO_LONG = re.compile(r"context.?(length|window|size)|maximum context|too many tokens|(prompt|input) is too long")
_PICTURES = re.compile(r"image|picture|vision|multi.?modal|modalit|mmproj")
_MAY_BE_PICTURES = (400, 404, 405, 413, 415, 422, 500, 501)
"""Statuses with which servers refuse pictures; the others say what is wrong by themselves."""
_NO_MODEL = re.compile(
    r"model.{0,120}(not.?found|not exist|unknown|not available|invalid)|(no such|unknown|invalid).model", re.S
)


def is_too_long(said: str) -> bool:
    """Whether a refusal is about the length of the request."""
    return bool(_TOO_LONG.search(said))


def is_about_the_model(said: str) -> bool:
    """Whether a refusal says that there is no such model."""
    return bool(_NO_MODEL.search(said))


def is_about_pictures(said: str) -> bool:
    """Whether a refusal names pictures."""
    return bool(_PICTURES.search(said))


def make_refusal(status: int, said: str, *, retry_after: str = "", pictures: bool = False) -> ModelError:
    """The error for an HTTP status of 400 and above; `said` is the server's own word, in lower case.

    `pictures` tells that the request had some: then they may be what the server does not take.
    """
    if pictures and status in _MAY_BE_PICTURES and (is_about_pictures(said) or _is_unexplained(status, said)):
        return ModelRefusedPictures(NO_PICTURES)
    if status in _BY_STATUS:
        kind, sentence = _BY_STATUS[status]
        return kind(sentence)
    if status == 429:
        return ModelRateLimited(f"The model's server asks to slow down. Try again in {_wait(retry_after)}.")
    if status >= 500:
        return ModelUnreachable(f"The model's server has a problem of its own (HTTP {status}).")
    if is_too_long(said):
        return ModelInvalidReply(TOO_LONG)
    if status == 404 or is_about_the_model(said):
        return ModelUnknown(UNKNOWN)
    return ModelInvalidReply(f"The model's server does not take the request (HTTP {status}).")


def _is_unexplained(status: int, said: str) -> bool:
    """Whether a refusal says neither that the request is too long nor that the model is unknown."""
    return status in (400, 413, 415, 422) and not is_too_long(said) and not is_about_the_model(said)


def make_connection_error(error: BaseException) -> ModelError:
    """The error for a connection that could not be made, fell silent or broke."""
    causes = list(_causes(error))
    if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
        return ModelTimeout("The model did not answer in time.")
    if any(isinstance(cause, PrivateAddress) for cause in causes):
        return ModelUnreachable("The model's address lies in a private network, which the operator does not allow.")
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return ModelUnreachable("The name of the model's server is not known. Check the address in the settings.")
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return ModelUnreachable("Nothing answers at the model's address. Is its server running?")
    return ModelUnreachable("The model's server cannot be reached, or the connection broke.")


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and len(found) < 10:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _wait(retry_after: str) -> str:
    if not re.fullmatch(r"\d{1,6}(\.\d+)?", retry_after.strip()):
        return "a minute"
    seconds = max(1, round(float(retry_after)))
    return f"{seconds} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"


_EVENT_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_DONE = b"[DONE]"
LONGEST_BODY = 8 * 2**20
"""Bytes of a reply that are still read."""


class Received:
    """What has come of one reply so far. One thread fills it; others may look at any time."""

    def __init__(self) -> None:
        self.model = ""
        self.form = ""
        """How an object was asked for."""
        self.finish = ""
        self.usage: Mapping[str, Any] | None = None
        self.has_begun = False
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: dict[object, tuple[str, list[str]]] = {}
        self._choices = 0
        self._refused = self._ended = False

    @property
    def text(self) -> str:
        """The reply without what the model only thought; calls of tools as an object with its words as `thought`."""
        said = "".join(self._texts)
        if not self._calls:
            return said
        rows = [{"name": name, "arguments": "".join(parts)} for name, parts in self._calls.values()]
        return json.dumps({"thought": said, "tool_calls": rows}, ensure_ascii=False)

    def tokens(self) -> int:
        """Tokens of what has come, thoughts included, estimated."""
        estimator = HeuristicEstimator()
        called = [part for name, parts in self._calls.values() for part in (name, *parts)]
        return sum(estimator.estimate("".join(parts)) for parts in (self._texts, self._thoughts, called))

    def read(self, blocks: Iterable[bytes]) -> Iterator[str]:
        """Take the body of a response block by block; yields the reply's text as it comes.

        ModelUnreachable when a stream ends before the reply does, ModelInvalidReply for
        a body that is no completion and for a refusal. ValueError for broken JSON.
        """
        for chunk in _chunks(blocks):
            self.has_begun = True
            piece = self._take(chunk)
            if piece:
                yield piece
        self._check()

    def _take(self, chunk: Mapping[str, Any]) -> str:
        if chunk.get("error"):
            raise _make_reported_error(chunk["error"])
        self._ended = self._ended or bool(chunk.get("ended"))
        self.model = clean_name(chunk.get("model"), otherwise=self.model)
        if isinstance(chunk.get("usage"), Mapping):
            self.usage = chunk["usage"]
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            return ""
        self._choices += 1
        self.finish = str(choices[0].get("finish_reason") or self.finish)
        said = choices[0].get("delta") or choices[0].get("message") or {}
        return self._read_text(said) if isinstance(said, Mapping) else ""

    def _read_text(self, said: Mapping[str, Any]) -> str:
        self._refused = self._refused or bool(said.get("refusal"))
        self._thoughts.append(_join_text(said.get("reasoning_content") or said.get("reasoning")))
        self._take_calls(said.get("tool_calls"))
        text = _join_text(said.get("content"))
        self._texts.append(text)
        return text

    def _take_calls(self, calls: Any) -> None:
        """Calls of tools, whole or piece by piece; a piece without a number goes on with the last call."""
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            function = call.get("function") if isinstance(call, Mapping) else None
            if not isinstance(function, Mapping):
                continue
            name, key = clean_name(function.get("name")), call.get("index")
            if not isinstance(key, int):
                key = len(self._calls) + place if name else next(reversed(self._calls), 0)
            known = self._calls.setdefault(key, (name, []))
            if name and not known[0]:
                known = self._calls[key] = (name, known[1])
            arguments = function.get("arguments")
            known[1].append(arguments if isinstance(arguments, str) else json.dumps(arguments or {}))

    def _check(self) -> None:
        if not self._choices:
            raise ModelInvalidReply("The model's server sent a reply without an answer in it.")
        if not (self._ended or self.finish):
            raise ModelUnreachable(BROKE_OFF)
        if self._refused or self.finish == "content_filter":
            raise ModelInvalidReply(REFUSED)


def _chunks(blocks: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """Each event's object; the whole body as one object when it is no stream of events."""
    body: list[bytes] = []
    for line in _lines(blocks):
        if not body and (not line.strip() or line.startswith(_EVENT_FIELDS)):
            data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
            if data == _DONE:
                yield {"ended": True}
                return
            if data:
                yield _object(data)
        else:
            body.append(line)
    if body:
        yield {**_object(b"".join(body)), "ended": True}


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines that end with a line feed alone: other line separators may stand inside the text of a reply."""
    rest, size = b"", 0
    for block in blocks:
        size += len(block)
        if size > LONGEST_BODY:
            raise ModelInvalidReply(NO_COMPLETION)
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    yield rest


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data)
    except RecursionError:
        raise ModelInvalidReply(NO_COMPLETION) from None
    if not isinstance(found, dict):
        raise ModelInvalidReply(NO_COMPLETION)
    return found


def _join_text(content: Any) -> str:
    """Text of a message: a string, or parts of which some are text."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _make_reported_error(error: Any) -> Exception:
    """The error that a server reports inside a reply that it had begun."""
    code = error.get("code") or error.get("status") if isinstance(error, Mapping) else None
    status = int(code) if isinstance(code, int | str) and str(code).isdigit() else 0
    return make_refusal(status, str(error).lower()) if status >= 400 else ModelUnreachable(BROKE_OFF)


FACTOR = 4
"""A tokenizer may count this many times what is estimated here: scripts that its vocabulary does not know."""

WRAPPING = 4096
"""Tokens that a server may wrap around what it was sent: templates, schemas, instructions of its own."""

UNLIMITED = 32_768
"""Tokens that a model may think unseen when its server takes no limit."""


def check_count(said: object, *, estimate: int, room: int, least: int = 0) -> int | None:
    """The server's count when it is a whole number from `least` to FACTOR x `estimate` + `room`; None otherwise.

    The cost that is booked is worked out from it, and a server may send any number.
    """
    if not isinstance(said, int) or isinstance(said, bool):
        return None
    return said if least <= said <= FACTOR * estimate + room else None
