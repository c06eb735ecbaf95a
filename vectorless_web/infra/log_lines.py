"""Format of log lines: secrets in addresses are masked, and a refused request takes one line."""

import logging
import re

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


class OneLineRefusals(logging.Filter):
    """Takes the traceback from requests that were refused: where PermissionDenied was raised is no news."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        if record.name.startswith(("django.request", "django.security")) and getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True
