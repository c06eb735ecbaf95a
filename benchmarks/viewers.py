"""How one run reaches many viewers: whether each gets every step, and how late the last one does.

    python benchmarks/viewers.py [--viewers 500] [--steps 20] [--pause 0.5]

All viewers hold a websocket to one web process and are signed in as the same person; the
run goes through a real worker and Redis. The viewers live in a process of their own that does
nothing but read: a message's moment is that at which its last byte was taken from the socket,
and what it says is looked at when the run is over. For each step the delay of a viewer is
counted from the moment the engine yielded it.

The peer, in the same run: as many bare TCP sockets that one asyncio loop writes messages of
the same size to, one after the other. It is what the machine takes for that many writes and
reads, with no websocket, database or template.
"""

import argparse
import asyncio
import multiprocessing
import re
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import STAMP, Stage
from benchmarks.site import Site, wait_until

BAR_MS = 500.0
PEER_BYTES = 8_000
PEER_STAMP = re.compile(rb"\n(\d+)\n")
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
JOINING = 50
"""So many sockets are opened at a time."""


@dataclass
class Viewer:
    """What one socket received: the delay of each step in milliseconds."""

    delays: dict[int, float] = field(default_factory=dict)
    twice: int = 0


def main() -> int:
    options = _options()
    stamped = {"STEPS": str(options.steps), "PAUSE": str(options.pause)}
    with Site(VECTORLESS_ENGINE_FACTORY="benchmarks.latency.build_stamping", **stamped) as site:
        site.manage("work", "documents")
        stage = Stage(site)
        viewers = _watch(site, stage, options.viewers)
        peer = _bare(options.viewers, options.steps, options.pause / 5)
    return _report(viewers, options.steps, peer)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between steps")
    return parser.parse_args()


def _watch(site: Site, stage: Stage, count: int) -> list[Viewer]:
    """A run whose worker is started once all viewers are there."""
    from vectorless_web.runs.services import start_run

    run = start_run(user=stage.user, workspace=stage.workspace, question="Who is watching?")
    path = f"/ws/w/{stage.workspace.slug}/runs/{run.pk}/?after=0"
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: 127.0.0.1:{site.port}",
        f"Origin: {site.address}",
        f"Cookie: {stage.cookie}",
    )
    rest = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + "A" * 22)
    with Crowd(site.port, "\r\n".join([*lines, *rest]).encode() + b"==\r\n\r\n", count) as crowd:
        site.manage("work", "runs")
        return [_read_by(messages) for messages in crowd.messages()]


def _read_by(messages: list[tuple[int, bytes]]) -> Viewer:
    viewer = Viewer()
    for arrived, payload in messages:
        for step, made in STAMP.findall(payload.decode()):
            viewer.twice += int(step) in viewer.delays
            viewer.delays[int(step)] = (arrived - int(made)) / 1e6
    return viewer


def _bare(count: int, rounds: int, pause: float) -> list[float]:
    """How late the last of as many bare sockets has a message, for each round."""
    return asyncio.run(_write_bare(count, rounds, pause))


async def _write_bare(count: int, rounds: int, pause: float) -> list[float]:
    writers: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _reader, writer: writers.append(writer), "127.0.0.1", 0)
    crowd = await asyncio.to_thread(Crowd(server.sockets[0].getsockname()[1], b"", count).__enter__)
    while len(writers) < count:
        await asyncio.sleep(0.05)
    for _round in range(rounds):
        message = f"\n{time.time_ns()}\n".encode().ljust(PEER_BYTES, b".")
        for writer in writers:
            writer.write(b"\x82\x7e" + len(message).to_bytes(2, "big") + message)
        await asyncio.sleep(pause)
    for writer in writers:
        writer.write(b"\x88\x00")
    messages = await asyncio.to_thread(crowd.messages)
    crowd.__exit__()
    server.close()
    late = [[(at - int(PEER_STAMP.match(text)[1])) / 1e6 for at, text in told] for told in messages]
    return [max(delays) for delays in zip(*late, strict=True)]


