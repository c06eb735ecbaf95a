"""The render server: hands requests to workers in turns, so that a slow document waits behind the others.

One connection carries one request and one reply, each a JSON object on one line. Requests:
{"op": "ping"}; {"op": "page", "file", "sha256", "page_index", "scale"}, answered with the path of
the picture, of a part of it with "box": [left, top, right, bottom] in points;
{"op": "boxes", "file", "sha256", "spans": [[page_index, char_index, length], ...]}, answered with
[[page_index, x, y, width, height], ...] in points from the top left;
{"op": "words", "file", "sha256", "spans"}, answered with one [x, y, width, height] or null a span;
{"op": "portrait", "data"} and {"op": "label", "data", "label"}, answered with the picture drawn anew, or with the label
across it, as {"jpeg"} in base64. A refusal is {"code", "message"}.

This process opens no upload. Its workers do, so a page that crashes, hangs or bloats one costs one
reply; `render_turns` says whose turn it is. The socket comes back by itself when it was removed.
"""

import json
import logging
import os
import selectors
import signal
import socket
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from vectorless_web.documents.drawing.worker import LONGEST_REQUEST, RenderConfig, run_worker

Waiter = TypeVar("Waiter")

MOST_WAITING = 128
"""Requests that wait at once; more are refused, and the browser asks again."""
MOST_WAITING_OF_FILE = 24
"""Two screens of a run's source pane; more pages of one document are asked for again by the browser."""
SLOW_SECONDS = 600.0
"""For how long a document that had a page time out is taken for slow."""
MOST_SLOW = 1_000
"""Slow documents that are remembered, the last ones; bounds memory."""


@dataclass(eq=False)
class DrawJob(Generic[Waiter]):
    """One request: `waiters` are all who asked for the same and wait for its reply. Times are of a monotonic clock."""

    file: str
    line: bytes
    is_page: bool
    asked_at: float
    waiters: list[Waiter] = field(default_factory=list)
    crashes: int = 0


