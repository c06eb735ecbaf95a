"""Translates failures of a model's server to errors of the engine: a stable code and a sentence of this program.

No sentence of a server goes further than this: it may quote the key or the prompt.
"""

import re
import socket

import httpx2

from vectorless_web.engine.errors import (
    ModelAuth,
    ModelError,
    ModelInvalidReply,
    ModelRateLimited,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
)
from vectorless_web.infra.addresses import PrivateAddress

BROKE_OFF = "The connection to the model's server broke in the middle of its reply."
NO_ADDRESS = "The model's address is not one that can be called. Correct it in the settings."
NO_COMPLETION = "The model's server sent something that is no chat completion."
REFUSED = "The model refused to answer this, or its provider's content filter did."
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
_NO_MODEL = re.compile(
    r"model.{0,120}(not.?found|not exist|unknown|not available|invalid)|(no such|unknown|invalid).model", re.S
)


def is_too_long(said: str) -> bool:
    """Whether a refusal is about the length of the request."""
    return bool(_TOO_LONG.search(said))


def is_about_the_model(said: str) -> bool:
    """Whether a refusal says that there is no such model."""
    return bool(_NO_MODEL.search(said))


def make_refusal(status: int, said: str, *, retry_after: str = "") -> ModelError:
    """The error for an HTTP status of 400 and above; `said` is the server's own word, in lower case."""
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
