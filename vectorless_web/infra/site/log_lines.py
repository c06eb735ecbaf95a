"""Format of log lines: secrets in addresses are masked, a refused request takes one line, and a line names what it
belongs to: the request, or the job and its run."""

import json
import logging
import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse

SECRETS = re.compile(
    r"""(/(?:
          s | invitations                        # shared runs, invitations
        | accounts/confirm-email                 # what mails carry
        | accounts/password/reset/key
    )/)(?!\*\*\*)[^/\s'"<>?,)\]]+""",
    re.VERBOSE,
)
SESSIONS = re.compile(r"((?:sessionid|csrftoken)=)[^;\s'\"]+")


def redact(text: str) -> str:
    """The text with `***` in place of every token that opens something by itself."""
    return SESSIONS.sub(r"\1***", SECRETS.sub(r"\1***", text))


class LineFormatter(logging.Formatter):
    """Formats records as text without secrets, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's line, with its traceback below when it has one."""
        return redact(super().format(record))


class JsonFormatter(LineFormatter):
    """Formats each record as one line of JSON, for programs that collect logs; tracebacks are a field of it."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as an object: time, level, logger, message, and what it belongs to."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage()),
            "process": record.process,
            **_work,
        }
        if request_id.get():
            line["request"] = request_id.get()
        if record.exc_info:
            line["traceback"] = redact(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The name of the request under way; "" outside requests."""
_work: dict[str, object] = {}
"""What this process works on. A job has a process of its own, whose threads all write for it."""
ACCEPTED_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)
"""Names of requests that are taken from a proxy: long enough for any scheme, and nothing that could forge a line."""


def note_work(**what: object) -> None:
    """Name what this process works on from now on, in every line of JSON that it writes: `job`, `run`."""
    _work.update(what)


class RequestIdMiddleware:
    """Names each request as its proxy did (X-Request-Id), or anew, and tells the name in the response.

    The name is left in place afterwards: Django writes its lines about a refusal when all middlewares
    have ended, and the next request has a context of its own.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "")
        request_id.set(given if ACCEPTED_ID.fullmatch(given) else uuid.uuid4().hex)
        response = self.get_response(request)
        response["X-Request-Id"] = request_id.get()
        return response


class OneLineRefusals(logging.Filter):
    """Takes the traceback from requests that were refused: where PermissionDenied was raised is no news."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        if record.name.startswith(("django.request", "django.security")) and getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True