class Turns(Generic[Waiter]):
    """The jobs that wait and those that are worked on.

    Boxes are small and go first. A document has one page drawn at a time and never all
    workers; the pages of slow documents have one worker among them.
    """

    def __init__(self, workers: int) -> None:
        self._most_of_file = max(1, workers - 1)
        self._waiting: OrderedDict[str, deque[DrawJob[Waiter]]] = OrderedDict()
        self._working: list[DrawJob[Waiter]] = []
        self._slow: OrderedDict[str, float] = OrderedDict()

    def add(self, job: DrawJob[Waiter]) -> bool:
        """Let a job wait, or its waiters wait with the same one; false when too many wait already."""
        for other in self._same_file(job.file):
            if other.line == job.line:
                other.waiters.extend(job.waiters)
                return True
        own = self._waiting.get(job.file, ())
        if len(own) >= MOST_WAITING_OF_FILE or sum(map(len, self._waiting.values())) >= MOST_WAITING:
            return False
        self._waiting.setdefault(job.file, deque()).append(job)
        return True

    def take(self, now: float) -> DrawJob[Waiter] | None:
        """The job that may begin, which counts as worked on from here; None when none may."""
        for may_begin in (self._may_box, self._may_draw, self._may_draw_slow):
            for file, jobs in self._waiting.items():
                job = next((job for job in jobs if may_begin(job, now)), None)
                if job is not None:
                    self._remove(job)
                    if file in self._waiting:
                        self._waiting.move_to_end(file)
                    self._working.append(job)
                    return job
        return None

    def finish(self, job: DrawJob[Waiter], now: float, *, timed_out: bool = False) -> None:
        """A job has ended; one that ended by its time limit makes its document a slow one."""
        self._working.remove(job)
        if timed_out:
            self._slow[job.file] = now
            self._slow.move_to_end(job.file)
            while len(self._slow) > MOST_SLOW:
                self._slow.popitem(last=False)

    def repeat(self, job: DrawJob[Waiter], *, crashed: bool) -> None:
        """Put back a job whose worker ended while working on it; it becomes the next of its document."""
        self._working.remove(job)
        job.crashes += crashed
        if job.waiters:
            self._waiting.setdefault(job.file, deque()).appendleft(job)

    def overdue(self, asked_before: float) -> list[DrawJob[Waiter]]:
        """Take out and return the jobs that have waited since before a moment."""
        late = [job for jobs in self._waiting.values() for job in jobs if job.asked_at < asked_before]
        for job in late:
            self._remove(job)
        return late

    def leave(self, waiter: Waiter) -> None:
        """Remove a waiter; a job that nobody waits for is dropped unless it has begun."""
        for job in [job for jobs in self._waiting.values() for job in jobs if waiter in job.waiters]:
            job.waiters.remove(waiter)
            if not job.waiters:
                self._remove(job)
        for job in self._working:
            if waiter in job.waiters:
                job.waiters.remove(waiter)

    def is_slow(self, file: str, now: float) -> bool:
        """Whether a page of this document has timed out lately."""
        return now - self._slow.get(file, -SLOW_SECONDS) < SLOW_SECONDS

    def _same_file(self, file: str) -> Iterator[DrawJob[Waiter]]:
        yield from self._waiting.get(file, ())
        yield from (job for job in self._working if job.file == file)

    def _remove(self, job: DrawJob[Waiter]) -> None:
        jobs = self._waiting[job.file]
        jobs.remove(job)
        if not jobs:
            del self._waiting[job.file]

    def _may_box(self, job: DrawJob[Waiter], now: float) -> bool:
        return not job.is_page and sum(other.file == job.file for other in self._working) < self._most_of_file

    def _may_draw(self, job: DrawJob[Waiter], now: float) -> bool:
        return job.is_page and not self.is_slow(job.file, now) and self._draws_no_other(job)

    def _may_draw_slow(self, job: DrawJob[Waiter], now: float) -> bool:
        if not job.is_page or not self._draws_no_other(job):
            return False
        return not any(other.is_page and self.is_slow(other.file, now) for other in self._working)

    def _draws_no_other(self, job: DrawJob[Waiter]) -> bool:
        same = [other for other in self._working if other.file == job.file]
        return not any(other.is_page for other in same) and len(same) < self._most_of_file


logger = logging.getLogger(__name__)

BACKLOG = 128
"""Connections that the system holds until they are accepted."""
MOST_CLIENTS = 256
"""Connections that are open at once; more are refused, and the browser asks again."""
READ_SECONDS = 2.0
"""Seconds in which a client must have sent its request: it is one line, from the same machine."""
SEND_SECONDS = 0.5
"""Seconds that one write may take; a client that does not read holds up all others."""
QUEUE_SECONDS = 4.0
"""How long a request waits for its turn; the reader shows the page's text meanwhile, and may ask again."""
TICK_SECONDS = 0.5
"""Seconds between two looks at the limits of clients and workers."""
REQUESTS_A_WORKER = 5000
"""A worker is replaced after this many requests, which bounds what a library may leak."""
RESTART_SECONDS = 0.2
"""Seconds before a new worker is forked after one died, so that one that dies at once does not take all of the
processor."""
MOST_CRASHES = 1
"""A request whose worker ended is tried once more: the worker may have ended by something else.
One that no worker had begun is tried again in any case."""
CHUNK_BYTES = 1 << 16
"""Bytes read from a socket at a time."""

BUSY = {
    "code": "render_busy",
    "message": "Many pages are being drawn. Try again in a moment; the text is here already.",
}
TIMED_OUT = {"code": "render_timeout", "message": "Drawing this page took too long. Its text can still be read."}
CRASHED = {"code": "render_crashed", "message": "Drawing this page failed. Its text can still be read."}