def _report(viewers: list[Viewer], steps: int, peer: list[float]) -> int:
    complete = sum(len(viewer.delays) == steps for viewer in viewers)
    twice = sum(viewer.twice for viewer in viewers)
    numbers = sorted({step for viewer in viewers for step in viewer.delays})
    last = [max(viewer.delays.get(step, float("inf")) for viewer in viewers) for step in numbers]
    first = [min(viewer.delays.get(step, float("inf")) for viewer in viewers) for step in numbers]
    print(f"viewers {len(viewers)}, with all {steps} steps {complete}, steps sent twice {twice}")
    print(f"the last viewer has a step after: median {median(last):.0f} ms, worst {max(last):.0f} ms")
    print(f"the first viewer: median {median(first):.0f} ms, worst {max(first):.0f} ms")
    print(f"bare writes to as many sockets, the last: median {median(peer):.0f} ms, worst {max(peer):.0f} ms")
    good = complete == len(viewers) and max(last) <= BAR_MS
    print(f"bar: every step to every viewer, the last within {BAR_MS:g} ms: {'kept' if good else 'MISSED'}")
    return 0 if good else 1


# -- The process that reads ------------------------------------------------------------------------------------------


class Crowd:
    """Many sockets in a process of their own; `messages` waits until all have been closed by the other side."""

    def __init__(self, port: int, request: bytes, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_read_all, args=(port, request, count, there), daemon=True)

    def __enter__(self) -> "Crowd":
        self._process.start()
        wait_until(lambda: self._here.poll(0.1), seconds=120)
        self._here.recv()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.terminate()
        self._process.join()

    def messages(self) -> list[list[tuple[int, bytes]]]:
        """For each socket its messages with the moments at which they had arrived, in nanoseconds of the epoch."""
        wait_until(lambda: self._here.poll(0.5), seconds=300)
        return self._here.recv()


class Reader(asyncio.Protocol):
    """Takes the messages of one websocket and does nothing with them."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._head = bool(request)
        self._buffer = b""
        self.messages: list[tuple[int, bytes]] = []
        self.opened, self.closed = (asyncio.get_running_loop().create_future() for _ in range(2))

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        transport.write(self._request)
        if not self._head:
            self.opened.set_result(None)

    def data_received(self, data: bytes) -> None:
        arrived = time.time_ns()
        self._buffer += data
        if self._head and not self._skip_head():
            return
        while frame := self._frame():
            opcode, payload = frame
            if opcode == PING:
                self._transport.write(bytes([0x80 | PONG, 0x80 | len(payload), 0, 0, 0, 0]) + payload)
            elif opcode == CLOSE:
                self._transport.close()
            else:
                self.messages.append((arrived, payload))

    def connection_lost(self, _error: Exception | None) -> None:
        self.closed.set_result(None)

    def _skip_head(self) -> bool:
        head, end, self._buffer = self._buffer.partition(b"\r\n\r\n")
        if not end:
            self._buffer = head
            return False
        assert b" 101 " in head.split(b"\r\n")[0], head
        self._head = False
        self.opened.set_result(None)
        return True

    def _frame(self) -> tuple[int, bytes] | None:
        """The next whole frame, taken off the buffer: a server's frames are not masked."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        short = buffer[1] & 0x7F
        wide = {126: 2, 127: 8}.get(short, 0)
        size = int.from_bytes(buffer[2 : 2 + wide], "big") if wide else short
        if len(buffer) < 2 + wide + size:
            return None
        self._buffer = buffer[2 + wide + size :]
        return buffer[0] & 0x0F, buffer[2 + wide : 2 + wide + size]


def _read_all(port: int, request: bytes, count: int, there: Connection) -> None:
    there.send(asyncio.run(_read_sockets(port, request, count, there)))


async def _read_sockets(port: int, request: bytes, count: int, there: Connection) -> list[list[tuple[int, bytes]]]:
    loop, turn = asyncio.get_running_loop(), asyncio.Semaphore(JOINING)

    async def join() -> Reader:
        async with turn:
            _, reader = await loop.create_connection(lambda: Reader(request), "127.0.0.1", port)
            await reader.opened
            return reader

    readers = await asyncio.gather(*(join() for _ in range(count)))
    there.send("joined")
    await asyncio.gather(*(reader.closed for reader in readers))
    return [reader.messages for reader in readers]


if __name__ == "__main__":
    sys.exit(main())
