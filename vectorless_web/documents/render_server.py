"""The render child: the one process that opens uploads for viewing, behind a private unix socket.

One connection carries one request and one reply, each a JSON object on one line. Requests:
{"op": "ping"}; {"op": "page", "file", "sha256", "page_index", "scale"}, answered with the path of
the picture; {"op": "boxes", "file", "spans": [[page_index, char_index, length], ...]}, answered with
[[page_index, x, y, width, height], ...] in points from the top left. A refusal is {"code", "message"}.

A supervising process holds the socket and forks the worker that serves it, so a page that
crashes, hangs or bloats the worker costs one reply; a page that did so twice is not tried again.
"""

import ctypes
import json
import logging
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vectorless_web.documents.page_cache import PageCache, image_path, touch
from vectorless_web.engine.compiler.pdf_boxes import highlight_boxes, render_page
from vectorless_web.engine.document.node import GlyphSpan
from vectorless_web.engine.errors import EngineError

logger = logging.getLogger(__name__)

BACKLOG = 128
READ_SECONDS = 2.0
LONGEST_REQUEST = 1 << 20
REQUESTS_A_WORKER = 5000
"""A worker is replaced after this many requests, which bounds what a library may leak."""
RESTART_SECONDS = 0.2
TRIES = 2
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class RenderConfig:
    """Where the child listens and keeps pictures, and its limits."""

    socket: Path
    cache: Path
    cache_bytes: int
    memory_bytes: int
    seconds: int
    resolve: Callable[[str], Path]
    """Gives the local path of a stored upload."""


class Refused(Exception):
    """Raised when a request cannot be answered; becomes the reply."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def serve(config: RenderConfig) -> None:
    """Listen, and keep one worker alive until a SIGTERM or SIGINT."""
    listener = _listen(config.socket)
    own = config.socket.stat().st_ino
    worker = 0

    def stop(_number: int, _frame: object) -> None:
        if worker:
            os.kill(worker, signal.SIGKILL)
        _unlink_own(config.socket, own)
        sys.exit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while True:
        worker = _fork_worker(listener, config)
        _, status = os.waitpid(worker, 0)
        if status:
            logger.warning("the render worker ended with status %s and is started again", status)
            time.sleep(RESTART_SECONDS)


def _listen(path: Path) -> socket.socket:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(BACKLOG)
    return listener


def _unlink_own(path: Path, inode: int) -> None:
    """Remove the socket unless another child has put its own in this place meanwhile."""
    with suppress(FileNotFoundError):
        if path.stat().st_ino == inode:
            path.unlink()


def _fork_worker(listener: socket.socket, config: RenderConfig) -> int:
    supervisor = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        _confine(config, supervisor)
        Worker(config).run(listener)
        status = 0
    finally:
        os._exit(status)


def _confine(config: RenderConfig, supervisor: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (config.memory_bytes, config.memory_bytes))


class Worker:
    """Answers one request after the other: PDFium must not be used by two threads at once."""

    def __init__(self, config: RenderConfig) -> None:
        self.config = config
        self.cache = PageCache(config.cache, limit_bytes=config.cache_bytes)
        self._tries = config.cache / "tries"

    def run(self, listener: socket.socket) -> None:
        """Serve until this worker has done its share."""
        for _ in range(REQUESTS_A_WORKER):
            connection, _ = listener.accept()
            with connection:
                self._serve(connection)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to one request."""
        try:
            return self._dispatch(request)
        except Refused as refusal:
            return {"code": refusal.code, "message": refusal.message}
        except EngineError as error:
            return {"code": error.code, "message": error.message}
        except (KeyError, TypeError, ValueError) as error:
            return {"code": "bad_request", "message": f"The request cannot be understood: {error!r}."}
        except MemoryError:
            return {"code": "page_too_large", "message": "This page is too large to be drawn."}
        except OSError as error:
            return {"code": "file_missing", "message": f"The file of this page cannot be read: {error.strerror}."}
        except Exception:
            logger.exception("a request failed")
            return {"code": "render_failed", "message": "Drawing this page failed. Its text can still be read."}

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(READ_SECONDS)
        try:
            with connection.makefile("rb") as lines:
                line = lines.readline(LONGEST_REQUEST)
            if not line:
                return  # Somebody only asked whether anybody listens.
            request = json.loads(line)
            connection.sendall(json.dumps(self.answer(request)).encode() + b"\n")
        except (OSError, ValueError) as error:
            logger.info("a request was dropped: %s", error)

    def _dispatch(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if request["op"] == "ping":
            return {"ok": True}
        if request["op"] == "page":
            return {"path": str(self._page(request))}
        if request["op"] == "boxes":
            return {"boxes": self._boxes(request)}
        raise Refused("bad_request", "There is no such request.")

    def _page(self, request: Mapping[str, Any]) -> Path:
        sha256, page_index, scale = str(request["sha256"]), int(request["page_index"]), float(request["scale"])
        if not sha256.isalnum():
            raise Refused("bad_request", "This is not a hash.")
        path = image_path(self.config.cache, sha256, page_index, scale)
        if touch(path):
            return path
        file = self.config.resolve(str(request["file"]))
        image = self._tried(f"{sha256}-{page_index}", lambda: render_page(file, page_index, scale))
        self.cache.write(path, image.data)
        return path

    def _boxes(self, request: Mapping[str, Any]) -> list[list[float]]:
        spans = [GlyphSpan(*(int(number) for number in span)) for span in request["spans"]]
        file = self.config.resolve(str(request["file"]))
        found = self._tried(f"{file.name}-boxes", lambda: highlight_boxes(file, spans))
        return [[b.page_index, b.left, b.top, b.right - b.left, b.bottom - b.top] for b in found]

    def _tried(self, name: str, work: Callable[[], Any]) -> Any:
        """Do the work under the alarm that ends this process; refuse what ended it before."""
        self._tries.mkdir(parents=True, exist_ok=True)  # The cache may be deleted at any time.
        mark = self._tries / name
        tries = mark.stat().st_size if mark.exists() else 0
        if tries >= TRIES:
            raise Refused("page_unrenderable", "This page cannot be drawn: drawing it failed more than once.")
        with mark.open("ab") as file:
            file.write(b".")
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(self.config.seconds)
        try:
            return work()
        except IndexError as error:
            raise Refused("no_such_page", "This document has no such page.") from error
        finally:
            signal.alarm(0)
            mark.unlink(missing_ok=True)
