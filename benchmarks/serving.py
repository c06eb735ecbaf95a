"""What a web server costs, what it holds off and what its end loses: ours, or any other that is given as a command.

    python benchmarks/serving.py [--seconds 10] [--sockets 500] [--command "hypercorn -b 127.0.0.1:{port} APP"]

Pages: a form for visitors, asked for by eight connections that stay open. Sockets: refused ones, opened one after the
other, for each goes through the whole application; then as many bells of one person, held open. Hostile clients, with
REQUEST_SECONDS of 3: what they get within 15 seconds, and what it costs. End: eight forms of 200 KB and eight pages
are under way when SIGTERM comes; what was taken and not answered is lost.
"""

import argparse
import http.client
import resource
import select
import shlex
import signal
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import Site, _free_port, _listens, wait_until
from tests.faults.visitor import Visitor

CONNECTIONS = 8
PAGE = "/accounts/login/"
UPLOAD_BYTES = 200 * 2**10
HOSTILE_SECONDS = 15
"""How long a hostile client is watched."""
IDLE_CONNECTIONS = 600


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--sockets", type=int, default=500)
    parser.add_argument("--command", default="", help="a server of the same application; {port} is its port")
    parser.add_argument("--folder", type=Path, help="keep the empty site here for the next server")
    parser.add_argument("--brief", action="store_true", help="no hostile clients")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    limits = {"VECTORLESS_STOP_SECONDS": "20", "VECTORLESS_REQUEST_SECONDS": "3"}
    with Site(folder=options.folder, **limits) as site:
        if options.command:
            site.web.terminate()
            site.port = _free_port()
            site.web = site.start(shlex.split(options.command.format(port=site.port)))
            wait_until(lambda: _listens(site.port))
        _ask(site.port, 1.0)
        memory = _memory(site.web.pid)
        before = site.processor_ms()
        pages = _ask(site.port, options.seconds)
        spent = site.processor_ms() - before
        sockets = _open_sockets(site.port, options.sockets)
        held, grown = _hold_sockets(site, options.sockets)
        print(
            f"pages a second {len(pages) / options.seconds:.1f}, processor {spent / len(pages):.1f} ms a page", end=""
        )
        print(f"; p50 {median(pages):.0f} ms, p95 {quantiles(pages, n=20)[-1]:.0f} ms; memory at first {memory:.0f} MB")
        print(
            f"refused sockets a second {sockets:.1f}; held {held} of {options.sockets}, {grown:.0f} KB each", flush=True
        )
        for name, act in () if options.brief else HOSTILE.items():
            before, began = _memory(site.web.pid), time.monotonic()
            told = act(site.port)
            took, now = time.monotonic() - began, _memory(site.web.pid)
            print(f"{name}: {told} after {took:.1f} s; memory {now - before:+.0f} MB", flush=True)
        lost = _end(site)
    print(f"at the end: answered {lost['answered']}, lost {lost['lost']}, ended after {lost['ms'] / 1000:.1f} s")
    return 1 if lost["lost"] else 0


