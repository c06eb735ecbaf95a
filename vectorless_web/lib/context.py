"""What every page may show."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from vectorless_web.lib.jobs import queue_is_up

THEMES = ("light", "dark")


def common(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the reader's theme, whether the queue is away, and how people get in, for pages to say so."""
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "mail_on": settings.MAIL_ON,
        "sign_up_open": settings.SIGNUP_OPEN,
        "redis_down": SimpleLazyObject(lambda: not queue_is_up()),
    }
