"""How large a request may be: measured on a real web server, with its memory and its answers beside it."""

import http.client
import json
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.conftest import answers, free_port, wait_until

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]

MEGABYTE = 2**20


def memory(pid: int) -> float:
    """Megabytes of memory that the process holds now."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


class Probe(threading.Thread):
    """Asks /health/live all the while, and keeps the longest wait and the largest memory."""

    def __init__(self, address: tuple[str, int], pid: int) -> None:
        super().__init__(daemon=True)
        self.slowest = self.largest = 0.0
        self._address, self._pid, self._over = address, pid, threading.Event()

    def run(self) -> None:
        while not self._over.wait(0.05):
            started = time.monotonic()
            with closing(http.client.HTTPConnection(*self._address, timeout=60)) as connection:
                connection.request("GET", "/health/live")
                assert connection.getresponse().status == 200
            self.slowest = max(self.slowest, time.monotonic() - started)
            self.largest = max(self.largest, memory(self._pid))

    def __enter__(self) -> "Probe":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()


@pytest.fixture
def web(spawn):
    """A web server's process, on its own port."""
    port = free_port()

    def start(**environment: str):
        process = spawn("web", "--port", str(port), **environment)
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/health/live"), seconds=30)
        process.address = ("127.0.0.1", port)
        return process

    return start


def send(address, path: str, size: int, headers: dict[str, str], *, files: int = 1, first: bytes = b""):
    """Post a form with files of `size` bytes altogether, as a browser does; status, headers and text."""
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
    piece = b"word " * (MEGABYTE // 5)
    with closing(http.client.HTTPConnection(*address, timeout=100)) as connection:
        connection.putrequest("POST", path)
        body_end = b"\r\n--x--\r\n"
        each = size // files // len(piece) * len(piece)
        length = len(first) + files * (len(head) + each + 2) + len(body_end) - 2
        all_headers = {"Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(length), **headers}
        for name, value in all_headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        connection.send(first)
        for number in range(files):
            connection.send(head if number == 0 else b"\r\n" + head)
            for _ in range(each // len(piece)):
                connection.send(piece)
        connection.send(body_end)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()


@pytest.fixture
def session(client, alice) -> dict[str, str]:
    """Headers with which alice is signed in, and her token."""
    client.force_login(alice)
    token = "a" * 32
    cookies = f"sessionid={client.cookies['sessionid'].value}; csrftoken={token}"
    return {"Cookie": cookies, "X-CSRFToken": token, "HX-Request": "true"}


def speak(address, text: bytes) -> socket.socket:
    """A connection on which that was said."""
    connection = socket.create_connection(address)
    connection.sendall(text)
    return connection


def is_open(connection: socket.socket) -> bool:
    """Whether the server still holds the connection."""
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_connections_that_send_nothing_or_too_slowly_are_closed(web):
    process = web(VECTORLESS_REQUEST_SECONDS="1", VECTORLESS_CONNECTIONS_PER_ADDRESS="40")
    silent = [socket.create_connection(process.address) for _ in range(100)]
    wait_until(lambda: sum(map(is_open, silent)) <= 40)
    assert is_open(silent[-1]), "the newest connections are kept"
    head = speak(process.address, b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    body = speak(process.address, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
    for _ in range(8):  # Each byte comes in time, but all of them do not.
        time.sleep(0.25)
        for connection in (head, body):
            with suppress(OSError):
                connection.send(b"x")
    body.setblocking(True)
    assert body.recv(20).startswith(b"HTTP/1.1 408")
    wait_until(lambda: not any(map(is_open, [head, *silent])))
    assert answers(f"http://127.0.0.1:{process.address[1]}/health/live")


def test_a_large_body_costs_neither_memory_nor_anybody_elses_time(web, session, workspace):
    process = web(VECTORLESS_REQUEST_MAX_BYTES=str(140 * MEGABYTE))
    upload = f"/w/{workspace.slug}/documents/upload/"
    send(process.address, upload, MEGABYTE, session)
    before = memory(process.pid)
    with Probe(process.address, process.pid) as probe:
        refused, _headers, sentence = send(process.address, "/accounts/login/", 80 * MEGABYTE, {})
        too_large, _headers, larger = send(process.address, "/accounts/login/", 160 * MEGABYTE, session)
        taken, _headers, html = send(process.address, upload, 120 * MEGABYTE, session, files=2)
    assert (refused, too_large, taken) == (413, 413, 200), html
    assert "Sign in, then send it again." in sentence
    assert "the limit is 140 MB" in larger
    assert probe.slowest < 1
    assert memory(process.pid) - before < 50
    assert probe.largest - before < 60

    # Cut with a sentence also when it comes in pieces, or is read late.
    connection = speak(
        process.address,
        b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n",
    )
    with closing(connection):
        for _ in range(40):
            connection.sendall(b"10000\r\n" + b"w" * 65536 + b"\r\n")
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.status == 413
        assert json.loads(answer.read())["code"] == "sign_in_to_send"

    connection = speak(process.address, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108864\r\n\r\n")
    with closing(connection):
        for _ in range(64):
            connection.sendall(b"w" * MEGABYTE)
        time.sleep(0.5)
        assert connection.recv(20).startswith(b"HTTP/1.1 413")
