"""The render worker: a confined process that answers one request at a time. A page can crash only this process."""

import base64
import ctypes
import hashlib
import json
import logging
import os
import resource
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont, ImageOps

from vectorless_web.documents.drawing.client import image_path
from vectorless_web.documents.storage.cache import CacheFolder, touch
from vectorless_web.engine.documents.node import GlyphSpan
from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.parsing.drawing import draw_page
from vectorless_web.engine.parsing.pdf.text import highlight_boxes, word_boxes
from vectorless_web.infra.site.forking import PR_SET_PDEATHSIG

logger = logging.getLogger(__name__)

LONGEST_REQUEST = 3 << 20
"""Bytes of a request at most: somebody's picture as it was uploaded, 2 MB and a third more as text; the places of all
quotes of an answer take one."""
BOXES_SECONDS = 4
"""Boxes of a quote take milliseconds; who asks for them waits two seconds at most."""
TRIES = 2
"""Times that a page is tried: the process that draws it may end by something else once."""
NICENESS = 5
"""Pages of the site and steps of runs come before pictures."""


LABEL_MAX = 60
"""Characters written across a page at most."""
INK = (90, 90, 90, 60)
"""Red, green, blue and opacity (0 to 255) of a label: seen on white and on pictures, and text below stays readable."""


