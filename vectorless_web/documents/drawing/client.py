"""Page images: asked of the render child by one request and one reply, and where they are kept for a while."""

import base64
import hashlib
import json
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from vectorless_web.infra.web.problems import Problem


def image_path(
    root: Path, sha256: str, page_index: int, scale: float, label: str = "", box: Sequence[float] = ()
) -> Path:
    """Where the picture of a page lies; pages from 0, `scale` in pixels a point, `label` what is written across it.

    `box` is the part that is cut out, (left, top, right, bottom) in points; () for the whole page.
    """
    told = "|".join((label, *(f"{edge:.1f}" for edge in box)))
    mark = f"-{hashlib.sha256(told.encode()).hexdigest()[:16]}" if told else ""
    return root / sha256[:2] / f"{sha256}-{page_index}-{round(scale * 100)}{mark}.jpg"


NO_PICTURE = "no_picture"
NOT_THERE = (NO_PICTURE, "file_missing", "no_such_page")
"""Codes of what waiting does not bring: no such page, no such file, a format without pictures."""
LONGEST_REPLY = 1 << 22
"""Bytes of a reply at most: 4 MB hold the boxes of tens of thousands of lines."""
QUEUE_SECONDS = 5
"""How long a page may wait behind others before its own time begins: a second more than the server lets it."""
BOXES_SECONDS = 2.0
"""How long anybody waits for the boxes of quotes, which take milliseconds; a page's text is shown without them."""


class RenderUnavailable(Problem):
    """Raised when a page or its boxes cannot be had: status 404 for what is not there, 503 for what may come back."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, remedy="", code=code, status=404 if code in NOT_THERE else 503)


def ask(request: dict[str, Any], seconds: float | None = None) -> dict[str, Any]:
    """The render server's reply; RenderUnavailable when it is down, refuses, or says nothing for `seconds`.

    Without `seconds` it has the time to draw a page.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds or float(settings.RENDER_SECONDS + QUEUE_SECONDS))
            connection.connect(str(settings.RENDER_SOCKET))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as lines:
                return _decode(lines.readline(LONGEST_REPLY))
    except TimeoutError as error:
        sentence = "Drawing this page took too long. Try again in a moment."
        raise RenderUnavailable("render_timeout", sentence) from error
    except OSError as error:
        sentence = "Page images are not available right now. They come back by themselves; text still works."
        raise RenderUnavailable("render_unavailable", sentence) from error


def redraw_portrait(data: bytes) -> bytes:
    """An uploaded picture of a person as a small JPEG that the render child made of it. RenderUnavailable when not."""
    return _draw_anew(data, op="portrait")


def label_picture(data: bytes, label: str) -> bytes:
    """A JPEG with a label written across it by the render child. RenderUnavailable when it cannot be."""
    return _draw_anew(data, op="label", label=label)


def _draw_anew(data: bytes, **request: str) -> bytes:
    return base64.b64decode(ask({**request, "data": base64.b64encode(data).decode()})["jpeg"])


def is_up() -> bool:
    """Whether the render child listens."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(1)
            connection.connect(str(settings.RENDER_SOCKET))
    except OSError:
        return False
    return True


def _decode(line: bytes) -> dict[str, Any]:
    if not line:
        raise RenderUnavailable("render_crashed", "Drawing this page failed. Its text can still be read.")
    reply: dict[str, Any] = json.loads(line)
    if "code" in reply:
        raise RenderUnavailable(str(reply["code"]), str(reply["message"]))
    return reply