def _ask(port: int, seconds: float) -> list[float]:
    """Milliseconds that each page took."""
    until, took = time.monotonic() + seconds, []

    def go_on(_number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while (began := time.monotonic()) < until:
            connection.request("GET", PAGE)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
            took.append((time.monotonic() - began) * 1000)

    _side_by_side(go_on)
    return took


def _side_by_side(act) -> None:
    threads = [threading.Thread(target=act, args=(number,)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _open_sockets(port: int, count: int) -> float:
    """Websockets a second that are answered (403: nobody is signed in)."""
    head = "GET /ws/none/ HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    rest = f"Origin: http://localhost:{port}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n"
    began = time.monotonic()
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall((head + rest).encode())
            assert b"403" in connection.recv(64)
    return count / (time.monotonic() - began)


def _hold_sockets(site: Site, count: int) -> tuple[int, float]:
    """How many websockets of one person stay open side by side, and the KB that each costs."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client()
    client.force_login(get_user_model().objects.get_or_create(username="bench")[0])
    visitor = Visitor(site.port)
    visitor.cookies.load(f"sessionid={client.cookies['sessionid'].value}")
    before = _memory(site.web.pid)
    with ExitStack() as opened:
        sockets = [opened.enter_context(visitor.open_socket("/ws/notices/")) for _ in range(count)]
        time.sleep(1)
        held = sum(not _is_closed(each) for each in sockets)
        return held, (_memory(site.web.pid) - before) * 1024 / count


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other side has ended it; what it said before is thrown away."""
    connection.setblocking(False)
    try:
        while connection.recv(2**16):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _drip(head: bytes, piece: bytes):
    """A client that sends a bit each half second; how it is answered."""

    def act(port: int) -> str:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head)
            until = time.monotonic() + HOSTILE_SECONDS
            while time.monotonic() < until:
                connection.settimeout(0.5)
                try:
                    return _first_line(connection.recv(200))
                except TimeoutError:
                    with suppress(OSError):
                        connection.sendall(piece)
                except OSError:
                    return "cut"
        return "held for ever"

    return act


def _flood(head: bytes, size: int):
    """A client that sends so many bytes as fast as it can; how it is answered, and what was taken before."""

    def act(port: int) -> str:
        taken = 0
        with socket.create_connection(("127.0.0.1", port), timeout=HOSTILE_SECONDS) as connection:
            with suppress(OSError):  # it has had enough; what it said is read below
                connection.sendall(head)
                while taken < size and not select.select([connection], [], [], 0)[0]:
                    taken += connection.send(b"x" * 2**16)
            try:
                answer = _first_line(connection.recv(200))
            except OSError as error:
                answer = "nothing" if isinstance(error, TimeoutError) else "cut"
        return f"{answer}, {taken / 2**20:.1f} MB taken"

    return act


def _crowd(port: int) -> str:
    """Connections that say nothing, and a visitor who comes after them."""
    with ExitStack() as opened:
        silent = []
        for _ in range(IDLE_CONNECTIONS):
            silent.append(opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5)))
        time.sleep(1)
        began = time.monotonic()
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as visitor:
            visitor.request("GET", PAGE)
            status = visitor.getresponse().status
        waited = time.monotonic() - began
        at_first = sum(not _is_closed(each) for each in silent)
        time.sleep(HOSTILE_SECONDS - 2)
        at_last = sum(not _is_closed(each) for each in silent)
    return f"{at_first} of {IDLE_CONNECTIONS} open, at last {at_last}; the visitor {status} in {waited:.2f} s"


def _first_line(answer: bytes) -> str:
    return answer.partition(b"\r\n")[0].decode() or "closed"


FORM = (
    f"POST {PAGE} HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken={'A' * 32}\r\n"
    "Content-Type: multipart/form-data; boundary=b\r\n"
)
HOSTILE = {
    "head that drips": _drip(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
    "body that drips": _drip(f"{FORM}Content-Length: 1000\r\n\r\n".encode(), b"x"),
    "head of 16 MB": _flood(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", 16 * 2**20),
    "visitor's body of 200 MB": _flood(f"{FORM}Content-Length: {200 * 2**20}\r\n\r\n".encode(), 200 * 2**20),
    "silent connections": _crowd,
}


def _end(site: Site) -> Counter[str]:
    """Tell the server to end with pages and forms under way."""
    told: Counter[str] = Counter(answered=0, lost=0)
    taken = threading.Barrier(2 * CONNECTIONS + 1)

    def ask(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        try:
            if number % 2:
                connection.request("GET", PAGE)
                taken.wait()
            else:
                connection.putrequest("POST", PAGE)
                connection.putheader("Content-Length", str(UPLOAD_BYTES))
                connection.putheader("Content-Type", "application/x-www-form-urlencoded")
                connection.endheaders()
                connection.send(b"x" * (UPLOAD_BYTES // 2))
                taken.wait()
                time.sleep(1)
                connection.send(b"x" * (UPLOAD_BYTES // 2))
            connection.getresponse().read()
            told["answered"] += 1
        except (OSError, http.client.HTTPException):
            told["lost"] += 1

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2 * CONNECTIONS)]
    for thread in threads:
        thread.start()
    taken.wait()
    time.sleep(0.3)
    began = time.monotonic()
    site.web.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join()
    site.web.wait(60)
    told["ms"] = round((time.monotonic() - began) * 1000)
    return told


def _memory(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    raise SystemExit(main())