def write_across(picture: bytes, label: str) -> bytes:
    """The JPEG with a label written across it again and again, aslant, so that no part of it is without."""
    with Image.open(BytesIO(picture)) as opened:
        page = opened.convert("RGBA")
    side = int((page.width**2 + page.height**2) ** 0.5)
    layer = Image.new("RGBA", (side, side))
    draw, font = ImageDraw.Draw(layer), ImageFont.load_default(size=max(14, page.width // 36))
    wide, line = int(draw.textlength(f"{label}     ", font=font)) or 1, max(60, page.height // 8)
    for row, y in enumerate(range(0, side, line)):
        for x in range(-wide * (row % 2) // 2, side, wide):
            draw.text((x, y), label, font=font, fill=INK)
    aslant = layer.rotate(30, resample=Image.Resampling.BILINEAR)
    left, top = (side - page.width) // 2, (side - page.height) // 2
    page.alpha_composite(aslant.crop((left, top, left + page.width, top + page.height)))
    out = BytesIO()
    page.convert("RGB").save(out, "JPEG", quality=80)
    return out.getvalue()


PORTRAIT_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
PORTRAIT_SIDE = 192
"""Pixels of a stored picture: avatars are 36 points wide at most, on screens of up to four pixels a point."""
PORTRAIT_MOST_PIXELS = 40_000_000
"""Pixels of a picture that is taken: a large photo. Its header says so before it is unpacked."""


def redraw_portrait(data: bytes) -> bytes:
    """The middle square of a picture as a small JPEG of our own making: nothing else of the file is kept.

    Refused for what is no picture of these formats, or is too large.
    """
    try:
        with Image.open(BytesIO(data), formats=PORTRAIT_FORMATS) as opened:
            if opened.width * opened.height > PORTRAIT_MOST_PIXELS:
                raise Refused("picture_too_large", "This picture has too many pixels. Make it smaller first.")
            upright = ImageOps.exif_transpose(opened).convert("RGBA")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        sentence = "This is no picture that can be read. Take a JPEG, PNG, WebP or GIF file."
        raise Refused("not_a_picture", sentence) from error
    square = ImageOps.fit(upright, (PORTRAIT_SIDE, PORTRAIT_SIDE), Image.Resampling.LANCZOS)
    page = Image.new("RGBA", square.size, "white")
    page.alpha_composite(square)
    out = BytesIO()
    page.convert("RGB").save(out, "JPEG", quality=85)
    return out.getvalue()


def cut_out(picture: bytes, edges: Sequence[float]) -> bytes:
    """The part of a JPEG between (left, top, right, bottom) in pixels, at least one pixel large."""
    with Image.open(BytesIO(picture)) as page:
        left, top = (min(max(int(edge), 0), side - 1) for edge, side in zip(edges[:2], page.size, strict=True))
        right, bottom = (min(max(round(edge), 0), side) for edge, side in zip(edges[2:], page.size, strict=True))
        part = page.crop((left, top, max(right, left + 1), max(bottom, top + 1)))
    out = BytesIO()
    part.save(out, "JPEG", quality=85)
    return out.getvalue()


@dataclass(frozen=True)
class RenderConfig:
    """Where the server listens and keeps pictures, how many workers it has, and the limits of one page."""

    socket: Path
    cache: Path
    cache_bytes: int
    memory_bytes: int
    seconds: int
    resolve: Callable[[str, str], Path]
    """Gives the local path of a stored upload by its name and SHA-256."""
    workers: int = 1


class Refused(Exception):
    """Raised when a request cannot be answered; becomes the reply."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def run_worker(connection: socket.socket, config: RenderConfig, supervisor: int) -> None:
    """Confine this process and answer requests, one a line, until the other side closes the connection.

    An empty line says that a request was begun; its answer follows on a line of its own.
    """
    _confine(config, supervisor)
    worker = Worker(config)
    with connection, connection.makefile("rb") as lines:
        while line := lines.readline(LONGEST_REQUEST):
            connection.sendall(b"\n")
            connection.sendall(json.dumps(worker.answer(line)).encode() + b"\n")


def _confine(config: RenderConfig, supervisor: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(1)
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (config.memory_bytes, config.memory_bytes))


FILE_MISSING = (
    "The original file of this document is missing from storage, so its pages cannot be drawn. Its words are kept; "
    "upload the same file once more to get the pages back."
)


class Worker:
    """Answers one request after the other: PDFium must not be used by two threads at once."""

    def __init__(self, config: RenderConfig) -> None:
        self.config = config
        self.cache = CacheFolder(config.cache, limit_bytes=config.cache_bytes)
        self._tries = config.cache / "tries"

    def answer(self, line: bytes) -> dict[str, Any]:
        """The reply to one request."""
        try:
            return self._dispatch(json.loads(line))
        except Refused as refusal:
            return {"code": refusal.code, "message": refusal.message}
        except EngineError as error:
            return {"code": error.code, "message": error.message}
        except (KeyError, TypeError, ValueError) as error:
            return {"code": "bad_request", "message": f"The request cannot be understood: {error!r}."}
        except MemoryError:
            return {"code": "page_too_large", "message": "This page is too large to be drawn."}
        except FileNotFoundError:
            return {"code": "file_missing", "message": FILE_MISSING}
        except OSError as error:
            return {"code": "file_missing", "message": f"The file of this page cannot be read: {error.strerror}."}
        except Exception:
            logger.exception("a request failed")
            return {"code": "render_failed", "message": "Drawing this page failed. Its text can still be read."}

    def _dispatch(self, request: Mapping[str, Any]) -> dict[str, Any]:
        label = str(request.get("label", ""))[:LABEL_MAX]
        match request["op"]:
            case "page":
                return {"path": str(self._page(request, label))}
            case "boxes":
                found = self._find_boxes(request, highlight_boxes)
                return {"boxes": [[b.page_index, b.left, b.top, b.right - b.left, b.bottom - b.top] for b in found]}
            case "words":
                found = self._find_boxes(request, word_boxes)
                return {"boxes": [[b.left, b.top, b.right - b.left, b.bottom - b.top] if b else None for b in found]}
            case "portrait":
                return self._draw_anew(request, redraw_portrait)
            case "label":
                return self._draw_anew(request, lambda data: write_across(data, label))
        raise Refused("bad_request", "There is no such request.")

    def _page(self, request: Mapping[str, Any], label: str) -> Path:
        sha256, page_index, scale = str(request["sha256"]), int(request["page_index"]), float(request["scale"])
        if not sha256.isalnum():
            raise Refused("bad_request", "This is not a hash.")
        box = [float(edge) for edge in request.get("box", ())]
        path = image_path(self.config.cache, sha256, page_index, scale, label, box)
        if touch(path):
            return path
        file = self._find_file(request)
        name = f"{sha256}-{page_index}"
        image = self._try_request(name, self.config.seconds, lambda: draw_page(file, page_index, scale))
        data = cut_out(image.data, [edge * scale for edge in box]) if box else image.data
        with self.cache.write(path) as picture:
            picture.write(write_across(data, label) if label else data)
        return path

    def _find_file(self, request: Mapping[str, Any]) -> Path:
        return self.config.resolve(str(request["file"]), str(request["sha256"]))

    def _draw_anew(self, request: Mapping[str, Any], draw: Callable[[bytes], bytes]) -> dict[str, Any]:
        """The picture that `draw` makes of the one that was sent, in base64."""
        data = base64.b64decode(str(request["data"]), validate=True)
        name = f"{request['op']}-{hashlib.sha256(data).hexdigest()}"
        drawn = self._try_request(name, self.config.seconds, lambda: draw(data))
        return {"jpeg": base64.b64encode(drawn).decode()}

    def _find_boxes(self, request: Mapping[str, Any], find: Callable[[Path, Sequence[GlyphSpan]], Any]) -> Any:
        spans = [GlyphSpan(*(int(number) for number in span)) for span in request["spans"]]
        file, name = self._find_file(request), str(request["op"])
        seconds = min(self.config.seconds, BOXES_SECONDS)
        return self._try_request(f"{file.name}-{name}", seconds, lambda: find(file, spans))

    def _try_request(self, name: str, seconds: int, work: Callable[[], Any]) -> Any:
        """Do the work under the alarm that ends this process; refuse what ended it before."""
        mark = self._tries / name
        tries = mark.stat().st_size if mark.exists() else 0
        if tries >= TRIES:
            raise Refused("page_unrenderable", "This page cannot be drawn: drawing it failed more than once.")
        self._tries.mkdir(parents=True, exist_ok=True)  # the cache may be deleted at any time
        with mark.open("ab") as file:
            file.write(b".")
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        try:
            return work()
        except IndexError as error:
            raise Refused("no_such_page", "This document has no such page.") from error
        finally:
            signal.alarm(0)
            mark.unlink(missing_ok=True)
