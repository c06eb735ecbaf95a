"""What a web server costs and what its end loses: ours, or any other that is given as a command.

    python benchmarks/serving.py [--seconds 10] [--sockets 500] [--command "hypercorn -b 127.0.0.1:{port} APP"]

Pages: a form for visitors, asked for by eight connections that stay open. Sockets: refused ones, opened one after the
other, for each goes through the whole application. End: eight forms of 200 KB and eight pages are under way when
SIGTERM comes; what was taken and not answered is lost.
"""

import argparse
import http.client
import resource
import shlex
import signal
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import Site, _free_port, _listens, wait_until

CONNECTIONS = 8
PAGE = "/accounts/login/"
UPLOAD_BYTES = 200 * 2**10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--sockets", type=int, default=500)
    parser.add_argument("--command", default="", help="a server of the same application; {port} is its port")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with Site(VECTORLESS_STOP_SECONDS="20") as site:
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
        sockets, before = _open_sockets(site.port, options.sockets), site.processor_ms()
        lost = _end(site)
    print(f"pages a second {pages / options.seconds:.1f}, processor {spent / pages:.1f} ms a page")
    print(f"refused sockets a second {sockets:.1f}; memory at first {memory:.0f} MB")
    print(f"at the end: answered {lost['answered']}, lost {lost['lost']}, ended after {lost['ms'] / 1000:.1f} s")
    return 1 if lost["lost"] else 0


def _ask(port: int, seconds: float) -> int:
    """How many pages were answered."""
    until, counts = time.monotonic() + seconds, [0] * CONNECTIONS

    def go_on(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < until:
            connection.request("GET", PAGE)
            answer = connection.getresponse()
            answer.read()
            counts[number] += answer.status == 200

    _side_by_side(go_on)
    return sum(counts)


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