def serve(config: RenderConfig) -> None:
    """Serve until a SIGTERM or SIGINT."""
    server = RenderServer(config)
    # The handler only notes the signal: what it raised would be lost where Python ignores exceptions, as while forking.
    signal.signal(signal.SIGTERM, lambda _number, _frame: server.stop())
    signal.signal(signal.SIGINT, lambda _number, _frame: server.stop())
    server.run()
    server.close()


@dataclass(eq=False)
class _Client:
    """Somebody who asks. `read` is what has come of the request."""

    connection: socket.socket
    since: float
    read: bytearray = field(default_factory=bytearray)
    asked: bool = False


@dataclass(eq=False)
class _WorkerProcess:
    """One worker process and the job it does."""

    pid: int
    connection: socket.socket
    read: bytearray = field(default_factory=bytearray)
    job: DrawJob[_Client] | None = None
    begun: bool = False
    served: int = 0


class RenderServer:
    """One loop over all connections; nothing in it waits."""

    def __init__(self, config: RenderConfig) -> None:
        self.config = config
        self._turns: Turns[_Client] = Turns(config.workers)
        self._selector = selectors.DefaultSelector()
        self._clients: set[_Client] = set()
        self._workers: list[_WorkerProcess] = []
        self._fork_at = 0.0
        self._is_stopping = False
        self._listener, self._inode = self._listen()

    def stop(self) -> None:
        """Ask `run` to end, which it does within TICK_SECONDS."""
        self._is_stopping = True

    def run(self) -> None:
        """Serve until told to stop."""
        checked = 0.0
        while not self._is_stopping:
            self._fork_missing()
            for key, _ in self._selector.select(TICK_SECONDS):
                self._hear(key.data)
            now = time.monotonic()
            if now - checked > TICK_SECONDS:
                checked = now
                self._refuse_late(now)
                self._mend_socket()
            self._hand_out()

    def close(self) -> None:
        """End the workers, and remove the socket if it is still this server's own."""
        for worker in self._workers:
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)
        if _inode(self.config.socket) == self._inode:
            self.config.socket.unlink(missing_ok=True)

    def _listen(self) -> tuple[socket.socket, int]:
        """Listen, taking the place of a server that has ended or is about to.

        The socket gets its name when it listens: who sees it is never refused.
        """
        path = self.config.socket
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        early = path.with_suffix(f".{os.getpid()}")
        early.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(early))
        early.chmod(0o600)
        listener.listen(BACKLOG)
        listener.setblocking(False)
        early.rename(path)
        self._selector.register(listener, selectors.EVENT_READ, None)
        return listener, _inode(path)

    def _mend_socket(self) -> None:
        """Listen anew when the socket was removed; one that another server has put there is left to it."""
        if _inode(self.config.socket):
            return
        logger.warning("the socket %s was removed and is made again", self.config.socket)
        self._selector.unregister(self._listener)
        self._listener.close()
        self._listener, self._inode = self._listen()

    def _hear(self, source: _Client | _WorkerProcess | None) -> None:
        if source is None:
            self._accept()
        elif isinstance(source, _Client):
            self._hear_client(source)
        else:
            self._hear_worker(source)

    def _accept(self) -> None:
        with suppress(BlockingIOError, ConnectionError):
            connection, _ = self._listener.accept()
            if len(self._clients) >= MOST_CLIENTS:
                connection.close()
                return
            connection.setblocking(False)
            client = _Client(connection, time.monotonic())
            self._clients.add(client)
            self._selector.register(connection, selectors.EVENT_READ, client)

    def _hear_client(self, client: _Client) -> None:
        try:
            chunk = client.connection.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:  # Gone, or somebody only asked whether anybody listens.
            self._turns.leave(client)
            self._drop(client)
            return
        client.read += chunk
        if client.asked:
            return
        if b"\n" in client.read:
            client.asked = True
            self._take(client, bytes(client.read.partition(b"\n")[0]))
        elif len(client.read) > LONGEST_REQUEST:
            self._drop(client)

    def _take(self, client: _Client, line: bytes) -> None:
        """Answer what needs no worker, and let everything else wait for its turn."""
        try:
            request = json.loads(line)
            operation, file = request["op"], str(request.get("file", ""))
        except (ValueError, TypeError, KeyError, AttributeError):
            self._reply(client, {"code": "bad_request", "message": "The request cannot be understood."})
            return
        if operation == "ping":
            self._reply(client, {"ok": True})
            return
        job = DrawJob(file, line, operation == "page", time.monotonic(), [client])
        if not self._turns.add(job):
            self._reply(client, BUSY)

    def _hear_worker(self, worker: _WorkerProcess) -> None:
        try:
            chunk = worker.connection.recv(CHUNK_BYTES)
        except OSError:
            chunk = b""
        if not chunk:
            self._bury(worker)
            return
        worker.read += chunk
        if worker.read.startswith(b"\n"):
            worker.begun = True
            del worker.read[0]
        if not worker.read.endswith(b"\n") or worker.job is None:
            return
        job, worker.job = worker.job, None
        line, worker.read = bytes(worker.read), bytearray()
        self._turns.finish(job, time.monotonic())
        self._send(job, line)
        worker.served += 1
        if worker.served >= REQUESTS_A_WORKER:
            self._bury(worker)

    def _bury(self, worker: _WorkerProcess) -> None:
        """A worker has ended, or has done its share; who waits for it is told."""
        self._selector.unregister(worker.connection)
        worker.connection.close()
        self._workers.remove(worker)
        _, status = os.waitpid(worker.pid, 0)
        if status:
            logger.warning("a render worker ended with status %s and is started again", status)
            self._fork_at = time.monotonic() + RESTART_SECONDS
        timed_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        if worker.job is not None and not timed_out and worker.job.crashes + worker.begun <= MOST_CRASHES:
            self._turns.repeat(worker.job, crashed=worker.begun)
        elif worker.job is not None:
            self._turns.finish(worker.job, time.monotonic(), timed_out=timed_out)
            self._send(worker.job, json.dumps(TIMED_OUT if timed_out else CRASHED).encode() + b"\n")

    def _hand_out(self) -> None:
        for worker in [worker for worker in self._workers if worker.job is None]:
            job = self._turns.take(time.monotonic())
            if job is None:
                return
            worker.job, worker.begun = job, False
            try:
                worker.connection.sendall(job.line + b"\n")
            except OSError:
                self._bury(worker)

    def _refuse_late(self, now: float) -> None:
        for job in self._turns.overdue(now - QUEUE_SECONDS):
            self._send(job, json.dumps(BUSY).encode() + b"\n")
        for client in [client for client in self._clients if not client.asked and now - client.since > READ_SECONDS]:
            self._drop(client)

    def _send(self, job: DrawJob[_Client], line: bytes) -> None:
        for client in list(job.waiters):
            self._send_line(client, line)

    def _reply(self, client: _Client, reply: dict[str, Any]) -> None:
        self._send_line(client, json.dumps(reply).encode() + b"\n")

    def _send_line(self, client: _Client, line: bytes) -> None:
        with suppress(OSError):
            client.connection.settimeout(SEND_SECONDS)
            client.connection.sendall(line)
        self._drop(client)

    def _drop(self, client: _Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._selector.unregister(client.connection)
            client.connection.close()

    def _fork_missing(self) -> None:
        if time.monotonic() < self._fork_at:
            return
        while len(self._workers) < self.config.workers:
            self._fork()

    def _fork(self) -> None:
        supervisor = os.getpid()
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid:
            theirs.close()
            worker = _WorkerProcess(pid, ours)
            ours.settimeout(SEND_SECONDS)
            self._workers.append(worker)
            self._selector.register(ours, selectors.EVENT_READ, worker)
            return
        status = 1
        try:
            ours.close()
            for key in self._selector.get_map().values():
                os.close(key.fd)
            run_worker(theirs, self.config, supervisor)
            status = 0
        finally:
            os._exit(status)


def _inode(path: Path) -> int:
    """The inode of a file; 0 when there is none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0
