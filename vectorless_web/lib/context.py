"""What every page may show."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from vectorless_web.lib.jobs import queue_is_up

THEMES = ("light", "dark")


def common(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the reader's theme, and whether the queue is away so that the page can say so."""
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "redis_down": SimpleLazyObject(lambda: not queue_is_up()),
    }
